/* SPDX-License-Identifier: Apache-2.0 */
#include "resample-slerp.h"

#include <math.h>
#include <string.h>

/* Below this angle the weights of slerp are those of a straight line, to the last bit. */
#define STRAIGHT_RAD 1e-9

static gboolean
normalise (const double q[4], double out[4])
{
  double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  double length = sqrt (square);

  if (!isfinite (square) || !(square > 0))
    return FALSE;
  for (int i = 0; i < 4; i++)
    out[i] = q[i] / length;
  return TRUE;
}

gboolean
resample_slerp (const double a[4], const double b[4], double u, double out[4])
{
  double p[4], q[4], mixed[4];
  double dot = 0, apart = 0, together = 0;
  double angle, wa = 1 - u, wb = u;

  if (!normalise (a, p) || !normalise (b, q))
    return FALSE;
  for (int i = 0; i < 4; i++)
    dot += p[i] * q[i];
  for (int i = 0; i < 4; i++) {
    q[i] = dot < 0 ? -q[i] : q[i];
    apart += (q[i] - p[i]) * (q[i] - p[i]);
    together += (q[i] + p[i]) * (q[i] + p[i]);
  }
  /* Exact for near-equal ones too, where the arc cosine of a product loses half the digits. At
   * most a right angle, so that its sine is far from 0 unless both are one. */
  angle = 2 * atan2 (sqrt (apart), sqrt (together));
  if (angle > STRAIGHT_RAD) {
    wa = sin ((1 - u) * angle) / sin (angle);
    wb = sin (u * angle) / sin (angle);
  }
  for (int i = 0; i < 4; i++)
    mixed[i] = wa * p[i] + wb * q[i];
  return normalise (mixed, out);
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What CDR costs beside a memcpy of the same bytes, per message: the median of several
 * rounds. One line of JSON for each type.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <acq/acq-cdr.h>
#include <acq/acq-msgs.h>

#define ROUNDS 15
#define MESSAGES 64 /* more than one, as in a batch; small enough for the cache */

typedef struct {
  const char *name;
  AcqCdrInput input;
} Case;

static double
now_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *values)
{
  qsort (values, ROUNDS, sizeof *values, compare);
  return values[ROUNDS / 2];
}

/* The messages stand one behind the other, as they would in a chunk. */
static double
time_encode (const AcqCdrInput *inputs, guint8 *out, guint repeats)
{
  double begin = now_ns ();

  for (guint k = 0; k < repeats; k++) {
    guint8 *at = out;

    for (guint i = 0; i < MESSAGES; i++)
      at += acq_cdr_encode (&inputs[i], at);
    __asm__ volatile("" ::: "memory");
  }
  return (now_ns () - begin) / repeats / MESSAGES;
}

static double
time_copy (const AcqCdrInput *inputs, gsize size, guint8 *out, guint repeats)
{
  double begin = now_ns ();

  for (guint k = 0; k < repeats; k++) {
    guint8 *at = out;

    for (guint i = 0; i < MESSAGES; i++) {
      memcpy (at, inputs[i].payload, MIN (size, inputs[i].payload_size));
      at += size;
    }
    __asm__ volatile("" ::: "memory");
  }
  return (now_ns () - begin) / repeats / MESSAGES;
}

static void
run (const Case *one)
{
  gsize bound = acq_cdr_bound (&one->input);
  g_autofree guint8 *out = g_malloc (bound * MESSAGES);
  gsize size = acq_cdr_encode (&one->input, out);
  guint repeats = 4e6 / (size + 200) / MESSAGES * 10 + 1;
  double encode[ROUNDS], copy[ROUNDS], a, b;
  AcqCdrInput inputs[MESSAGES];

  for (guint i = 0; i < MESSAGES; i++) {
    inputs[i] = one->input;
    inputs[i].payload = g_memdup2 (one->input.payload, one->input.payload_size);
    inputs[i].stamp_ns = G_GINT64_CONSTANT (1700000000000000000) + i;
  }
  for (guint i = 0; i < ROUNDS; i++) {
    encode[i] = time_encode (inputs, out, repeats);
    copy[i] = time_copy (inputs, size, out, repeats);
  }
  a = median (encode);
  b = median (copy);
  printf ("{\"type\":\"%s\",\"bytes\":%" G_GSIZE_FORMAT ",\"encode_ns\":%.2f,\"memcpy_ns\":%.2f}\n",
          one->name, size, a, b);
  for (guint i = 0; i < MESSAGES; i++)
    g_free ((gpointer) inputs[i].payload);
}

int
main (void)
{
  const char *const names[] = { "shoulder_pan", "shoulder_lift", "elbow", "wrist_1",
                                "wrist_2",      "wrist_3",       "thumb", "index" };
  g_autofree AcqHandSkeleton *hand = g_new0 (AcqHandSkeleton, 1);
  g_autofree AcqImu *imu = g_new0 (AcqImu, 1);
  g_autofree AcqJointState *joints = g_new0 (AcqJointState, 1);
  g_autofree guint8 *image = g_malloc0 (sizeof (AcqImage) + 16 + 744 * 4);
  const char *texts[G_N_ELEMENTS (names) + 1] = { NULL };
  g_autoptr (AcqConstants) constants = NULL;

  memcpy (texts, names, sizeof names);
  constants = acq_constants_new_strv (&acq_joint_state_schema, "name", texts, NULL);
  hand->n_joints = 21;
  joints->n_position = joints->n_velocity = joints->n_effort = G_N_ELEMENTS (names);
  strcpy (((AcqImage *) (void *) image)->encoding, "32FC1");
  {
    const Case cases[] = {
      { "HandSkeleton", { &acq_hand_skeleton_schema, hand, sizeof *hand, 0, "left_glove", NULL } },
      { "Imu", { &acq_imu_schema, imu, sizeof *imu, 0, "left_glove_palm", NULL } },
      { "JointState", { &acq_joint_state_schema, joints, sizeof *joints, 0, "arm", constants } },
      { "Image 744",
        { &acq_image_schema, image, acq_image_schema.tail_offset + 744 * 4, 0, "left_glove",
          NULL } },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      run (&cases[i]);
  }
  return 0;
}

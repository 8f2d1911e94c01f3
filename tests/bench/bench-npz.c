/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One minute of a rig in a spool, and then, for each line on stdin ("stored" or
 * "deflated"), its archive: the other half of tests/bench/sections/npz.py.
 *
 *   bench-npz DIRECTORY noise|counts
 *
 * 2 tactile gloves with skeletons at 120 Hz, 12 IMUs at 800 Hz, 2 hands at 1 kHz,
 * a robot.
 */

#include <acq/acq-npz.h>

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

typedef struct {
  const char *name;
  guint copies;
  double rate;
  const char *descr;
  guint dims[2];
} Kind;

static const Kind kinds[] = {
  { "tactile", 2, 120, "<f4", { 24, 31 } }, { "skeleton", 2, 120, "<f4", { 21, 7 } },
  { "imu", 12, 800, "<f8", { 37, 1 } },     { "hand", 2, 1000, "<f8", { 24, 1 } },
  { "state", 2, 100, "<f8", { 6, 1 } },     { "motion", 1, 50, "<f8", { 24, 1 } },
  { "robot", 1, 1, "<f4", { 21, 7 } },
};
#define SECONDS 60

static double
now (void)
{
  return (double) g_get_monotonic_time () / 1e6;
}

static double
cpu (void)
{
  struct rusage r;

  getrusage (RUSAGE_SELF, &r);
  return (double) (r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
         (double) (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static guint32 noise_state = 12345;

static guint32
noise (void)
{
  noise_state = noise_state * 1664525u + 1013904223u;
  return noise_state >> 8;
}

/* A measure: a slow movement and the noise of a sensor. */
static double
measure (double time, guint lane)
{
  return sin (time * (1 + lane % 7) + lane) + noise () * 1e-10;
}

/* The same as a converter counts it, four levels of noise. */
static double
count (double time, guint lane, double scale)
{
  return (floor (8000 * sin (time * (1 + lane % 7) + lane)) + (noise () >> 22)) * scale;
}

static double
sample (const Kind *kind, guint lane, double time, gboolean counts)
{
  if (g_str_equal (kind->name, "tactile")) /* much of a glove touches nothing */
    return lane % 31 >= 20 ? 0 : counts ? count (time, lane, 0x1p-12) : measure (time, lane);
  if (g_str_equal (kind->name, "imu") && lane >= 10) /* covariances, mostly zero */
    return lane % 9 == 1 ? 1e-4 * (counts ? 1 : measure (time, lane)) : 0;
  if (g_str_equal (kind->name, "imu") && counts)
    return count (time, lane, 9.80665 / 16384);
  return measure (time, lane);
}

static void
fill_row (guint8 *row, const Kind *kind, gint64 k, gboolean counts)
{
  gint64 host = 1767225600000000 + (gint64) ((double) k * 1e6 / kind->rate) + noise () % 100;
  gint64 times[3] = { host - 1000, host - 1000, host };
  guint n = kind->dims[0] * kind->dims[1];

  memcpy (row, times, sizeof times);
  row += sizeof times;
  for (guint i = 0; i < n; i++) {
    double value = sample (kind, i, (double) k / kind->rate, counts);
    float narrow = (float) value;

    if (kind->descr[2] == '8')
      memcpy (row + 8 * i, &value, 8);
    else
      memcpy (row + 4 * i, &narrow, 4);
  }
}

static guint64
spool_stream (AcqNpzSpool *spool, const Kind *kind, guint copy, gboolean counts)
{
  g_autofree char *stem = g_strdup_printf ("node_%u__%s", copy, kind->name);
  g_autofree char *t_us = g_strconcat (stem, "__t_us", NULL);
  g_autofree char *t_dev = g_strconcat (stem, "__t_dev_us", NULL);
  g_autofree char *t_host = g_strconcat (stem, "__t_host_us", NULL);
  AcqNpyField columns[4] = {
    { .name = t_us, .descr = "<i8" },
    { .name = t_dev, .descr = "<i8" },
    { .name = t_host, .descr = "<i8" },
    { .name = stem, .descr = kind->descr, .n_dims = 2, .dims = { kind->dims[0], kind->dims[1] } },
  };
  g_autoptr (AcqNpySpool) table =
      acq_npz_spool_add_table (spool, stem, columns, 4, 128 << 10, NULL);
  gint64 n = (gint64) (kind->rate * SECONDS);

  for (gint64 k = 0; k < n; k++) {
    fill_row (acq_npy_spool_begin_row (table), kind, k, counts);
    if (!acq_npy_spool_commit_row (table, NULL))
      g_error ("the spool could not be written");
  }
  if (!acq_npy_spool_flush (table, NULL))
    g_error ("the spool could not be written");
  return (guint64) n * acq_npy_spool_get_row_size (table);
}

static void
assemble (AcqNpzSpool *spool, AcqZipMethod method)
{
  g_autoptr (GError) error = NULL;
  AcqNpzReport report;
  double seconds = now (), used = cpu ();

  if (!acq_npz_spool_assemble (spool, method, ACQ_NPZ_SPOOL_KEEP, NULL, NULL, NULL, &report,
                               &error))
    g_error ("%s", error->message);
  g_print ("{\"seconds\":%.6f,\"cpu\":%.6f,\"bytes\":%" G_GUINT64_FORMAT ",\"path\":\"%s\"}\n",
           now () - seconds, cpu () - used, report.bytes, acq_npz_spool_get_path (spool));
}

int
main (int argc, char *argv[])
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  g_autoptr (AcqNpzSpool) spool = NULL;
  guint64 bytes = 0;
  char line[32];

  if (argc != 3)
    g_error ("usage: bench-npz DIRECTORY noise|counts");
  path = g_build_filename (argv[1], "ours.npz", NULL);
  spool = acq_npz_spool_new (path, &error);
  if (spool == NULL)
    g_error ("%s", error->message);
  acq_npz_spool_set_text (spool, "meta", "{}", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    for (guint k = 0; k < kinds[i].copies; k++)
      bytes += spool_stream (spool, &kinds[i], k, g_str_equal (argv[2], "counts"));
  g_print ("{\"bytes\":%" G_GUINT64_FORMAT "}\n", bytes);

  while (fgets (line, sizeof line, stdin) != NULL && !g_str_has_prefix (line, "quit"))
    assemble (spool, line[0] == 'd' ? ACQ_ZIP_DEFLATED : ACQ_ZIP_STORED);
  return 0;
}

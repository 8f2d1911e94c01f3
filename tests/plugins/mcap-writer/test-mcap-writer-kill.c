/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A recorder that is killed at a random moment: what it left becomes a strictly
 * valid file, without a hole, that lacks at most the last flush interval.
 *
 *   test-mcap-writer-kill RECORDER
 *   ACQ_KILLS=N   how often (100)
 */

#include "mcap-recorder.h"

#include <acq/acq.h>
#include <glib/gstdio.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLUSH_MS 500
#define AT_ONCE 5
#define MS G_GINT64_CONSTANT (1000000)

static const char *recorder;

typedef struct {
  char *directory;
  char *log_path;
  RecorderLog *log;
  GPid pid;
  gint64 due_us; /* monotonic */
  gint64 killed_ns;
} Victim;

static void
victim_start (Victim *self, GRand *rand, const char *compression)
{
  g_autofree char *flush = g_strdup_printf ("%d", FLUSH_MS);
  g_autoptr (GError) error = NULL;
  int fd;

  self->directory = g_dir_make_tmp ("acq-kill-XXXXXX", NULL);
  self->log_path = g_build_filename (self->directory, "log", NULL);
  fd = g_creat (self->log_path, 0600);
  g_assert_cmpint (ftruncate (fd, sizeof (RecorderLog)), ==, 0);
  close (fd);
  fd = g_open (self->log_path, O_RDWR | O_CLOEXEC, 0);
  self->log = mmap (NULL, sizeof (RecorderLog), PROT_READ, MAP_SHARED, fd, 0);
  g_assert_true (self->log != MAP_FAILED);
  close (fd);
  {
    const char *argv[] = { recorder, self->log_path, self->directory, flush, compression, NULL };
    g_spawn_async (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &self->pid,
                   &error);
    g_assert_no_error (error);
  }
  self->due_us = g_get_monotonic_time () + g_rand_int_range (rand, 50, 1500) * 1000;
}

static void
victim_kill (Victim *self)
{
  gint64 left = self->due_us - g_get_monotonic_time ();

  if (left > 0)
    g_usleep (left);
  self->killed_ns = g_get_real_time () * 1000;
  g_assert_cmpint (kill (self->pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (self->pid, NULL, 0), ==, self->pid);
}

/* The one part file below the directory. */
static char *
find_part (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (directory, name, NULL);
    char *found;

    if (g_str_has_suffix (name, ".mcap.part"))
      return g_steal_pointer (&path);
    if (g_file_test (path, G_FILE_TEST_IS_DIR) && (found = find_part (path)) != NULL)
      return found;
  }
  return NULL;
}

/* Messages from the first on, without a hole; returns how many. */
static guint64
count_messages (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new_for_path (path, &error);
  AcqMcapMessage record;
  guint64 n = 0;

  while (acq_mcap_reader_next_message (reader, &record, &error)) {
    g_auto (AcqCdrMessage) message = { 0 };
    const AcqMcapChannel *channel = acq_mcap_reader_get_channel (reader, record.channel_id);

    if (!acq_mcap_span_equal (channel->topic, acq_mcap_text (RECORDER_TOPIC)))
      continue;
    g_assert_true (
        acq_cdr_decode (&acq_imu_schema, record.data.data, record.data.size, &message, &error));
    g_assert_cmpuint (record.sequence, ==, n + 1);
    g_assert_cmpfloat (((AcqImu *) (gpointer) message.payload)->linear_acceleration.x, ==,
                       RECORDER_VALUE (n));
    n++;
  }
  g_assert_no_error (error);
  return n;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    remove_tree (child);
  }
  g_remove (path);
}

/* Returns how far before the kill the last saved message was received. */
static gint64
victim_check (Victim *self)
{
  g_autofree char *part = find_part (self->directory);
  g_autofree char *to = g_build_filename (self->directory, "recovered.mcap", NULL);
  g_autoptr (AcqMcapReport) report = NULL;
  g_autoptr (GError) error = NULL;
  AcqMcapRecovery recovery;
  guint64 pushed = self->log->n_pushed, n = 0, due = 0;
  gint64 missing_ns = 0;
  gboolean has_file;

  /* Killed before it began: an empty file has nothing to recover. */
  has_file = part != NULL && acq_mcap_recover_path (part, to, 0, &recovery, &error);
  while (due < pushed && self->log->host_ns[due] <= self->killed_ns - FLUSH_MS * MS)
    due++;
  if (has_file) {
    report = acq_mcap_verify_path (to, ACQ_MCAP_VERIFY_ORDER, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (report->n_errors, ==, 0);
    n = count_messages (to);
  }
  if (n < pushed)
    missing_ns = self->killed_ns - self->log->host_ns[n];
  g_test_message ("pushed %" G_GUINT64_FORMAT ", saved %" G_GUINT64_FORMAT ", the oldest missing "
                  "one is %.0f ms old",
                  pushed, n, missing_ns * 1e-6);
  g_assert_cmpuint (n, >=, due);

  munmap (self->log, sizeof (RecorderLog));
  remove_tree (self->directory);
  g_free (self->log_path);
  g_free (self->directory);
  return missing_ns;
}

static void
test_kill (void)
{
  static const char *const compressions[] = { "lz4", "none", "zstd" };
  const char *wanted = g_getenv ("ACQ_KILLS");
  guint kills = wanted != NULL ? (guint) atoi (wanted) : 100;
  g_autoptr (GRand) rand = g_rand_new_with_seed (42);
  gint64 worst_ns = 0;

  for (guint done = 0; done < kills; done += AT_ONCE) {
    Victim victims[AT_ONCE] = { 0 };

    for (guint i = 0; i < AT_ONCE; i++)
      victim_start (&victims[i], rand, compressions[(done + i) % 3]);
    for (guint i = 0; i < AT_ONCE; i++)
      victim_kill (&victims[i]);
    for (guint i = 0; i < AT_ONCE; i++) {
      gint64 missing_ns = victim_check (&victims[i]);
      worst_ns = MAX (worst_ns, missing_ns);
    }
  }
  g_test_message ("%u kills; at worst %.0f ms were missing, of %d allowed", kills, worst_ns * 1e-6,
                  FLUSH_MS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  recorder = argv[1];
  g_test_add_func ("/mcap-writer/kill", test_kill);
  return g_test_run ();
}

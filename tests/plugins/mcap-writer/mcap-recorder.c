/* SPDX-License-Identifier: Apache-2.0 */

/*
 * mcap-recorder LOG DIRECTORY FLUSH-MS [COMPRESSION [COUNT]]: records numbered
 * messages about a millisecond apart with mcap-writer, for real, until it is
 * killed or COUNT were pushed. A file of ROS 2's bags comes with it.
 */

#include "mcap-recorder.h"

#include <acq/acq-harness.h>
#include <acq/acq.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static RecorderLog *
map_log (const char *path)
{
  int fd = open (path, O_RDWR | O_CLOEXEC);
  gpointer log = mmap (NULL, sizeof (RecorderLog), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  g_assert (log != MAP_FAILED);
  close (fd);
  return log;
}

static void
push (AcqStream *stream, RecorderLog *log, guint64 i)
{
  AcqFrame *frame;
  AcqImu *imu = acq_imu_begin (stream, &frame);

  imu->linear_acceleration.x = RECORDER_VALUE (i);
  log->host_ns[i] = frame->host_ns;
  acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
  __atomic_store_n (&log->n_pushed, i + 1, __ATOMIC_RELEASE);
}

int
main (int argc, char **argv)
{
  RecorderLog *log = map_log (argv[1]);
  guint64 count = argc > 5 ? g_ascii_strtoull (argv[5], NULL, 10) : RECORDER_MAX;
  AcqHarness *h = acq_harness_new_plugin (NULL, "mcap-writer", "mcap");
  g_autoptr (GError) error = NULL;
  AcqStream *stream;

  acq_harness_set_live (h);
  acq_harness_set (h, "flush-interval-ms", argv[3]);
  acq_harness_set (h, "rosbag2-metadata", "true");
  if (argc > 4)
    acq_harness_set (h, "compression", argv[4]);
  stream = acq_harness_add_input (
      h, "rig", &(AcqStreamInfo){ .name = "imu", .schema = &acq_imu_schema, .rate_hz = 1000 });
  acq_harness_begin_take (h, argv[2]);
  if (!acq_harness_start (h, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 1;
  }
  for (guint64 i = 0; i < MIN (count, RECORDER_MAX); i++) {
    push (stream, log, i);
    usleep (900);
  }
  acq_harness_free (h);
  return 0;
}

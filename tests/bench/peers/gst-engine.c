/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The same work as bench-engine, by GStreamer.
 *
 *   gst-engine link|transform|latency FRAMES
 */

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

static gint64
monotonic_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static double
cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static guint64 n_seen;
static gint64 *latency;

static void
on_handoff (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  if (latency != NULL)
    latency[n_seen] = monotonic_ns () - (gint64) GST_BUFFER_OFFSET (buffer);
  n_seen++;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return (*(gint64 *) a > *(gint64 *) b) - (*(gint64 *) a < *(gint64 *) b);
}

static void
push_all (GstAppSrc *src, gint64 frames, gint64 interval_ns)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  struct timespec next;

  gst_buffer_pool_config_set_params (config, NULL, 100, 0, 0);
  gst_buffer_pool_set_config (pool, config);
  gst_buffer_pool_set_active (pool, TRUE);
  clock_gettime (CLOCK_MONOTONIC, &next);
  for (gint64 i = 0; i < frames; i++) {
    GstBuffer *buffer = NULL;

    gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
    GST_BUFFER_OFFSET (buffer) = (guint64) monotonic_ns ();
    gst_app_src_push_buffer (src, buffer);
    if (interval_ns > 0) {
      next.tv_nsec += interval_ns;
      next.tv_sec += next.tv_nsec / 1000000000;
      next.tv_nsec %= 1000000000;
      clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
  }
  gst_app_src_end_of_stream (src);
}

int
main (int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "link";
  gint64 frames = argc > 2 ? g_ascii_strtoll (argv[2], NULL, 10) : 1000000;
  gboolean is_latency = g_str_equal (mode, "latency");
  const char *text = g_str_equal (mode, "transform")
                         ? "appsrc name=src block=true ! queue ! identity ! queue ! "
                           "fakesink name=sink sync=false signal-handoffs=true"
                         : "appsrc name=src block=true ! queue ! "
                           "fakesink name=sink sync=false signal-handoffs=true";
  GstElement *pipeline, *src, *sink;
  GstMessage *message;
  gint64 begin;
  double seconds, cpu;

  gst_init (NULL, NULL);
  pipeline = gst_parse_launch (text, NULL);
  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_signal_connect (sink, "handoff", G_CALLBACK (on_handoff), NULL);
  if (is_latency)
    latency = g_new0 (gint64, frames);
  cpu = cpu_seconds ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  begin = monotonic_ns ();
  push_all (GST_APP_SRC (src), frames, is_latency ? 1000000 : 0);
  message = gst_bus_timed_pop_filtered (gst_element_get_bus (pipeline), GST_CLOCK_TIME_NONE,
                                        GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  seconds = (monotonic_ns () - begin) * 1e-9;
  cpu = cpu_seconds () - cpu;
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS || n_seen != (guint64) frames)
    return 1;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (is_latency) {
    qsort (latency, frames, sizeof *latency, compare);
    g_print ("{\"p50_us\":%.2f,\"p99_us\":%.2f,\"p999_us\":%.2f}\n", latency[frames / 2] * 1e-3,
             latency[frames * 99 / 100] * 1e-3, latency[frames * 999 / 1000] * 1e-3);
  } else
    g_print ("{\"frames_per_s\":%.0f,\"cpu_ns_per_frame\":%.1f}\n", frames / seconds,
             cpu / frames * 1e9);
  return 0;
}

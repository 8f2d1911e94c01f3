/* SPDX-License-Identifier: Apache-2.0 */

/* Every stream of the Wuji plugins carries what the device sent, to the last bit. */

#include "wuji-rig.h"

#include <string.h>

#include "wuji-truth.h"

#define DEVICES                                                                                    \
  "{" RIG_SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'},"                                   \
  "{'kind':'glove','serial':'WG1K1'},{'kind':'hand2','serial':'WH2J1'},"                           \
  "{'kind':'hand2','serial':'WH2K1'},{'kind':'hand','serial':'WH1K1'}]}"

static void
check (const WujiTruth *truth, const AcqFrame *frame)
{
  WujiMessage message = { .payload = frame->payload, .seq = (uint32_t) frame->seq };

  message.tail = acq_frame_tail (frame, &message.tail_size);
  truth->check (truth->serial, &message);
}

static void
test_stream (gconstpointer data)
{
  const WujiTruth *truth = data;
  AcqHarness *harness = rig_start (DEVICES, truth->plugin, "node", "serial", truth->serial,
                                   "streams", truth->stream, NULL);
  gboolean is_board = strcmp (truth->plugin, "wuji-hand") == 0;
  guint64 last = 0;

  for (guint n = 0; n < 12; n++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, truth->stream);

    check (truth, frame);
    if (n > 0)
      g_assert_cmpuint (frame->seq, ==, last + 1);
    last = frame->seq;
    g_assert_true (frame->flags & ACQ_FRAME_DEVICE_TIME);
    g_assert_true (frame->flags & ACQ_FRAME_SEQUENCE);
    if (!is_board)
      g_assert_cmpint (ABS ((gint64) frame->device_ns - frame->host_ns), <, 1000000000);
    g_assert_cmpstr (acq_stream_get_frame_id (frame->stream), ==, truth->frame_id);
    g_assert_cmpstr (acq_stream_get_metadata (frame->stream, "serial"), ==, truth->serial);
  }
  rig_end (harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rig_load ();
  for (guint i = 0; i < wuji_n_truths; i++) {
    g_autofree char *path =
        g_strdup_printf ("/wuji/streams/%s/%s", wuji_truths[i].plugin, wuji_truths[i].stream);

    g_test_add_data_func (path, &wuji_truths[i], test_stream);
  }
  return g_test_run ();
}

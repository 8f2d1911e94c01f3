/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-fingertip.h"

#include <string.h>

#include "wuji-joints.h"

#define MAX_BYTES 8192
#define CALL_S 3

/* ---- one finger ---- */

typedef struct {
  _Atomic guint32 digest;   /* of the text we have */
  _Atomic guint32 expected; /* bytes of a frame, 0 is unknown */
  _Atomic guint32 wanted;   /* digest of frames that we have no text for, 0 is none */
  guint32 refused;          /* asked for in vain; the source's thread */
} Tip;

/* Asks the hand: several exchanges, so on the source's thread only. */
static gboolean
ask (WujiFeed *feed, WujiFingertipSensorInfo *ret)
{
  WujiSession *session = feed->session;
  AcqNode *node = ACQ_NODE (session->source);
  union {
    WujiFingertipSensorInfo known;
    char room[2 * sizeof (WujiFingertipSensorInfo)];
  } info = { .room = { 0 } };
  WujiStatus status;

  if (session->api.hand2_get_fingertip_info == NULL)
    return FALSE;
  acq_node_step (node, "wuji_hand_2_get_fingertip_info", CALL_S);
  status = session->api.hand2_get_fingertip_info (session->device, (uint8_t) feed->def->element,
                                                  &info.known);
  acq_node_step (node, NULL, 0);
  if (status != WUJI_OK ||
      strnlen (info.known.format, sizeof info.known.format) == sizeof info.known.format)
    return FALSE;
  *ret = info.known;
  return TRUE;
}

static void
attach (WujiFeed *feed, const WujiFingertipSensorInfo *info)
{
  g_autofree char *name = g_strdup_printf ("fingertip_%s_%08x.json",
                                           wuji_finger_names[feed->def->element], info->digest);
  g_autoptr (GBytes) bytes = g_bytes_new (info->format, strlen (info->format));

  acq_node_attach (ACQ_NODE (feed->session->source), name, "application/json", bytes);
}

static void
tell (WujiFeed *feed, guint severity, const char *name, guint32 digest, const char *what)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_NOTICE,
                     .severity = (uint8_t) severity,
                     .code = digest };

  g_strlcpy (event.stream, feed->def->name, sizeof event.stream);
  g_strlcpy (event.name, name, sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s.%s: %s (digest %08x)",
              acq_node_get_id (ACQ_NODE (feed->session->source)), feed->def->name, what, digest);
  acq_node_event (ACQ_NODE (feed->session->source), &event);
}

static gboolean
learn (WujiFeed *feed, WujiFingertipSensorInfo *info, WujiFingertipFormat *format)
{
  Tip *tip = feed->data;

  if (!ask (feed, info))
    return FALSE;
  attach (feed, info);
  if (wuji_fingertip_parse (info->format, format)) {
    atomic_store (&tip->expected, (guint32) wuji_fingertip_bytes (format));
  } else {
    atomic_store (&tip->expected, 0);
    tell (feed, ACQ_EVENT_SEVERITY_WARNING, "layout_unknown", info->digest,
          "the text that says how its bytes read cannot be used, maybe because it is longer than "
          "the library's buffer; the bytes are recorded as they come");
  }
  atomic_store (&tip->digest, info->digest);
  return TRUE;
}

AcqStream *
wuji_fingertip_declare (WujiFeed *feed, const void *frame)
{
  WujiFingertipFormat format = { .parsed = FALSE };
  WujiFingertipSensorInfo info;
  AcqTailLayout tail = { .kind = ACQ_KIND_I16, .interp = ACQ_INTERP_LINEAR };
  AcqStreamInfo stream_info = { .clock = feed->session->clock,
                                .has_sequence = TRUE,
                                .max_tail = MAX_BYTES };
  g_autofree char *frame_id =
      g_strdup_printf ("%s_tip_sensor_frame", wuji_finger_names[feed->def->element]);
  g_autofree char *digest = NULL;
  AcqStream *stream;

  if (feed->data == NULL)
    feed->data = g_new0 (Tip, 1);
  if (learn (feed, &info, &format)) {
    digest = g_strdup_printf ("%08x", info.digest);
    if (format.parsed && format.all_i16) {
      tail.count = (guint32) wuji_fingertip_bytes (&format) / 2;
      stream_info.tail = &tail;
    }
  }
  stream = wuji_feed_add_stream (feed, &stream_info, frame_id);
  acq_stream_set_metadata (stream, "wuji.format_digest", digest);
  acq_stream_set_metadata (stream, "unit", format.parsed ? format.unit : NULL);
  return stream;
}

const char *
wuji_fingertip_fits (WujiFeed *feed, const void *data)
{
  const WujiFingertipSensorData *frame = data;

  return frame->data_len <= MAX_BYTES ? NULL : "too_long";
}

AcqFrame *
wuji_fingertip_fill (WujiFeed *feed, const void *data)
{
  const WujiFingertipSensorData *frame = data;
  Tip *tip = feed->data;
  gboolean same = frame->info_digest == atomic_load_explicit (&tip->digest, memory_order_relaxed);
  AcqFrame *message;
  AcqFingertipSensor *sensor = acq_fingertip_sensor_begin (feed->stream, frame->data_len, &message);

  if (!same)
    atomic_store_explicit (&tip->wanted, frame->info_digest, memory_order_relaxed);
  sensor->finger = (uint8_t) feed->def->element;
  sensor->digest = frame->info_digest;
  sensor->layout_known =
      same && atomic_load_explicit (&tip->expected, memory_order_relaxed) == frame->data_len;
  memcpy (acq_fingertip_sensor_tail (sensor), frame->data, frame->data_len);
  return message;
}

/* ---- a new layout ---- */

static void
learn_again (WujiFeed *feed)
{
  Tip *tip = feed->data;
  guint32 wanted = atomic_exchange (&tip->wanted, 0);
  WujiFingertipSensorInfo info;
  WujiFingertipFormat format;

  if (wanted == 0 || wanted == atomic_load (&tip->digest) || wanted == tip->refused)
    return;
  tell (feed, ACQ_EVENT_SEVERITY_WARNING, "layout_changed", wanted,
        "frames have another layout from here on; it is asked for");
  if (!learn (feed, &info, &format) || info.digest != wanted) {
    tip->refused = wanted;
    tell (feed, ACQ_EVENT_SEVERITY_WARNING, "layout_unknown", wanted,
          "the device does not tell the layout of its frames; the bytes are recorded as they come");
  }
}

void
wuji_fingertip_tick (WujiSession *session)
{
  for (guint i = 0; i < session->feeds->len; i++) {
    WujiFeed *feed = session->feeds->pdata[i];

    if (feed->def->fill == wuji_fingertip_fill && feed->data != NULL)
      learn_again (feed);
  }
}

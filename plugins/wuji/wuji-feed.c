/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-feed.h"

#include <string.h>

#include "wuji-session.h"

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define LAG_TELL_NS NS_PER_S /* at most one event in this time */
#define GAP_TELL_NS (NS_PER_S / 10)
#define FIRST_PAUSE_NS NS_PER_S

#define NODE(feed) ACQ_NODE ((feed)->session->source)

WujiFeed *
wuji_feed_new (WujiSession *session, const WujiStreamDef *def)
{
  WujiFeed *self = g_new0 (WujiFeed, 1);

  self->session = session;
  self->def = def;
  self->retry_pause_ns = FIRST_PAUSE_NS;
  return self;
}

void
wuji_feed_free (WujiFeed *self)
{
  g_free (self->data);
  g_free (self);
}

/* ---- events ---- */

static void
stream_event (WujiFeed *self, guint kind, guint severity, const char *name, guint64 count,
              const char *message)
{
  AcqEvent event = { .kind = (uint8_t) kind, .severity = (uint8_t) severity, .count = count };

  g_strlcpy (event.stream, self->def->name, sizeof event.stream);
  g_strlcpy (event.name, name, sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s.%s: %s", acq_node_get_id (NODE (self)),
              self->def->name, message);
  acq_node_event (NODE (self), &event);
}

/* ---- the SDK's thread: a frame ---- */

static void
reject (WujiFeed *self, const char *reason)
{
  AcqPort *port = self->session->port;

  acq_port_lock (port);
  acq_port_count (port, ACQ_PORT_PACKETS, 1);
  acq_port_count_rejected (port, reason, 1);
  acq_port_unlock (port);
}

/* A release that nobody knows is not asked twice: what it means by its bytes is not what we do. */
static void
refuse (WujiFeed *self, const char *reason)
{
  g_autofree char *message =
      g_strdup_printf ("the first frame makes no sense (%s): release %s of the library has another "
                       "layout than the ones that are known; the stream is not recorded",
                       reason, self->session->api.judged.text);

  reject (self, "layout");
  stream_event (self, ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_ERROR, "layout_refused", 1, message);
  atomic_store (&self->state, WUJI_FEED_REFUSED);
}

static gboolean
passes (WujiFeed *self, const void *frame)
{
  gboolean strict = !self->checked && self->session->api.judged.trust != WUJI_TRUST_KNOWN;
  const char *reason = self->def->canary (frame, strict);

  if (reason == NULL && self->stream != NULL && self->def->fits != NULL) {
    reason = self->def->fits (self, frame);
    strict = FALSE;
  }
  if (reason == NULL) {
    self->checked = TRUE;
    return TRUE;
  }
  if (strict) {
    refuse (self, reason);
    return FALSE;
  }
  reject (self, reason);
  if (!self->told_rejected) {
    g_autofree char *message =
        g_strdup_printf ("a frame is not what it should be (%s); it and its like are counted as "
                         "rejected",
                         reason);

    self->told_rejected = TRUE;
    stream_event (self, ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING, "frame_rejected", 1,
                  message);
  }
  return FALSE;
}

static WujiStamp
header_stamp (const void *frame)
{
  const WujiFrameHeader *header = frame;

  return (WujiStamp){ header->seq, header->timestamp_us * 1000 };
}

/* Losses come in showers: each is counted at once, and told at most ten times a second. */
static void
tell_gap (WujiFeed *self, gint64 now_ns)
{
  if (self->gap_from_ns == 0 ||
      (self->gap_told_ns != 0 && now_ns - self->gap_told_ns < GAP_TELL_NS))
    return;
  acq_source_gap (self->session->source, self->stream, self->gap_from_ns, now_ns, self->gap_lost,
                  self->gap_is_lag ? "lag" : "sequence");
  self->gap_told_ns = now_ns;
  self->gap_from_ns = 0;
  self->gap_lost = 0;
  self->gap_is_lag = FALSE;
}

/* Is there a frame to push? If not, ret_counter says what it is instead. */
static gboolean
is_fresh (WujiFeed *self, guint32 seq, gint64 now_ns, AcqStreamCounter *ret_counter)
{
  guint64 lost = 0;
  WujiSequenceVerdict verdict;

  if (!acq_stream_has_sequence (self->stream))
    return TRUE;
  verdict = wuji_sequence_next (&self->sequence, seq, &lost);
  if (lost > 0) {
    acq_stream_count (self->stream, ACQ_STREAM_LOST, lost);
    self->gap_lost += lost;
    if (self->gap_from_ns == 0)
      self->gap_from_ns = atomic_load (&self->last_ns);
  }
  switch (verdict) {
  case WUJI_SEQUENCE_DUPLICATE:
    *ret_counter = ACQ_STREAM_DUPLICATES;
    return FALSE;
  case WUJI_SEQUENCE_LATE:
    *ret_counter = ACQ_STREAM_LATE;
    return FALSE;
  case WUJI_SEQUENCE_RESTART:
    stream_event (self, ACQ_EVENT_KIND_NOTICE, ACQ_EVENT_SEVERITY_WARNING, "sequence_restart", 1,
                  "the sequence numbers began anew; what was lost there is not known");
    break;
  case WUJI_SEQUENCE_FRESH:
    break;
  }
  tell_gap (self, now_ns);
  return TRUE;
}

/* One message of a frame, and its place in the ledger. */
static void
deliver (WujiFeed *self, const void *frame, gint64 now_ns)
{
  WujiSession *session = self->session;
  WujiStamp stamp =
      self->def->stamp != NULL ? self->def->stamp (self, frame) : header_stamp (frame);
  AcqStreamCounter counter = ACQ_STREAM_REPEATS;
  AcqFrame *message = NULL;

  if (stamp.device_ns != ACQ_TIME_NONE && acq_stream_get_clock (self->stream) == session->clock)
    wuji_session_see_clock (session, self, stamp.device_ns, now_ns);
  if (is_fresh (self, stamp.seq, now_ns, &counter))
    message = self->def->fill (self, frame);
  acq_port_lock (session->port);
  acq_port_count (session->port, ACQ_PORT_PACKETS, 1);
  acq_source_count_accepted (session->source, 1);
  if (message != NULL) {
    message->host_ns = now_ns;
    acq_stream_push (self->stream, message, stamp.seq, stamp.device_ns);
  } else {
    acq_stream_count (self->stream, counter, 1);
  }
  acq_port_unlock (session->port);
}

static void
receive (WujiFeed *self, const void *frame)
{
  gint64 now_ns = acq_node_now (NODE (self));
  guint n_parts;

  if (!passes (self, frame))
    return;
  if (self->stream == NULL)
    self->stream = self->def->declare (self, frame);
  n_parts = self->def->parts != NULL ? self->def->parts (frame) : 1;
  for (self->part = 0; self->part < n_parts; self->part++)
    deliver (self, frame, now_ns);
  atomic_store_explicit (&self->last_ns, now_ns, memory_order_release);
}

/* ---- the SDK's thread: everything else ---- */

/* How many frames it was the SDK does not tell; the sequence does, with the next one. */
static void
lag (WujiFeed *self)
{
  gint64 now_ns = acq_node_now (NODE (self));
  guint64 n = atomic_fetch_add (&self->n_lag, 1) + 1;

  if (self->gap_from_ns == 0)
    self->gap_from_ns = atomic_load (&self->last_ns);
  self->gap_is_lag = TRUE;
  if (self->lag_told_ns != 0 && now_ns - self->lag_told_ns < LAG_TELL_NS)
    return;
  self->lag_told_ns = now_ns;
  stream_event (self, ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING, "library_lag", n,
                "the library dropped frames because they were not taken in time; is the machine "
                "overloaded?");
}

static void
end (WujiFeed *self, WujiFrameKind kind)
{
  const char *text = kind == WUJI_KIND_ERROR ? self->session->api.last_error () : NULL;

  g_strlcpy (self->error, text != NULL ? text : "", sizeof self->error);
  atomic_store (&self->state, kind == WUJI_KIND_ERROR ? WUJI_FEED_FAILED : WUJI_FEED_ENDED);
  if (!atomic_load (&self->session->closing))
    g_main_context_wakeup (acq_source_get_context (self->session->source));
}

/* `sub` is not read in here: the first call may come before subscribing has returned. */
static void
on_frame (WujiFrameKind kind, const void *frame, void *user_data)
{
  WujiFeed *self = user_data;

  switch (kind) {
  case WUJI_KIND_OK:
    if (frame != NULL &&
        atomic_load_explicit (&self->state, memory_order_relaxed) == WUJI_FEED_RUNNING)
      receive (self, frame);
    break;
  case WUJI_KIND_LAG:
    lag (self);
    break;
  default:
    end (self, kind);
    break;
  }
}

/* ---- the source's thread ---- */

static guint
wanted_rate (WujiFeed *self)
{
  gsize length = strlen (self->def->name);

  for (char **rate = self->session->options->rates; rate != NULL && *rate != NULL; rate++)
    if (strncmp (*rate, self->def->name, length) == 0 && (*rate)[length] == '=')
      return (guint) g_ascii_strtoull (*rate + length + 1, NULL, 10);
  return 0;
}

/* The device grants a division of its own rate, or says that it cannot: both are told. */
static void
set_rate (WujiFeed *self, guint wanted)
{
  WujiApi *api = &self->session->api;
  uint16_t granted = 0;
  g_autofree char *message = NULL;
  WujiStatus status = WUJI_ERR_UNSUPPORTED;
  const char *why = "this release of the library cannot";

  if (api->sub_set_rate != NULL && (api->judged.features & WUJI_FEATURE_SET_RATE)) {
    status = api->sub_set_rate (self->sub, (uint16_t) wanted, &granted);
    why = status == WUJI_OK ? NULL : api->last_error ();
  }
  if (status == WUJI_OK) {
    self->granted_hz = granted;
    message = g_strdup_printf ("asked for %u Hz, the device sends %u Hz", wanted, granted);
    stream_event (self, ACQ_EVENT_KIND_NOTICE, ACQ_EVENT_SEVERITY_INFO, "rate_granted", granted,
                  message);
    return;
  }
  message = g_strdup_printf ("the rate stays as it is: %s", why != NULL ? why : "it was refused");
  stream_event (self, ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING, "rate_refused", wanted,
                message);
}

static WujiStatus
subscribe (WujiFeed *self)
{
  WujiSession *session = self->session;

  if (self->def->flags & WUJI_STREAM_GLOBAL)
    return session->api.subscribe_global[self->def->sub](on_frame, self, &self->sub);
  return session->api.subscribe[self->def->sub](session->device, on_frame, self, &self->sub);
}

static gboolean
is_exported (const WujiFeed *self)
{
  const WujiApi *api = &self->session->api;

  return self->def->flags & WUJI_STREAM_GLOBAL ? api->subscribe_global[self->def->sub] != NULL
                                               : api->subscribe[self->def->sub] != NULL;
}

gboolean
wuji_feed_open (WujiFeed *self, GError **error)
{
  WujiSession *session = self->session;
  guint rate = wanted_rate (self);
  WujiStatus status;

  if (!(session->api.judged.features & self->def->feature)) {
    g_autofree char *why = wuji_version_explain (&session->api.judged, self->def->feature);

    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "stream %s: %s", self->def->name, why);
    return FALSE;
  }
  if (!is_exported (self)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN,
                 "stream %s: release %s of the library has none", self->def->name,
                 session->api.judged.text);
    return FALSE;
  }
  wuji_sequence_init (&self->sequence);
  self->checked = FALSE;
  self->clock_kind = ACQ_CLOCK_NONE;
  self->gap_from_ns = 0;
  self->gap_lost = 0;
  self->gap_is_lag = FALSE;
  self->opened_ns = acq_node_now (NODE (self));
  self->retry_at_ns = 0;
  self->silent_since_ns = 0;
  atomic_store (&self->last_ns, 0);
  atomic_store (&self->state, WUJI_FEED_RUNNING);
  if (self->stream == NULL && !(self->def->flags & WUJI_STREAM_SHAPED))
    self->stream = self->def->declare (self, NULL);
  status = subscribe (self);
  if (status != WUJI_OK) {
    g_autofree char *what = g_strdup_printf ("stream %s", self->def->name);

    self->sub = NULL;
    wuji_api_set_error (&session->api, status, what, error);
    return FALSE;
  }
  if (rate > 0)
    set_rate (self, rate);
  return TRUE;
}

void
wuji_feed_close (WujiFeed *self)
{
  guint64 lost;

  if (self->sub != NULL)
    self->session->api.sub_close (g_steal_pointer (&self->sub));
  lost = wuji_sequence_end (&self->sequence);
  if (self->stream == NULL)
    return;
  if (lost > 0)
    acq_stream_count (self->stream, ACQ_STREAM_LOST, lost);
  if (self->gap_lost > 0) {
    self->gap_told_ns = 0;
    tell_gap (self, acq_node_now (NODE (self)));
  }
}

AcqStream *
wuji_feed_add_stream (WujiFeed *self, AcqStreamInfo *info, const char *vendor_frame)
{
  WujiSession *session = self->session;
  g_autofree char *frame_id =
      vendor_frame != NULL ? wuji_session_own_name (session, vendor_frame) : NULL;
  AcqStream *stream;

  info->name = self->def->name;
  info->schema = self->def->schema;
  info->rate_hz = self->granted_hz != 0 ? self->granted_hz : self->def->rate_hz;
  if (info->frame_id == NULL)
    info->frame_id = frame_id;
  stream = acq_source_add_stream (session->source, info);
  acq_stream_set_metadata (stream, "wuji.topic", self->def->topic);
  if (session->serial != NULL)
    acq_stream_set_metadata (stream, "serial", session->serial);
  if (session->device_class != WUJI_CLASS_TF)
    acq_stream_set_metadata (stream, "side", acq_side_to_string (session->side));
  if (vendor_frame != NULL && session->side != ACQ_SIDE_UNKNOWN) {
    g_autofree char *theirs =
        g_strdup_printf ("%s_%s", session->side == ACQ_SIDE_LEFT ? "l" : "r", vendor_frame);

    acq_stream_set_metadata (stream, "wuji.frame_id", theirs);
  }
  return stream;
}

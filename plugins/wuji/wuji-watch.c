/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Watching over a session, ten times a second, on the source's thread. A dead link may end
 * the streams, or end nothing at all and just be silent; one stream may end or fall silent
 * while the others go on.
 */

#include <string.h>

#include "wuji-session.h"

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define TICK_MS 100
#define MISSING_NS (3 * NS_PER_S) /* no first frame for so long is worth a word */
#define LONGEST_PAUSE_NS (15 * NS_PER_S)

#define NODE(self) ACQ_NODE ((self)->source)

typedef struct {
  guint n_running, n_ended, n_speaking, n_silent;
  const char *error;
} Census;

static gint64
patience (const WujiSession *self, const WujiFeed *feed)
{
  /* A slow stream is not silent between two frames. */
  gint64 frames = feed->def->rate_hz > 0 ? (gint64) (5e9 / feed->def->rate_hz) : 0;

  return MAX (self->options->silence, frames);
}

static void
stream_notice (WujiFeed *feed, guint severity, const char *name, const char *message)
{
  AcqEvent event = { .kind = severity > ACQ_EVENT_SEVERITY_INFO ? ACQ_EVENT_KIND_ALERT
                                                                : ACQ_EVENT_KIND_NOTICE,
                     .severity = (uint8_t) severity };

  g_strlcpy (event.stream, feed->def->name, sizeof event.stream);
  g_strlcpy (event.name, name, sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s.%s: %s",
              acq_node_get_id (NODE (feed->session)), feed->def->name, message);
  acq_node_event (NODE (feed->session), &event);
}

/* ---- one stream ---- */

static void
note_end (WujiFeed *feed, gint64 now_ns)
{
  gboolean failed = atomic_load (&feed->state) == WUJI_FEED_FAILED;
  g_autofree char *message =
      g_strdup_printf ("the device ended the stream%s%s; it is subscribed to again",
                       feed->error[0] != '\0' ? ": " : "", feed->error);

  stream_notice (feed, ACQ_EVENT_SEVERITY_WARNING, failed ? "stream_error" : "stream_ended",
                 message);
  if (feed->stream != NULL)
    acq_stream_end (feed->stream);
  feed->retry_at_ns = now_ns + feed->retry_pause_ns;
  feed->retry_pause_ns = MIN (2 * feed->retry_pause_ns, LONGEST_PAUSE_NS);
}

static void
open_again (WujiFeed *feed)
{
  g_autoptr (GError) error = NULL;

  wuji_feed_close (feed);
  if (wuji_feed_open (feed, &error))
    return;
  stream_notice (feed, ACQ_EVENT_SEVERITY_WARNING, "stream_error", error->message);
  atomic_store (&feed->state, WUJI_FEED_FAILED);
  feed->retry_at_ns = acq_node_now (NODE (feed->session)) + feed->retry_pause_ns;
  feed->retry_pause_ns = MIN (2 * feed->retry_pause_ns, LONGEST_PAUSE_NS);
}

static void
note_silence (WujiFeed *feed, gint64 last_ns, gint64 now_ns)
{
  if (now_ns - last_ns > patience (feed->session, feed)) {
    if (feed->silent_since_ns == 0)
      stream_notice (feed, ACQ_EVENT_SEVERITY_WARNING, "stream_silent",
                     "nothing comes, while other streams of the device go on");
    feed->silent_since_ns = last_ns;
  } else if (feed->silent_since_ns != 0) {
    acq_source_gap (feed->session->source, feed->stream, feed->silent_since_ns, last_ns, 0,
                    "silence");
    feed->silent_since_ns = 0;
  }
}

static void
note_missing (WujiFeed *feed, gint64 now_ns)
{
  if (feed->told_missing || now_ns - feed->opened_ns < MISSING_NS)
    return;
  feed->told_missing = TRUE;
  stream_notice (feed, ACQ_EVENT_SEVERITY_WARNING, "no_frames",
                 "subscribed to, but nothing came so far; is the device ready, and does it have "
                 "what the stream needs (for a tactile model: a trained one for this SDK user)?");
}

/* ---- all of them ---- */

static void
count (WujiSession *self, gint64 now_ns, Census *ret)
{
  for (guint i = 0; i < self->feeds->len; i++) {
    WujiFeed *feed = self->feeds->pdata[i];
    int state = atomic_load (&feed->state);
    gint64 last_ns = atomic_load (&feed->last_ns);

    if (feed->sub == NULL || state == WUJI_FEED_REFUSED)
      continue;
    ret->n_running++;
    if (state != WUJI_FEED_RUNNING) {
      ret->n_ended++;
      if (feed->error[0] != '\0')
        ret->error = feed->error;
    } else if (last_ns != 0 && !(feed->def->flags & WUJI_STREAM_QUIET)) {
      if (now_ns - last_ns > patience (self, feed))
        ret->n_silent++;
      else
        ret->n_speaking++;
    }
  }
}

static gboolean
is_takeover (const char *text)
{
  return text != NULL && (strstr (text, "taken over") != NULL || strstr (text, "takeover") != NULL);
}

/* Is the device as a whole gone? Then the base class closes and opens it again. */
static gboolean
is_lost (WujiSession *self, const Census *census)
{
  const char *id = acq_node_get_id (NODE (self));
  gboolean up = self->device == NULL || self->api.dev_is_connected (self->device);
  gboolean all_ended = census->n_running > 0 && census->n_ended == census->n_running;

  /* The streams may yet say why. */
  if (!up && !all_ended && !self->seen_down) {
    self->seen_down = TRUE;
    return FALSE;
  }
  if (is_takeover (census->error))
    acq_source_lost (self->source, "taken_over", "%s: another program took the device (%s)", id,
                     census->error);
  else if (!up)
    acq_source_lost (self->source, "disconnected", "%s: the device is disconnected%s%s", id,
                     census->error != NULL ? ": " : "", census->error != NULL ? census->error : "");
  else if (all_ended)
    acq_source_lost (self->source, "ended", "%s: the device ended all its streams%s%s", id,
                     census->error != NULL ? ": " : "", census->error != NULL ? census->error : "");
  else if (census->n_speaking == 0 && census->n_silent > 0 && census->n_ended == 0)
    acq_source_lost (self->source, "silence",
                     "%s: the device sends nothing any more, and nobody said why: cable, power?",
                     id);
  else
    return FALSE;
  return TRUE;
}

static gboolean
tick (gpointer data)
{
  WujiSession *self = data;
  gint64 now_ns = acq_node_now (NODE (self));
  Census census = { 0 };

  count (self, now_ns, &census);
  if (is_lost (self, &census))
    return G_SOURCE_REMOVE;
  if (self->on_tick != NULL)
    self->on_tick (self);
  for (guint i = 0; i < self->feeds->len; i++) {
    WujiFeed *feed = self->feeds->pdata[i];
    gint64 last_ns = atomic_load (&feed->last_ns);

    switch ((WujiFeedState) atomic_load (&feed->state)) {
    case WUJI_FEED_RUNNING:
      if (feed->def->flags & WUJI_STREAM_QUIET)
        break;
      if (last_ns != 0)
        note_silence (feed, last_ns, now_ns);
      else
        note_missing (feed, now_ns);
      break;
    case WUJI_FEED_ENDED:
    case WUJI_FEED_FAILED:
      if (feed->retry_at_ns == 0)
        note_end (feed, now_ns);
      else if (now_ns >= feed->retry_at_ns)
        open_again (feed);
      break;
    case WUJI_FEED_REFUSED:
      break;
    }
  }
  return G_SOURCE_CONTINUE;
}

void
wuji_session_watch (WujiSession *self)
{
  self->tick = g_timeout_source_new (TICK_MS);
  g_source_set_callback (self->tick, tick, self, NULL);
  g_source_attach (self->tick, g_main_context_get_thread_default ());
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The device's clock. A device counts microseconds since it was switched on and, once the SDK
 * exchanged times with it, adds an offset that makes them UTC. No frame says which of the two
 * it has, but 2001 lies between them. The host's clock is the reference, so every exchange
 * may step the device a little, and one that steps it far begins a new epoch.
 */

#include "wuji-session.h"

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define UTC_FROM_NS (G_GUINT64_CONSTANT (1000000000) * 1000000000) /* September 2001 */
/* A frame may come late by as much as its queue is long, but never early. */
#define STEP_AHEAD_NS (NS_PER_S / 4)
#define STEP_BEHIND_NS (5 * NS_PER_S / 2)
#define SAME_STEP_NS (2 * NS_PER_S) /* streams tell of one step after another */
#define OFF_NS NS_PER_S
#define STEP_S 2

/* Frames of different streams overtake each other, so an older kind does not undo a newer one. */
static gboolean
is_change (WujiSession *self, AcqClockKind before, AcqClockKind kind)
{
  if (self->clock_kind == kind)
    return FALSE;
  return self->clock_kind == ACQ_CLOCK_NONE || kind == ACQ_CLOCK_UTC || before == ACQ_CLOCK_UTC;
}

static void
give_exchange (WujiSession *self)
{
  AcqHostClock *host = acq_node_get_host_clock (ACQ_NODE (self->source));
  gint64 at_ns = (gint64) self->exchange.synced_at_us * 1000;

  acq_clock_evidence (self->clock, self->exchange.synced_at_us * 1000,
                      at_ns - acq_host_clock_wall_offset (host),
                      self->exchange.round_trip_us * 1000 / 2);
}

static void
restart (WujiSession *self, AcqClockKind kind, const char *cause)
{
  self->clock_kind = kind;
  acq_source_clock_restarted (self->source, self->clock, kind, cause);
  if (kind == ACQ_CLOCK_UTC && self->has_exchange)
    give_exchange (self);
}

static void
change_kind (WujiSession *self, AcqClockKind before, AcqClockKind kind)
{
  const char *cause = "reboot";

  pthread_mutex_lock (&self->clock_lock);
  if (kind == ACQ_CLOCK_UTC)
    cause = "sync";
  else if (self->clock_kind == ACQ_CLOCK_NONE)
    cause = "unsynced";
  if (is_change (self, before, kind)) {
    /* A clock that is new and counts what it was made for has not begun anew. */
    if (self->clock_kind == ACQ_CLOCK_NONE && kind == acq_clock_get_kind (self->clock))
      self->clock_kind = kind;
    else
      restart (self, kind, cause);
  }
  pthread_mutex_unlock (&self->clock_lock);
}

static void
tell_step (WujiSession *self, AcqClockKind kind, gint64 host_ns)
{
  pthread_mutex_lock (&self->clock_lock);
  if (self->stepped_ns == 0 || host_ns - self->stepped_ns > SAME_STEP_NS) {
    self->has_exchange = FALSE;
    restart (self, kind, "step");
    self->stepped_ns = host_ns;
  }
  pthread_mutex_unlock (&self->clock_lock);
}

static void
tell_off (WujiSession *self, gint64 offset_ns)
{
  if (atomic_exchange (&self->told_off, TRUE))
    return;
  acq_node_notice (ACQ_NODE (self->source), ACQ_EVENT_SEVERITY_WARNING, "clock_off",
                   "%s: the device's clock is %.3f s away from this machine's; another machine "
                   "may have set it",
                   acq_node_get_id (ACQ_NODE (self->source)), (double) offset_ns * 1e-9);
}

void
wuji_session_see_clock (WujiSession *self, WujiFeed *feed, guint64 device_ns, gint64 host_ns)
{
  AcqClockKind kind = device_ns >= UTC_FROM_NS ? ACQ_CLOCK_UTC : ACQ_CLOCK_UPTIME;
  gint64 offset = host_ns - (gint64) device_ns;

  if (kind != feed->clock_kind)
    change_kind (self, feed->clock_kind, kind);
  else if (offset < feed->clock_offset_ns - STEP_AHEAD_NS ||
           offset > feed->clock_offset_ns + STEP_BEHIND_NS)
    tell_step (self, kind, host_ns);
  feed->clock_kind = kind;
  feed->clock_offset_ns = offset;
  if (G_UNLIKELY (kind == ACQ_CLOCK_UTC && ABS (offset) > OFF_NS))
    tell_off (self, offset);
}

/* ---- asking for the time ---- */

/* Room for a newer, larger struct. */
typedef union {
  WujiTimeSyncResult known;
  char room[2 * sizeof (WujiTimeSyncResult)];
} Exchange;

static void
add_exchange (GString *all, const WujiTimeSyncResult *result)
{
  g_string_append_printf (
      all,
      "%s{\"offset_us\":%" G_GINT64_FORMAT ",\"round_trip_us\":%" G_GINT64_FORMAT
      ",\"synced_at_us\":%" G_GUINT64_FORMAT "}",
      all->len > 0 ? "," : "", result->offset_us, result->round_trip_us, result->synced_at_us);
}

static void
record_exchanges (WujiSession *self, const GString *all, guint n)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_CLOCK, .severity = ACQ_EVENT_SEVERITY_INFO };

  g_strlcpy (event.name, "time_exchange", sizeof event.name);
  event.count = n;
  event.code = self->exchange.offset_us;
  g_snprintf (event.message, sizeof event.message,
              "%s: %u time exchanges, best round trip %" G_GINT64_FORMAT " us",
              acq_node_get_id (ACQ_NODE (self->source)), n, self->exchange.round_trip_us);
  g_snprintf (event.details, sizeof event.details, "{\"exchanges\":[%s]}", all->str);
  acq_node_event (ACQ_NODE (self->source), &event);
}

static gboolean
exchange_once (WujiSession *self, GString *all)
{
  Exchange result = { .room = { 0 } };
  WujiStatus status;

  acq_node_step (ACQ_NODE (self->source), "wuji_glove_sync_time", STEP_S);
  status = self->api.glove_sync_time (self->device, &result.known);
  acq_node_step (ACQ_NODE (self->source), NULL, 0);
  if (status != WUJI_OK)
    return FALSE;
  add_exchange (all, &result.known);
  if (!self->has_exchange || result.known.round_trip_us < self->exchange.round_trip_us)
    self->exchange = result.known;
  self->has_exchange = TRUE;
  return TRUE;
}

/* The shortest round trip says most. Failure is no error: the SDK goes on trying by itself. */
void
wuji_session_exchange_time (WujiSession *self)
{
  g_autoptr (GString) all = g_string_new (NULL);
  guint n = (guint) self->options->time_exchanges;
  guint n_done = 0;

  if (self->api.glove_sync_time == NULL)
    return;
  for (guint i = 0; i < n; i++)
    n_done += exchange_once (self, all);
  if (n_done > 0)
    record_exchanges (self, all, n_done);
  if (n_done < n)
    acq_node_notice (ACQ_NODE (self->source), ACQ_EVENT_SEVERITY_WARNING, "time_exchange_failed",
                     "%s: %u of %u time exchanges failed; device times may count from power-on",
                     acq_node_get_id (ACQ_NODE (self->source)), n - n_done, n);
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Subscriptions. Each has a worker thread that sleeps until its next frame is due, makes it,
 * calls back, and destroys it. Nobody produces ahead: a subscriber that is late finds the
 * frames it missed still to be made, up to the depth of its queue; what is older is told as
 * LAG.
 */

#include "standin-api.h"
#include "standin-source.h"

#include <stdlib.h>
#include <string.h>

/* How soon a worker without frames notices that its device went away. */
#define IDLE_TICK_NS 20000000

/* ---- what is due ---- */

typedef struct {
  SimDevice *device;
  SimSource *source;
  uint64_t *cursor;
  uint64_t index;
  int64_t due_ns;
} Next;

static int64_t
due_ns (const SimDevice *device, const SimSource *source, uint64_t index)
{
  int64_t due = sim_clock_due_ns (device, sim_wuji_uptime_us (index, source->native_hz));
  int32_t wave = sim.config.jitter_us > 0 ? sim_wuji_wave (1, (uint32_t) index * 7919u, 0, 1) : 0;

  return due +
         ((int64_t) sim.config.latency_us + ABS (wave) * (int64_t) sim.config.jitter_us / 32768) *
             1000;
}

static void
begin_cursor (WujiSub *sub, unsigned which, const SimDevice *device, const SimSource *source,
              int64_t now)
{
  sub->cursors[which] = sim_source_index_after (device, source, MAX (now, sub->first_due_ns));
  sub->begun[which] = TRUE;
}

static void
look_at (WujiSub *sub, unsigned which, SimDevice *device, SimSource *source, int64_t now, Next *ret)
{
  int64_t due;

  if (!sub->begun[which])
    begin_cursor (sub, which, device, source, now);
  sub->cursors[which] = sim_source_align (source, sub->cursors[which]);
  due = due_ns (device, source, sub->cursors[which]);
  if (ret->device == NULL || due < ret->due_ns)
    *ret = (Next){ device, source, &sub->cursors[which], sub->cursors[which], due };
}

/* The transforms follow the palm IMU of every glove that this process is connected to. */
static void
look_at_gloves (WujiSub *sub, int64_t now, Next *ret)
{
  for (unsigned i = 0; i < sim.n_devices; i++) {
    SimDevice *glove = &sim.devices[i];

    if (glove->kind != SIM_GLOVE)
      continue;
    pthread_mutex_lock (&glove->lock);
    if (glove->n_sessions > 0 && glove->reachable)
      look_at (sub, i, glove, &glove->sources[2], now, ret);
    else
      sub->begun[i] = FALSE;
    pthread_mutex_unlock (&glove->lock);
  }
}

static Next
next_due (WujiSub *sub, int64_t now)
{
  Next next = { .device = NULL };
  SimSource *source = &sub->device->sources[sub->stream->source];

  if (sub->stream->kind == SIM_GLOBAL && sub->stream->source == 0) {
    look_at_gloves (sub, now, &next);
    return next;
  }
  look_at (sub, 0, sub->device, source, now, &next);
  return next;
}

/* ---- delivering ---- */

static void
record_run (WujiSub *sub, unsigned device, uint32_t seq)
{
  for (guint back = 1; back <= MIN (sub->n_runs, SIM_MAX_DEVICES); back++) {
    guint i = sub->n_runs - back;

    if (sub->runs[i].device != device)
      continue;
    if (sub->runs[i].first == sub->runs[i].last || seq - sub->runs[i].last == sub->runs[i].step) {
      if (sub->runs[i].first == sub->runs[i].last && (int32_t) (seq - sub->runs[i].last) <= 0)
        break;
      sub->runs[i].step = seq - sub->runs[i].last;
      sub->runs[i].last = seq;
      return;
    }
    break;
  }
  if (sub->n_runs == SIM_MAX_RUNS) {
    sub->runs_cut = TRUE;
    return;
  }
  sub->runs[sub->n_runs].device = device;
  sub->runs[sub->n_runs].first = sub->runs[sub->n_runs].last = seq;
  sub->runs[sub->n_runs].step = 1;
  sub->n_runs++;
}

static void
call_back (WujiSub *sub, WujiFrameKind kind, const SimShot *shot, uint64_t lag)
{
  SimFrame frame;

  sim_current_sub = sub;
  frame.n_blocks = 0;
  if (kind != WUJI_FRAME_KIND_OK) {
    if (sub->raw != NULL)
      sub->raw (kind, NULL, 0, 0, lag, sub->user_data);
    else
      sub->typed (kind, NULL, sub->user_data);
  } else if (sub->raw != NULL) {
    uint8_t *bytes = sim_frame_alloc (&frame, 64);

    for (unsigned i = 0; i < 64; i++)
      bytes[i] = (uint8_t) (shot->key + shot->seq * 31 + i);
    sub->raw (kind, bytes, 64, shot->timestamp_us, 0, sub->user_data);
    sim_frame_destroy (&frame);
  } else {
    memset (frame.body, 0xa5, sizeof frame.body);
    sub->stream->fill (&frame, shot);
    sub->typed (kind, frame.body, sub->user_data);
    sim_frame_destroy (&frame);
    memset (frame.body, 0xdd, sizeof frame.body);
  }
  sim_current_sub = NULL;
}

/* With the lock of the subscription's device, which is let go for the callback. */
static void
deliver (WujiSub *sub, const Next *next, uint64_t index, const SimVerdict *verdict,
         int64_t since_ns)
{
  SimDevice *device = next->device;
  gboolean foreign = device != sub->device;
  SimShot shot = { .device = device,
                   .stream = sub->stream,
                   .index = index,
                   .since_ns = since_ns,
                   .how = verdict->how,
                   .value = verdict->value };

  if (foreign)
    pthread_mutex_lock (&device->lock);
  shot.uptime_us = sim_wuji_uptime_us (index, next->source->native_hz);
  shot.timestamp_us = sim_clock_stamp_us (device, shot.uptime_us);
  shot.seq = sim_source_seq (next->source, sub->stream, index);
  shot.key = device->keys[sim_stream_index (sub->stream)];
  shot.offline = device->offline_joints | sim_faults_offline (device, since_ns);
  if (foreign)
    pthread_mutex_unlock (&device->lock);
  if (verdict->how != SIM_GARBAGE_NONE)
    sim_report_note (device, sub->stream, sim_garbage_names[verdict->how], shot.seq,
                     shot.uptime_us);
  sub->n_ok++;
  record_run (sub, device->number, shot.seq);
  pthread_mutex_unlock (&sub->device->lock);
  call_back (sub, WUJI_FRAME_KIND_OK, &shot, 0);
  pthread_mutex_lock (&sub->device->lock);
}

static void
tell_lag (WujiSub *sub, uint64_t n)
{
  sub->n_lag++;
  sub->n_lagged += n;
  pthread_mutex_unlock (&sub->device->lock);
  sim_chat ("WARN", "subscription %u (%s) lagged by %" G_GUINT64_FORMAT " frames", sub->number,
            sub->stream->topic, n);
  call_back (sub, WUJI_FRAME_KIND_LAG, NULL, n);
  pthread_mutex_lock (&sub->device->lock);
}

/* Skips what is older than the queue is deep. Returns how many frames that is. */
static uint64_t
overrun (const Next *next, int64_t now)
{
  uint64_t newest =
      sim_source_index_after (next->device, next->source, now - sim.config.latency_us * 1000);
  uint64_t behind = newest > next->index ? (newest - next->index) / next->source->grid.divisor : 0;

  return behind > sim.config.queue ? behind - sim.config.queue : 0;
}

/* One step of a worker whose frame is due. FALSE: it has ended, and ret says how. */
static gboolean
step (WujiSub *sub, const Next *next, int64_t now, SimVerdict *ret)
{
  uint64_t stride = sim_source_grid (next->source, next->index)->divisor;
  uint64_t behind = overrun (next, now);
  int64_t since = next->due_ns - next->device->first_connect_ns;

  if (behind > 0) {
    *next->cursor += behind * stride;
    tell_lag (sub, behind);
    return TRUE;
  }
  sim_faults_judge (sub, next->index, since, ret);
  if (ret->terminal)
    return FALSE;
  if (ret->lag > 0) {
    *next->cursor += ret->lag * stride;
    tell_lag (sub, ret->lag);
    return TRUE;
  }
  *next->cursor += stride;
  if (ret->skip) {
    sub->n_withheld++;
    return TRUE;
  }
  if (ret->reorder) {
    *next->cursor += stride;
    deliver (sub, next, next->index + stride, ret, since);
  }
  deliver (sub, next, next->index, ret, since);
  if (ret->repeat && !sub->stop) {
    sub->n_repeats++;
    deliver (sub, next, next->index, ret, since);
  }
  return TRUE;
}

/* ---- the worker ---- */

static void
wait_until (WujiSub *sub, int64_t deadline_ns)
{
  struct timespec when = { .tv_sec = deadline_ns / 1000000000,
                           .tv_nsec = deadline_ns % 1000000000 };

  pthread_cond_timedwait (&sub->wake, &sub->device->lock, &when);
}

static gboolean
is_silent (const WujiSub *sub)
{
  return (sub->session != NULL && sub->session->silent) ||
         (sub->device->silent >> sim_stream_index (sub->stream) & 1) ||
         ((sub->stream->flags & SIM_STREAM_MODEL) && !sub->device->trained);
}

/* A stream of changes is silent while nothing changes. */
static gboolean
is_unchanged (WujiSub *sub, const Next *next)
{
  int64_t since = next->due_ns - sub->device->first_connect_ns;
  int state =
      !sim_faults_active (sub->device, SIM_TROUBLE_BOARD, since) && sub->device->board_attached;

  if (!(sub->stream->flags & SIM_STREAM_CHANGE))
    return FALSE;
  if (state == sub->last_state) {
    *next->cursor += 1;
    return TRUE;
  }
  sub->last_state = state;
  return FALSE;
}

static void
work (WujiSub *sub, SimVerdict *ret)
{
  for (;;) {
    int64_t now = sim_now_monotonic ();
    Next next;

    sim_faults_tick (sub->device, now);
    *ret = (SimVerdict){ .end = WUJI_FRAME_KIND_END };
    if (sub->stop)
      return;
    if (sub->session != NULL && !sub->session->connected && !sub->session->silent) {
      ret->end = sub->session->end;
      ret->text = sub->session->end_text;
      return;
    }
    if (is_silent (sub)) {
      wait_until (sub, now + IDLE_TICK_NS);
      continue;
    }
    next = next_due (sub, now);
    if (next.device == NULL || now < next.due_ns)
      wait_until (sub,
                  next.device == NULL ? now + IDLE_TICK_NS : MIN (next.due_ns, now + IDLE_TICK_NS));
    else if (!is_unchanged (sub, &next) && !step (sub, &next, now, ret))
      return;
  }
}

static void *
worker (void *data)
{
  WujiSub *sub = data;
  SimVerdict verdict;

  pthread_mutex_lock (&sub->device->lock);
  work (sub, &verdict);
  sub->terminal = verdict.end;
  pthread_mutex_unlock (&sub->device->lock);
  if (verdict.end == WUJI_FRAME_KIND_ERROR)
    sim_set_error ("%s: %s", sub->stream->topic,
                   verdict.text != NULL ? verdict.text : "stream error");
  call_back (sub, verdict.end, NULL, 0);
  pthread_mutex_lock (&sub->device->lock);
  sub->finished = TRUE;
  pthread_mutex_unlock (&sub->device->lock);
  return NULL;
}

/* ---- opening and closing ---- */

static void
init_wake (WujiSub *sub)
{
  pthread_condattr_t attr;

  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_cond_init (&sub->wake, &attr);
  pthread_condattr_destroy (&attr);
}

WujiStatus
sim_subscribe (const char *function, WujiDevice *session, const SimStream *stream,
               WujiAnySubCallback typed, WujiSubCallback raw, void *user_data, WujiSub **out_sub)
{
  gboolean global = stream->kind == SIM_GLOBAL;
  SIM_CALL call = { 0 };
  WujiSub *sub;

  if (!sim_call_begin (&call, function, session,
                       global ? SIM_CALL_NO_DEVICE : stream->kind | SIM_CALL_BLOCKING))
    return call.status;
  if ((typed == NULL && raw == NULL) || out_sub == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: callback or output is NULL", function);
  sub = calloc (1, sizeof *sub);
  sub->magic = SIM_SUB_ALIVE;
  sub->session = global ? NULL : session;
  sub->device = global ? &sim.global : session->device;
  sub->stream = stream;
  sub->typed = typed;
  sub->raw = raw;
  sub->user_data = user_data;
  sub->last_state = -1;
  sub->terminal = WUJI_FRAME_KIND_OK;
  init_wake (sub);
  sub->first_due_ns = sim_now_monotonic () + (int64_t) sim.config.first_frame_ms * 1000000;
  sub->number = atomic_fetch_add (&sim.n_subs, 1);
  pthread_mutex_lock (&sub->device->lock);
  sub->next = sub->device->subs;
  sub->device->subs = sub;
  if (sub->device->first_connect_ns == 0)
    sub->device->first_connect_ns = sim_now_monotonic ();
  sub->device->sources[stream->source].n_subs++;
  if (sub->session != NULL)
    sub->session->n_subs++;
  pthread_mutex_unlock (&sub->device->lock);
  if (pthread_create (&sub->thread, NULL, worker, sub) != 0)
    abort ();
  *out_sub = sub;
  return WUJI_STATUS_OK;
}

static void
check_closable (WujiSub *sub)
{
  if (sub->magic == SIM_SUB_DEAD)
    sim_misuse ("wuji_sub_close", "the subscription was closed before");
  if (sub->magic != SIM_SUB_ALIVE)
    sim_misuse ("wuji_sub_close", "that is no subscription");
  if (sim_current_sub == sub)
    sim_misuse ("wuji_sub_close", "%s closed from its own callback: it would wait for itself",
                sub->stream->topic);
}

void
wuji_sub_close (WujiSub *sub)
{
  SIM_CALL call = { 0 };
  SimSource *source;

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE) || sub == NULL)
    return;
  check_closable (sub);
  if (sim_current_sub != NULL) {
    pthread_mutex_lock (&sim.lock);
    sim.closed_in_callback++;
    pthread_mutex_unlock (&sim.lock);
  }
  pthread_mutex_lock (&sub->device->lock);
  sub->stop = TRUE;
  pthread_cond_signal (&sub->wake);
  pthread_mutex_unlock (&sub->device->lock);
  pthread_join (sub->thread, NULL);
  pthread_mutex_lock (&sub->device->lock);
  source = &sub->device->sources[sub->stream->source];
  if (--source->n_subs == 0)
    sim_source_divide (sub->device, source, 1);
  if (sub->session != NULL)
    sub->session->n_subs--;
  sub->magic = SIM_SUB_DEAD;
  pthread_mutex_unlock (&sub->device->lock);
}

void
sim_wake_subs (SimDevice *device)
{
  for (WujiSub *sub = device->subs; sub != NULL; sub = sub->next)
    pthread_cond_signal (&sub->wake);
}

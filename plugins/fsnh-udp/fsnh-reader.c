/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Everything happens under `lock`, also the reading itself: so whoever parts can first read
 * what has arrived, and only one thread at a time pushes. The thread waits without it.
 *
 * Receive times are the kernel's, which are wall time: they are mapped with both clocks read
 * at most OFFSET_NS ago, and kept between the moment when the socket was last seen empty and
 * now, so that a step of the wall clock cannot move them out of the truth.
 */

#include "fsnh-reader.h"

#include "fsnh-alerts.h"
#include "fsnh-socket.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64
#define OFFSET_NS 10000000 /* clocks that are slewed part by some nanoseconds in that time */
#define TICK_MS 100
#define TICK_NS G_GINT64_CONSTANT (100000000)

/* Reading out at the end is bounded, whatever a sender does meanwhile. */
#define LAST_BATCHES 4096

typedef struct {
  struct sockaddr_storage from;
  _Alignas(struct cmsghdr) guint8 control[64];
  guint8 bytes[FSNH_RAW_MAX];
} Slot;

struct _FsnhReader {
  FsnhReaderConfig config;
  pthread_t thread;
  int wake;              /* eventfd: stop */
  _Atomic guint waiting; /* threads that want the lock: the reader lets them in */

  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Under lock: */
  guint expected; /* hands that will join: until then nothing is read, the kernel keeps it */
  gboolean stopping;
  gboolean broken;
  FsnhHand *hands[3]; /* by side */
  FsnhAlerts alerts;
  guint32 drops;     /* the kernel's count */
  gint64 empty_ns;   /* host time when the socket was last seen empty */
  gint64 dropped_ns; /* host time when drops were last seen */
  gint64 ticked_ns;
  gint64 wall_offset; /* wall time minus host time */
  gint64 measured_ns; /* when it was measured */
  FsnhSource sender;  /* whose text is sender_text */
  char sender_text[FSNH_SOURCE_TEXT];
  struct mmsghdr headers[BATCH];
  struct iovec pieces[BATCH];
  Slot slots[BATCH];
};

/* The clocks of one batch. */
typedef struct {
  gint64 now_ns;  /* host time */
  gint64 mono_ns; /* the same on CLOCK_MONOTONIC */
} Clocks;

/* Before a slot is used, and again behind it: the kernel writes over the lengths. */
static void
prepare (FsnhReader *self, guint n)
{
  for (guint i = 0; i < n; i++) {
    Slot *slot = &self->slots[i];

    self->pieces[i] = (struct iovec){ slot->bytes, sizeof slot->bytes };
    self->headers[i].msg_hdr = (struct msghdr){
      .msg_name = &slot->from,
      .msg_namelen = sizeof slot->from,
      .msg_iov = &self->pieces[i],
      .msg_iovlen = 1,
      .msg_control = slot->control,
      .msg_controllen = sizeof slot->control,
    };
  }
}

static gint64
monotonic_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

/* What the kernel says beside the bytes. Returns: FALSE when it gave no time. */
static gboolean
read_control (struct msghdr *header, gint64 *ret_wall_ns, guint32 *ret_drops)
{
  gboolean timed = FALSE;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (header); c != NULL; c = CMSG_NXTHDR (header, c)) {
    if (c->cmsg_level != SOL_SOCKET)
      continue;
    if (c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;

      memcpy (&t, CMSG_DATA (c), sizeof t);
      *ret_wall_ns = t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
      timed = TRUE;
    } else if (c->cmsg_type == SO_RXQ_OVFL) {
      memcpy (ret_drops, CMSG_DATA (c), sizeof *ret_drops);
    }
  }
  return timed;
}

static void
count_drops (FsnhReader *self, guint32 drops, gint64 now_ns)
{
  guint32 fresh = drops - self->drops;

  if (fresh == 0)
    return;
  self->drops = drops;
  self->dropped_ns = now_ns;
  acq_port_count (self->config.port, ACQ_PORT_KERNEL_DROPS, fresh);
  fsnh_alerts_drops (&self->alerts, fresh);
}

static void
read_arrival (FsnhReader *self, guint i, const Clocks *clocks, FsnhArrival *arrival)
{
  guint32 drops = self->drops;
  gint64 wall_ns = 0;

  arrival->host_ns = clocks->now_ns;
  arrival->kernel_time = read_control (&self->headers[i].msg_hdr, &wall_ns, &drops);
  if (arrival->kernel_time) {
    gint64 host_ns = wall_ns - self->wall_offset;

    arrival->host_ns = CLAMP (host_ns, self->empty_ns, clocks->now_ns);
    arrival->kernel_time = host_ns >= self->empty_ns;
  }
  arrival->mono_ns = clocks->mono_ns - (clocks->now_ns - arrival->host_ns);
  fsnh_source_from_sockaddr (&self->slots[i].from, &arrival->source);
  count_drops (self, drops, arrival->host_ns);
}

static void
push_raw (FsnhReader *self, AcqStream *raw, const char *reason, const guint8 *bytes, gsize length,
          const FsnhArrival *arrival)
{
  gsize kept = MIN (length, FSNH_RAW_MAX);
  AcqFrame *frame;
  AcqRaw *msg = acq_raw_begin (raw, kept, &frame);

  if (self->sender_text[0] == '\0' ||
      memcmp (&self->sender, &arrival->source, sizeof self->sender) != 0) {
    self->sender = arrival->source;
    fsnh_source_to_text (&self->sender, self->sender_text);
  }
  g_strlcpy (msg->sender, self->sender_text, sizeof msg->sender);
  g_strlcpy (msg->reason, reason, sizeof msg->reason);
  msg->length = (guint32) length;
  memcpy (acq_raw_tail (msg), bytes, kept);
  frame->host_ns = arrival->host_ns;
  if (arrival->kernel_time)
    frame->flags |= ACQ_FRAME_KERNEL_TIME;
  acq_stream_push (raw, frame, 0, ACQ_TIME_NONE);
}

/* What is no packet belongs to no hand: the first that keeps raw datagrams has it. */
static AcqStream *
raw_of_any (FsnhReader *self)
{
  AcqStream *raw = NULL;

  for (guint side = FSNH_LEFT; raw == NULL && side <= FSNH_RIGHT; side++)
    if (self->hands[side] != NULL)
      raw = fsnh_hand_get_raw (self->hands[side]);
  return raw;
}

static void
refuse (FsnhReader *self, FsnhReason reason, const guint8 *bytes, gsize length,
        const FsnhArrival *arrival)
{
  const char *name = fsnh_reason_name (reason);
  AcqStream *raw = raw_of_any (self);

  if (fsnh_reason_is_foreign (reason))
    acq_port_count_foreign (self->config.port, name, 1);
  else
    acq_port_count_rejected (self->config.port, name, 1);
  fsnh_alerts_refused (&self->alerts, reason, bytes, length, &arrival->source);
  if (raw != NULL)
    push_raw (self, raw, name, bytes, length, arrival);
}

static void
take (FsnhReader *self, guint i, const Clocks *clocks)
{
  const guint8 *bytes = self->slots[i].bytes;
  gsize length = self->headers[i].msg_len;
  FsnhArrival arrival;
  FsnhPacket packet;
  FsnhReason reason;
  FsnhHand *hand;

  acq_port_count (self->config.port, ACQ_PORT_PACKETS, 1);
  read_arrival (self, i, clocks, &arrival);
  if (!fsnh_allow_lets_in (self->config.allow, &arrival.source)) {
    acq_port_count (self->config.port, ACQ_PORT_WRONG_SOURCE, 1);
    fsnh_alerts_wrong_source (&self->alerts, &arrival.source);
    return;
  }
  reason = fsnh_packet_parse (bytes, length, &self->config.constants, &packet);
  if (reason != FSNH_VALID) {
    refuse (self, reason, bytes, length, &arrival);
    return;
  }
  fsnh_alerts_valid (&self->alerts);
  hand = self->hands[packet.hand];
  if (hand == NULL) {
    acq_port_count (self->config.port, ACQ_PORT_OTHER_HAND, 1);
    return;
  }
  fsnh_hand_take (hand, &packet, bytes, &arrival);
  if (fsnh_hand_get_raw (hand) != NULL)
    push_raw (self, fsnh_hand_get_raw (hand), "accepted", bytes, length, &arrival);
}

static void
be_broken (FsnhReader *self, int saved)
{
  self->broken = TRUE;
  for (guint side = FSNH_LEFT; side <= FSNH_RIGHT; side++)
    if (self->hands[side] != NULL)
      acq_source_lost (fsnh_hand_get_source (self->hands[side]), "socket", "%s cannot be read: %s",
                       acq_port_get_name (self->config.port), g_strerror (saved));
}

/* Events, with the port not locked. */
static void
tell (FsnhReader *self, gint64 now_ns)
{
  AcqNode *node = NULL;

  for (guint side = FSNH_RIGHT; side >= FSNH_LEFT; side--)
    if (self->hands[side] != NULL) {
      node = ACQ_NODE (fsnh_hand_get_source (self->hands[side]));
      fsnh_hand_tell (self->hands[side], now_ns);
    }
  if (node != NULL)
    fsnh_alerts_tell (&self->alerts, node, acq_port_get_name (self->config.port), now_ns);
}

static void
read_clocks (FsnhReader *self, Clocks *clocks)
{
  clocks->now_ns = acq_host_clock_now (self->config.clock);
  clocks->mono_ns = monotonic_ns ();
  if (clocks->now_ns - self->measured_ns < OFFSET_NS)
    return;
  self->wall_offset = acq_host_clock_wall_offset (self->config.clock);
  self->measured_ns = clocks->now_ns;
}

/* Returns: how many datagrams there were. */
static guint
read_batch (FsnhReader *self)
{
  gint64 before_ns = acq_host_clock_now (self->config.clock);
  Clocks clocks;
  int n;

  n = recvmmsg (self->config.fd, self->headers, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
  if (n <= 0) {
    if (n < 0 && errno != EAGAIN && errno != EINTR)
      be_broken (self, errno);
    if (n < 0 && errno == EAGAIN)
      self->empty_ns = before_ns;
    return 0;
  }
  read_clocks (self, &clocks);
  acq_port_lock (self->config.port);
  for (guint i = 0; i < (guint) n; i++)
    take (self, i, &clocks);
  acq_port_unlock (self->config.port);
  prepare (self, (guint) n);
  if (n < BATCH)
    self->empty_ns = before_ns;
  tell (self, clocks.now_ns);
  return (guint) n;
}

static void
tick (FsnhReader *self)
{
  gint64 now_ns = acq_host_clock_now (self->config.clock);

  if (now_ns - self->ticked_ns < TICK_NS)
    return;
  /* Drops behind the last datagram that was read. */
  acq_port_lock (self->config.port);
  count_drops (self, fsnh_socket_drops (self->config.fd), now_ns);
  acq_port_unlock (self->config.port);
  self->ticked_ns = now_ns;
  tell (self, now_ns);
  /* Not against now: whoever was kept from reading has no right to say that nothing came. */
  for (guint side = FSNH_LEFT; side <= FSNH_RIGHT; side++)
    if (self->hands[side] != NULL)
      fsnh_hand_watch (self->hands[side], self->empty_ns, self->dropped_ns);
}

static void
lock (FsnhReader *self)
{
  atomic_fetch_add (&self->waiting, 1);
  pthread_mutex_lock (&self->lock);
  atomic_fetch_sub (&self->waiting, 1);
}

static void *
reader_thread (void *data)
{
  FsnhReader *self = data;
  struct pollfd fds[] = { { .fd = self->config.fd, .events = POLLIN },
                          { .fd = self->wake, .events = POLLIN } };
  gboolean going = TRUE;
  guint n = 0;

  while (going) {
    while (atomic_load (&self->waiting) > 0)
      sched_yield ();
    pthread_mutex_lock (&self->lock);
    while (self->expected > 0 && !self->stopping)
      pthread_cond_wait (&self->changed, &self->lock);
    if (!self->stopping) {
      n = read_batch (self);
      tick (self);
    }
    going = !self->broken && !self->stopping;
    pthread_mutex_unlock (&self->lock);
    if (going && n < BATCH)
      poll (fds, G_N_ELEMENTS (fds), TICK_MS);
  }
  return NULL;
}

/* Signals are for the program's own threads. */
static int
start_thread (FsnhReader *self)
{
  sigset_t all, before;
  int result;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  result = pthread_create (&self->thread, NULL, reader_thread, self);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (result == 0)
    pthread_setname_np (self->thread, "fsnh-udp");
  return result;
}

static void
reader_free (FsnhReader *self)
{
  if (self->wake >= 0)
    close (self->wake);
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  acq_host_clock_unref (self->config.clock);
  acq_port_unref (self->config.port);
  g_free (self);
}

FsnhReader *
fsnh_reader_start (const FsnhReaderConfig *config, GError **error)
{
  FsnhReader *self = g_new0 (FsnhReader, 1);
  int result;

  self->config = *config;
  acq_port_ref (config->port);
  acq_host_clock_ref (config->clock);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  prepare (self, BATCH);
  self->empty_ns = self->ticked_ns = acq_host_clock_now (config->clock);
  self->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  result = self->wake < 0 ? errno : start_thread (self);
  if (result == 0)
    return self;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_FAILED, "cannot start a thread to read %s: %s",
               acq_port_get_name (config->port), g_strerror (result));
  reader_free (self);
  return NULL;
}

static void
read_out (FsnhReader *self)
{
  for (guint i = 0; i < LAST_BATCHES && !self->broken && read_batch (self) == BATCH; i++)
    ;
  self->ticked_ns = 0;
  tick (self);
}

void
fsnh_reader_stop (FsnhReader *self)
{
  guint64 one = 1;

  lock (self);
  self->stopping = TRUE;
  pthread_cond_signal (&self->changed);
  pthread_mutex_unlock (&self->lock);
  if (write (self->wake, &one, sizeof one) < 0)
    g_assert_not_reached (); /* an eventfd of ours takes a one */
  pthread_join (self->thread, NULL);
  read_out (self);
  reader_free (self);
}

gboolean
fsnh_reader_is_broken (FsnhReader *self)
{
  gboolean broken;

  lock (self);
  broken = self->broken;
  pthread_mutex_unlock (&self->lock);
  return broken;
}

void
fsnh_reader_expect (FsnhReader *self)
{
  lock (self);
  self->expected++;
  pthread_mutex_unlock (&self->lock);
}

void
fsnh_reader_join (FsnhReader *self, FsnhHand *hand)
{
  lock (self);
  self->hands[fsnh_hand_get_side (hand)] = hand;
  self->expected--;
  pthread_cond_signal (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

void
fsnh_reader_part (FsnhReader *self, FsnhHand *hand)
{
  lock (self);
  read_out (self);
  self->hands[fsnh_hand_get_side (hand)] = NULL;
  pthread_mutex_unlock (&self->lock);
}

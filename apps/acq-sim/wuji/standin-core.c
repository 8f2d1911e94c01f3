/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The rules that hold for every call: initialise first, one thread's last error, memory
 * given back exactly once, handles not used after their end. A caller that breaks one is
 * stopped on the spot, with the rule on stderr.
 */

#include "standin-api.h"
#include "standin-private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

Sim sim = { .lock = PTHREAD_MUTEX_INITIALIZER };

_Thread_local WujiSub *sim_current_sub;

/* ---- small things ---- */

int64_t
sim_now_monotonic (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t
sim_now_real_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void
sim_sleep_ms (unsigned ms)
{
  struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

  while (nanosleep (&left, &left) != 0)
    continue;
}

static void
write_all (int fd, const char *text, size_t length)
{
  while (length > 0) {
    ssize_t n = write (fd, text, length);

    if (n <= 0)
      return;
    text += n;
    length -= (size_t) n;
  }
}

void
sim_misuse (const char *function, const char *format, ...)
{
  char what[512];
  char line[640];
  va_list args;
  int n;

  va_start (args, format);
  vsnprintf (what, sizeof what, format, args);
  va_end (args);
  n = snprintf (line, sizeof line, "wuji stand-in: misuse: %s: %s\n", function, what);
  write_all (STDERR_FILENO, line, MIN ((size_t) n, sizeof line - 1));
  abort ();
}

void
sim_chat (const char *level, const char *format, ...)
{
  char what[256];
  char line[320];
  va_list args;
  int n;

  if (!sim.config.chatter)
    return;
  va_start (args, format);
  vsnprintf (what, sizeof what, format, args);
  va_end (args);
  n = snprintf (line, sizeof line, "[wuji_sdk] %-5s %s\n", level, what);
  write_all (STDOUT_FILENO, line, MIN ((size_t) n, sizeof line - 1));
}

/* ---- the last error of each thread ---- */

typedef struct {
  char text[256];
  gboolean set;
  char *lent; /* what wuji_last_error() gave out; dies at the thread's next call */
} LastError;

static pthread_key_t last_error_key;
static pthread_once_t last_error_once = PTHREAD_ONCE_INIT;

static void
take_back (LastError *error)
{
  if (error->lent == NULL)
    return;
  memset (error->lent, 0xdd, strlen (error->lent));
  free (error->lent);
  error->lent = NULL;
}

static void
last_error_free (void *data)
{
  take_back (data);
  free (data);
}

static void
last_error_make_key (void)
{
  pthread_key_create (&last_error_key, last_error_free);
}

static LastError *
last_error (void)
{
  LastError *error;

  pthread_once (&last_error_once, last_error_make_key);
  error = pthread_getspecific (last_error_key);
  if (error == NULL) {
    error = calloc (1, sizeof *error);
    pthread_setspecific (last_error_key, error);
  }
  return error;
}

void
sim_set_error (const char *format, ...)
{
  LastError *error = last_error ();
  va_list args;

  va_start (args, format);
  vsnprintf (error->text, sizeof error->text, format, args);
  va_end (args);
  error->set = TRUE;
}

WujiStatus
sim_fail (WujiStatus status, const char *format, ...)
{
  LastError *error = last_error ();
  va_list args;

  va_start (args, format);
  vsnprintf (error->text, sizeof error->text, format, args);
  va_end (args);
  error->set = TRUE;
  return status;
}

/* An older message stays after a success, as with the vendor's library. */
const char *
wuji_last_error (void)
{
  LastError *error = last_error ();

  take_back (error);
  if (!error->set)
    return NULL;
  error->lent = strdup (error->text);
  return error->lent;
}

/* ---- memory that callers give back ---- */

typedef struct _Owned Owned;
struct _Owned {
  Owned *next;
  const char *kind;
  void *pointer;
  size_t size, n;
};

static Owned *owned;

void *
sim_own (const char *kind, size_t size, size_t n)
{
  Owned *item = malloc (sizeof *item);

  *item = (Owned){ .kind = kind, .size = size, .n = n, .pointer = malloc (MAX (size, 1)) };
  memset (item->pointer, 0xa5, MAX (size, 1));
  pthread_mutex_lock (&sim.lock);
  item->next = owned;
  owned = item;
  pthread_mutex_unlock (&sim.lock);
  return item->pointer;
}

void
sim_disown (const char *function, const char *kind, void *pointer, size_t n)
{
  Owned *item = NULL;

  if (pointer == NULL)
    return;
  pthread_mutex_lock (&sim.lock);
  for (Owned **link = &owned; *link != NULL; link = &(*link)->next)
    if ((*link)->pointer == pointer) {
      item = *link;
      *link = item->next;
      break;
    }
  pthread_mutex_unlock (&sim.lock);
  if (item == NULL)
    sim_misuse (function, "%p was never given out, or was freed before", pointer);
  if (strcmp (item->kind, kind) != 0)
    sim_misuse (function, "%p is a %s, not a %s", pointer, item->kind, kind);
  if (item->n != n)
    sim_misuse (function, "%p was given out with a length of %zu, not %zu", pointer, item->n, n);
  memset (pointer, 0xdd, item->size);
  free (pointer);
  free (item);
}

unsigned
sim_count_owned (void)
{
  unsigned n = 0;

  pthread_mutex_lock (&sim.lock);
  for (Owned *item = owned; item != NULL; item = item->next)
    n++;
  pthread_mutex_unlock (&sim.lock);
  return n;
}

/* The two-call contract: bytes with the NUL in `needed`, never cut. */
WujiStatus
sim_give_text (const char *text, char *buf, size_t buf_len, size_t *needed)
{
  size_t size = strlen (text) + 1;

  if (needed != NULL)
    *needed = size;
  if (buf == NULL || buf_len < size)
    return sim_fail (WUJI_STATUS_ERR_BUFFER_TOO_SMALL, "buffer too small: need %zu bytes", size);
  memcpy (buf, text, size);
  return WUJI_STATUS_OK;
}

/* ---- every call ---- */

static gboolean
call_fault (const SimCall *call, SimCallFault *ret)
{
  gboolean found = FALSE;

  pthread_mutex_lock (&sim.lock);
  for (unsigned i = 0; i < sim.n_call_faults && !found; i++) {
    SimCallFault *fault = &sim.call_faults[i];

    if (strcmp (fault->name, call->name) != 0 || fault->times == 0)
      continue;
    if (call->device != NULL && !(fault->devices & 1u << call->device->number))
      continue;
    if (fault->times > 0)
      fault->times--;
    *ret = *fault;
    found = TRUE;
  }
  pthread_mutex_unlock (&sim.lock);
  return found;
}

static void
count_call (const SimCall *call, unsigned flags)
{
  guint n;

  pthread_mutex_lock (&sim.lock);
  if (sim.calls == NULL)
    sim.calls = g_hash_table_new (g_str_hash, g_str_equal);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (sim.calls, call->name));
  g_hash_table_insert (sim.calls, (gpointer) call->name, GUINT_TO_POINTER (n + 1));
  if ((flags & SIM_CALL_BLOCKING) && sim_current_sub != NULL)
    sim.blocking_in_callback++;
  pthread_mutex_unlock (&sim.lock);
}

/* Marks the session as in use, so that a release meanwhile is noticed. */
static gboolean
enter_session (SimCall *call, WujiDevice *session, unsigned flags)
{
  gboolean connected;

  if (session->magic != SIM_DEVICE_ALIVE)
    sim_misuse (call->name, "the device handle was released, or is none");
  call->session = session;
  call->device = session->device;
  pthread_mutex_lock (&session->device->lock);
  session->n_calls++;
  sim_faults_tick (session->device, sim_now_monotonic ());
  connected = session->connected;
  pthread_mutex_unlock (&session->device->lock);
  if (!(flags & session->device->kind)) {
    call->status = sim_fail (WUJI_STATUS_ERR_UNSUPPORTED, "%s: not supported by this device (%s)",
                             call->name, session->device->serial);
    return FALSE;
  }
  if (!connected && !(flags & SIM_CALL_DEAD_LINK)) {
    call->status = sim_fail (WUJI_STATUS_ERR_DISCONNECTED, "%s: device disconnected", call->name);
    return FALSE;
  }
  return TRUE;
}

gboolean
sim_call_begin (SimCall *call, const char *name, WujiDevice *session, unsigned flags)
{
  LastError *error = last_error ();
  SimCallFault fault;

  call->name = name;
  take_back (error);
  if (!atomic_load (&sim.initialised))
    sim_misuse (name, "called before wuji_init");
  if (sim.pid != getpid ())
    sim_misuse (name, "called in a forked child; the library's threads are not there");
  count_call (call, flags);
  if (!(flags & SIM_CALL_NO_DEVICE)) {
    if (session == NULL) {
      call->status = sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: device is NULL", name);
      return FALSE;
    }
    if (!enter_session (call, session, flags))
      return FALSE;
  }
  if (sim.n_call_faults > 0 && call_fault (call, &fault)) {
    sim_sleep_ms (fault.delay_ms);
    if (fault.fails) {
      call->status = sim_fail (fault.status, "%s", fault.text);
      return FALSE;
    }
  }
  return TRUE;
}

void
sim_call_end (SimCall *call)
{
  if (call->session == NULL)
    return;
  pthread_mutex_lock (&call->device->lock);
  call->session->n_calls--;
  pthread_mutex_unlock (&call->device->lock);
}

/* ---- init and end ---- */

static atomic_bool exiting;

static void
on_process_exit (int status, void *data)
{
  atomic_store (&exiting, TRUE);
}

const char *
wuji_version (void)
{
  sim_config_load ();
  return sim.config.version;
}

WujiStatus
wuji_init (const WujiInitOptions *opts)
{
  take_back (last_error ());
  sim_config_load ();
  pthread_mutex_lock (&sim.lock);
  sim.n_inits++;
  if (sim.n_inits == 1) {
    sim.pid = getpid ();
    on_exit (on_process_exit, NULL);
    if (opts != NULL && opts->log_level == 0)
      sim.config.chatter = FALSE;
    atomic_store (&sim.initialised, TRUE);
  }
  pthread_mutex_unlock (&sim.lock);
  sim_chat ("INFO", "wuji-sdk %s initialized", sim.config.version ? sim.config.version : "?");
  return WUJI_STATUS_OK;
}

void
wuji_shutdown (void)
{
  SIM_CALL call = { 0 };

  sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE);
}

static unsigned
count_open (SimDevice *device, unsigned *n_sessions)
{
  unsigned n_subs = 0;

  pthread_mutex_lock (&device->lock);
  for (WujiSub *sub = device->subs; sub != NULL; sub = sub->next)
    n_subs += sub->magic == SIM_SUB_ALIVE;
  for (WujiDevice *session = device->sessions; session != NULL; session = session->next)
    *n_sessions += session->magic == SIM_DEVICE_ALIVE;
  pthread_mutex_unlock (&device->lock);
  return n_subs;
}

__attribute__ ((destructor)) static void
at_unload (void)
{
  unsigned n_sessions = 0;
  unsigned n_subs = 0;

  if (!atomic_load (&sim.initialised) || sim.pid != getpid ())
    return;
  sim_report_to (sim.config.report);
  if (!sim.config.strict_exit)
    return;
  for (unsigned i = 0; i < sim.n_devices; i++)
    n_subs += count_open (&sim.devices[i], &n_sessions);
  n_subs += count_open (&sim.global, &n_sessions);
  if (!atomic_load (&exiting))
    sim_misuse ("dlclose", "the library was unloaded; its threads would lose their code");
  if (n_subs > 0)
    sim_misuse ("exit", "%u subscriptions were never closed", n_subs);
  if (n_sessions > 0)
    sim_misuse ("exit", "%u device handles were never released", n_sessions);
}

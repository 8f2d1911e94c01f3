/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-client.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static void *library;

static char *
library_path (const char *variant)
{
  g_autofree char *name = g_strdup_printf ("libwuji_sdk_c%s.so", variant);

  return g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-sim", "wuji", name, NULL);
}

void *
client_symbol (const char *name)
{
  void *symbol = dlsym (library, name);

  if (symbol == NULL)
    g_error ("%s", dlerror ());
  return symbol;
}

gboolean
client_has (const char *variant, const char *name)
{
  g_autofree char *path = library_path (variant);
  void *other = dlopen (path, RTLD_NOW | RTLD_LOCAL);

  g_assert_nonnull (other);
  return dlsym (other, name) != NULL;
}

static char *
with_quotes (const char *text)
{
  return g_strdelimit (g_strdup (text), "'", '"');
}

void
client_load (const char *config)
{
  g_autofree char *path = library_path ("");
  g_autofree char *json = with_quotes (config);
  g_autofree char *file = NULL;
  int fd = g_file_open_tmp ("wuji-XXXXXX.json", &file, NULL);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  g_assert_true (g_file_set_contents (file, json, -1, NULL));
  g_setenv ("ACQ_SIM_WUJI_CONFIG", file, TRUE);
  library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    g_error ("%s", dlerror ());
  CALL (wuji_version) ();
  unlink (file);
}

void
client_configure (const char *config)
{
  g_autofree char *inner = with_quotes (config);
  g_autofree char *json = g_strdup_printf ("{\"config\":%s}", inner);

  g_assert_cmpint (CALL (acq_sim_wuji_control) (json), ==, 0);
  g_assert_cmpint (CALL (wuji_init) (NULL), ==, WUJI_STATUS_OK);
}

void
client_fault (const char *fault)
{
  g_autofree char *inner = with_quotes (fault);
  g_autofree char *json = g_strdup_printf ("{\"fault\":%s}", inner);

  g_assert_cmpint (CALL (acq_sim_wuji_control) (json), ==, 0);
}

char *
client_report (void)
{
  g_autofree char *file = NULL;
  char *text = NULL;
  int fd = g_file_open_tmp ("wuji-XXXXXX.json", &file, NULL);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  CALL (acq_sim_wuji_report) (file);
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  unlink (file);
  return text;
}

WujiDevice *
client_connect (const char *serial)
{
  WujiConnectTarget target = { WUJI_CONNECT_TARGET_KIND_SN, serial };
  WujiDevice *device = NULL;
  WujiStatus status = CALL (wuji_connect) (&target, serial, NULL, &device);

  if (status != WUJI_STATUS_OK)
    g_error ("connect %s: %s", serial, CALL (wuji_last_error) ());
  return device;
}

void
client_part (WujiDevice *device)
{
  g_assert_cmpint (CALL (wuji_dev_disconnect) (device), ==, WUJI_STATUS_OK);
  CALL (wuji_dev_release) (device);
}

/* ---- watches ---- */

void
watch_init (Watch *watch, WatchCheck check, const char *serial, const char *topic)
{
  memset (watch, 0, sizeof *watch);
  watch->check = check;
  watch->serial = serial;
  watch->key = sim_wuji_key (serial, topic);
  watch->side = strlen (serial) > 3 && serial[3] == 'K' ? SIM_WUJI_RIGHT : SIM_WUJI_LEFT;
  pthread_mutex_init (&watch->lock, NULL);
  pthread_cond_init (&watch->changed, NULL);
}

void
watch_expect (Watch *watch, gboolean right, const char *what)
{
  if (right)
    return;
  watch->n_bad++;
  if (watch->why[0] == '\0')
    g_strlcpy (watch->why, what, sizeof watch->why);
}

static void
count_frame (Watch *watch, const void *frame)
{
  uint32_t before = watch->last_seq;

  watch_expect (watch, frame != NULL, "OK without a frame");
  if (watch->check != NULL)
    watch->check (watch, frame);
  if (watch->n_ok == 0)
    watch->first_seq = watch->last_seq;
  else if (watch->last_seq - before != 1)
    watch->n_gaps++;
  watch->n_ok++;
}

void
watch_callback (WujiFrameKind kind, const void *frame, void *user_data)
{
  Watch *watch = user_data;

  pthread_mutex_lock (&watch->lock);
  if (watch->n_end + watch->n_error > 0)
    watch->n_after_end++;
  if (kind == WUJI_FRAME_KIND_OK) {
    count_frame (watch, frame);
  } else {
    watch_expect (watch, frame == NULL, "a frame that is not OK");
    watch->n_lag += kind == WUJI_FRAME_KIND_LAG;
    watch->n_end += kind == WUJI_FRAME_KIND_END;
    watch->n_error += kind == WUJI_FRAME_KIND_ERROR;
  }
  pthread_cond_broadcast (&watch->changed);
  pthread_mutex_unlock (&watch->lock);
}

gboolean
watch_wait (Watch *watch, const guint *counter, guint n)
{
  struct timespec deadline;
  gboolean there;
  int outcome = 0;

  clock_gettime (CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 5;
  pthread_mutex_lock (&watch->lock);
  while (*counter < n && outcome != ETIMEDOUT)
    outcome = pthread_cond_timedwait (&watch->changed, &watch->lock, &deadline);
  there = *counter >= n;
  pthread_mutex_unlock (&watch->lock);
  return there;
}

void
watch_close (Watch *watch)
{
  CALL (wuji_sub_close) (watch->sub);
  g_assert_cmpstr (watch->why, ==, "");
  g_assert_cmpuint (watch->n_bad, ==, 0);
  g_assert_cmpuint (watch->n_end + watch->n_error, ==, 1);
  g_assert_cmpuint (watch->n_after_end, ==, 0);
}

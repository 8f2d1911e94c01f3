/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-session.h"

#include <string.h>

#include "wuji-find.h"
#include "wuji-side.h"

#define CONNECT_S 12
#define CALL_S 3
#define CLOSE_S 4
#define SHAPE_WAIT_NS (G_GINT64_CONSTANT (800) * 1000000)

const char *const wuji_side_words[] = { "any", "left", "right", NULL };
const char *const wuji_attach_words[] = { "bridge", "direct", NULL };

#define NODE(self) ACQ_NODE ((self)->source)

void
wuji_session_init (WujiSession *self, gpointer source, const WujiOptions *options,
                   WujiClass device_class, const WujiStreamDef *defs)
{
  self->source = source;
  self->owner = source;
  self->options = options;
  self->device_class = device_class;
  self->defs = defs;
  self->feeds = g_ptr_array_new_with_free_func ((GDestroyNotify) wuji_feed_free);
  pthread_mutex_init (&self->clock_lock, NULL);
}

void
wuji_session_finalize (WujiSession *self)
{
  g_clear_pointer (&self->feeds, g_ptr_array_unref);
  g_clear_pointer (&self->clock, acq_clock_unref);
  g_clear_pointer (&self->port, acq_port_unref);
  g_clear_pointer (&self->serial, g_free);
  pthread_mutex_destroy (&self->clock_lock);
}

char *
wuji_session_own_name (WujiSession *self, const char *name)
{
  return g_strdup_printf ("%s_%s", acq_node_get_id (NODE (self)), name);
}

char **
wuji_session_own_names (WujiSession *self, const char *const *names)
{
  guint n = g_strv_length ((char **) names);
  char **own = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    own[i] = wuji_session_own_name (self, names[i]);
  return own;
}

/* ---- check ---- */

static gboolean
check_rate (WujiSession *self, const char *rate, GError **error)
{
  const char *equals = strchr (rate, '=');
  char *end = NULL;
  guint64 hz = equals != NULL ? g_ascii_strtoull (equals + 1, &end, 10) : 0;

  for (const WujiStreamDef *def = self->defs; equals != NULL && def->name != NULL; def++)
    if (strlen (def->name) == (gsize) (equals - rate) &&
        strncmp (def->name, rate, (gsize) (equals - rate)) == 0 && end != equals + 1 &&
        *end == '\0' && hz > 0 && hz <= G_MAXUINT16)
      return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
               "rates: \"%s\" is not a stream of this plugin, an equals sign and a whole number of "
               "Hz; write for example %s=100",
               rate, self->defs[0].name);
  return FALSE;
}

gboolean
wuji_session_check (WujiSession *self, GError **error)
{
  AcqSide side = wuji_side_from_serial (self->options->serial);

  if (self->options->serial != NULL && self->options->address != NULL) {
    g_set_error_literal (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                         "serial and address both say which device: give one of them");
    return FALSE;
  }
  if (self->options->address != NULL && strchr (self->options->address, ':') == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "address \"%s\" has no port; gloves have 50001, hands 7447: write for example "
                 "192.168.1.100:50001",
                 self->options->address);
    return FALSE;
  }
  if (self->options->side != ACQ_SIDE_UNKNOWN && side != ACQ_SIDE_UNKNOWN &&
      side != (AcqSide) self->options->side) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "side is %s, but serial number %s is of a %s device (its fourth character is %c)",
                 wuji_side_words[self->options->side], self->options->serial,
                 acq_side_to_string (side), self->options->serial[3]);
    return FALSE;
  }
  for (char **rate = self->options->rates; rate != NULL && *rate != NULL; rate++)
    if (!check_rate (self, *rate, error))
      return FALSE;
  return TRUE;
}

/* ---- open ---- */

static void
tell_library (WujiSession *self)
{
  acq_node_set_fact (NODE (self), "wuji.library", acq_vendor_library_get_path (self->api.library));
  acq_node_set_fact (NODE (self), "wuji.library_sha256",
                     acq_vendor_library_get_sha256 (self->api.library));
  acq_node_set_fact (NODE (self), "wuji.sdk_version",
                     self->api.judged.text[0] != '\0' ? self->api.judged.text : "unknown");
  acq_node_set_fact (NODE (self), "wuji.sdk_trust",
                     self->api.judged.trust == WUJI_TRUST_KNOWN ? "known" : "checked");
  if (self->api.judged.notice != NULL)
    acq_node_notice (NODE (self), ACQ_EVENT_SEVERITY_WARNING, "library_version",
                     "Wuji SDK %s at %s: %s",
                     self->api.judged.text[0] != '\0' ? self->api.judged.text : "(no version)",
                     acq_vendor_library_get_path (self->api.library), self->api.judged.notice);
}

gboolean
wuji_session_load (WujiSession *self, GError **error)
{
  const char *id = acq_node_get_id (NODE (self));
  g_autofree char *name = g_strdup_printf ("wuji %s", id);

  atomic_store (&self->closing, FALSE);
  if (!wuji_api_load (&self->api, self->device_class, self->options->library,
                      self->options->accept_version, error))
    return FALSE;
  tell_library (self);
  if (self->port == NULL)
    self->port = acq_port_new (name, "messages");
  acq_source_set_port (self->source, self->port);
  if (self->clock == NULL)
    self->clock = acq_clock_new (id, ACQ_CLOCK_UPTIME);
  pthread_mutex_lock (&self->clock_lock);
  self->clock_kind = ACQ_CLOCK_NONE;
  self->has_exchange = FALSE;
  pthread_mutex_unlock (&self->clock_lock);
  atomic_store (&self->told_off, FALSE);
  self->seen_down = FALSE;
  return TRUE;
}

static void
learn_serial (WujiSession *self, const char *asked_for)
{
  char text[128] = "";
  int32_t n = self->api.dev_serial_number != NULL
                  ? self->api.dev_serial_number (self->device, text, sizeof text)
                  : -1;

  g_free (self->serial);
  self->serial = g_strdup (n > 0 && wuji_is_text (text, sizeof text, FALSE) ? text : asked_for);
  if (self->serial != NULL)
    acq_node_set_fact (NODE (self), "serial", self->serial);
}

static gboolean
call_connect (WujiSession *self, const WujiTarget *target, GError **error)
{
  WujiConnectTarget where = { target->by_address ? WUJI_TARGET_ADDRESS : WUJI_TARGET_SERIAL,
                              target->value };
  const char *id = acq_node_get_id (NODE (self));
  g_autofree char *what = g_strdup_printf ("connecting to %s", target->value);
  WujiConnectOptionsRoom room;
  WujiConnectOptionsRoom *options = NULL;
  WujiStatus status;

  /* Without options the SDK takes its defaults, bridge on; nothing can be laid out wrongly. */
  if (self->options->attach == WUJI_ATTACH_DIRECT && self->device_class != WUJI_CLASS_HAND) {
    if (self->api.connect_options_default == NULL ||
        !(self->api.judged.features & WUJI_FEATURE_CONNECT_OPTIONS)) {
      g_autofree char *why = wuji_version_explain (&self->api.judged, WUJI_FEATURE_CONNECT_OPTIONS);

      g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "attach direct: %s", why);
      return FALSE;
    }
    room = self->api.connect_options_default ();
    room.known.enable_bridge = false;
    options = &room;
  }
  acq_node_step (NODE (self), "wuji_connect", CONNECT_S);
  if (self->device_class == WUJI_CLASS_HAND)
    status = self->api.hand_connect_sn (target->value, id, &self->device);
  else
    status = self->api.connect (&where, id, options, &self->device);
  if (status != WUJI_OK) {
    self->device = NULL;
    wuji_api_set_error (&self->api, status, what, error);
  }
  acq_node_step (NODE (self), NULL, 0);
  return status == WUJI_OK;
}

static void
tell_transport (WujiSession *self)
{
  static const char *const words[] = { "udp", "usb", "bridge" };
  WujiTransportType transport;

  if (self->api.dev_transport == NULL)
    return;
  transport = self->api.dev_transport (self->device);
  if (transport < G_N_ELEMENTS (words))
    acq_node_set_fact (NODE (self), "wuji.transport", words[transport]);
}

gboolean
wuji_session_connect (WujiSession *self, GCancellable *cancellable, GError **error)
{
  g_auto (WujiTarget) target = { 0 };

  acq_node_step (NODE (self), "wuji_scan", CONNECT_S);
  if (!wuji_find (&self->api, self->options, self->device_class, &target, error))
    return FALSE;
  acq_node_step (NODE (self), NULL, 0);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (!call_connect (self, &target, error))
    return FALSE;
  learn_serial (self, target.by_address ? NULL : target.value);
  tell_transport (self);
  self->side = wuji_side_from_serial (self->serial);
  return TRUE;
}

/* What the device says of itself counts most, then its serial number. */
gboolean
wuji_session_check_side (WujiSession *self, AcqSide reported, const char *by, GError **error)
{
  AcqSide by_serial = wuji_side_from_serial (self->serial);
  AcqSide wanted = (AcqSide) self->options->side;

  self->side = reported != ACQ_SIDE_UNKNOWN ? reported : by_serial;
  if (wanted != ACQ_SIDE_UNKNOWN && self->side != ACQ_SIDE_UNKNOWN && self->side != wanted) {
    g_set_error (
        error, ACQ_ERROR, ACQ_ERROR_DEVICE,
        "%s is a %s hand (says %s), but side is %s: swap the serial numbers in the "
        "pipeline file, or correct side",
        self->serial != NULL ? self->serial : "the device", acq_side_to_string (self->side),
        reported != ACQ_SIDE_UNKNOWN ? by : "its serial number", acq_side_to_string (wanted));
    return FALSE;
  }
  if (reported != ACQ_SIDE_UNKNOWN && by_serial != ACQ_SIDE_UNKNOWN && reported != by_serial)
    acq_node_notice (NODE (self), ACQ_EVENT_SEVERITY_WARNING, "side_conflict",
                     "%s: the serial number %s is of a %s hand, but %s says %s; the latter counts",
                     acq_node_get_id (NODE (self)), self->serial, acq_side_to_string (by_serial),
                     by, acq_side_to_string (reported));
  if (self->side == ACQ_SIDE_UNKNOWN)
    self->side = wanted;
  acq_node_set_fact (NODE (self), "side", acq_side_to_string (self->side));
  return TRUE;
}

void
wuji_session_tell_user (WujiSession *self)
{
  union {
    WujiUserInfo known;
    char room[2 * sizeof (WujiUserInfo)];
  } user = { .room = { 0 } };

  if (self->api.current_user == NULL || self->api.user_info_free == NULL ||
      !(self->api.judged.features & WUJI_FEATURE_USERS))
    return;
  acq_node_step (NODE (self), "wuji_current_user", CALL_S);
  if (self->api.current_user (&user.known) == WUJI_OK) {
    acq_node_set_fact (NODE (self), "wuji.user_id", user.known.user_id);
    acq_node_set_fact (NODE (self), "wuji.user_is_default",
                       user.known.is_default ? "true" : "false");
    if (self->options->user_name)
      acq_node_set_fact (NODE (self), "wuji.user_name", user.known.display_name);
    self->api.user_info_free (&user.known);
  }
  acq_node_step (NODE (self), NULL, 0);
}

/* ---- streams ---- */

static gboolean
has_feed (WujiSession *self, const WujiStreamDef *def)
{
  for (guint i = 0; i < self->feeds->len; i++)
    if (((WujiFeed *) self->feeds->pdata[i])->def == def)
      return TRUE;
  return FALSE;
}

void
wuji_session_add_feeds (WujiSession *self)
{
  for (const WujiStreamDef *def = self->defs; def->name != NULL; def++)
    if (acq_source_wants (self->source, def->name) && !has_feed (self, def))
      g_ptr_array_add (self->feeds, wuji_feed_new (self, def));
}

/* Streams whose first frame tells their shape should have it before a take begins. */
static gboolean
is_shapeless (WujiSession *self)
{
  for (guint i = 0; i < self->feeds->len; i++) {
    WujiFeed *feed = self->feeds->pdata[i];

    if ((feed->def->flags & WUJI_STREAM_SHAPED) && !(feed->def->flags & WUJI_STREAM_QUIET) &&
        atomic_load (&feed->state) == WUJI_FEED_RUNNING && atomic_load (&feed->last_ns) == 0)
      return TRUE;
  }
  return FALSE;
}

static void
wait_for_shapes (WujiSession *self, GCancellable *cancellable)
{
  gint64 deadline = g_get_monotonic_time () + SHAPE_WAIT_NS / 1000;

  while (is_shapeless (self) && g_get_monotonic_time () < deadline &&
         !g_cancellable_is_cancelled (cancellable))
    g_usleep (2000);
}

gboolean
wuji_session_start (WujiSession *self, GCancellable *cancellable, GError **error)
{
  self->opened_ns = acq_node_now (NODE (self));
  wuji_session_add_feeds (self);
  if (self->feeds->len == 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "streams chooses none of this plugin's streams");
    return FALSE;
  }
  for (guint i = 0; i < self->feeds->len; i++) {
    WujiFeed *feed = self->feeds->pdata[i];

    acq_node_step (NODE (self), feed->def->topic, CALL_S);
    if (!wuji_feed_open (feed, error))
      return FALSE;
  }
  acq_node_step (NODE (self), NULL, 0);
  wait_for_shapes (self, cancellable);
  wuji_session_watch (self);
  return TRUE;
}

/* Subscriptions, disconnect, release: in this order, on this thread, with no lock held. */
void
wuji_session_close (WujiSession *self)
{
  atomic_store (&self->closing, TRUE);
  if (self->tick != NULL) {
    g_source_destroy (self->tick);
    g_clear_pointer (&self->tick, g_source_unref);
  }
  acq_node_step (NODE (self), "wuji_sub_close", CLOSE_S);
  for (guint i = 0; i < self->feeds->len; i++)
    wuji_feed_close (self->feeds->pdata[i]);
  if (self->device == NULL)
    return;
  acq_node_step (NODE (self), "wuji_dev_disconnect", CLOSE_S);
  self->api.dev_disconnect (self->device);
  self->api.dev_release (g_steal_pointer (&self->device));
}

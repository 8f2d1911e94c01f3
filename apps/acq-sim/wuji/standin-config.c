/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The configuration: a JSON file named by ACQ_SIM_WUJI_CONFIG, or the defaults below. What it
 * can say is written in README.md beside this file.
 */

#include "standin-api.h"
#include "standin-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char default_config[] = "{\"devices\":["
                                     "{\"kind\":\"glove\",\"serial\":\"WG1J00000001\"},{\"kind\":"
                                     "\"glove\",\"serial\":\"WG1K00000001\"},"
                                     "{\"kind\":\"hand2\",\"serial\":\"WH2J00000001\"},{\"kind\":"
                                     "\"hand2\",\"serial\":\"WH2K00000001\"},"
                                     "{\"kind\":\"hand\",\"serial\":\"WH1J00000001\"}]}";

/* ---- a device ---- */

static const char *const kind_words[] = { "glove", "hand2", "hand", NULL };
static const char *const side_words[] = { "left", "right", NULL };

static const char *
default_address (SimKind kind, int side)
{
  switch (kind) {
  case SIM_GLOVE:
    return side == SIM_WUJI_LEFT ? "192.168.1.100:50001" : "192.168.1.101:50001";
  case SIM_HAND_2:
    return side == SIM_WUJI_LEFT ? "192.168.1.110:7447" : "192.168.1.111:7447";
  case SIM_HAND:
  case SIM_GLOBAL:
    break;
  }
  return "usb:1-2";
}

static void
put_text (char *field, gsize size, SimReader *reader, const char *name, const char *def)
{
  const char *text = sim_read_text (reader, name, def);

  if (text == NULL || g_strlcpy (field, text, size) >= size)
    sim_config_wrong ("\"%s\" of a device is null or longer than %zu bytes", name, size - 1);
}

static void
init_lock (SimDevice *device)
{
  static gboolean done[SIM_MAX_DEVICES + 1];
  gboolean *mine = &done[device == &sim.global ? SIM_MAX_DEVICES : device - sim.devices];

  if (!*mine)
    pthread_mutex_init (&device->lock, NULL);
  *mine = TRUE;
}

static void
init_sources (SimDevice *device, JsonObject *rates)
{
  for (unsigned i = 0; i < sim_n_streams; i++) {
    const SimStream *stream = &sim_streams[i];
    SimSource *source = &device->sources[stream->source];

    device->keys[i] = sim_wuji_key (device->serial, stream->topic);
    if (stream->kind != device->kind)
      continue;
    source->native_hz = stream->rate_hz;
    source->grid = source->before = (SimGrid){ 0, device->seq_start, 1 };
  }
  if (rates == NULL)
    return;
  for (unsigned i = 0; i < sim_n_streams; i++)
    if (sim_streams[i].kind == device->kind && json_object_has_member (rates, sim_streams[i].topic))
      device->sources[sim_streams[i].source].native_hz =
          (uint32_t) MAX (1, json_object_get_int_member (rates, sim_streams[i].topic));
}

static void
read_hardware (SimReader *reader, SimDevice *device)
{
  JsonArray *array = sim_read_array (reader, "hardware");

  for (guint i = 0; i < 3; i++)
    device->hardware[i] = array != NULL && i < json_array_get_length (array)
                              ? (unsigned) json_array_get_int_element (array, i)
                              : (i == 0);
}

static void
read_identity (SimReader *reader, SimDevice *device)
{
  const char *firmware;

  device->kind = (SimKind) (1 << sim_read_choice (reader, "kind", kind_words, NULL));
  put_text (device->serial, sizeof device->serial, reader, "serial", NULL);
  device->side = (int) sim_read_choice (
      reader, "side", side_words,
      strlen (device->serial) > 3 && device->serial[3] == 'K' ? "right" : "left");
  device->reported_side =
      (int) sim_read_choice (reader, "reported-side", side_words, side_words[device->side]);
  put_text (device->side_text, sizeof device->side_text, reader, "side-text",
            side_words[device->reported_side]);
  put_text (device->address, sizeof device->address, reader, "address",
            default_address (device->kind, device->side));
  firmware = device->kind == SIM_GLOVE ? "0.12.0" : "2.4.0";
  put_text (device->firmware, sizeof device->firmware, reader, "firmware", firmware);
  read_hardware (reader, device);
}

static void
add_device (JsonObject *object, int64_t now_ns)
{
  static const char *const sessions[] = { "free", "held-bridged", "held-direct", NULL };
  SimReader reader = sim_reader (object, "a device");
  SimDevice *device = &sim.devices[sim.n_devices];

  if (sim.n_devices == SIM_MAX_DEVICES)
    sim_config_wrong ("more than %d devices", SIM_MAX_DEVICES);
  init_lock (device);
  device->number = sim.n_devices;
  read_identity (&reader, device);
  put_text (device->model_path, sizeof device->model_path, &reader, "hand-model-path", "");
  put_text (device->fingertip_unit, sizeof device->fingertip_unit, &reader, "fingertip-unit",
            "normalized");
  device->fingertip_long = sim_read_bool (&reader, "fingertip-long-format", FALSE);
  device->session = (SimSession) sim_read_choice (&reader, "session", sessions, "free");
  device->reachable = sim_read_bool (&reader, "reachable", TRUE);
  device->back_ns = SIM_NEVER;
  device->trained = sim_read_bool (&reader, "trained", TRUE);
  device->board_attached = sim_read_bool (&reader, "board", TRUE);
  device->has_velocity = sim_read_bool (&reader, "velocity", TRUE);
  device->has_effort = sim_read_bool (&reader, "effort", TRUE);
  device->uptime_s = sim_read_number (&reader, "uptime-s", 1000.0 + 10.0 * device->number);
  device->drift_ppm = sim_read_number (&reader, "drift-ppm", 0);
  device->seq_start = (uint32_t) sim_read_number (&reader, "seq-start", 0);
  device->round_trip_us = (int64_t) sim_read_number (&reader, "round-trip-us", 400);
  device->offline_joints = sim_read_bits (&reader, "offline-joints");
  device->silent = sim_read_streams (&reader, "silent", NULL);
  if (!json_object_has_member (object, "silent"))
    device->silent = sim_stream_fingers ();
  init_sources (device, sim_read_object (&reader, "rates"));
  sim_reader_finish (&reader);
  device->boot_ns = now_ns - (int64_t) (device->uptime_s * 1e9 / (1.0 + device->drift_ppm * 1e-6));
  sim_fingertip_prepare (device);
  sim.n_devices++;
}

/* ---- the whole ---- */

/* What a release is known to do otherwise than the baseline. */
static void
read_layout (SimReader *root, const char *version)
{
  SimConfig *config = &sim.config;
  JsonObject *object = sim_read_object (root, "layout");
  g_autoptr (JsonObject) none = json_object_new ();
  SimReader reader = sim_reader (object != NULL ? object : none, "the layout");
  unsigned year = 0, month = 0, day = 0;
  gboolean narrow, small;

  if (version == NULL || sscanf (version, "%u.%u.%u", &year, &month, &day) != 3 || year < 2026)
    month = 99;
  narrow = month * 100 + day >= 618;
  small = month * 100 + day < 803;
  config->taxel_columns = (unsigned) sim_read_number (&reader, "taxel-columns", narrow ? 31 : 32);
  config->diagnostics_stride =
      (unsigned) sim_read_number (&reader, "diagnostics-stride", small ? 24 : 28);
  config->state_stride = (unsigned) sim_read_number (&reader, "joint-state-stride", 16);
  config->skeleton_stride = (unsigned) sim_read_number (&reader, "skeleton-stride", 64);
  config->discovered_stride = (unsigned) sim_read_number (&reader, "discovered-stride", 162);
  sim_reader_finish (&reader);
}

static void
read_user (SimReader *root)
{
  JsonObject *object = sim_read_object (root, "user");
  g_autoptr (JsonObject) none = json_object_new ();
  SimReader reader = sim_reader (object != NULL ? object : none, "the user");

  sim.config.user_id = g_strdup (sim_read_text (&reader, "id", "default"));
  sim.config.user_name = g_strdup (sim_read_text (&reader, "name", "Default User"));
  sim.config.user_default = sim_read_bool (&reader, "default", object == NULL);
  sim_reader_finish (&reader);
}

static void
read_behaviour (SimReader *root)
{
  static const char *const sequences[] = { "dense", "sparse", NULL };
  SimConfig *config = &sim.config;
  const char *report = g_getenv ("ACQ_SIM_WUJI_REPORT");

  config->seed = (guint64) sim_read_number (root, "seed", 1);
  config->report = g_strdup (sim_read_text (root, "report", report));
  config->chatter = sim_read_bool (root, "chatter", TRUE);
  config->strict_exit = sim_read_bool (root, "strict-exit", TRUE);
  config->scan_ms = (unsigned) sim_read_number (root, "scan-ms", 100);
  config->connect_ms = (unsigned) sim_read_number (root, "connect-ms", 20);
  config->connect_fail_ms = (unsigned) sim_read_number (root, "connect-fail-ms", 200);
  config->first_frame_ms = (unsigned) sim_read_number (root, "first-frame-ms", 250);
  config->queue = (unsigned) sim_read_number (root, "queue", 256);
  config->latency_us = (unsigned) sim_read_number (root, "latency-us", 300);
  config->jitter_us = (unsigned) sim_read_number (root, "jitter-us", 0);
  config->sparse_seq = sim_read_choice (root, "sequence-at-reduced-rate", sequences, "dense") == 1;
}

/* The handles of a configuration that ends; whoever still has one breaks a rule. */
static void
free_handles (SimDevice *device)
{
  while (device->subs != NULL) {
    WujiSub *sub = device->subs;

    if (sub->magic == SIM_SUB_ALIVE)
      sim_misuse ("acq_sim_wuji_control", "a subscription is open: %s", sub->stream->topic);
    device->subs = sub->next;
    pthread_cond_destroy (&sub->wake);
    free (sub);
  }
  while (device->sessions != NULL) {
    WujiDevice *session = device->sessions;

    if (session->magic == SIM_DEVICE_ALIVE)
      sim_misuse ("acq_sim_wuji_control", "a device handle is open: %s", device->serial);
    device->sessions = session->next;
    free (session);
  }
}

/* Everything but the locks, which live as long as the process. */
static void
forget (SimDevice *device)
{
  free_handles (device);
  for (unsigned i = 0; i < 4; i++)
    g_free (device->fingertips[i / 2][i % 2].format);
  memset ((char *) device, 0, offsetof (SimDevice, lock));
  memset ((char *) device + offsetof (SimDevice, sources), 0,
          sizeof *device - offsetof (SimDevice, sources));
}

static void
reset (int64_t now_ns)
{
  for (unsigned i = 0; i < SIM_MAX_DEVICES; i++)
    forget (&sim.devices[i]);
  forget (&sim.global);
  init_lock (&sim.global);
  sim.global.kind = SIM_GLOBAL;
  sim.global.number = 31;
  sim.global.reachable = TRUE;
  sim.global.boot_ns = now_ns;
  init_sources (&sim.global, NULL);
  sim.n_devices = 0;
  sim.n_call_faults = 0;
  atomic_store (&sim.n_faults, 0);
  g_free (sim.config.version);
  g_free (sim.config.report);
  g_free (sim.config.user_id);
  g_free (sim.config.user_name);
  sim.config = (SimConfig){ 0 };
  sim_report_reset ();
}

void
sim_config_apply (JsonObject *root)
{
  SimReader reader = sim_reader (root, "the configuration");
  int64_t now = sim_now_monotonic ();
  JsonArray *devices, *faults, *calls;

  reset (now);
  sim.config.version = g_strdup (sim_read_text (&reader, "version", sim_variant_version));
  read_behaviour (&reader);
  read_layout (&reader, sim.config.version);
  read_user (&reader);
  devices = sim_read_array (&reader, "devices");
  for (guint i = 0; devices != NULL && i < json_array_get_length (devices); i++)
    add_device (json_array_get_object_element (devices, i), now);
  faults = sim_read_array (&reader, "faults");
  for (guint i = 0; faults != NULL && i < json_array_get_length (faults); i++)
    sim_plan_add_fault (json_array_get_object_element (faults, i), 0);
  calls = sim_read_array (&reader, "calls");
  for (guint i = 0; calls != NULL && i < json_array_get_length (calls); i++)
    sim_plan_add_call (json_array_get_object_element (calls, i));
  sim_reader_finish (&reader);
}

static JsonObject *
parse (JsonParser *parser, const char *path)
{
  g_autoptr (GError) error = NULL;
  gboolean done = path != NULL ? json_parser_load_from_file (parser, path, &error)
                               : json_parser_load_from_data (parser, default_config, -1, &error);

  if (!done)
    sim_config_wrong ("%s: %s", path != NULL ? path : "defaults", error->message);
  if (json_parser_get_root (parser) == NULL ||
      !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    sim_config_wrong ("%s: not an object", path);
  return json_node_get_object (json_parser_get_root (parser));
}

static void
load_once (void)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  sim_config_apply (parse (parser, g_getenv ("ACQ_SIM_WUJI_CONFIG")));
}

void
sim_config_load (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, load_once);
}

SimDevice *
sim_device_find (WujiConnectTarget target)
{
  for (unsigned i = 0; i < sim.n_devices; i++) {
    SimDevice *device = &sim.devices[i];

    if (strcmp (target.kind == WUJI_CONNECT_TARGET_KIND_SN ? device->serial : device->address,
                target.value) == 0)
      return device;
  }
  return NULL;
}

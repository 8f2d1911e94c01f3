/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wuji-hand2: the Wuji Hand 2, through the vendor's library
 *
 *   "right_hand": { "plugin": "wuji-hand2", "serial": "WH2K…", "side": "right" }
 *
 * Records; nothing that enables, moves, calibrates or configures the hand is even looked up
 * in the library. By default the program that moves the hand keeps it: see `attach`.
 *
 * A message has a place for each of the 20 joints, whichever are online: a joint that is not
 * in a frame is NaN, and joining or leaving is told. Faults are told when they change, with
 * what the library's catalogue says of them. Fingertips send bytes; how they read is attached
 * to the recording, and the digest in every message says which text it is.
 */

#include <acq/acq.h>

#include <math.h>
#include <string.h>

#include "wuji-fault.h"
#include "wuji-fingertip.h"
#include "wuji-imu.h"
#include "wuji-joints.h"
#include "wuji-side.h"

#define CALL_S 3

struct _WujiHand2 {
  AcqSource parent;

  WujiOptions options;
  WujiSession session;
  char **names; /* of joints, unique in a recording */
  gint8 joint_of_nid[256];
  WujiFaults faults;
  WujiFeed *teller; /* the stream whose frames say which joints are online */
};

#define WUJI_TYPE_HAND2 (wuji_hand2_get_type ())
G_DECLARE_FINAL_TYPE (WujiHand2, wuji_hand2, WUJI, HAND2, AcqSource)
G_DEFINE_TYPE (WujiHand2, wuji_hand2, ACQ_TYPE_SOURCE)

static const AcqOption options[] = {
  WUJI_DEVICE_OPTIONS (WujiHand2),
  WUJI_NETWORK_OPTIONS (WujiHand2),
  WUJI_LIBRARY_OPTIONS (WujiHand2),
};

/* ---- streams ---- */

static WujiHand2 *
hand_of (WujiFeed *feed)
{
  return feed->session->owner;
}

static AcqStream *
declare_joints (WujiFeed *feed, const char *field)
{
  WujiHand2 *self = hand_of (feed);
  g_autoptr (AcqConstants) names =
      acq_constants_new_strv (feed->def->schema, field, (const char *const *) self->names, NULL);
  AcqStreamInfo info = { .clock = feed->session->clock, .has_sequence = TRUE, .constants = names };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, "wrist");
  g_autofree char *theirs = g_strjoinv (",", (char **) wuji_hand2_joint_names);

  acq_stream_set_metadata (stream, "wuji.joints", theirs);
  acq_stream_set_metadata (stream, "wuji.nids",
                           "1,2,3,4,6,7,8,9,11,12,13,14,16,17,18,19,21,22,23,24");
  return stream;
}

static AcqStream *
declare_states (WujiFeed *feed, const void *frame)
{
  AcqStream *stream = declare_joints (feed, "name");

  acq_stream_set_count (stream, "position", WUJI_HAND_JOINTS);
  acq_stream_set_count (stream, "velocity", WUJI_HAND_JOINTS);
  acq_stream_set_count (stream, "effort", WUJI_HAND_JOINTS);
  acq_stream_set_metadata (stream, "effort_unit", "A (assumed): a current that stands for torque");
  acq_stream_set_metadata (stream, "device_time", "when the firmware sent the frame");
  return stream;
}

static void
see_present (WujiHand2 *self, WujiFeed *feed, guint32 present)
{
  if (feed == self->teller)
    wuji_faults_see_present (&self->faults, present);
}

static AcqFrame *
fill_states (WujiFeed *feed, const void *data)
{
  const WujiJointStateFrame *frame = data;
  WujiHand2 *self = hand_of (feed);
  guint32 present = 0;
  AcqFrame *message;
  AcqJointState *state = acq_joint_state_begin (feed->stream, &message);

  state->n_position = state->n_velocity = state->n_effort = WUJI_HAND_JOINTS;
  for (guint i = 0; i < WUJI_HAND_JOINTS; i++)
    state->position[i] = state->velocity[i] = state->effort[i] = NAN;
  for (size_t i = 0; i < frame->joints_len; i++) {
    int joint = self->joint_of_nid[frame->joints[i].nid];

    state->position[joint] = (double) frame->joints[i].position;
    state->velocity[joint] = (double) frame->joints[i].velocity;
    state->effort[joint] = (double) frame->joints[i].effort;
    present |= 1u << joint;
  }
  see_present (self, feed, present);
  return message;
}

static AcqStream *
declare_diagnostics (WujiFeed *feed, const void *frame)
{
  return declare_joints (feed, "names");
}

static void
copy_comm (AcqHand2Comm *to, const WujiHand2CommSummary *from)
{
  to->age_ms = from->age_ms;
  to->tactile_online_mask = from->tactile_online_mask;
  to->e2e_received = from->e2e_received;
  to->e2e_lost = from->e2e_lost;
  to->e2e_reordered = from->e2e_reordered;
  to->e2e_duplicates = from->e2e_duplicates;
  to->e2e_window_loss_x100 = from->e2e_window_loss_x100;
  to->rpc_total = from->rpc_total;
  to->rpc_retries = from->rpc_retries;
  to->rpc_timeouts = from->rpc_timeouts;
  to->get_failures = from->comm_get_failures;
  memcpy (to->tactile_response_rate, from->tactile_response_rate_pct,
          sizeof to->tactile_response_rate);
  memcpy (to->tactile_timeout_total, from->tactile_timeout_total, sizeof to->tactile_timeout_total);
  to->sdk_dropped = from->sdk_dropped;
}

static AcqFrame *
fill_diagnostics (WujiFeed *feed, const void *data)
{
  const WujiJointDiagnosticsFrame *frame = data;
  WujiHand2 *self = hand_of (feed);
  AcqFrame *message;
  AcqHand2Diagnostics *health = acq_hand2_diagnostics_begin (feed->stream, &message);

  health->side = (uint8_t) feed->session->side;
  for (guint i = 0; i < WUJI_HAND_JOINTS; i++)
    health->current[i] = health->bus_voltage[i] = health->temperature[i] = NAN;
  for (size_t i = 0; i < frame->joints_len; i++) {
    const WujiJointDiagnosticsEntry *entry = &frame->joints[i];
    guint joint = (guint) self->joint_of_nid[entry->nid];

    health->present |= 1u << joint;
    health->nid[joint] = entry->nid;
    health->status_word[joint] = entry->status_word;
    health->current[joint] = entry->current;
    health->bus_voltage[joint] = entry->vbus_v_fb;
    health->temperature[joint] = entry->mcu_temp_c_fb;
    health->error_code[joint] = entry->error_code_current;
    health->response_rate[joint] = entry->comm_response_rate_pct;
    health->timeout_total[joint] = entry->comm_timeout_total;
    wuji_faults_see (&self->faults, joint, entry->nid, entry->error_code_current);
  }
  copy_comm (&health->comm, &frame->comm);
  see_present (self, feed, health->present);
  return message;
}

static AcqStream *
declare_imu (WujiFeed *feed, const void *frame)
{
  return wuji_imu_declare (feed, "imu_link");
}

/* clang-format off */
#define FINGERTIP(finger, word)                                                                    \
  { .name = "fingertip/" word, .topic = "fingertip/" word "/data",                                 \
    .schema = &acq_fingertip_sensor_schema, .sub = WUJI_SUB_FINGERTIP_THUMB + (finger),            \
    .element = (finger), .feature = WUJI_FEATURE_HAND_2_FINGERTIPS, .rate_hz = 100,                \
    .flags = WUJI_STREAM_QUIET, .canary = wuji_canary_fingertip,                                   \
    .declare = wuji_fingertip_declare, .fits = wuji_fingertip_fits, .fill = wuji_fingertip_fill }

static const WujiStreamDef defs[] = {
  { .name = "joint_states", .topic = "joint_states", .schema = &acq_joint_state_schema,
    .sub = WUJI_SUB_HAND2_JOINT_STATES, .feature = WUJI_FEATURE_HAND_2, .rate_hz = 1000,
    .canary = wuji_canary_joint_states, .declare = declare_states, .fill = fill_states },
  { .name = "joint_diagnostics", .topic = "joint_diagnostics",
    .schema = &acq_hand2_diagnostics_schema, .sub = WUJI_SUB_HAND2_JOINT_DIAGNOSTICS,
    .feature = WUJI_FEATURE_HAND_2_DIAGNOSTICS, .rate_hz = 1000,
    .canary = wuji_canary_diagnostics, .declare = declare_diagnostics, .fill = fill_diagnostics },
  { .name = "imu", .topic = "imu", .schema = &acq_imu_schema, .sub = WUJI_SUB_HAND2_IMU,
    .feature = WUJI_FEATURE_HAND_2, .canary = wuji_canary_imu, .declare = declare_imu,
    .fill = wuji_imu_fill },
  FINGERTIP (0, "thumb"),
  FINGERTIP (1, "index"),
  FINGERTIP (2, "middle"),
  FINGERTIP (3, "ring"),
  FINGERTIP (4, "pinky"),
  { .name = NULL },
};
/* clang-format on */

/* ---- open ---- */

/* By the library where it can say, else by rule. Frames with other numbers do not pass anyway. */
static void
map_joints (WujiHand2 *self)
{
  WujiApi *api = &self->session.api;
  guint n_other = 0;

  for (guint nid = 0; nid < 256; nid++) {
    int joint = wuji_joint_from_nid (nid);
    uint8_t theirs = 0xff;

    if (joint >= 0 && api->hand2_nid_to_joint != NULL &&
        api->hand2_nid_to_joint ((uint8_t) nid, &theirs) == WUJI_OK && theirs < WUJI_HAND_JOINTS) {
      n_other += theirs != joint;
      joint = theirs;
    }
    self->joint_of_nid[nid] = (gint8) joint;
  }
  acq_node_set_fact (ACQ_NODE (self), "wuji.joint_numbers",
                     api->hand2_nid_to_joint != NULL ? "by the library" : "by rule");
  if (n_other > 0)
    acq_node_notice (ACQ_NODE (self), ACQ_EVENT_SEVERITY_WARNING, "joint_numbers",
                     "%s: the library numbers %u joints otherwise than known; the library counts",
                     acq_node_get_id (ACQ_NODE (self)), n_other);
}

static char *
numbers (const float *values, guint n)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < n; i++) {
    char one[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append (text, i > 0 ? "," : "");
    g_string_append (text, isfinite (values[i])
                               ? g_ascii_formatd (one, sizeof one, "%.9g", (double) values[i])
                               : "null");
  }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* Read once. A placeholder of a joint that is offline is null. */
static void
tell_limits (WujiHand2 *self)
{
  WujiApi *api = &self->session.api;
  float first[2 * WUJI_HAND_JOINTS], second[2 * WUJI_HAND_JOINTS];
  uint32_t online = 0;

  if (api->hand2_get_all_effort_limit != NULL &&
      api->hand2_get_all_effort_limit (self->session.device, first, &online) == WUJI_OK) {
    g_autofree char *text = NULL;

    for (guint i = 0; i < WUJI_HAND_JOINTS; i++)
      if (!(online >> i & 1))
        first[i] = NAN;
    text = numbers (first, WUJI_HAND_JOINTS);
    acq_node_set_fact (ACQ_NODE (self), "wuji.effort_limits_a", text);
  }
  if (api->hand2_get_all_mit_params != NULL &&
      api->hand2_get_all_mit_params (self->session.device, first, second, &online) == WUJI_OK) {
    g_autofree char *kp = numbers (first, WUJI_HAND_JOINTS);
    g_autofree char *kd = numbers (second, WUJI_HAND_JOINTS);

    acq_node_set_fact (ACQ_NODE (self), "wuji.mit_kp", kp);
    acq_node_set_fact (ACQ_NODE (self), "wuji.mit_kd", kd);
  }
}

static gboolean
ask (WujiHand2 *self, GError **error)
{
  WujiApi *api = &self->session.api;
  AcqNode *node = ACQ_NODE (self);
  WujiHandedness handedness = G_MAXUINT32;
  WujiHwVersion version[2] = { { 0 } };
  AcqSide side = ACQ_SIDE_UNKNOWN;

  acq_node_step (node, "wuji_hand_2_get_…", CALL_S);
  if (api->hand2_get_handedness != NULL &&
      api->hand2_get_handedness (self->session.device, &handedness) == WUJI_OK)
    side = wuji_side_from_handedness (handedness);
  if (api->hand2_get_hw_version != NULL &&
      api->hand2_get_hw_version (self->session.device, version) == WUJI_OK &&
      (version->major | version->minor | version->patch) != 0) {
    g_autofree char *text =
        g_strdup_printf ("%u.%u.%u", version->major, version->minor, version->patch);

    acq_node_set_fact (node, "hardware", text);
  }
  tell_limits (self);
  acq_node_step (node, NULL, 0);
  return wuji_session_check_side (&self->session, side, "the hand", error);
}

static void
choose_teller (WujiHand2 *self)
{
  self->teller = NULL;
  for (guint i = 0; i < self->session.feeds->len && self->teller == NULL; i++) {
    WujiFeed *feed = self->session.feeds->pdata[i];

    if (feed->def == &defs[0] || feed->def == &defs[1])
      self->teller = feed;
  }
}

static gboolean
wuji_hand2_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  WujiHand2 *self = WUJI_HAND2 (node);
  WujiSession *session = &self->session;

  acq_node_set_fact (node, "section", "hands");
  acq_node_set_fact (node, "kind", "wuji");
  acq_node_set_fact (node, "device_type", "wuji_hand2");
  if (!wuji_session_load (session, error) || !wuji_session_connect (session, cancellable, error) ||
      !ask (self, error))
    return FALSE;
  if (self->names == NULL)
    self->names = wuji_session_own_names (session, wuji_hand2_joint_names);
  map_joints (self);
  self->faults = (WujiFaults){ .session = session, .joints = (const char *const *) self->names };
  wuji_session_add_feeds (session);
  choose_teller (self);
  return wuji_session_start (session, cancellable, error);
}

static void
wuji_hand2_close (AcqNode *node)
{
  wuji_session_close (&WUJI_HAND2 (node)->session);
}

static gboolean
wuji_hand2_check (AcqNode *node, GError **error)
{
  return wuji_session_check (&WUJI_HAND2 (node)->session, error);
}

static void
wuji_hand2_finalize (GObject *object)
{
  WujiHand2 *self = WUJI_HAND2 (object);

  wuji_session_finalize (&self->session);
  g_strfreev (self->names);
  G_OBJECT_CLASS (wuji_hand2_parent_class)->finalize (object);
}

static void
wuji_hand2_class_init (WujiHand2Class *klass)
{
  AcqNodeClass *node_class = ACQ_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = wuji_hand2_finalize;
  node_class->check = wuji_hand2_check;
  node_class->open = wuji_hand2_open;
  node_class->close = wuji_hand2_close;
  acq_node_class_add_options (node_class, options, G_N_ELEMENTS (options));
}

static void
wuji_hand2_init (WujiHand2 *self)
{
  wuji_session_init (&self->session, self, &self->options, WUJI_CLASS_HAND_2, defs);
  self->session.on_tick = wuji_fingertip_tick;
}

static char **
scan (AcqNode *configured, GError **error)
{
  return wuji_scan_lines (&WUJI_HAND2 (configured)->options, WUJI_CLASS_HAND_2, error);
}

/* clang-format off */
static const AcqStreamTemplate streams[] = {
  { "joint_states", &acq_joint_state_schema, .help = "Position, velocity, current of 20 joints" },
  { "joint_diagnostics", &acq_hand2_diagnostics_schema, .help = "Health of the joints and links" },
  { "imu", &acq_imu_schema, TRUE, "The hand's inertial sensor" },
  { "fingertip/thumb", &acq_fingertip_sensor_schema, TRUE, "Touch at a fingertip, raw" },
  { "fingertip/index", &acq_fingertip_sensor_schema, TRUE, "Touch at a fingertip, raw" },
  { "fingertip/middle", &acq_fingertip_sensor_schema, TRUE, "Touch at a fingertip, raw" },
  { "fingertip/ring", &acq_fingertip_sensor_schema, TRUE, "Touch at a fingertip, raw" },
  { "fingertip/pinky", &acq_fingertip_sensor_schema, TRUE, "Touch at a fingertip, raw" },
  { NULL },
};
/* clang-format on */

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "wuji-hand2",
  .summary = "Wuji Hand 2: joints, health and fingertips of a robot hand",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .streams = streams,
  .get_type = wuji_hand2_get_type,
  .scan = scan,
};

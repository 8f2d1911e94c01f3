/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wuji-hand: the first-generation Wuji Hand, over USB, through the vendor's library
 *
 *   "left_hand": { "plugin": "wuji-hand", "serial": "…", "side": "left" }
 *
 * Joints and, where the tactile glove is on the hand, its pressure. The hand's own time and
 * the tactile board's are two clocks; nothing synchronises the board's. Health is not
 * streamed by the hand: it is asked for once a second when `joint_diagnostics` is chosen.
 */

#include <acq/acq.h>

#include <string.h>

#include "wuji-fault.h"
#include "wuji-joints.h"
#include "wuji-side.h"

#define CALL_S 3
#define POLL_MS 1000
#define TAIL_BYTES (WUJI_TAXELS_WIDE * sizeof (float))

struct _WujiHand {
  AcqSource parent;

  WujiOptions options;
  WujiSession session;
  char **names; /* of joints, unique in a recording */
  AcqClock *board_clock;
  WujiFaults faults;
  AcqStream *health;
  GSource *poll;
};

#define WUJI_TYPE_HAND (wuji_hand_get_type ())
G_DECLARE_FINAL_TYPE (WujiHand, wuji_hand, WUJI, HAND, AcqSource)
G_DEFINE_TYPE (WujiHand, wuji_hand, ACQ_TYPE_SOURCE)

static const AcqOption options[] = {
  WUJI_DEVICE_OPTIONS (WujiHand),
  WUJI_LIBRARY_OPTIONS (WujiHand),
};

/* ---- joints ---- */

static AcqConstants *
joint_names (WujiHand *self, const AcqSchema *schema, const char *field)
{
  return acq_constants_new_strv (schema, field, (const char *const *) self->names, NULL);
}

/* Velocity and effort may not be there: the first frame tells. */
static AcqStream *
declare_states (WujiFeed *feed, const void *data)
{
  const WujiHandJointStates *frame = data;
  WujiHand *self = feed->session->owner;
  g_autoptr (AcqConstants) names = joint_names (self, &acq_joint_state_schema, "name");
  AcqStreamInfo info = { .clock = feed->session->clock, .has_sequence = TRUE, .constants = names };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, "wrist");

  acq_stream_set_count (stream, "position", WUJI_HAND_JOINTS);
  acq_stream_set_count (stream, "velocity", (guint) frame->velocity_len);
  acq_stream_set_count (stream, "effort", (guint) frame->effort_len);
  acq_stream_set_metadata (stream, "effort_unit", "A (assumed)");
  return stream;
}

static AcqFrame *
fill_states (WujiFeed *feed, const void *data)
{
  const WujiHandJointStates *frame = data;
  AcqFrame *message;
  AcqJointState *state = acq_joint_state_begin (feed->stream, &message);

  state->n_position = (uint32_t) frame->position_len;
  state->n_velocity = (uint32_t) frame->velocity_len;
  state->n_effort = (uint32_t) frame->effort_len;
  memcpy (state->position, frame->position, frame->position_len * sizeof (double));
  if (frame->velocity_len > 0)
    memcpy (state->velocity, frame->velocity, frame->velocity_len * sizeof (double));
  if (frame->effort_len > 0)
    memcpy (state->effort, frame->effort, frame->effort_len * sizeof (double));
  return message;
}

/* ---- the tactile board ---- */

/* Its milliseconds wrap after 49.7 days. */
typedef struct {
  gboolean started;
  guint32 last_ms;
  guint64 wraps;
} BoardTime;

static WujiStamp
board_stamp (WujiFeed *feed, const void *data)
{
  const WujiTactileGloveFrame *frame = data;
  BoardTime *time = feed->data != NULL ? feed->data : (feed->data = g_new0 (BoardTime, 1));
  gint32 step = (gint32) (frame->timestamp_ms - time->last_ms);

  if (time->started && step >= 0 && frame->timestamp_ms < time->last_ms)
    time->wraps++;
  time->started = TRUE;
  time->last_ms = frame->timestamp_ms;
  return (WujiStamp){ frame->sequence,
                      ((time->wraps << 32) + frame->timestamp_ms) * G_GUINT64_CONSTANT (1000000) };
}

static AcqStream *
declare_board (WujiFeed *feed, const void *frame)
{
  WujiHand *self = feed->session->owner;
  const AcqTailLayout tail = {
    .kind = ACQ_KIND_F32,
    .count = WUJI_TAXELS_WIDE,
    .interp = ACQ_INTERP_LINEAR,
  };
  AcqStreamInfo info = { .clock = self->board_clock, .has_sequence = TRUE, .tail = &tail };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, NULL);

  acq_stream_set_metadata (stream, "rows", "24");
  acq_stream_set_metadata (stream, "columns", "32");
  acq_stream_set_metadata (stream, "order", "row by row");
  acq_stream_set_metadata (stream, "unit", "raw pressure; NaN cannot measure");
  return stream;
}

static AcqFrame *
fill_board (WujiFeed *feed, const void *data)
{
  const WujiTactileGloveFrame *frame = data;
  AcqFrame *message;
  AcqImage *image = acq_image_begin (feed->stream, TAIL_BYTES, &message);

  image->height = WUJI_TACTILE_ROWS;
  image->width = WUJI_TAXELS_WIDE / WUJI_TACTILE_ROWS;
  memcpy (image->encoding, "32FC1", sizeof "32FC1");
  image->step = image->width * sizeof (float);
  memcpy (acq_image_tail (image), frame->pressure, TAIL_BYTES);
  return message;
}

static WujiStamp
no_stamp (WujiFeed *feed, const void *frame)
{
  return (WujiStamp){ 0, ACQ_TIME_NONE };
}

static AcqStream *
declare_status (WujiFeed *feed, const void *frame)
{
  AcqStreamInfo info = { .latched = TRUE };

  return wuji_feed_add_stream (feed, &info, NULL);
}

static AcqFrame *
fill_status (WujiFeed *feed, const void *data)
{
  const WujiTactileGloveStatus *frame = data;
  AcqFrame *message;
  AcqTactileStatus *status = acq_tactile_status_begin (feed->stream, &message);

  status->state = frame->state;
  status->last_frame_age_ms = frame->last_frame_age_ms;
  acq_node_notice (ACQ_NODE (feed->session->source),
                   frame->state == ACQ_TACTILE_STATUS_STATE_HEALTHY ? ACQ_EVENT_SEVERITY_INFO
                                                                    : ACQ_EVENT_SEVERITY_WARNING,
                   "tactile_status", "%s: the tactile board %s (state %u)",
                   acq_node_get_id (ACQ_NODE (feed->session->source)),
                   frame->state == ACQ_TACTILE_STATUS_STATE_HEALTHY
                       ? "is there"
                       : "is not there; plugged in again it needs a reconnect",
                   frame->state);
  return message;
}

/* clang-format off */
static const WujiStreamDef defs[] = {
  { .name = "joint_states", .topic = "joint_states", .schema = &acq_joint_state_schema,
    .sub = WUJI_SUB_HAND_JOINT_STATES, .feature = WUJI_FEATURE_HAND, .rate_hz = 1000,
    .flags = WUJI_STREAM_SHAPED, .canary = wuji_canary_hand_states, .declare = declare_states,
    .fill = fill_states },
  { .name = "tactile", .topic = "tactile_pressure_frame", .schema = &acq_image_schema,
    .sub = WUJI_SUB_HAND_TACTILE, .feature = WUJI_FEATURE_HAND, .rate_hz = 120,
    .flags = WUJI_STREAM_QUIET, .canary = wuji_canary_board, .declare = declare_board,
    .stamp = board_stamp, .fill = fill_board },
  { .name = "tactile_status", .topic = "tactile_status", .schema = &acq_tactile_status_schema,
    .sub = WUJI_SUB_HAND_TACTILE_STATUS, .feature = WUJI_FEATURE_HAND,
    .flags = WUJI_STREAM_QUIET, .canary = wuji_canary_board_status, .declare = declare_status,
    .stamp = no_stamp, .fill = fill_status },
  { .name = NULL },
};
/* clang-format on */

/* ---- health, asked for ---- */

static gboolean
poll_health (gpointer data)
{
  WujiHand *self = data;
  WujiApi *api = &self->session.api;
  WujiHandJointDiagnostics joints[2 * WUJI_HAND_JOINTS];
  float voltage = 0.0f, temperature = 0.0f;
  AcqFrame *frame;
  AcqHandDiagnostics *health;
  WujiStatus status;

  acq_node_step (ACQ_NODE (self), "wuji_hand_get_all_diagnostics", CALL_S);
  status = api->hand_get_all_diagnostics (self->session.device, joints);
  if (status == WUJI_OK && api->hand_get_input_voltage != NULL)
    api->hand_get_input_voltage (self->session.device, &voltage);
  if (status == WUJI_OK && api->hand_get_temperature != NULL)
    api->hand_get_temperature (self->session.device, &temperature);
  acq_node_step (ACQ_NODE (self), NULL, 0);
  if (status != WUJI_OK)
    return G_SOURCE_CONTINUE;
  health = acq_hand_diagnostics_begin (self->health, &frame);
  health->side = (uint8_t) self->session.side;
  health->input_voltage = voltage;
  health->board_temperature = temperature;
  for (guint i = 0; i < WUJI_HAND_JOINTS; i++) {
    health->bus_voltage[i] = joints[i].bus_voltage;
    health->temperature[i] = joints[i].temperature;
    health->error_bits[i] = joints[i].error_code;
    wuji_faults_see_bits (&self->faults, i, joints[i].error_code);
  }
  acq_port_lock (self->session.port);
  acq_port_count (self->session.port, ACQ_PORT_PACKETS, 1);
  acq_source_count_accepted (ACQ_SOURCE (self), 1);
  acq_stream_push (self->health, frame, 0, ACQ_TIME_NONE);
  acq_port_unlock (self->session.port);
  return G_SOURCE_CONTINUE;
}

static void
start_polling (WujiHand *self)
{
  g_autoptr (AcqConstants) names = joint_names (self, &acq_hand_diagnostics_schema, "names");
  const AcqStreamInfo info = { .name = "joint_diagnostics",
                               .schema = &acq_hand_diagnostics_schema,
                               .rate_hz = 1000.0 / POLL_MS,
                               .constants = names };

  if (!acq_source_wants (ACQ_SOURCE (self), "joint_diagnostics") ||
      self->session.api.hand_get_all_diagnostics == NULL)
    return;
  self->health = acq_source_add_stream (ACQ_SOURCE (self), &info);
  self->poll = g_timeout_source_new (POLL_MS);
  g_source_set_callback (self->poll, poll_health, self, NULL);
  g_source_attach (self->poll, g_main_context_get_thread_default ());
}

/* ---- open ---- */

/* Two getters for one thing, with opposite numbers: each has its own table. */
static gboolean
ask (WujiHand *self, GError **error)
{
  WujiApi *api = &self->session.api;
  AcqNode *node = ACQ_NODE (self);
  AcqSide side = ACQ_SIDE_UNKNOWN;
  AcqSide board = ACQ_SIDE_UNKNOWN;
  guint32 firmware = 0;
  guint8 value = 0xff;
  g_autofree char *product = NULL;

  acq_node_step (node, "wuji_hand_get_…", CALL_S);
  if (api->hand_get_handedness != NULL &&
      api->hand_get_handedness (self->session.device, &value) == WUJI_OK)
    side = wuji_side_from_hand (value);
  if (api->hand_get_tactile_handedness != NULL &&
      api->hand_get_tactile_handedness (self->session.device, &value) == WUJI_OK)
    board = wuji_side_from_tactile_board (value);
  if (api->hand_get_firmware_version != NULL &&
      api->hand_get_firmware_version (self->session.device, &firmware) == WUJI_OK) {
    g_autofree char *text = g_strdup_printf ("0x%08x", firmware);

    acq_node_set_fact (node, "firmware", text);
  }
  product = wuji_api_get_text (api->hand_get_product_sn, self->session.device);
  acq_node_set_fact (node, "wuji.product_serial", product);
  acq_node_step (node, NULL, 0);
  if (board != ACQ_SIDE_UNKNOWN && side != ACQ_SIDE_UNKNOWN && board != side)
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "side_conflict",
                     "%s: a %s hand with a %s tactile glove on it", acq_node_get_id (node),
                     acq_side_to_string (side), acq_side_to_string (board));
  return wuji_session_check_side (&self->session, side, "the hand", error);
}

static gboolean
wuji_hand_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  WujiHand *self = WUJI_HAND (node);
  WujiSession *session = &self->session;

  acq_node_set_fact (node, "section", "hands");
  acq_node_set_fact (node, "kind", "wuji");
  acq_node_set_fact (node, "device_type", "wuji_hand");
  if (!wuji_session_load (session, error) || !wuji_session_connect (session, cancellable, error) ||
      !ask (self, error))
    return FALSE;
  if (self->names == NULL)
    self->names = wuji_session_own_names (session, wuji_hand_joint_names);
  if (self->board_clock == NULL) {
    g_autofree char *id = wuji_session_own_name (session, "board");

    self->board_clock = acq_clock_new (id, ACQ_CLOCK_UPTIME);
  }
  self->faults = (WujiFaults){ .session = session, .joints = (const char *const *) self->names };
  start_polling (self);
  return wuji_session_start (session, cancellable, error);
}

static void
wuji_hand_close (AcqNode *node)
{
  WujiHand *self = WUJI_HAND (node);

  if (self->poll != NULL) {
    g_source_destroy (self->poll);
    g_clear_pointer (&self->poll, g_source_unref);
  }
  wuji_session_close (&self->session);
}

static gboolean
wuji_hand_check (AcqNode *node, GError **error)
{
  return wuji_session_check (&WUJI_HAND (node)->session, error);
}

static void
wuji_hand_finalize (GObject *object)
{
  WujiHand *self = WUJI_HAND (object);

  wuji_session_finalize (&self->session);
  g_strfreev (self->names);
  g_clear_pointer (&self->board_clock, acq_clock_unref);
  G_OBJECT_CLASS (wuji_hand_parent_class)->finalize (object);
}

static void
wuji_hand_class_init (WujiHandClass *klass)
{
  AcqNodeClass *node_class = ACQ_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = wuji_hand_finalize;
  node_class->check = wuji_hand_check;
  node_class->open = wuji_hand_open;
  node_class->close = wuji_hand_close;
  acq_node_class_add_options (node_class, options, G_N_ELEMENTS (options));
}

static void
wuji_hand_init (WujiHand *self)
{
  wuji_session_init (&self->session, self, &self->options, WUJI_CLASS_HAND, defs);
}

static char **
scan (AcqNode *configured, GError **error)
{
  return wuji_scan_lines (&WUJI_HAND (configured)->options, WUJI_CLASS_HAND, error);
}

/* clang-format off */
static const AcqStreamTemplate streams[] = {
  { "joint_states", &acq_joint_state_schema, .help = "Position, velocity, effort of 20 joints" },
  { "tactile", &acq_image_schema, .help = "Pressure of the tactile glove on it, 24 x 32 taxels" },
  { "tactile_status", &acq_tactile_status_schema, .help = "Whether the tactile glove is there" },
  { "joint_diagnostics", &acq_hand_diagnostics_schema, TRUE, "Health, asked for once a second" },
  { NULL },
};
/* clang-format on */

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "wuji-hand",
  .summary = "Wuji Hand of the first generation: joints and touch of a robot hand",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .streams = streams,
  .get_type = wuji_hand_get_type,
  .scan = scan,
};

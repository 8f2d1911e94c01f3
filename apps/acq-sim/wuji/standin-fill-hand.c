/* SPDX-License-Identifier: Apache-2.0 */

/* Frames of both generations of the hand. */

#include "standin-fill.h"

#include <math.h>
#include <string.h>

#define MAX_ENTRIES 64

/* Four motors and a tactile slot on each bus, counted from 1. */
static uint8_t
nid_of (unsigned joint)
{
  return (uint8_t) (joint / 4 * 5 + joint % 4 + 1);
}

static const char *
wrist (const SimDevice *device)
{
  return device->side == SIM_WUJI_LEFT ? "l_wrist" : "r_wrist";
}

/* The joints that are in this frame. Garbage lengths repeat them. */
static size_t
list_joints (const SimShot *shot, uint8_t ret[MAX_ENTRIES])
{
  size_t online = 0;
  size_t n;

  for (unsigned joint = 0; joint < WUJI_HAND_2_JOINT_COUNT; joint++)
    if (!(shot->offline >> joint & 1))
      ret[online++] = (uint8_t) joint;
  n = sim_length (shot, online, MAX_ENTRIES);
  for (size_t i = online; i < n; i++)
    ret[i] = (uint8_t) (i % WUJI_HAND_2_JOINT_COUNT);
  return n;
}

static uint8_t
entry_nid (const SimShot *shot, const uint8_t *joints, size_t i)
{
  if (shot->how == SIM_GARBAGE_NID && i == 0)
    return 5;
  if (shot->how == SIM_GARBAGE_TWICE && i == 1)
    return nid_of (joints[0]);
  return nid_of (joints[i]);
}

static uint8_t
told_count (const SimShot *shot, size_t n)
{
  return (uint8_t) (shot->how == SIM_GARBAGE_MISMATCH ? n + 1 : n);
}

static float
spoiled (const SimShot *shot, size_t i, float number)
{
  if (i == 0 && shot->how == SIM_GARBAGE_NAN)
    return NAN;
  if (i == 0 && shot->how == SIM_GARBAGE_HUGE)
    return 1e30f;
  return number;
}

/* Copies an entry at its place; padding stays garbage. */
static void
put_entry (uint8_t *bytes, size_t i, size_t stride, const void *entry, size_t size)
{
  memcpy (bytes + i * stride, entry, MIN (size, stride));
}

void
sim_fill_joint_states (SimFrame *frame, const SimShot *shot)
{
  WujiJointStateFrame *body = (WujiJointStateFrame *) frame->body;
  size_t stride = sim.config.state_stride;
  uint8_t joints[MAX_ENTRIES];
  size_t n = list_joints (shot, joints);
  uint8_t *bytes = sim_frame_alloc (frame, n * stride);

  sim_fill_header (&body->header, shot, wrist (shot->device));
  body->num_joints = told_count (shot, n);
  body->joints = (WujiJointStateEntry *) bytes;
  body->joints_len = n;
  for (size_t i = 0; i < n; i++) {
    SimWujiJoint state = sim_wuji_joint (shot->key, shot->seq, joints[i]);
    WujiJointStateEntry entry = { .nid = entry_nid (shot, joints, i),
                                  .position = spoiled (shot, i, state.position),
                                  .velocity = state.velocity,
                                  .effort = state.effort };

    put_entry (bytes, i, stride, &entry, sizeof entry);
  }
  if (shot->how == SIM_GARBAGE_NULL)
    body->joints = NULL;
}

/* Before 2026.8.3 the entries ended before the response rate, and the frame before comm. */
static void
fill_comm (WujiHand2CommSummary *comm, const SimShot *shot)
{
  *comm = (WujiHand2CommSummary){
    .age_ms = shot->index < 1000 ? 65535 : (uint16_t) (shot->seq % 1000),
    .tactile_online_mask = 0x1f,
    .e2e_received = shot->seq,
    .e2e_reordered = (uint16_t) (shot->seq >> 16),
    .rpc_total = shot->seq / 100,
    .tactile_response_rate_pct = { 100, 99, 98, 97, 96 },
  };
  for (unsigned i = 0; i < 5; i++)
    comm->tactile_timeout_total[i] = shot->seq / 10000 + i;
}

void
sim_fill_diagnostics (SimFrame *frame, const SimShot *shot)
{
  WujiJointDiagnosticsFrame *body = (WujiJointDiagnosticsFrame *) frame->body;
  size_t stride = sim.config.diagnostics_stride;
  uint8_t joints[MAX_ENTRIES];
  size_t n = list_joints (shot, joints);
  uint8_t *bytes = sim_frame_alloc (frame, n * stride);

  sim_fill_header (&body->header, shot, wrist (shot->device));
  body->num_joints = told_count (shot, n);
  body->joints = (WujiJointDiagnosticsEntry *) bytes;
  body->joints_len = n;
  for (size_t i = 0; i < n; i++) {
    SimWujiHealth health = sim_wuji_health (shot->key, shot->seq, joints[i]);
    WujiJointDiagnosticsEntry entry = {
      .nid = entry_nid (shot, joints, i),
      .status_word = health.status_word,
      .current = health.current,
      .vbus_v_fb = spoiled (shot, i, health.voltage),
      .mcu_temp_c_fb = health.temperature,
      .error_code_current = sim_faults_code (shot->device, shot->since_ns, joints[i]),
      .comm_response_rate_pct = health.response_rate,
      .comm_timeout_total = health.timeouts,
    };

    put_entry (bytes, i, stride, &entry, sizeof entry);
  }
  if (stride >= sizeof (WujiJointDiagnosticsEntry))
    fill_comm (&body->comm, shot);
  if (shot->how == SIM_GARBAGE_NULL)
    body->joints = NULL;
}

void
sim_fill_fingertip (SimFrame *frame, const SimShot *shot)
{
  static const char *const fingers[] = { "thumb", "index", "middle", "ring", "pinky" };
  WujiFingertipSensorData *body = (WujiFingertipSensorData *) frame->body;
  unsigned finger = shot->stream->element;
  const SimFingertip *tip = sim_fingertip (shot->device, finger, shot->since_ns);
  size_t n = tip->points * 3 + 4;
  char frame_id[32];

  body->info_digest = tip->digest;
  g_snprintf (frame_id, sizeof frame_id, "%s_%s_tip_sensor_frame", sim_side_letter (shot->device),
              fingers[finger]);
  sim_fill_header (&body->header, shot, frame_id);
  body->data_len = sim_length (shot, n * 2, 1024);
  body->data = sim_frame_alloc (frame, 1024);
  for (uint32_t i = 0; i < n; i++) {
    uint16_t raw = (uint16_t) sim_wuji_fingertip (shot->key, shot->seq, i);

    body->data[2 * i] = (uint8_t) raw;
    body->data[2 * i + 1] = (uint8_t) (raw >> 8);
  }
  if (shot->how == SIM_GARBAGE_NULL)
    body->data = NULL;
}

/* ---- first generation ---- */

static double *
hand_values (SimFrame *frame, const SimShot *shot, unsigned which, size_t n)
{
  double *values = sim_frame_alloc (frame, n * sizeof *values);

  for (size_t i = 0; i < n; i++) {
    SimWujiJoint state = sim_wuji_joint (shot->key, shot->seq, (uint32_t) i % 20);

    values[i] = (double) (which == 0 ? state.position : which == 1 ? state.velocity : state.effort);
  }
  return values;
}

void
sim_fill_hand_states (SimFrame *frame, const SimShot *shot)
{
  WujiHandJointStates *body = (WujiHandJointStates *) frame->body;

  sim_fill_header (&body->header, shot, wrist (shot->device));
  body->position_len = sim_length (shot, 20, MAX_ENTRIES);
  body->velocity_len = shot->device->has_velocity ? 20 : 0;
  body->effort_len = shot->device->has_effort ? 20 : 0;
  body->position = hand_values (frame, shot, 0, body->position_len);
  body->velocity = body->velocity_len > 0 ? hand_values (frame, shot, 1, 20) : NULL;
  body->effort = body->effort_len > 0 ? hand_values (frame, shot, 2, 20) : NULL;
  if (body->position_len > 0 && shot->how == SIM_GARBAGE_NAN)
    body->position[0] = NAN;
  if (shot->how == SIM_GARBAGE_NULL)
    body->position = NULL;
}

/* No header: milliseconds of the board in 32 bits, which nothing synchronises. */
void
sim_fill_board (SimFrame *frame, const SimShot *shot)
{
  WujiTactileGloveFrame *body = (WujiTactileGloveFrame *) frame->body;

  body->handedness = (uint8_t) shot->device->side;
  body->sequence = shot->seq;
  body->timestamp_ms = (uint32_t) (shot->uptime_us / 1000);
  body->pressure_len = sim_length (shot, 768, 2048);
  body->pressure = sim_frame_alloc (frame, body->pressure_len * sizeof (float));
  for (uint32_t i = 0; i < body->pressure_len; i++)
    body->pressure[i] =
        sim_wuji_board_valid (i % 768) ? sim_wuji_board_taxel (shot->key, shot->seq, i % 768) : NAN;
  if (body->pressure_len > 0 && shot->how == SIM_GARBAGE_HUGE)
    body->pressure[0] = 1e30f;
  if (shot->how == SIM_GARBAGE_NULL)
    body->pressure = NULL;
}

void
sim_fill_board_status (SimFrame *frame, const SimShot *shot)
{
  WujiTactileGloveStatus *body = (WujiTactileGloveStatus *) frame->body;
  gboolean away = sim_faults_active (shot->device, SIM_TROUBLE_BOARD, shot->since_ns);

  body->state = !away && shot->device->board_attached;
  body->last_frame_age_ms = away ? 200 : 5;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-canary.h"

#include <math.h>
#include <string.h>

#include "wuji-joints.h"

#define MAX_ZONE 384
#define MAX_FINGER_ZONE 96
#define MAX_TRANSFORMS 32
#define MAX_FINGERTIP 8192
#define MAX_CLOUD (1u << 20)

gboolean
wuji_is_text (const char *text, size_t size, gboolean may_be_empty)
{
  size_t length = strnlen (text, size);

  if (length == size || (length == 0 && !may_be_empty))
    return FALSE;
  for (size_t i = 0; i < length; i++)
    if ((guchar) text[i] < 0x20 || text[i] == 0x7f)
      return FALSE;
  return g_utf8_validate (text, (gssize) length, NULL);
}

static gboolean
all_finite (const float *values, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!isfinite (values[i]))
      return FALSE;
  return TRUE;
}

static gboolean
all_finite_doubles (const double *values, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!isfinite (values[i]))
      return FALSE;
  return TRUE;
}

/* A pose within reach of a person, with a unit quaternion. */
static gboolean
is_pose (const WujiPose *pose)
{
  const WujiQuaternionF32 *q = &pose->orientation;
  float norm = q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w;

  for (guint i = 0; i < 3; i++)
    if (!isfinite (pose->position[i]) || fabsf (pose->position[i]) > 10.0f)
      return FALSE;
  return isfinite (norm) && fabsf (norm - 1.0f) < 0.01f;
}

static const char *
header (const WujiFrameHeader *head, gboolean strict)
{
  if (strict && !wuji_is_text (head->frame_id, sizeof head->frame_id, TRUE))
    return "frame_id";
  return NULL;
}

/* ---- glove ---- */

/* tactile, binary and residual have the same struct. */
const char *
wuji_canary_grid (const void *data, gboolean strict)
{
  const WujiTactileFrame *frame = data;

  if (frame->data_len != WUJI_TAXELS && frame->data_len != WUJI_TAXELS_WIDE)
    return "length";
  if (frame->data == NULL)
    return "null";
  if (strict && !all_finite (frame->data, frame->data_len))
    return "not_finite";
  return header (&frame->header, strict);
}

static const char *
zone (const float *values, size_t n, size_t max, gboolean strict)
{
  if (n > max)
    return "length";
  if (n > 0 && values == NULL)
    return "null";
  return strict && !all_finite (values, n) ? "not_finite" : NULL;
}

const char *
wuji_canary_zones (const void *data, gboolean strict)
{
  const WujiTactileZones *frame = data;
  const struct {
    const float *values;
    size_t n, max;
  } zones[] = {
    { frame->palm, frame->palm_len, MAX_ZONE },
    { frame->thumb, frame->thumb_len, MAX_FINGER_ZONE },
    { frame->index, frame->index_len, MAX_FINGER_ZONE },
    { frame->middle, frame->middle_len, MAX_FINGER_ZONE },
    { frame->ring, frame->ring_len, MAX_FINGER_ZONE },
    { frame->pinky, frame->pinky_len, MAX_FINGER_ZONE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (zones); i++) {
    const char *reason = zone (zones[i].values, zones[i].n, zones[i].max, strict);

    if (reason != NULL)
      return reason;
  }
  return header (&frame->header, strict);
}

const char *
wuji_canary_cloud (const void *data, gboolean strict)
{
  const WujiPointCloud *frame = data;

  if (frame->data == NULL || frame->fields == NULL)
    return "null";
  if (frame->fields_len == 0 || frame->fields_len > 16 || frame->point_stride == 0 ||
      frame->data_len > MAX_CLOUD || frame->data_len % frame->point_stride != 0)
    return "length";
  for (size_t i = 0; i < frame->fields_len; i++) {
    const WujiPointField *field = &frame->fields[i];

    if (!wuji_is_text (field->name, sizeof field->name, FALSE))
      return "name";
    /* Documented as always float32. */
    if (field->type_ != 7 || field->offset + 4 > frame->point_stride)
      return "field";
  }
  if (!wuji_is_text (frame->frame_id, sizeof frame->frame_id, TRUE))
    return "frame_id";
  return header (&frame->header, strict);
}

/* EMF poses and fingertip poses have the same layout and other names. */
const char *
wuji_canary_emf (const void *data, gboolean strict)
{
  const WujiEmfPoseArray *frame = data;

  if (frame->poses_len != WUJI_FINGERS)
    return "length";
  if (frame->poses == NULL)
    return "null";
  for (size_t i = 0; strict && i < frame->poses_len; i++)
    if (!is_pose (&frame->poses[i].pose) || !isfinite (frame->poses[i].confidence))
      return "pose";
  return header (&frame->header, strict);
}

const char *
wuji_canary_tips (const void *data, gboolean strict)
{
  const WujiFingertipPoses *frame = data;

  if (frame->poses_len != WUJI_FINGERS)
    return "length";
  if (frame->poses == NULL)
    return "null";
  for (size_t i = 0; strict && i < frame->poses_len; i++)
    if (!is_pose (&frame->poses[i].pose) || !isfinite (frame->poses[i].confidence))
      return "pose";
  return header (&frame->header, strict);
}

const char *
wuji_canary_angles (const void *data, gboolean strict)
{
  const WujiHandJointAngles *frame = data;

  if (frame->fingers_len != WUJI_FINGERS)
    return "length";
  if (frame->fingers == NULL)
    return "null";
  for (size_t i = 0; strict && i < frame->fingers_len; i++)
    if (!all_finite_doubles (frame->fingers[i].angles, WUJI_FINGER_ANGLES) ||
        !isfinite (frame->fingers[i].confidence))
      return "not_finite";
  return header (&frame->header, strict);
}

const char *
wuji_canary_skeleton (const void *data, gboolean strict)
{
  const WujiHandSkeleton *frame = data;

  if (frame->joints_len != WUJI_SKELETON_JOINTS)
    return "length";
  if (frame->joints == NULL)
    return "null";
  for (size_t i = 0; strict && i < frame->joints_len; i++) {
    const WujiSkeletonJoint *joint = &frame->joints[i];

    if (!wuji_is_text (joint->name, sizeof joint->name, FALSE))
      return "name";
    if (!is_pose (&joint->pose) || !isfinite (joint->confidence))
      return "pose";
  }
  return header (&frame->header, strict);
}

const char *
wuji_canary_imu (const void *data, gboolean strict)
{
  const WujiImuData *frame = data;

  if (strict && (!all_finite_doubles (&frame->angular_velocity.x, 3) ||
                 !all_finite_doubles (&frame->linear_acceleration.x, 3) ||
                 !all_finite_doubles (&frame->orientation.x, 4)))
    return "not_finite";
  return header (&frame->header, strict);
}

/* ---- Hand 2 ---- */

/* Every number a motor's, and none twice. `nids` has a stride, since entries differ. */
static const char *
joints (const uint8_t *nids, size_t stride, size_t n, guint told)
{
  guint32 seen = 0;

  if (n > WUJI_HAND_JOINTS)
    return "length";
  if (told != n)
    return "count_mismatch";
  if (n > 0 && nids == NULL)
    return "null";
  for (size_t i = 0; i < n; i++) {
    int joint = wuji_joint_from_nid (nids[i * stride]);

    if (joint < 0)
      return "nid";
    if (seen >> joint & 1)
      return "nid_twice";
    seen |= 1u << joint;
  }
  return NULL;
}

const char *
wuji_canary_joint_states (const void *data, gboolean strict)
{
  const WujiJointStateFrame *frame = data;
  const char *reason = joints (frame->joints != NULL ? &frame->joints->nid : NULL,
                               sizeof *frame->joints, frame->joints_len, frame->num_joints);

  if (reason != NULL)
    return reason;
  for (size_t i = 0; strict && i < frame->joints_len; i++)
    if (!all_finite (&frame->joints[i].position, 3) || fabsf (frame->joints[i].position) > 100.0f)
      return "not_finite";
  return header (&frame->header, strict);
}

const char *
wuji_canary_diagnostics (const void *data, gboolean strict)
{
  const WujiJointDiagnosticsFrame *frame = data;
  const char *reason = joints (frame->joints != NULL ? &frame->joints->nid : NULL,
                               sizeof *frame->joints, frame->joints_len, frame->num_joints);

  if (reason != NULL)
    return reason;
  for (size_t i = 0; strict && i < frame->joints_len; i++) {
    const WujiJointDiagnosticsEntry *entry = &frame->joints[i];

    if (!isfinite (entry->current) || !(entry->vbus_v_fb >= 0.0f && entry->vbus_v_fb <= 100.0f) ||
        !(entry->mcu_temp_c_fb >= -40.0f && entry->mcu_temp_c_fb <= 150.0f))
      return "out_of_range";
  }
  return header (&frame->header, strict);
}

const char *
wuji_canary_fingertip (const void *data, gboolean strict)
{
  const WujiFingertipSensorData *frame = data;

  if (frame->data_len == 0 || frame->data_len > MAX_FINGERTIP)
    return "length";
  if (frame->data == NULL)
    return "null";
  return header (&frame->header, strict);
}

/* ---- first generation ---- */

static const char *
hand_values (const double *values, size_t n, gboolean may_be_empty, gboolean strict)
{
  if (n == 0 && may_be_empty)
    return NULL;
  if (n != WUJI_HAND_JOINTS)
    return "length";
  if (values == NULL)
    return "null";
  return strict && !all_finite_doubles (values, n) ? "not_finite" : NULL;
}

const char *
wuji_canary_hand_states (const void *data, gboolean strict)
{
  const WujiHandJointStates *frame = data;
  const char *reason = hand_values (frame->position, frame->position_len, FALSE, strict);

  if (reason == NULL)
    reason = hand_values (frame->velocity, frame->velocity_len, TRUE, strict);
  if (reason == NULL)
    reason = hand_values (frame->effort, frame->effort_len, TRUE, strict);
  return reason != NULL ? reason : header (&frame->header, strict);
}

const char *
wuji_canary_board (const void *data, gboolean strict)
{
  const WujiTactileGloveFrame *frame = data;

  if (frame->pressure_len != WUJI_TAXELS_WIDE)
    return "length";
  if (frame->pressure == NULL)
    return "null";
  /* Masked taxels are NaN, so nothing can be said about values but that they are not infinite. */
  for (size_t i = 0; strict && i < frame->pressure_len; i++)
    if (isinf (frame->pressure[i]))
      return "not_finite";
  return NULL;
}

const char *
wuji_canary_board_status (const void *data, gboolean strict)
{
  return NULL;
}

/* ---- transforms, scans ---- */

const char *
wuji_canary_transforms (const void *data, gboolean strict)
{
  const WujiFrameTransforms *frame = data;

  if (frame->transforms_len > MAX_TRANSFORMS)
    return "too_long";
  if (frame->transforms_len > 0 && frame->transforms == NULL)
    return "null";
  for (size_t i = 0; i < frame->transforms_len; i++) {
    const WujiFrameTransform *one = &frame->transforms[i];

    if (!wuji_is_text (one->parent_frame_id, sizeof one->parent_frame_id, FALSE) ||
        !wuji_is_text (one->child_frame_id, sizeof one->child_frame_id, FALSE))
      return "name";
    if (strict && !all_finite (one->translation, 3))
      return "not_finite";
  }
  return NULL;
}

const char *
wuji_canary_scan (const WujiDiscovered *found, size_t n)
{
  if (n > 256)
    return "length";
  if (n > 0 && found == NULL)
    return "null";
  for (size_t i = 0; i < n; i++) {
    if (!wuji_is_text (found[i].serial_number, sizeof found[i].serial_number, TRUE) ||
        !wuji_is_text (found[i].model, sizeof found[i].model, TRUE) ||
        !wuji_is_text (found[i].address, sizeof found[i].address, TRUE))
      return "name";
    if (found[i].device_id > WUJI_DEVICE_HAND || found[i].transport > WUJI_TRANSPORT_ZENOH)
      return "kind";
  }
  return NULL;
}

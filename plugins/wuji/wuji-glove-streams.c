/* SPDX-License-Identifier: Apache-2.0 */

/* How the frames of a glove become messages. */

#include "wuji-glove-streams.h"

#include <string.h>

#include "wuji-imu.h"
#include "wuji-joints.h"

#define WRIST_AXES                                                                                 \
  "origin at the wrist; x to the thumb's side, z to the elbow, y by the right-hand rule (out of "  \
  "the back of a left hand, out of the palm of a right one)"

_Static_assert(sizeof (AcqPose32) == sizeof (WujiPose) &&
                   offsetof (AcqPose32, orientation) == offsetof (WujiPose, orientation),
               "a pose can be copied as it is");

/* ---- taxels ---- */

/* Where taxels cannot measure; the same for a generation of gloves. */
typedef struct {
  gboolean latched;
  gboolean told;
  guint8 invalid[WUJI_TAXELS_WIDE];
} Mask;

static AcqStream *
declare_grid (WujiFeed *feed, const WujiTactileFrame *frame, AcqInterp interp, gboolean has_invalid)
{
  guint n = (guint) frame->data_len;
  const AcqTailLayout tail = {
    .kind = ACQ_KIND_F32,
    .count = n,
    .interp = interp,
    .has_invalid = has_invalid,
    .invalid = -1,
  };
  AcqStreamInfo info = { .clock = feed->session->clock, .has_sequence = TRUE, .tail = &tail };
  g_autofree char *columns = g_strdup_printf ("%u", n / WUJI_TACTILE_ROWS);
  AcqStream *stream = wuji_feed_add_stream (feed, &info, NULL);

  acq_stream_set_metadata (stream, "rows", "24");
  acq_stream_set_metadata (stream, "columns", columns);
  acq_stream_set_metadata (stream, "order", "row by row");
  return stream;
}

static AcqStream *
declare_tactile (WujiFeed *feed, const void *frame)
{
  AcqStream *stream = declare_grid (feed, frame, ACQ_INTERP_LINEAR, TRUE);

  acq_stream_set_metadata (stream, "unit",
                           "1 is about 20 N; every taxel has a baseline; -1 cannot measure");
  return stream;
}

static AcqStream *
declare_binary (WujiFeed *feed, const void *frame)
{
  AcqStream *stream = declare_grid (feed, frame, ACQ_INTERP_HOLD, TRUE);

  acq_stream_set_metadata (stream, "unit", "1 contact, 0 none, -1 cannot measure");
  return stream;
}

/* -1 is a value here, too: which taxels cannot measure, only the pressure tells. */
static AcqStream *
declare_residual (WujiFeed *feed, const void *frame)
{
  g_autofree char *mask =
      g_strdup_printf ("%s.tactile", acq_node_get_id (ACQ_NODE (feed->session->source)));
  AcqStream *stream = declare_grid (feed, frame, ACQ_INTERP_LINEAR, FALSE);

  acq_stream_set_metadata (stream, "unit", "pressure minus the mean of each taxel; signed");
  acq_stream_set_metadata (stream, "mask", mask);
  return stream;
}

static const char *
grid_fits (WujiFeed *feed, const void *frame)
{
  return ((const WujiTactileFrame *) frame)->data_len == acq_stream_get_tail (feed->stream)->count
             ? NULL
             : "length_changed";
}

static AcqFrame *
fill_grid (WujiFeed *feed, const void *data)
{
  const WujiTactileFrame *frame = data;
  gsize bytes = frame->data_len * sizeof (float);
  AcqFrame *message;
  AcqImage *image = acq_image_begin (feed->stream, bytes, &message);

  image->height = WUJI_TACTILE_ROWS;
  image->width = (uint32_t) frame->data_len / WUJI_TACTILE_ROWS;
  memcpy (image->encoding, "32FC1", sizeof "32FC1");
  image->step = image->width * sizeof (float);
  memcpy (acq_image_tail (image), frame->data, bytes);
  return message;
}

static void
attach_mask (WujiFeed *feed, const Mask *mask, gsize n)
{
  GString *text = g_string_new ("{\"invalid_taxels\":[");
  guint found = 0;

  for (gsize i = 0; i < n; i++)
    if (mask->invalid[i])
      g_string_append_printf (text, "%s%zu", found++ > 0 ? "," : "", i);
  g_string_append (text, "]}\n");
  {
    g_autoptr (GBytes) bytes = g_string_free_to_bytes (text);

    acq_node_attach (ACQ_NODE (feed->session->source), "tactile_mask.json", "application/json",
                     bytes);
  }
}

static void
watch_mask (WujiFeed *feed, const WujiTactileFrame *frame)
{
  Mask *mask = feed->data != NULL ? feed->data : (feed->data = g_new0 (Mask, 1));
  gboolean same = TRUE;

  if (mask->latched) {
    for (gsize i = 0; i < frame->data_len; i++)
      same &= mask->invalid[i] == (frame->data[i] == -1.0f);
    if (!same && !mask->told)
      acq_node_notice (ACQ_NODE (feed->session->source), ACQ_EVENT_SEVERITY_WARNING, "mask_changed",
                       "%s.tactile: other taxels than at first cannot measure",
                       acq_node_get_id (ACQ_NODE (feed->session->source)));
    mask->told |= !same;
    return;
  }
  for (gsize i = 0; i < frame->data_len; i++)
    mask->invalid[i] = frame->data[i] == -1.0f;
  mask->latched = TRUE;
  attach_mask (feed, mask, frame->data_len);
}

static AcqFrame *
fill_tactile (WujiFeed *feed, const void *frame)
{
  watch_mask (feed, frame);
  return fill_grid (feed, frame);
}

/* ---- zones ---- */

static AcqStream *
declare_zones (WujiFeed *feed, const void *data)
{
  const WujiTactileZones *frame = data;
  AcqStreamInfo info = { .clock = feed->session->clock, .has_sequence = TRUE };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, NULL);

  acq_stream_set_count (stream, "palm", (guint) frame->palm_len);
  acq_stream_set_count (stream, "thumb", (guint) frame->thumb_len);
  acq_stream_set_count (stream, "index", (guint) frame->index_len);
  acq_stream_set_count (stream, "middle", (guint) frame->middle_len);
  acq_stream_set_count (stream, "ring", (guint) frame->ring_len);
  acq_stream_set_count (stream, "pinky", (guint) frame->pinky_len);
  return stream;
}

static void
copy_zone (float *to, uint32_t *ret_n, const float *from, size_t n)
{
  if (n > 0)
    memcpy (to, from, n * sizeof (float));
  *ret_n = (uint32_t) n;
}

static AcqFrame *
fill_zones (WujiFeed *feed, const void *data)
{
  const WujiTactileZones *frame = data;
  AcqFrame *message;
  AcqTactileZones *zones = acq_tactile_zones_begin (feed->stream, &message);

  copy_zone (zones->palm, &zones->n_palm, frame->palm, frame->palm_len);
  copy_zone (zones->thumb, &zones->n_thumb, frame->thumb, frame->thumb_len);
  copy_zone (zones->index, &zones->n_index, frame->index, frame->index_len);
  copy_zone (zones->middle, &zones->n_middle, frame->middle, frame->middle_len);
  copy_zone (zones->ring, &zones->n_ring, frame->ring, frame->ring_len);
  copy_zone (zones->pinky, &zones->n_pinky, frame->pinky, frame->pinky_len);
  return message;
}

static gboolean
same_count (AcqStream *stream, const char *field, size_t n)
{
  guint declared = 0;

  return acq_stream_get_count (stream, field, &declared) && declared == n;
}

static const char *
zones_fit (WujiFeed *feed, const void *data)
{
  const WujiTactileZones *frame = data;

  return same_count (feed->stream, "palm", frame->palm_len) &&
                 same_count (feed->stream, "thumb", frame->thumb_len) &&
                 same_count (feed->stream, "index", frame->index_len) &&
                 same_count (feed->stream, "middle", frame->middle_len) &&
                 same_count (feed->stream, "ring", frame->ring_len) &&
                 same_count (feed->stream, "pinky", frame->pinky_len)
             ? NULL
             : "length_changed";
}

/* ---- the cloud ---- */

static AcqStream *
declare_cloud (WujiFeed *feed, const void *data)
{
  const WujiPointCloud *frame = data;
  guint n = (guint) (frame->data_len / frame->point_stride);
  g_autofree char *shape = g_strdup_printf ("%u,%u", n, frame->point_stride / 4);
  const AcqTailLayout tail = {
    .kind = ACQ_KIND_F32,
    .count = (guint) frame->data_len / 4,
    .interp = ACQ_INTERP_LINEAR,
    .shape = shape,
  };
  AcqStreamInfo info = { .clock = feed->session->clock,
                         .has_sequence = TRUE,
                         .max_tail = frame->data_len };
  const char *name = frame->frame_id;
  AcqStream *stream;

  if (frame->point_stride % 4 == 0)
    info.tail = &tail;
  if (strncmp (name, "l_", 2) == 0 || strncmp (name, "r_", 2) == 0)
    name += 2;
  stream = wuji_feed_add_stream (feed, &info, *name != '\0' ? name : "wrist");
  acq_stream_set_count (stream, "fields", (guint) frame->fields_len);
  return stream;
}

static const char *
cloud_fits (WujiFeed *feed, const void *data)
{
  const WujiPointCloud *frame = data;

  return frame->data_len == acq_stream_get_max_tail (feed->stream) &&
                 same_count (feed->stream, "fields", frame->fields_len)
             ? NULL
             : "length_changed";
}

static AcqFrame *
fill_cloud (WujiFeed *feed, const void *data)
{
  const WujiPointCloud *frame = data;
  AcqFrame *message;
  AcqPointCloud2 *cloud = acq_point_cloud2_begin (feed->stream, frame->data_len, &message);

  cloud->height = 1;
  cloud->width = (uint32_t) (frame->data_len / frame->point_stride);
  cloud->n_fields = (uint32_t) frame->fields_len;
  for (size_t i = 0; i < frame->fields_len; i++) {
    g_strlcpy (cloud->fields[i].name, frame->fields[i].name, sizeof cloud->fields[i].name);
    cloud->fields[i].offset = frame->fields[i].offset;
    cloud->fields[i].datatype = ACQ_POINT_FIELD_FLOAT32;
    cloud->fields[i].count = 1;
  }
  cloud->point_step = frame->point_stride;
  cloud->row_step = (uint32_t) frame->data_len;
  cloud->is_dense = true;
  memcpy (acq_point_cloud2_tail (cloud), frame->data, frame->data_len);
  return message;
}

/* ---- poses ---- */

static AcqStream *
declare_poses (WujiFeed *feed, const char *frame_id)
{
  g_autoptr (AcqConstants) names =
      acq_constants_new_strv (&acq_finger_poses_schema, "names", wuji_finger_names, NULL);
  AcqStreamInfo info = { .clock = feed->session->clock, .has_sequence = TRUE, .constants = names };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, frame_id);

  acq_stream_set_count (stream, "poses", WUJI_FINGERS);
  acq_stream_set_count (stream, "confidence", WUJI_FINGERS);
  return stream;
}

static AcqStream *
declare_emf (WujiFeed *feed, const void *frame)
{
  AcqStream *stream = declare_poses (feed, "hand_emf_tx");

  acq_stream_set_metadata (stream, "confidence", "below 0.9 a pose is unreliable");
  return stream;
}

static AcqStream *
declare_tips (WujiFeed *feed, const void *frame)
{
  AcqStream *stream = declare_poses (feed, "wrist");

  acq_stream_set_metadata (stream, "axes", WRIST_AXES);
  return stream;
}

/* Both structs have the same layout; each is read through its own. */
static AcqFingerPoses *
begin_poses (WujiFeed *feed, AcqFrame **message)
{
  AcqFingerPoses *poses = acq_finger_poses_begin (feed->stream, message);

  poses->side = (uint8_t) feed->session->side;
  poses->n_poses = poses->n_confidence = WUJI_FINGERS;
  return poses;
}

static AcqFrame *
fill_emf (WujiFeed *feed, const void *data)
{
  const WujiEmfPoseArray *frame = data;
  AcqFrame *message;
  AcqFingerPoses *poses = begin_poses (feed, &message);

  for (guint i = 0; i < WUJI_FINGERS; i++) {
    memcpy (&poses->poses[i], &frame->poses[i].pose, sizeof (WujiPose));
    poses->confidence[i] = frame->poses[i].confidence;
  }
  return message;
}

static AcqFrame *
fill_tips (WujiFeed *feed, const void *data)
{
  const WujiFingertipPoses *frame = data;
  AcqFrame *message;
  AcqFingerPoses *poses = begin_poses (feed, &message);

  for (guint i = 0; i < WUJI_FINGERS; i++) {
    memcpy (&poses->poses[i], &frame->poses[i].pose, sizeof (WujiPose));
    poses->confidence[i] = frame->poses[i].confidence;
  }
  return message;
}

static AcqStream *
declare_angles (WujiFeed *feed, const void *frame)
{
  g_autoptr (AcqConstants) names =
      acq_constants_new_strv (&acq_hand_joint_angles_schema, "names", wuji_angle_names, NULL);
  AcqStreamInfo info = { .clock = feed->session->clock, .has_sequence = TRUE, .constants = names };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, "hand_emf_tx");

  acq_stream_set_count (stream, "angles", WUJI_FINGERS * WUJI_FINGER_ANGLES);
  acq_stream_set_count (stream, "confidence", WUJI_FINGERS);
  acq_stream_set_metadata (stream, "unit", "rad");
  acq_stream_set_metadata (stream, "shape", "5 fingers x 5 angles");
  return stream;
}

static AcqFrame *
fill_angles (WujiFeed *feed, const void *data)
{
  const WujiHandJointAngles *frame = data;
  AcqFrame *message;
  AcqHandJointAngles *angles = acq_hand_joint_angles_begin (feed->stream, &message);

  angles->side = (uint8_t) feed->session->side;
  angles->n_angles = WUJI_FINGERS * WUJI_FINGER_ANGLES;
  angles->n_confidence = WUJI_FINGERS;
  for (guint i = 0; i < WUJI_FINGERS; i++) {
    memcpy (&angles->angles[i * WUJI_FINGER_ANGLES], frame->fingers[i].angles,
            sizeof frame->fingers[i].angles);
    angles->confidence[i] = frame->fingers[i].confidence;
  }
  return message;
}

static AcqStream *
declare_skeleton (WujiFeed *feed, const void *frame)
{
  AcqStreamInfo info = { .clock = feed->session->clock, .has_sequence = TRUE };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, "wrist");
  g_autofree char *names = g_strjoinv (",", (char **) wuji_skeleton_names);

  acq_stream_set_count (stream, "joints", WUJI_SKELETON_JOINTS);
  acq_stream_set_count (stream, "confidence", WUJI_SKELETON_JOINTS);
  acq_stream_set_metadata (stream, "axes", WRIST_AXES);
  acq_stream_set_metadata (stream, "joints", names);
  acq_stream_set_metadata (stream, "orientation",
                           "relative to the wrist, which never turns: where the hand points is in "
                           "the transforms or the palm IMU");
  return stream;
}

static AcqFrame *
fill_skeleton (WujiFeed *feed, const void *data)
{
  const WujiHandSkeleton *frame = data;
  AcqFrame *message;
  AcqHandSkeleton *skeleton = acq_hand_skeleton_begin (feed->stream, &message);

  skeleton->side = (uint8_t) feed->session->side;
  skeleton->root = ACQ_HAND_SKELETON_ROOT_WRIST;
  skeleton->n_joints = skeleton->n_confidence = WUJI_SKELETON_JOINTS;
  for (guint i = 0; i < WUJI_SKELETON_JOINTS; i++) {
    memcpy (&skeleton->joints[i], &frame->joints[i].pose, sizeof (WujiPose));
    skeleton->confidence[i] = frame->joints[i].confidence;
  }
  return message;
}

/* ---- inertial ---- */

static AcqStream *
declare_imu (WujiFeed *feed, const void *frame)
{
  static const char *const places[] = { "palm_imu_link",   "thumb_imu_link", "index_imu_link",
                                        "middle_imu_link", "ring_imu_link",  "pinky_imu_link" };

  return wuji_imu_declare (feed, places[feed->def->element]);
}

/* ---- the table ---- */

/* clang-format off */
#define GLOVE WUJI_FEATURE_GLOVE
#define SHAPED WUJI_STREAM_SHAPED
#define QUIET WUJI_STREAM_QUIET

#define IMU(place, name_, topic_, sub_, flags_)                                                    \
  { .name = name_, .topic = topic_, .schema = &acq_imu_schema, .sub = (sub_) + (place),            \
    .element = (place), .feature = GLOVE, .rate_hz = 800, .flags = (flags_),                       \
    .canary = wuji_canary_imu, .declare = declare_imu, .fill = wuji_imu_fill }

const WujiStreamDef wuji_glove_defs[] = {
  { .name = "tactile", .topic = "tactile", .schema = &acq_image_schema, .sub = WUJI_SUB_TACTILE,
    .feature = GLOVE, .rate_hz = 120, .flags = SHAPED, .canary = wuji_canary_grid,
    .declare = declare_tactile, .fits = grid_fits, .fill = fill_tactile },
  { .name = "emf_poses", .topic = "emf_poses", .schema = &acq_finger_poses_schema,
    .sub = WUJI_SUB_EMF_POSES, .feature = GLOVE, .rate_hz = 120, .canary = wuji_canary_emf,
    .declare = declare_emf, .fill = fill_emf },
  IMU (0, "imu/palm", "imu_raw/palm", WUJI_SUB_IMU_PALM, 0),
  { .name = "hand_skeleton", .topic = "hand_skeleton", .schema = &acq_hand_skeleton_schema,
    .sub = WUJI_SUB_HAND_SKELETON, .feature = GLOVE, .rate_hz = 120,
    .canary = wuji_canary_skeleton, .declare = declare_skeleton, .fill = fill_skeleton },
  { .name = "hand_joint_angles", .topic = "hand_joint_angles",
    .schema = &acq_hand_joint_angles_schema, .sub = WUJI_SUB_HAND_JOINT_ANGLES, .feature = GLOVE,
    .rate_hz = 120, .canary = wuji_canary_angles, .declare = declare_angles, .fill = fill_angles },
  { .name = "tip_poses", .topic = "tip_poses", .schema = &acq_finger_poses_schema,
    .sub = WUJI_SUB_TIP_POSES, .feature = GLOVE, .rate_hz = 120, .canary = wuji_canary_tips,
    .declare = declare_tips, .fill = fill_tips },
  { .name = "tactile_zones", .topic = "tactile_zones", .schema = &acq_tactile_zones_schema,
    .sub = WUJI_SUB_TACTILE_ZONES, .feature = GLOVE, .rate_hz = 120, .flags = SHAPED,
    .canary = wuji_canary_zones, .declare = declare_zones, .fits = zones_fit, .fill = fill_zones },
  { .name = "tactile_binary", .topic = "tactile_binary", .schema = &acq_image_schema,
    .sub = WUJI_SUB_TACTILE_BINARY, .feature = GLOVE, .rate_hz = 120, .flags = SHAPED,
    .canary = wuji_canary_grid, .declare = declare_binary, .fits = grid_fits, .fill = fill_grid },
  { .name = "tactile_residual", .topic = "tactile_residual", .schema = &acq_image_schema,
    .sub = WUJI_SUB_TACTILE_RESIDUAL, .feature = WUJI_FEATURE_RESIDUAL, .rate_hz = 120,
    .flags = SHAPED, .canary = wuji_canary_grid, .declare = declare_residual, .fits = grid_fits,
    .fill = fill_grid },
  { .name = "tactile_point_cloud", .topic = "tactile_point_cloud",
    .schema = &acq_point_cloud2_schema, .sub = WUJI_SUB_TACTILE_POINT_CLOUD, .feature = GLOVE,
    .rate_hz = 120, .flags = SHAPED, .canary = wuji_canary_cloud, .declare = declare_cloud,
    .fits = cloud_fits, .fill = fill_cloud },
  IMU (0, "imu_fused/palm", "imu_data/palm", WUJI_SUB_IMU_DATA_PALM, 0),
  IMU (1, "imu/thumb", "imu_raw/thumb", WUJI_SUB_IMU_PALM, QUIET),
  IMU (2, "imu/index", "imu_raw/index", WUJI_SUB_IMU_PALM, QUIET),
  IMU (3, "imu/middle", "imu_raw/middle", WUJI_SUB_IMU_PALM, QUIET),
  IMU (4, "imu/ring", "imu_raw/ring", WUJI_SUB_IMU_PALM, QUIET),
  IMU (5, "imu/pinky", "imu_raw/pinky", WUJI_SUB_IMU_PALM, QUIET),
  IMU (1, "imu_fused/thumb", "imu_data/thumb", WUJI_SUB_IMU_DATA_PALM, QUIET),
  IMU (2, "imu_fused/index", "imu_data/index", WUJI_SUB_IMU_DATA_PALM, QUIET),
  IMU (3, "imu_fused/middle", "imu_data/middle", WUJI_SUB_IMU_DATA_PALM, QUIET),
  IMU (4, "imu_fused/ring", "imu_data/ring", WUJI_SUB_IMU_DATA_PALM, QUIET),
  IMU (5, "imu_fused/pinky", "imu_data/pinky", WUJI_SUB_IMU_DATA_PALM, QUIET),
  { .name = NULL },
};
/* clang-format on */

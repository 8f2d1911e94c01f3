/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wuji-glove: the Wuji Glove, through the vendor's library
 *
 *   "left_glove": { "plugin": "wuji-glove", "serial": "WG1J…", "side": "left" }
 *
 * The measured streams (tactile, emf_poses, imu/palm) and the hand that the library solves
 * from them (hand_skeleton, hand_joint_angles) are recorded by default; `streams` chooses.
 * The library is loaded at run time: option `library`, the environment's WUJI_SDK_LIBRARY, or
 * the system's libwuji_sdk_c.so. `acq-sim wuji` prints the path of one that needs no glove.
 *
 * Nothing is changed on the device but its clock, which the library sets by itself too.
 * Whose hand the solved streams are depends on the library's user: it is kept with the
 * recording, with the calibrated hand model when there is one.
 *
 * Frames come on a thread per stream (wuji-feed.c); the rest is on the source's thread.
 */

#include <acq/acq.h>

#include "wuji-glove-streams.h"
#include "wuji-side.h"

#define MODEL_MAX (16 << 20)
#define CALL_S 3

struct _WujiGlove {
  AcqSource parent;

  WujiOptions options;
  WujiSession session;
};

#define WUJI_TYPE_GLOVE (wuji_glove_get_type ())
G_DECLARE_FINAL_TYPE (WujiGlove, wuji_glove, WUJI, GLOVE, AcqSource)
G_DEFINE_TYPE (WujiGlove, wuji_glove, ACQ_TYPE_SOURCE)

static const AcqOption options[] = {
  WUJI_DEVICE_OPTIONS (WujiGlove),
  WUJI_NETWORK_OPTIONS (WujiGlove),
  { "time-exchanges", ACQ_FIELD_INT (WujiGlove, options.time_exchanges), .def = 5, .min = 0,
    .max = 8, .help = "Time exchanges with the glove when it is opened; the best one counts",
    .flags = ACQ_OPTION_ADVANCED },
  WUJI_LIBRARY_OPTIONS (WujiGlove),
};

/* The calibration in force, when the library's user has one. */
static void
attach_model (WujiGlove *self)
{
  AcqNode *node = ACQ_NODE (self);
  g_autofree char *path =
      wuji_api_get_text (self->session.api.glove_get_hand_model_path, self->session.device);
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;
  g_autofree char *sum = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize size = 0;

  if (path == NULL || *path == '\0') {
    acq_node_set_fact (node, "wuji.hand_model", "built-in");
    return;
  }
  acq_node_set_fact (node, "wuji.hand_model", path);
  if (!g_file_get_contents (path, &text, &size, NULL) || size > MODEL_MAX) {
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "hand_model",
                     "%s: the hand model %s cannot be read and is not kept with the recording",
                     acq_node_get_id (node), path);
    return;
  }
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, size);
  acq_node_set_fact (node, "wuji.hand_model_sha256", sum);
  name = g_path_get_basename (path);
  bytes = g_bytes_new_take (g_steal_pointer (&text), size);
  acq_node_attach (node, name, "application/xml", bytes);
}

static gboolean
ask (WujiGlove *self, GError **error)
{
  WujiSession *session = &self->session;
  AcqNode *node = ACQ_NODE (self);
  g_autofree char *side = NULL;
  g_autofree char *firmware = NULL;

  acq_node_step (node, "wuji_glove_get_…", CALL_S);
  side = wuji_api_get_text (session->api.glove_get_hand_side, session->device);
  firmware = wuji_api_get_text (session->api.glove_get_version, session->device);
  attach_model (self);
  acq_node_step (node, NULL, 0);
  acq_node_set_fact (node, "firmware", firmware);
  return wuji_session_check_side (session, wuji_side_from_text (side), "the glove", error);
}

static gboolean
wuji_glove_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  WujiGlove *self = WUJI_GLOVE (node);
  WujiSession *session = &self->session;

  acq_node_set_fact (node, "section", "gloves");
  acq_node_set_fact (node, "kind", "wuji");
  acq_node_set_fact (node, "device_type", "wuji_glove");
  if (!wuji_session_load (session, error) || !wuji_session_connect (session, cancellable, error) ||
      !ask (self, error))
    return FALSE;
  wuji_session_tell_user (session);
  wuji_session_exchange_time (session);
  return wuji_session_start (session, cancellable, error);
}

static void
wuji_glove_close (AcqNode *node)
{
  wuji_session_close (&WUJI_GLOVE (node)->session);
}

static gboolean
wuji_glove_check (AcqNode *node, GError **error)
{
  return wuji_session_check (&WUJI_GLOVE (node)->session, error);
}

static void
wuji_glove_finalize (GObject *object)
{
  wuji_session_finalize (&WUJI_GLOVE (object)->session);
  G_OBJECT_CLASS (wuji_glove_parent_class)->finalize (object);
}

static void
wuji_glove_class_init (WujiGloveClass *klass)
{
  AcqNodeClass *node_class = ACQ_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = wuji_glove_finalize;
  node_class->check = wuji_glove_check;
  node_class->open = wuji_glove_open;
  node_class->close = wuji_glove_close;
  acq_node_class_add_options (node_class, options, G_N_ELEMENTS (options));
}

static void
wuji_glove_init (WujiGlove *self)
{
  wuji_session_init (&self->session, self, &self->options, WUJI_CLASS_GLOVE, wuji_glove_defs);
}

static char **
scan (AcqNode *configured, GError **error)
{
  return wuji_scan_lines (&WUJI_GLOVE (configured)->options, WUJI_CLASS_GLOVE, error);
}

/* clang-format off */
static const AcqStreamTemplate streams[] = {
  { "tactile", &acq_image_schema, .help = "Pressure, 24 x 31 taxels; measured" },
  { "emf_poses", &acq_finger_poses_schema, .help = "Poses of the five receivers; measured" },
  { "imu/palm", &acq_imu_schema, .help = "Inertial sensor on the back of the hand; measured" },
  { "hand_skeleton", &acq_hand_skeleton_schema, .help = "21 joints, solved by the library" },
  { "hand_joint_angles", &acq_hand_joint_angles_schema, .help = "Angles, solved by the library" },
  { "tip_poses", &acq_finger_poses_schema, TRUE, "Poses of the fingertips, solved" },
  { "tactile_zones", &acq_tactile_zones_schema, TRUE, "Pressure grouped by parts of the hand" },
  { "tactile_binary", &acq_image_schema, TRUE, "Contact or not; needs a trained model" },
  { "tactile_residual", &acq_image_schema, TRUE, "Pressure less its mean; needs a trained model" },
  { "tactile_point_cloud", &acq_point_cloud2_schema, TRUE, "Taxels in space" },
  { "imu_fused/palm", &acq_imu_schema, TRUE, "The same with an orientation, from the library" },
  { "imu/thumb", &acq_imu_schema, TRUE, "A finger's inertial sensor, where there is one" },
  { "imu/index", &acq_imu_schema, TRUE, "A finger's inertial sensor, where there is one" },
  { "imu/middle", &acq_imu_schema, TRUE, "A finger's inertial sensor, where there is one" },
  { "imu/ring", &acq_imu_schema, TRUE, "A finger's inertial sensor, where there is one" },
  { "imu/pinky", &acq_imu_schema, TRUE, "A finger's inertial sensor, where there is one" },
  { "imu_fused/thumb", &acq_imu_schema, TRUE, "The same with an orientation" },
  { "imu_fused/index", &acq_imu_schema, TRUE, "The same with an orientation" },
  { "imu_fused/middle", &acq_imu_schema, TRUE, "The same with an orientation" },
  { "imu_fused/ring", &acq_imu_schema, TRUE, "The same with an orientation" },
  { "imu_fused/pinky", &acq_imu_schema, TRUE, "The same with an orientation" },
  { NULL },
};
/* clang-format on */

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "wuji-glove",
  .summary = "Wuji Glove: touch, pose and motion of a hand",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .streams = streams,
  .get_type = wuji_glove_get_type,
  .scan = scan,
};

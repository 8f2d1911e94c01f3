/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the stand-in exports, with the vendor's names and prototypes. The subscribe
 * functions take any frame: their callbacks differ in the type of one pointer.
 */

#include "standin-abi.h"

#pragma GCC visibility push(default)

/* core */
WujiStatus wuji_init (const WujiInitOptions *opts);
void wuji_shutdown (void);
const char *wuji_version (void);
const char *wuji_last_error (void);
WujiStatus wuji_scan (WujiDiscovered **out, size_t *out_n);
void wuji_discovered_free (WujiDiscovered *arr, size_t n);
WujiConnectOptions wuji_connect_options_default (void);
WujiStatus wuji_connect (const WujiConnectTarget *target, const char *alias_or_null,
                         const WujiConnectOptions *opts_or_null, WujiDevice **out_dev);
WujiStatus wuji_dev_disconnect (WujiDevice *dev);
void wuji_dev_release (WujiDevice *dev);
uint8_t wuji_dev_is_connected (WujiDevice *dev);
WujiTransportType wuji_dev_transport (WujiDevice *dev);
int32_t wuji_dev_serial_number (WujiDevice *dev, char *buf, size_t buf_len);
int32_t wuji_dev_device_name (WujiDevice *dev, char *buf, size_t buf_len);
int32_t wuji_dev_model (WujiDevice *dev, char *buf, size_t buf_len);
WujiStatus wuji_dev_get (WujiDevice *dev, const char *path, uint8_t **out_buf, size_t *out_len);
void wuji_buffer_free (uint8_t *buf, size_t len);
WujiStatus wuji_dev_list_params (WujiDevice *dev, WujiParam **out, size_t *out_n);
void wuji_param_array_free (WujiParam *arr, size_t n);
WujiStatus wuji_dev_list_topics (WujiDevice *dev, WujiTopic **out, size_t *out_n);
WujiStatus wuji_list_global_topics (WujiTopic **out, size_t *out_n);
void wuji_topic_array_free (WujiTopic *arr, size_t n);
WujiStatus wuji_sub_open (WujiDevice *dev, const char *path, WujiSubCallback cb, void *user_data,
                          WujiSub **out_sub);
void wuji_sub_close (WujiSub *sub);
WujiStatus wuji_sub_set_rate (WujiSub *sub, uint16_t frequency_hz, uint16_t *out_actual_hz);

/* users */
WujiStatus wuji_current_user (WujiUserInfo *out);
WujiStatus wuji_list_users (WujiUserInfo **out, size_t *out_n);
void wuji_user_info_free (WujiUserInfo *info);
void wuji_user_info_array_free (WujiUserInfo *arr, size_t n);

/* glove */
WujiStatus wuji_glove_get_sn (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed);
WujiStatus wuji_glove_get_version (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed);
WujiStatus wuji_glove_get_ip (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed);
WujiStatus wuji_glove_get_hand_side (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed);
WujiStatus wuji_glove_get_hand_model_path (WujiDevice *dev, char *buf, size_t buf_len,
                                           size_t *needed);
WujiStatus wuji_glove_get_port (WujiDevice *dev, uint16_t *out);
WujiStatus wuji_glove_sync_time (WujiDevice *dev, WujiTimeSyncResult *out);
WujiStatus wuji_glove_get_tactile_binary_sensitivity (WujiDevice *dev, double *out);
WujiStatus wuji_glove_get_emf_poses_rate_divider (WujiDevice *dev, uint32_t *out);

/* Hand 2 */
WujiStatus wuji_hand_2_get_ip (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed);
WujiStatus wuji_hand_2_get_hw_version (WujiDevice *dev, WujiHwVersion *out);
void wuji_hw_version_free (WujiHwVersion *info);
WujiStatus wuji_hand_2_get_handedness (WujiDevice *dev, enum WujiHandedness *out);
WujiStatus wuji_hand_2_get_comm_diag (WujiDevice *dev, WujiHandCommunicationDiagnostics *out);
void wuji_hand_communication_diagnostics_free (WujiHandCommunicationDiagnostics *info);
WujiStatus wuji_hand_2_online_joints_count (WujiDevice *dev, uint8_t *out);
WujiStatus wuji_hand_2_joint_label (uint8_t idx, char *buf, size_t buf_len, size_t *needed);
WujiStatus wuji_hand_2_finger_name (uint8_t idx, char *buf, size_t buf_len, size_t *needed);
uint8_t wuji_hand_2_joint_id_from_bus_node (uint8_t bus_id, uint8_t node_id);
WujiStatus wuji_hand_2_nid_to_joint_index (uint8_t nid, uint8_t *joint_index);
WujiStatus wuji_hand_2_joint_index_to_nid (uint8_t joint_index, uint8_t *nid);
WujiStatus wuji_hand_2_describe_error (uint16_t code, WujiErrorInfo *out);
WujiStatus wuji_hand_2_get_fingertip_info (WujiDevice *dev, uint8_t finger,
                                           WujiFingertipSensorInfo *out);
WujiStatus wuji_hand_2_tactile_status (WujiDevice *dev, uint8_t finger, enum WujiTactileType *type,
                                       enum WujiTactileState *state);
WujiStatus wuji_hand_2_get_all_effort_limit (WujiDevice *dev, float out[20], uint32_t *online);
WujiStatus wuji_hand_2_get_all_mit_params (WujiDevice *dev, float kp[20], float kd[20],
                                           uint32_t *online);

/* first-generation hand */
WujiStatus wuji_hand_connect_sn (const char *sn, const char *device_name_or_null, WujiDevice **out);
WujiStatus wuji_hand_get_input_voltage (WujiDevice *dev, float *out);
WujiStatus wuji_hand_get_temperature (WujiDevice *dev, float *out);
WujiStatus wuji_hand_get_handedness (WujiDevice *dev, uint8_t *out);
WujiStatus wuji_hand_get_tactile_handedness (WujiDevice *dev, uint8_t *out);
WujiStatus wuji_hand_get_firmware_version (WujiDevice *dev, uint32_t *out);
WujiStatus wuji_hand_get_product_sn (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed);
WujiStatus wuji_hand_get_tactile_device_info (WujiDevice *dev, WujiTactileGloveDeviceInfo *out);
void wuji_tactile_glove_device_info_free (WujiTactileGloveDeviceInfo *info);
WujiStatus wuji_hand_get_tactile_diagnostics (WujiDevice *dev, WujiTactileGloveDiagnostics *out);
void wuji_tactile_glove_diagnostics_free (WujiTactileGloveDiagnostics *info);
WujiStatus wuji_hand_get_all_diagnostics (WujiDevice *dev, WujiHandJointDiagnostics out[20]);
WujiStatus wuji_hand_get_soft_limits (WujiDevice *dev, float upper[20], float lower[20]);
WujiStatus wuji_hand_get_all_effort_limit (WujiDevice *dev, float out[20]);
WujiStatus wuji_hand_read_joint_state (WujiDevice *dev, float positions[20]);
WujiStatus wuji_hand_is_tactile_attached (WujiDevice *dev, bool *out);
WujiStatus wuji_hand_joint_label (uint8_t idx, char *buf, size_t buf_len, size_t *needed);
WujiStatus wuji_hand_finger_name (uint8_t idx, char *buf, size_t buf_len, size_t *needed);

/*
 * subscriptions: X (function, kind, topic). The topics of the first-generation hand's
 * tactile board are not published.
 */
#define SIM_SUBSCRIBE_FUNCTIONS(X)                                                                 \
  X (wuji_glove_subscribe_tactile, SIM_GLOVE, "tactile")                                           \
  X (wuji_glove_subscribe_tactile_zones, SIM_GLOVE, "tactile_zones")                               \
  X (wuji_glove_subscribe_tactile_binary, SIM_GLOVE, "tactile_binary")                             \
  X (wuji_glove_subscribe_tactile_residual, SIM_GLOVE, "tactile_residual")                         \
  X (wuji_glove_subscribe_tactile_point_cloud, SIM_GLOVE, "tactile_point_cloud")                   \
  X (wuji_glove_subscribe_emf_poses, SIM_GLOVE, "emf_poses")                                       \
  X (wuji_glove_subscribe_tip_poses, SIM_GLOVE, "tip_poses")                                       \
  X (wuji_glove_subscribe_hand_joint_angles, SIM_GLOVE, "hand_joint_angles")                       \
  X (wuji_glove_subscribe_hand_skeleton, SIM_GLOVE, "hand_skeleton")                               \
  X (wuji_glove_subscribe_imu_palm, SIM_GLOVE, "imu_raw/palm")                                     \
  X (wuji_glove_subscribe_imu_thumb, SIM_GLOVE, "imu_raw/thumb")                                   \
  X (wuji_glove_subscribe_imu_index, SIM_GLOVE, "imu_raw/index")                                   \
  X (wuji_glove_subscribe_imu_middle, SIM_GLOVE, "imu_raw/middle")                                 \
  X (wuji_glove_subscribe_imu_ring, SIM_GLOVE, "imu_raw/ring")                                     \
  X (wuji_glove_subscribe_imu_pinky, SIM_GLOVE, "imu_raw/pinky")                                   \
  X (wuji_glove_subscribe_imu_data_palm, SIM_GLOVE, "imu_data/palm")                               \
  X (wuji_glove_subscribe_imu_data_thumb, SIM_GLOVE, "imu_data/thumb")                             \
  X (wuji_glove_subscribe_imu_data_index, SIM_GLOVE, "imu_data/index")                             \
  X (wuji_glove_subscribe_imu_data_middle, SIM_GLOVE, "imu_data/middle")                           \
  X (wuji_glove_subscribe_imu_data_ring, SIM_GLOVE, "imu_data/ring")                               \
  X (wuji_glove_subscribe_imu_data_pinky, SIM_GLOVE, "imu_data/pinky")                             \
  X (wuji_hand_2_subscribe_joint_states, SIM_HAND_2, "joint_states")                               \
  X (wuji_hand_2_subscribe_joint_diagnostics, SIM_HAND_2, "joint_diagnostics")                     \
  X (wuji_hand_2_subscribe_imu, SIM_HAND_2, "imu")                                                 \
  X (wuji_hand_2_subscribe_fingertip_thumb_data, SIM_HAND_2, "fingertip/thumb/data")               \
  X (wuji_hand_2_subscribe_fingertip_index_data, SIM_HAND_2, "fingertip/index/data")               \
  X (wuji_hand_2_subscribe_fingertip_middle_data, SIM_HAND_2, "fingertip/middle/data")             \
  X (wuji_hand_2_subscribe_fingertip_ring_data, SIM_HAND_2, "fingertip/ring/data")                 \
  X (wuji_hand_2_subscribe_fingertip_pinky_data, SIM_HAND_2, "fingertip/pinky/data")               \
  X (wuji_hand_subscribe_joint_states, SIM_HAND, "joint_states")                                   \
  X (wuji_hand_subscribe_tactile_pressure_frame, SIM_HAND, "tactile/pressure_frame")               \
  X (wuji_hand_subscribe_tactile_status, SIM_HAND, "tactile/status")

#define SIM_DECLARE_SUBSCRIBE(function, kind, topic)                                               \
  WujiStatus function (WujiDevice *dev, WujiAnySubCallback cb, void *user_data, WujiSub **out_sub);
SIM_SUBSCRIBE_FUNCTIONS (SIM_DECLARE_SUBSCRIBE)
#undef SIM_DECLARE_SUBSCRIBE

WujiStatus wuji_subscribe_tf (WujiAnySubCallback cb, void *user_data, WujiSub **out_sub);
WujiStatus wuji_subscribe_tf_static (WujiAnySubCallback cb, void *user_data, WujiSub **out_sub);

/*
 * Two that the vendor's library does not have, for tests that run in the same process.
 *
 * acq_sim_wuji_control: {"fault": {…}} adds a fault, its times counted from now;
 * {"config": {…}} replaces the configuration while no handle is open. 0, or -1 with the
 * reason on stderr.
 *
 * acq_sim_wuji_report: writes the report to a file.
 */
int acq_sim_wuji_control (const char *json);
int acq_sim_wuji_report (const char *path);

#pragma GCC visibility pop

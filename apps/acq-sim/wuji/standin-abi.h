/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The types of the Wuji C SDK as of release 2026.8.17, for the stand-in library.
 *
 * The plugins have declarations of their own, written apart from these: a slip
 * on either side then shows in the tests. Never share the two, and never change
 * one by looking at the other. standin-layout.c asserts every size and offset.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WUJI_HAND_2_JOINT_COUNT 20
#define WUJI_JOINT_ONLINE(mask, i) (((mask) >> (i)) & 1u)

enum { WUJI_CONNECT_TARGET_KIND_SN = 0, WUJI_CONNECT_TARGET_KIND_ADDR = 1 };

typedef uint8_t WujiFrameKind;
enum {
  WUJI_FRAME_KIND_OK = 0,
  WUJI_FRAME_KIND_LAG = 1,
  WUJI_FRAME_KIND_END = 2,
  WUJI_FRAME_KIND_ERROR = 3,
};

typedef uint8_t WujiDeviceType;
enum {
  WUJI_DEVICE_TYPE_UNKNOWN = 0,
  WUJI_DEVICE_TYPE_WUJI_GLOVE = 1,
  WUJI_DEVICE_TYPE_WUJI_HAND_2 = 2,
  WUJI_DEVICE_TYPE_WUJI_HAND = 3,
};

typedef uint8_t WujiTransportType;
enum {
  WUJI_TRANSPORT_TYPE_UDP = 0,
  WUJI_TRANSPORT_TYPE_USB = 1,
  WUJI_TRANSPORT_TYPE_ZENOH = 2,
};

typedef uint8_t WujiResourceScope;
enum { WUJI_RESOURCE_SCOPE_DEVICE = 0, WUJI_RESOURCE_SCOPE_GLOBAL = 1 };

typedef int32_t WujiStatus;
enum {
  WUJI_STATUS_OK = 0,
  WUJI_STATUS_ERR_INVALID_ARG = -1,
  WUJI_STATUS_ERR_NOT_INITIALIZED = -2,
  WUJI_STATUS_ERR_NOT_FOUND = -3,
  WUJI_STATUS_ERR_TIMEOUT = -4,
  WUJI_STATUS_ERR_PROTOCOL = -5,
  WUJI_STATUS_ERR_DISCONNECTED = -6,
  WUJI_STATUS_ERR_BUFFER_TOO_SMALL = -7,
  WUJI_STATUS_ERR_UNSUPPORTED = -8,
  WUJI_STATUS_ERR_CANCELLED = -9,
  WUJI_STATUS_ERR_INVALID_DATA = -10,
  WUJI_STATUS_ERR_ALGORITHM = -11,
  WUJI_STATUS_ERR_INTERNAL = -99,
};

/* These three are stored in four bytes, unlike the ones above. */
enum WujiHandedness { WUJI_HANDEDNESS_LEFT = 0, WUJI_HANDEDNESS_RIGHT = 1 };
enum WujiTactileState { WUJI_TACTILE_STATE_READY = 0, WUJI_TACTILE_STATE_CALIBRATING = 1 };
enum WujiTactileType { WUJI_TACTILE_TYPE_STANDARD = 0, WUJI_TACTILE_TYPE_THUMB = 1 };

typedef struct WujiDevice WujiDevice;
typedef struct WujiSub WujiSub;
typedef struct WujiPub WujiPub;

/* Building blocks and stream frames. */

typedef struct {
  uint32_t seq;
  uint64_t timestamp_us;
  char frame_id[32];
} WujiFrameHeader;

typedef struct {
  float x, y, z, w;
} WujiQuaternionF32;

typedef struct {
  double x, y, z, w;
} WujiQuaternionF64;

typedef struct {
  double x, y, z;
} WujiVector3F64;

typedef struct {
  float position[3];
  WujiQuaternionF32 orientation;
} WujiPose;

typedef struct {
  WujiPose pose;
  float confidence;
} WujiEmfPose;

typedef struct {
  WujiFrameHeader header;
  WujiEmfPose *poses;
  size_t poses_len;
} WujiEmfPoseArray;

typedef struct {
  WujiPose pose;
  float confidence;
} WujiFingertipPose;

typedef struct {
  WujiFrameHeader header;
  WujiFingertipPose *poses;
  size_t poses_len;
} WujiFingertipPoses;

typedef struct {
  double angles[5];
  double confidence;
} WujiFingerJointAngles;

typedef struct {
  WujiFrameHeader header;
  WujiFingerJointAngles *fingers;
  size_t fingers_len;
} WujiHandJointAngles;

typedef struct {
  char name[32];
  WujiPose pose;
  float confidence;
} WujiSkeletonJoint;

typedef struct {
  WujiFrameHeader header;
  WujiSkeletonJoint *joints;
  size_t joints_len;
} WujiHandSkeleton;

typedef struct {
  uint64_t timestamp_us;
  char parent_frame_id[32];
  char child_frame_id[32];
  float translation[3];
  WujiQuaternionF32 rotation;
} WujiFrameTransform;

/* No header: each transform has its own stamp. */
typedef struct {
  WujiFrameTransform *transforms;
  size_t transforms_len;
} WujiFrameTransforms;

typedef struct {
  WujiFrameHeader header;
  WujiQuaternionF64 orientation;
  double orientation_covariance[9];
  WujiVector3F64 angular_velocity;
  double angular_velocity_covariance[9];
  WujiVector3F64 linear_acceleration;
  double linear_acceleration_covariance[9];
} WujiImuData;

typedef struct {
  WujiFrameHeader header;
  float *data;
  size_t data_len;
} WujiTactileFrame;

typedef WujiTactileFrame WujiTactileBinary;
typedef WujiTactileFrame WujiTactileResidual;

typedef struct {
  WujiFrameHeader header;
  float *palm;
  size_t palm_len;
  float *thumb;
  size_t thumb_len;
  float *index;
  size_t index_len;
  float *middle;
  size_t middle_len;
  float *ring;
  size_t ring_len;
  float *pinky;
  size_t pinky_len;
} WujiTactileZones;

typedef struct {
  char name[32];
  uint32_t offset;
  uint8_t type_;
} WujiPointField;

typedef struct {
  WujiFrameHeader header;
  char frame_id[64];
  uint32_t point_stride;
  WujiPointField *fields;
  size_t fields_len;
  uint8_t *data;
  size_t data_len;
} WujiPointCloud;

typedef struct {
  uint8_t nid;
  float position;
  float velocity;
  float effort;
} WujiJointStateEntry;

typedef struct {
  WujiFrameHeader header;
  uint8_t num_joints;
  WujiJointStateEntry *joints;
  size_t joints_len;
} WujiJointStateFrame;

typedef struct {
  uint8_t nid;
  uint32_t status_word;
  float current;
  float vbus_v_fb;
  float mcu_temp_c_fb;
  uint16_t error_code_current;
  uint8_t comm_response_rate_pct;
  uint32_t comm_timeout_total;
} WujiJointDiagnosticsEntry;

typedef struct {
  uint16_t age_ms;
  uint8_t tactile_online_mask;
  uint32_t e2e_received;
  uint32_t e2e_lost;
  uint16_t e2e_reordered;
  uint16_t e2e_duplicates;
  uint16_t e2e_window_loss_x100;
  uint32_t rpc_total;
  uint16_t rpc_retries;
  uint16_t rpc_timeouts;
  uint16_t comm_get_failures;
  uint8_t tactile_response_rate_pct[5];
  uint32_t tactile_timeout_total[5];
  uint32_t sdk_dropped;
} WujiHand2CommSummary;

typedef struct {
  WujiFrameHeader header;
  uint8_t num_joints;
  WujiJointDiagnosticsEntry *joints;
  size_t joints_len;
  WujiHand2CommSummary comm;
} WujiJointDiagnosticsFrame;

typedef struct {
  WujiFrameHeader header;
  uint32_t info_digest;
  uint8_t *data;
  size_t data_len;
} WujiFingertipSensorData;

typedef struct {
  WujiFrameHeader header;
  double *position;
  size_t position_len;
  double *velocity;
  size_t velocity_len;
  double *effort;
  size_t effort_len;
} WujiHandJointStates;

typedef struct {
  uint8_t handedness;
  uint32_t sequence;
  uint32_t timestamp_ms;
  float *pressure;
  size_t pressure_len;
} WujiTactileGloveFrame;

typedef struct {
  uint8_t state;
  uint32_t last_frame_age_ms;
} WujiTactileGloveStatus;

/* Queries, connections, bookkeeping. */

typedef struct {
  uint8_t major, minor, patch;
} WujiHwVersion;

typedef struct {
  uint32_t uptime_ms;
  uint64_t frame_count;
  uint32_t crc_err_count;
  uint32_t dropout_count;
  uint32_t usb_reset_count;
} WujiTactileGloveDiagnostics;

typedef struct {
  char serial[32];
  uint8_t hw_revision[4];
  uint8_t fw_version[4];
} WujiTactileGloveDeviceInfo;

typedef struct {
  uint32_t tx_total;
  uint32_t timeout_total;
  uint16_t tx_per_sec;
  uint8_t timeout_rate_pct;
} WujiTransferStats;

typedef struct {
  uint8_t node_type;
  uint8_t online;
  uint32_t ms_since_last_response;
  uint32_t request_total;
  uint32_t response_ok_total;
  uint32_t timeout_total;
  uint8_t response_rate_pct;
  uint16_t request_per_sec;
} WujiNodeDiagnostics;

typedef struct {
  uint32_t tx_frame_total;
  uint32_t rx_frame_total;
  uint32_t tx_byte_total;
  uint32_t rx_byte_total;
  uint32_t crc_error_total;
  uint32_t frame_format_error_total;
  uint32_t uart_hw_error_total;
  uint16_t tx_frame_per_sec;
  uint16_t rx_frame_per_sec;
  uint32_t tx_kbps;
  uint32_t rx_kbps;
  uint16_t error_per_sec;
  WujiTransferStats transfer_stats[5];
  WujiNodeDiagnostics nodes[5];
} WujiFingerCommunicationDiagnostics;

typedef struct {
  WujiFingerCommunicationDiagnostics fingers[5];
} WujiHandCommunicationDiagnostics;

typedef struct {
  int32_t log_level;
} WujiInitOptions;

typedef struct {
  const char *path;
  uint8_t readable;
  uint8_t writable;
} WujiParam;

typedef struct {
  const char *path;
  WujiResourceScope scope;
} WujiTopic;

typedef struct {
  int64_t offset_us;
  int64_t round_trip_us;
  uint64_t synced_at_us;
} WujiTimeSyncResult;

typedef struct {
  char *user_id;
  char *display_name;
  char *description;
  char *external_id;
  bool is_default;
  char *created_at;
  char *updated_at;
} WujiUserInfo;

typedef struct {
  float bus_voltage;
  float temperature;
  uint32_t error_code;
} WujiHandJointDiagnostics;

typedef struct {
  uint16_t code;
  bool is_test;
  char name[64];
  char severity[24];
  char clear_policy[24];
  char desc[160];
  char cause[320];
  char resolution[256];
} WujiErrorInfo;

typedef struct {
  WujiFrameHeader header;
  uint32_t digest;
  char model[32];
  uint16_t device_type;
  float rate_hz;
  char format[2048];
} WujiFingertipSensorInfo;

typedef struct {
  uint32_t timeout_ms;
  uint32_t retry_count;
  bool enable_bridge;
  uint64_t auto_time_sync_interval_ms;
  bool auto_time_sync_interval_enabled;
} WujiConnectOptions;

typedef struct {
  char serial_number[64];
  char model[32];
  WujiDeviceType device_id;
  WujiTransportType transport;
  char address[64];
} WujiDiscovered;

typedef struct {
  uint8_t kind;
  const char *value;
} WujiConnectTarget;

/* Callbacks. Every typed one has the shape of WujiAnySubCallback. */

typedef void (*WujiAnySubCallback) (WujiFrameKind kind, const void *frame, void *user_data);
typedef void (*WujiSubCallback) (WujiFrameKind kind, const uint8_t *data, size_t len,
                                 uint64_t timestamp_us, uint64_t lag_count, void *user_data);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The part of the Wuji C SDK's binary interface that a recorder uses, as of
 * release 2026.8.17. The library is loaded at run time and tells nothing about
 * its layout, so every size and offset is asserted in wuji-abi-layout.c and what
 * arrives is checked before it is trusted (wuji-canary.h).
 *
 * Frames and all they point at belong to the SDK and die when the callback
 * returns. Texts are NUL-terminated UTF-8, cut to fit.
 *
 * The stand-in library in apps/acq-sim has declarations of its own, written apart
 * from these on purpose: a slip on either side shows in the tests. Do not share them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WUJI_HAND_JOINTS 20     /* motors of a hand, first and second generation */
#define WUJI_SKELETON_JOINTS 21 /* wrist and four per finger */
#define WUJI_FINGERS 5          /* always thumb, index, middle, ring, pinky */
#define WUJI_FINGER_ANGLES 5    /* only the thumb uses the last one */
#define WUJI_TAXELS 744         /* 24 x 31, row by row */
#define WUJI_TAXELS_WIDE 768    /* 24 x 32: SDK before 2026.6.18, and the first-generation hand */
#define WUJI_TACTILE_ROWS 24
#define WUJI_CLOUD_POINTS 526 /* the valid taxels */

/* What a callback was called for. END and ERROR come once, and are the last. */
typedef uint8_t WujiFrameKind;
#define WUJI_KIND_OK 0
#define WUJI_KIND_LAG 1
#define WUJI_KIND_END 2
#define WUJI_KIND_ERROR 3

typedef uint8_t WujiDeviceType;
#define WUJI_DEVICE_UNKNOWN 0
#define WUJI_DEVICE_GLOVE 1
#define WUJI_DEVICE_HAND_2 2
#define WUJI_DEVICE_HAND 3

typedef uint8_t WujiTransportType;
#define WUJI_TRANSPORT_UDP 0
#define WUJI_TRANSPORT_USB 1
#define WUJI_TRANSPORT_ZENOH 2

typedef uint8_t WujiResourceScope;
#define WUJI_SCOPE_DEVICE 0
#define WUJI_SCOPE_GLOBAL 1

#define WUJI_TARGET_SERIAL 0
#define WUJI_TARGET_ADDRESS 1

typedef int32_t WujiStatus;
#define WUJI_OK 0
#define WUJI_ERR_INVALID_ARG -1
#define WUJI_ERR_NOT_INITIALIZED -2
#define WUJI_ERR_NOT_FOUND -3
#define WUJI_ERR_TIMEOUT -4
#define WUJI_ERR_PROTOCOL -5
#define WUJI_ERR_DISCONNECTED -6
#define WUJI_ERR_BUFFER_TOO_SMALL -7
#define WUJI_ERR_UNSUPPORTED -8
#define WUJI_ERR_CANCELLED -9
#define WUJI_ERR_INVALID_DATA -10
#define WUJI_ERR_ALGORITHM -11
#define WUJI_ERR_INTERNAL -99

/* Four bytes each, unlike the ones above. */
typedef uint32_t WujiHandedness;   /* 0 left, 1 right */
typedef uint32_t WujiTactileState; /* 0 ready, 1 calibrating */
typedef uint32_t WujiTactileType;  /* 0 standard, 1 thumb */

typedef struct _WujiDevice WujiDevice; /* opaque */
typedef struct _WujiSub WujiSub;       /* opaque */

typedef struct _WujiFrameHeader WujiFrameHeader;
typedef struct _WujiQuaternionF32 WujiQuaternionF32;
typedef struct _WujiPose WujiPose;
typedef struct _WujiEmfPose WujiEmfPose;
typedef struct _WujiEmfPoseArray WujiEmfPoseArray;
typedef struct _WujiFingertipPose WujiFingertipPose;
typedef struct _WujiFingertipPoses WujiFingertipPoses;
typedef struct _WujiFingerJointAngles WujiFingerJointAngles;
typedef struct _WujiHandJointAngles WujiHandJointAngles;
typedef struct _WujiSkeletonJoint WujiSkeletonJoint;
typedef struct _WujiHandSkeleton WujiHandSkeleton;
typedef struct _WujiFrameTransform WujiFrameTransform;
typedef struct _WujiFrameTransforms WujiFrameTransforms;
typedef struct _WujiQuaternionF64 WujiQuaternionF64;
typedef struct _WujiVector3F64 WujiVector3F64;
typedef struct _WujiImuData WujiImuData;
typedef struct _WujiTactileFrame WujiTactileFrame;
typedef struct _WujiTactileBinary WujiTactileBinary;
typedef struct _WujiTactileResidual WujiTactileResidual;
typedef struct _WujiTactileZones WujiTactileZones;
typedef struct _WujiPointField WujiPointField;
typedef struct _WujiPointCloud WujiPointCloud;
typedef struct _WujiJointStateEntry WujiJointStateEntry;
typedef struct _WujiJointStateFrame WujiJointStateFrame;
typedef struct _WujiJointDiagnosticsEntry WujiJointDiagnosticsEntry;
typedef struct _WujiHand2CommSummary WujiHand2CommSummary;
typedef struct _WujiJointDiagnosticsFrame WujiJointDiagnosticsFrame;
typedef struct _WujiFingertipSensorData WujiFingertipSensorData;
typedef struct _WujiHandJointStates WujiHandJointStates;
typedef struct _WujiTactileGloveFrame WujiTactileGloveFrame;
typedef struct _WujiTactileGloveStatus WujiTactileGloveStatus;
typedef struct _WujiHwVersion WujiHwVersion;
typedef struct _WujiTactileGloveDiagnostics WujiTactileGloveDiagnostics;
typedef struct _WujiTactileGloveDeviceInfo WujiTactileGloveDeviceInfo;
typedef struct _WujiTopic WujiTopic;
typedef struct _WujiTimeSyncResult WujiTimeSyncResult;
typedef struct _WujiUserInfo WujiUserInfo;
typedef struct _WujiHandJointDiagnostics WujiHandJointDiagnostics;
typedef struct _WujiErrorInfo WujiErrorInfo;
typedef struct _WujiFingertipSensorInfo WujiFingertipSensorInfo;
typedef struct _WujiConnectOptions WujiConnectOptions;
typedef struct _WujiDiscovered WujiDiscovered;
typedef struct _WujiConnectTarget WujiConnectTarget;

struct _WujiFrameHeader {
  uint32_t seq;
  uint64_t timestamp_us;
  char frame_id[32];
};

struct _WujiQuaternionF32 {
  float x;
  float y;
  float z;
  float w;
};

struct _WujiPose {
  float position[3];
  WujiQuaternionF32 orientation;
};

struct _WujiEmfPose {
  WujiPose pose;
  float confidence;
};

struct _WujiEmfPoseArray {
  WujiFrameHeader header;
  WujiEmfPose *poses;
  size_t poses_len;
};

struct _WujiFingertipPose {
  WujiPose pose;
  float confidence;
};

struct _WujiFingertipPoses {
  WujiFrameHeader header;
  WujiFingertipPose *poses;
  size_t poses_len;
};

struct _WujiFingerJointAngles {
  double angles[5];
  double confidence;
};

struct _WujiHandJointAngles {
  WujiFrameHeader header;
  WujiFingerJointAngles *fingers;
  size_t fingers_len;
};

struct _WujiSkeletonJoint {
  char name[32];
  WujiPose pose;
  float confidence;
};

struct _WujiHandSkeleton {
  WujiFrameHeader header;
  WujiSkeletonJoint *joints;
  size_t joints_len;
};

struct _WujiFrameTransform {
  uint64_t timestamp_us;
  char parent_frame_id[32];
  char child_frame_id[32];
  float translation[3];
  WujiQuaternionF32 rotation;
};

struct _WujiFrameTransforms {
  WujiFrameTransform *transforms;
  size_t transforms_len;
};

struct _WujiQuaternionF64 {
  double x;
  double y;
  double z;
  double w;
};

struct _WujiVector3F64 {
  double x;
  double y;
  double z;
};

struct _WujiImuData {
  WujiFrameHeader header;
  WujiQuaternionF64 orientation;
  double orientation_covariance[9];
  WujiVector3F64 angular_velocity;
  double angular_velocity_covariance[9];
  WujiVector3F64 linear_acceleration;
  double linear_acceleration_covariance[9];
};

struct _WujiTactileFrame {
  WujiFrameHeader header;
  float *data;
  size_t data_len;
};

struct _WujiTactileBinary {
  WujiFrameHeader header;
  float *data;
  size_t data_len;
};

struct _WujiTactileResidual {
  WujiFrameHeader header;
  float *data;
  size_t data_len;
};

struct _WujiTactileZones {
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
};

struct _WujiPointField {
  char name[32];
  uint32_t offset;
  uint8_t type_;
};

struct _WujiPointCloud {
  WujiFrameHeader header;
  char frame_id[64];
  uint32_t point_stride;
  WujiPointField *fields;
  size_t fields_len;
  uint8_t *data;
  size_t data_len;
};

struct _WujiJointStateEntry {
  uint8_t nid;
  float position;
  float velocity;
  float effort;
};

struct _WujiJointStateFrame {
  WujiFrameHeader header;
  uint8_t num_joints;
  WujiJointStateEntry *joints;
  size_t joints_len;
};

struct _WujiJointDiagnosticsEntry {
  uint8_t nid;
  uint32_t status_word;
  float current;
  float vbus_v_fb;
  float mcu_temp_c_fb;
  uint16_t error_code_current;
  uint8_t comm_response_rate_pct;
  uint32_t comm_timeout_total;
};

struct _WujiHand2CommSummary {
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
};

struct _WujiJointDiagnosticsFrame {
  WujiFrameHeader header;
  uint8_t num_joints;
  WujiJointDiagnosticsEntry *joints;
  size_t joints_len;
  WujiHand2CommSummary comm;
};

struct _WujiFingertipSensorData {
  WujiFrameHeader header;
  uint32_t info_digest;
  uint8_t *data;
  size_t data_len;
};

struct _WujiHandJointStates {
  WujiFrameHeader header;
  double *position;
  size_t position_len;
  double *velocity;
  size_t velocity_len;
  double *effort;
  size_t effort_len;
};

struct _WujiTactileGloveFrame {
  uint8_t handedness;
  uint32_t sequence;
  uint32_t timestamp_ms;
  float *pressure;
  size_t pressure_len;
};

struct _WujiTactileGloveStatus {
  uint8_t state;
  uint32_t last_frame_age_ms;
};

struct _WujiHwVersion {
  uint8_t major;
  uint8_t minor;
  uint8_t patch;
};

struct _WujiTactileGloveDiagnostics {
  uint32_t uptime_ms;
  uint64_t frame_count;
  uint32_t crc_err_count;
  uint32_t dropout_count;
  uint32_t usb_reset_count;
};

struct _WujiTactileGloveDeviceInfo {
  char serial[32];
  uint8_t hw_revision[4];
  uint8_t fw_version[4];
};

struct _WujiTopic {
  const char *path;
  WujiResourceScope scope;
};

struct _WujiTimeSyncResult {
  int64_t offset_us;
  int64_t round_trip_us;
  uint64_t synced_at_us;
};

struct _WujiUserInfo {
  char *user_id;
  char *display_name;
  char *description;
  char *external_id;
  bool is_default;
  char *created_at;
  char *updated_at;
};

struct _WujiHandJointDiagnostics {
  float bus_voltage;
  float temperature;
  uint32_t error_code;
};

struct _WujiErrorInfo {
  uint16_t code;
  bool is_test;
  char name[64];
  char severity[24];
  char clear_policy[24];
  char desc[160];
  char cause[320];
  char resolution[256];
};

struct _WujiFingertipSensorInfo {
  WujiFrameHeader header;
  uint32_t digest;
  char model[32];
  uint16_t device_type;
  float rate_hz;
  char format[2048];
};

struct _WujiConnectOptions {
  uint32_t timeout_ms;
  uint32_t retry_count;
  bool enable_bridge;
  uint64_t auto_time_sync_interval_ms;
  bool auto_time_sync_interval_enabled;
};

struct _WujiDiscovered {
  char serial_number[64];
  char model[32];
  WujiDeviceType device_id;
  WujiTransportType transport;
  char address[64];
};

struct _WujiConnectTarget {
  uint8_t kind;
  const char *value;
};
/* Both in C and in the SDK the first argument is one byte wide. */
typedef void (*WujiCallback) (WujiFrameKind kind, const void *frame, void *user_data);

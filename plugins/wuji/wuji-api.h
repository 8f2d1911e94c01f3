/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

#include "wuji-abi.h"
#include "wuji-version.h"

/*
 * The vendor's functions, found at run time. A recorder only looks: nothing that
 * enables, moves, calibrates, configures or restarts a device is in these tables,
 * so it is not even resolved.
 */

/* Each has the shape of WujiSubscribe. */
typedef enum {
  WUJI_SUB_TACTILE,
  WUJI_SUB_TACTILE_ZONES,
  WUJI_SUB_TACTILE_BINARY,
  WUJI_SUB_TACTILE_RESIDUAL,
  WUJI_SUB_TACTILE_POINT_CLOUD,
  WUJI_SUB_EMF_POSES,
  WUJI_SUB_TIP_POSES,
  WUJI_SUB_HAND_JOINT_ANGLES,
  WUJI_SUB_HAND_SKELETON,
  WUJI_SUB_IMU_PALM, /* then thumb, index, middle, ring, pinky */
  WUJI_SUB_IMU_DATA_PALM = WUJI_SUB_IMU_PALM + 6,
  WUJI_SUB_HAND2_JOINT_STATES = WUJI_SUB_IMU_DATA_PALM + 6,
  WUJI_SUB_HAND2_JOINT_DIAGNOSTICS,
  WUJI_SUB_HAND2_IMU,
  WUJI_SUB_FINGERTIP_THUMB, /* then index, middle, ring, pinky */
  WUJI_SUB_HAND_JOINT_STATES = WUJI_SUB_FINGERTIP_THUMB + 5,
  WUJI_SUB_HAND_TACTILE,
  WUJI_SUB_HAND_TACTILE_STATUS,
  WUJI_N_SUBS,
} WujiSubId;

/* The transforms are subscribed to without a device. */
typedef enum { WUJI_SUB_TF, WUJI_SUB_TF_STATIC, WUJI_N_GLOBAL_SUBS } WujiGlobalSubId;

typedef WujiStatus (*WujiSubscribe) (WujiDevice *dev, WujiCallback cb, void *user_data,
                                     WujiSub **out_sub);
typedef WujiStatus (*WujiSubscribeGlobal) (WujiCallback cb, void *user_data, WujiSub **out_sub);
/* Two calls: with no buffer `needed` says how many bytes, NUL included. */
typedef WujiStatus (*WujiGetText) (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed);

/*
 * Returned by value through a hidden pointer: a newer, larger struct has room in
 * here, and what we do not know of it goes back to wuji_connect() untouched.
 */
typedef union {
  WujiConnectOptions known;
  char room[256];
} WujiConnectOptionsRoom;

typedef struct {
  /* every library */
  const char *(*version) (void);
  WujiStatus (*init) (const void *opts_or_null);
  const char *(*last_error) (void);
  WujiStatus (*scan) (WujiDiscovered **out, size_t *out_n);
  void (*discovered_free) (WujiDiscovered *arr, size_t n);
  WujiStatus (*connect) (const WujiConnectTarget *target, const char *alias,
                         const WujiConnectOptionsRoom *opts_or_null, WujiDevice **out_dev);
  WujiStatus (*dev_disconnect) (WujiDevice *dev);
  void (*dev_release) (WujiDevice *dev);
  uint8_t (*dev_is_connected) (WujiDevice *dev);
  void (*sub_close) (WujiSub *sub);
  WujiSubscribe subscribe[WUJI_N_SUBS];
  WujiSubscribeGlobal subscribe_global[WUJI_N_GLOBAL_SUBS];

  /* NULL when a release does not have it */
  WujiConnectOptionsRoom (*connect_options_default) (void);
  WujiStatus (*sub_set_rate) (WujiSub *sub, uint16_t frequency_hz, uint16_t *out_actual_hz);
  int32_t (*dev_serial_number) (WujiDevice *dev, char *buf, size_t buf_len);
  WujiTransportType (*dev_transport) (WujiDevice *dev);
  WujiStatus (*current_user) (WujiUserInfo *out);
  void (*user_info_free) (WujiUserInfo *info);

  WujiGetText glove_get_sn;
  WujiGetText glove_get_version;
  WujiGetText glove_get_hand_side;
  WujiGetText glove_get_hand_model_path;
  WujiStatus (*glove_sync_time) (WujiDevice *dev, WujiTimeSyncResult *out);

  WujiStatus (*hand2_get_hw_version) (WujiDevice *dev, WujiHwVersion *out);
  WujiStatus (*hand2_get_handedness) (WujiDevice *dev, WujiHandedness *out);
  WujiStatus (*hand2_nid_to_joint) (uint8_t nid, uint8_t *joint_index);
  WujiStatus (*hand2_describe_error) (uint16_t code, WujiErrorInfo *out);
  WujiStatus (*hand2_get_fingertip_info) (WujiDevice *dev, uint8_t finger,
                                          WujiFingertipSensorInfo *out);
  WujiStatus (*hand2_get_all_effort_limit) (WujiDevice *dev, float out[20], uint32_t *online);
  WujiStatus (*hand2_get_all_mit_params) (WujiDevice *dev, float kp[20], float kd[20],
                                          uint32_t *online);

  WujiStatus (*hand_connect_sn) (const char *sn, const char *name, WujiDevice **out);
  WujiStatus (*hand_get_handedness) (WujiDevice *dev, uint8_t *out);
  WujiStatus (*hand_get_tactile_handedness) (WujiDevice *dev, uint8_t *out);
  WujiStatus (*hand_get_firmware_version) (WujiDevice *dev, uint32_t *out);
  WujiGetText hand_get_product_sn;
  WujiStatus (*hand_get_all_diagnostics) (WujiDevice *dev, WujiHandJointDiagnostics out[20]);
  WujiStatus (*hand_get_input_voltage) (WujiDevice *dev, float *out);
  WujiStatus (*hand_get_temperature) (WujiDevice *dev, float *out);
  WujiStatus (*hand_get_all_effort_limit) (WujiDevice *dev, float out[20]);

  /* looked for, to tell releases apart; never called */
  void (*probe_divider) (void);
  void (*probe_decode) (void);

  AcqVendorLibrary *library;
  WujiVersion judged;
} WujiApi;

typedef enum {
  WUJI_CLASS_GLOVE,
  WUJI_CLASS_HAND_2,
  WUJI_CLASS_HAND,
  WUJI_CLASS_TF,
} WujiClass;

/**
 * wuji_api_load:
 * @self: (out): the functions
 * @device: what they are for: its subscribe functions have to be there
 * @path: (nullable): the library; else the environment's, else the system's
 * @accept: (nullable): a version text that the user vouches for
 * @error: what is wrong with the library, and what to do
 *
 * Loads, initialises and judges the library. Once per process, however often it is called.
 */
gboolean wuji_api_load (WujiApi *self, WujiClass device, const char *path, const char *accept,
                        GError **error);

/* The symbols of a class of device, for tests. */
const AcqVendorSymbol *wuji_api_symbols (WujiClass device, gsize *ret_n);

/* Sets ACQ_ERROR_DEVICE from a status: the SDK's words, and what to do. */
void wuji_api_set_error (const WujiApi *self, WujiStatus status, const char *what, GError **error);

/* Is that refusal about another program that has the device? */
gboolean wuji_api_is_held (const char *message);

/* A text of the two-call kind, or NULL. */
char *wuji_api_get_text (WujiGetText get, WujiDevice *device);

const char *wuji_status_name (WujiStatus status);

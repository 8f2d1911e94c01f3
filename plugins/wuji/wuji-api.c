/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-api.h"

#include <string.h>

#define AT(member) G_STRUCT_OFFSET (WujiApi, member)
#define SUB(id) (G_STRUCT_OFFSET (WujiApi, subscribe) + (id) * sizeof (WujiSubscribe))

#define GLOBAL(id)                                                                                 \
  (G_STRUCT_OFFSET (WujiApi, subscribe_global) + (id) * sizeof (WujiSubscribeGlobal))

#define ENVIRONMENT "WUJI_SDK_LIBRARY"

/* Every class begins with these. */
/* clang-format off */
#define CORE_SYMBOLS                                                                               \
  { "wuji_version", AT (version), TRUE },                                                          \
  { "wuji_init", AT (init), TRUE },                                                                \
  { "wuji_last_error", AT (last_error), TRUE },                                                    \
  { "wuji_scan", AT (scan), TRUE },                                                                \
  { "wuji_discovered_free", AT (discovered_free), TRUE },                                          \
  { "wuji_connect", AT (connect), TRUE },                                                          \
  { "wuji_dev_disconnect", AT (dev_disconnect), TRUE },                                            \
  { "wuji_dev_release", AT (dev_release), TRUE },                                                  \
  { "wuji_dev_is_connected", AT (dev_is_connected), TRUE },                                        \
  { "wuji_sub_close", AT (sub_close), TRUE },                                                      \
  { "wuji_connect_options_default", AT (connect_options_default), FALSE },                         \
  { "wuji_sub_set_rate", AT (sub_set_rate), FALSE },                                               \
  { "wuji_dev_serial_number", AT (dev_serial_number), FALSE },                                     \
  { "wuji_dev_transport", AT (dev_transport), FALSE },                                             \
  { "wuji_current_user", AT (current_user), FALSE },                                               \
  { "wuji_user_info_free", AT (user_info_free), FALSE },                                           \
  { "wuji_hand_connect_sn", AT (hand_connect_sn), FALSE },                                         \
  { "wuji_glove_subscribe_tactile_residual", SUB (WUJI_SUB_TACTILE_RESIDUAL), FALSE },             \
  { "wuji_hand_2_subscribe_joint_states", SUB (WUJI_SUB_HAND2_JOINT_STATES), FALSE },              \
  { "wuji_glove_get_emf_poses_rate_divider", AT (probe_divider), FALSE },                          \
  { "wuji_hand_2_decode_joint_status", AT (probe_decode), FALSE }

static const AcqVendorSymbol glove_symbols[] = {
  CORE_SYMBOLS,
  { "wuji_glove_subscribe_tactile", SUB (WUJI_SUB_TACTILE), TRUE },
  { "wuji_glove_subscribe_tactile_zones", SUB (WUJI_SUB_TACTILE_ZONES), TRUE },
  { "wuji_glove_subscribe_tactile_binary", SUB (WUJI_SUB_TACTILE_BINARY), TRUE },
  { "wuji_glove_subscribe_tactile_point_cloud", SUB (WUJI_SUB_TACTILE_POINT_CLOUD), TRUE },
  { "wuji_glove_subscribe_emf_poses", SUB (WUJI_SUB_EMF_POSES), TRUE },
  { "wuji_glove_subscribe_tip_poses", SUB (WUJI_SUB_TIP_POSES), TRUE },
  { "wuji_glove_subscribe_hand_joint_angles", SUB (WUJI_SUB_HAND_JOINT_ANGLES), TRUE },
  { "wuji_glove_subscribe_hand_skeleton", SUB (WUJI_SUB_HAND_SKELETON), TRUE },
  { "wuji_glove_subscribe_imu_palm", SUB (WUJI_SUB_IMU_PALM), TRUE },
  { "wuji_glove_subscribe_imu_thumb", SUB (WUJI_SUB_IMU_PALM + 1), TRUE },
  { "wuji_glove_subscribe_imu_index", SUB (WUJI_SUB_IMU_PALM + 2), TRUE },
  { "wuji_glove_subscribe_imu_middle", SUB (WUJI_SUB_IMU_PALM + 3), TRUE },
  { "wuji_glove_subscribe_imu_ring", SUB (WUJI_SUB_IMU_PALM + 4), TRUE },
  { "wuji_glove_subscribe_imu_pinky", SUB (WUJI_SUB_IMU_PALM + 5), TRUE },
  { "wuji_glove_subscribe_imu_data_palm", SUB (WUJI_SUB_IMU_DATA_PALM), TRUE },
  { "wuji_glove_subscribe_imu_data_thumb", SUB (WUJI_SUB_IMU_DATA_PALM + 1), TRUE },
  { "wuji_glove_subscribe_imu_data_index", SUB (WUJI_SUB_IMU_DATA_PALM + 2), TRUE },
  { "wuji_glove_subscribe_imu_data_middle", SUB (WUJI_SUB_IMU_DATA_PALM + 3), TRUE },
  { "wuji_glove_subscribe_imu_data_ring", SUB (WUJI_SUB_IMU_DATA_PALM + 4), TRUE },
  { "wuji_glove_subscribe_imu_data_pinky", SUB (WUJI_SUB_IMU_DATA_PALM + 5), TRUE },
  { "wuji_glove_get_sn", AT (glove_get_sn), FALSE },
  { "wuji_glove_get_version", AT (glove_get_version), FALSE },
  { "wuji_glove_get_hand_side", AT (glove_get_hand_side), FALSE },
  { "wuji_glove_get_hand_model_path", AT (glove_get_hand_model_path), FALSE },
  { "wuji_glove_sync_time", AT (glove_sync_time), FALSE },
};

static const AcqVendorSymbol hand2_symbols[] = {
  CORE_SYMBOLS,
  { "wuji_hand_2_subscribe_joint_states", SUB (WUJI_SUB_HAND2_JOINT_STATES), TRUE },
  { "wuji_hand_2_subscribe_joint_diagnostics", SUB (WUJI_SUB_HAND2_JOINT_DIAGNOSTICS), TRUE },
  { "wuji_hand_2_subscribe_imu", SUB (WUJI_SUB_HAND2_IMU), TRUE },
  /* Fingertips came later. */
  { "wuji_hand_2_subscribe_fingertip_thumb_data", SUB (WUJI_SUB_FINGERTIP_THUMB), FALSE },
  { "wuji_hand_2_subscribe_fingertip_index_data", SUB (WUJI_SUB_FINGERTIP_THUMB + 1), FALSE },
  { "wuji_hand_2_subscribe_fingertip_middle_data", SUB (WUJI_SUB_FINGERTIP_THUMB + 2), FALSE },
  { "wuji_hand_2_subscribe_fingertip_ring_data", SUB (WUJI_SUB_FINGERTIP_THUMB + 3), FALSE },
  { "wuji_hand_2_subscribe_fingertip_pinky_data", SUB (WUJI_SUB_FINGERTIP_THUMB + 4), FALSE },
  { "wuji_hand_2_get_hw_version", AT (hand2_get_hw_version), FALSE },
  { "wuji_hand_2_get_handedness", AT (hand2_get_handedness), FALSE },
  { "wuji_hand_2_nid_to_joint_index", AT (hand2_nid_to_joint), FALSE },
  { "wuji_hand_2_describe_error", AT (hand2_describe_error), FALSE },
  { "wuji_hand_2_get_fingertip_info", AT (hand2_get_fingertip_info), FALSE },
  { "wuji_hand_2_get_all_effort_limit", AT (hand2_get_all_effort_limit), FALSE },
  { "wuji_hand_2_get_all_mit_params", AT (hand2_get_all_mit_params), FALSE },
};

static const AcqVendorSymbol hand_symbols[] = {
  CORE_SYMBOLS,
  { "wuji_hand_connect_sn", AT (hand_connect_sn), TRUE },
  { "wuji_hand_subscribe_joint_states", SUB (WUJI_SUB_HAND_JOINT_STATES), TRUE },
  { "wuji_hand_subscribe_tactile_pressure_frame", SUB (WUJI_SUB_HAND_TACTILE), TRUE },
  { "wuji_hand_subscribe_tactile_status", SUB (WUJI_SUB_HAND_TACTILE_STATUS), TRUE },
  { "wuji_hand_get_handedness", AT (hand_get_handedness), FALSE },
  { "wuji_hand_get_tactile_handedness", AT (hand_get_tactile_handedness), FALSE },
  { "wuji_hand_get_firmware_version", AT (hand_get_firmware_version), FALSE },
  { "wuji_hand_get_product_sn", AT (hand_get_product_sn), FALSE },
  { "wuji_hand_get_all_diagnostics", AT (hand_get_all_diagnostics), FALSE },
  { "wuji_hand_get_input_voltage", AT (hand_get_input_voltage), FALSE },
  { "wuji_hand_get_temperature", AT (hand_get_temperature), FALSE },
  { "wuji_hand_get_all_effort_limit", AT (hand_get_all_effort_limit), FALSE },
};

static const AcqVendorSymbol tf_symbols[] = {
  CORE_SYMBOLS,
  { "wuji_subscribe_tf", GLOBAL (WUJI_SUB_TF), TRUE },
  { "wuji_subscribe_tf_static", GLOBAL (WUJI_SUB_TF_STATIC), TRUE },
};
/* clang-format on */

const AcqVendorSymbol *
wuji_api_symbols (WujiClass device, gsize *ret_n)
{
  static const struct {
    const AcqVendorSymbol *symbols;
    gsize n;
  } tables[] = {
    [WUJI_CLASS_GLOVE] = { glove_symbols, G_N_ELEMENTS (glove_symbols) },
    [WUJI_CLASS_HAND_2] = { hand2_symbols, G_N_ELEMENTS (hand2_symbols) },
    [WUJI_CLASS_HAND] = { hand_symbols, G_N_ELEMENTS (hand_symbols) },
    [WUJI_CLASS_TF] = { tf_symbols, G_N_ELEMENTS (tf_symbols) },
  };

  *ret_n = tables[device].n;
  return tables[device].symbols;
}

/* ---- loading ---- */

typedef struct {
  const WujiApi *api;
  const AcqVendorSymbol *symbols;
  gsize n;
} Bound;

static gboolean
is_bound (const char *name, gpointer data)
{
  const Bound *bound = data;

  for (gsize i = 0; i < bound->n; i++) {
    gpointer function;

    if (strcmp (bound->symbols[i].name, name) != 0)
      continue;
    memcpy (&function, (const char *) bound->api + bound->symbols[i].offset, sizeof function);
    return function != NULL;
  }
  return FALSE;
}

static gboolean
init (gpointer data, GError **error)
{
  const WujiApi *self = data;
  WujiStatus status = self->init (NULL);

  if (status == WUJI_OK)
    return TRUE;
  wuji_api_set_error (self, status, "wuji_init", error);
  return FALSE;
}

gboolean
wuji_api_load (WujiApi *self, WujiClass device, const char *path, const char *accept,
               GError **error)
{
  static const char *const names[] = { "libwuji_sdk_c.so", NULL };
  WujiApi api = { 0 };
  Bound bound = { .api = &api };

  bound.symbols = wuji_api_symbols (device, &bound.n);
  api.library = acq_vendor_library_open (path, ENVIRONMENT, names, error);
  if (api.library == NULL)
    return FALSE;
  if (!acq_vendor_library_bind (api.library, bound.symbols, bound.n, &api, error))
    return FALSE;
  api.judged = wuji_version_judge (api.version (), is_bound, &bound);
  if (accept != NULL && strcmp (accept, api.judged.text) == 0 &&
      api.judged.trust == WUJI_TRUST_CHECKED) {
    api.judged.trust = WUJI_TRUST_KNOWN;
    api.judged.notice = NULL;
  }
  if (api.judged.trust == WUJI_TRUST_REFUSED) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "%s says it is release %s: %s",
                 acq_vendor_library_get_path (api.library), api.judged.text, api.judged.notice);
    return FALSE;
  }
  if (!acq_vendor_library_init_once (api.library, init, &api, error))
    return FALSE;
  *self = api;
  return TRUE;
}

/* ---- texts ---- */

const char *
wuji_status_name (WujiStatus status)
{
  switch (status) {
  case WUJI_OK:
    return "ok";
  case WUJI_ERR_INVALID_ARG:
    return "invalid argument";
  case WUJI_ERR_NOT_INITIALIZED:
    return "not initialised";
  case WUJI_ERR_NOT_FOUND:
    return "not found";
  case WUJI_ERR_TIMEOUT:
    return "timed out";
  case WUJI_ERR_PROTOCOL:
    return "unexpected answer";
  case WUJI_ERR_DISCONNECTED:
    return "disconnected";
  case WUJI_ERR_BUFFER_TOO_SMALL:
    return "buffer too small";
  case WUJI_ERR_UNSUPPORTED:
    return "not supported";
  case WUJI_ERR_CANCELLED:
    return "cancelled";
  case WUJI_ERR_INVALID_DATA:
    return "invalid data";
  case WUJI_ERR_ALGORITHM:
    return "refused by an algorithm";
  case WUJI_ERR_INTERNAL:
    return "internal error";
  default:
    return "unknown status";
  }
}

gboolean
wuji_api_is_held (const char *message)
{
  return strstr (message, "already exists") != NULL || strstr (message, "0x0013") != NULL;
}

static const char *
advice (WujiStatus status, const char *message)
{
  if (wuji_api_is_held (message))
    return "; another program has the device and shares it with nobody: end that program, or let "
           "it run with its bridge on (a crashed one holds the device for some seconds)";
  switch (status) {
  case WUJI_ERR_TIMEOUT:
  case WUJI_ERR_DISCONNECTED:
    return "; is it switched on, plugged in, and in the same network?";
  case WUJI_ERR_NOT_FOUND:
    return "; 'acq-inspect PLUGIN --scan' lists what can be reached";
  default:
    return "";
  }
}

/* The SDK's text lives until the thread's next call. */
void
wuji_api_set_error (const WujiApi *self, WujiStatus status, const char *what, GError **error)
{
  const char *borrowed = self->last_error ();
  g_autofree char *message = g_strdup (borrowed != NULL ? borrowed : wuji_status_name (status));

  g_set_error (error, ACQ_ERROR, status == WUJI_ERR_TIMEOUT ? ACQ_ERROR_TIMEOUT : ACQ_ERROR_DEVICE,
               "%s: %s (%d %s)%s", what, message, status, wuji_status_name (status),
               advice (status, message));
}

char *
wuji_api_get_text (WujiGetText get, WujiDevice *device)
{
  g_autofree char *text = NULL;
  size_t needed = 0;

  if (get == NULL || get (device, NULL, 0, &needed) != WUJI_ERR_BUFFER_TOO_SMALL || needed == 0 ||
      needed > 65536)
    return NULL;
  text = g_malloc0 (needed + 1);
  if (get (device, text, needed, NULL) != WUJI_OK || !g_utf8_validate (text, -1, NULL))
    return NULL;
  return g_steal_pointer (&text);
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the vendor's library has and a recorder has no business with: everything that moves,
 * enables, calibrates, configures or restarts a device. They are indirect functions: their
 * resolvers run as soon as somebody looks them up, so the report can say that somebody did.
 * Calling one is a misuse. So is calling the functions whose parameters nobody knows; but
 * looking for them tells the release, and is allowed.
 */

#include "standin-private.h"

#include <string.h>

#define FORBIDDEN(X)                                                                               \
  X (wuji_dev_set)                                                                                 \
  X (wuji_dev_execute)                                                                             \
  X (wuji_pub_open)                                                                                \
  X (wuji_pub_send)                                                                                \
  X (wuji_pub_close)                                                                               \
  X (wuji_switch_user)                                                                             \
  X (wuji_switch_to_default_user)                                                                  \
  X (wuji_create_user)                                                                             \
  X (wuji_update_user)                                                                             \
  X (wuji_delete_user)                                                                             \
  X (wuji_glove_set_ip)                                                                            \
  X (wuji_glove_set_port)                                                                          \
  X (wuji_glove_reboot)                                                                            \
  X (wuji_glove_set_tactile_binary_sensitivity)                                                    \
  X (wuji_glove_set_hand_model_path)                                                               \
  X (wuji_glove_set_emf_poses_rate_divider)                                                        \
  X (wuji_hand_2_set_ip)                                                                           \
  X (wuji_hand_2_reboot)                                                                           \
  X (wuji_hand_2_tactile_calibrate)                                                                \
  X (wuji_hand_2_enable)                                                                           \
  X (wuji_hand_2_disable)                                                                          \
  X (wuji_hand_2_clear_fault)                                                                      \
  X (wuji_hand_2_set_origin)                                                                       \
  X (wuji_hand_2_clear_origin)                                                                     \
  X (wuji_hand_2_emergency_stop)                                                                   \
  X (wuji_hand_2_set_all_effort_limit)                                                             \
  X (wuji_hand_2_set_all_effort_limit_per_joint)                                                   \
  X (wuji_hand_2_set_all_mit_params)                                                               \
  X (wuji_hand_2_joint_command_publish)                                                            \
  X (wuji_joint_command_publisher_send)                                                            \
  X (wuji_joint_command_publisher_close)                                                           \
  X (wuji_hand_enable)                                                                             \
  X (wuji_hand_disable)                                                                            \
  X (wuji_hand_clear_all_faults)                                                                   \
  X (wuji_hand_set_all_effort_limit)                                                               \
  X (wuji_hand_joint_command_publish)                                                              \
  X (wuji_hand_realtime_controller_open)

#define NUMBER(name) NUMBER_##name,
enum { FORBIDDEN (NUMBER) N_FORBIDDEN };
#undef NUMBER

#define NAME(name) #name,
static const char *const names[] = { FORBIDDEN (NAME) };
#undef NAME

static volatile char looked_up[N_FORBIDDEN];

typedef void (*Function) (void);

/* Resolvers run inside the dynamic linker: no instrumentation, no calls. */
#define RESOLVER                                                                                   \
  __attribute__ ((no_sanitize ("address"), no_sanitize ("thread"), no_sanitize ("undefined"),      \
                  no_stack_protector, used))

#define DEFINE(name)                                                                               \
  static void call_##name (void)                                                                   \
  {                                                                                                \
    sim_misuse (#name, "a recorder only looks: this must not be called");                          \
  }                                                                                                \
  RESOLVER static Function resolve_##name (void)                                                   \
  {                                                                                                \
    looked_up[NUMBER_##name] = 1;                                                                  \
    return call_##name;                                                                            \
  }                                                                                                \
  __attribute__ ((visibility ("default"), ifunc ("resolve_" #name))) void name (void);

/* The prototypes are the vendor's and not ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
FORBIDDEN (DEFINE)

#define DEFINE_UNKNOWN(name)                                                                       \
  __attribute__ ((visibility ("default"))) void name (void)                                        \
  {                                                                                                \
    sim_misuse (#name, "nobody knows its parameters: this must not be called");                    \
  }

DEFINE_UNKNOWN (wuji_hand_2_decode_joint_status)
DEFINE_UNKNOWN (wuji_hand_2_export_flash_logs)
DEFINE_UNKNOWN (wuji_hand_2_flash_log_export_free)
#pragma GCC diagnostic pop

void
sim_report_looked_up (JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "forbidden_looked_up");
  json_builder_begin_array (builder);
  for (unsigned i = 0; i < N_FORBIDDEN; i++)
    if (looked_up[i])
      json_builder_add_string_value (builder, names[i]);
  json_builder_end_array (builder);
}

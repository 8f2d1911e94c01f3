/* SPDX-License-Identifier: Apache-2.0 */

/* Parameters, topics and users: what is enumerated, and given back by its own free call. */

#include "standin-api.h"
#include "standin-private.h"

#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

static const char *const param_paths[] = { "serial_number", "firmware_version" };

WujiStatus
wuji_dev_list_params (WujiDevice *dev, WujiParam **out, size_t *out_n)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL || out_n == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  *out_n = G_N_ELEMENTS (param_paths);
  *out = sim_own ("parameter list", *out_n * sizeof **out, *out_n);
  for (size_t i = 0; i < *out_n; i++)
    (*out)[i] = (WujiParam){ param_paths[i], 1, 0 };
  return WUJI_STATUS_OK;
}

void
wuji_param_array_free (WujiParam *arr, size_t n)
{
  SIM_CALL call = { 0 };

  if (sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    sim_disown (__func__, "parameter list", arr, n);
}

WujiStatus
wuji_dev_get (WujiDevice *dev, const char *path, uint8_t **out_buf, size_t *out_len)
{
  SIM_CALL call = { 0 };
  const char *text = NULL;

  if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (path == NULL || out_buf == NULL || out_len == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: NULL argument", __func__);
  if (strcmp (path, param_paths[0]) == 0)
    text = call.device->serial;
  else if (strcmp (path, param_paths[1]) == 0)
    text = call.device->firmware;
  else
    return sim_fail (WUJI_STATUS_ERR_NOT_FOUND, "path not found: %s", path);
  *out_len = strlen (text);
  *out_buf = sim_own ("buffer", *out_len, *out_len);
  memcpy (*out_buf, text, *out_len);
  return WUJI_STATUS_OK;
}

void
wuji_buffer_free (uint8_t *buf, size_t len)
{
  SIM_CALL call = { 0 };

  if (sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    sim_disown (__func__, "buffer", buf, len);
}

/* ---- topics ---- */

static void
list_topics (SimKind kind, WujiTopic **out, size_t *out_n)
{
  size_t n = 0;

  for (unsigned i = 0; i < sim_n_streams; i++)
    n += sim_streams[i].kind == kind;
  *out = sim_own ("topic list", n * sizeof **out, n);
  *out_n = 0;
  for (unsigned i = 0; i < sim_n_streams; i++) {
    if (sim_streams[i].kind != kind)
      continue;
    (*out)[*out_n].path = sim_streams[i].topic;
    (*out)[(*out_n)++].scope =
        kind == SIM_GLOBAL ? WUJI_RESOURCE_SCOPE_GLOBAL : WUJI_RESOURCE_SCOPE_DEVICE;
  }
}

WujiStatus
wuji_dev_list_topics (WujiDevice *dev, WujiTopic **out, size_t *out_n)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL || out_n == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  list_topics (call.device->kind, out, out_n);
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_list_global_topics (WujiTopic **out, size_t *out_n)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    return call.status;
  if (out == NULL || out_n == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  list_topics (SIM_GLOBAL, out, out_n);
  return WUJI_STATUS_OK;
}

void
wuji_topic_array_free (WujiTopic *arr, size_t n)
{
  SIM_CALL call = { 0 };

  if (sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    sim_disown (__func__, "topic list", arr, n);
}

/* ---- users ---- */

static char *
own_text (const char *text)
{
  size_t size = strlen (text) + 1;

  return memcpy (sim_own ("user text", size, size), text, size);
}

static void
fill_user (WujiUserInfo *info)
{
  *info = (WujiUserInfo){ .user_id = own_text (sim.config.user_id),
                          .display_name = own_text (sim.config.user_name),
                          .description = own_text (""),
                          .is_default = sim.config.user_default,
                          .created_at = own_text ("2026-08-01T08:00:00Z"),
                          .updated_at = own_text ("2026-08-01T08:00:00Z") };
}

static void
free_user (const char *function, WujiUserInfo *info)
{
  char *const texts[] = { info->user_id,     info->display_name, info->description,
                          info->external_id, info->created_at,   info->updated_at };

  for (size_t i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i] != NULL)
      sim_disown (function, "user text", texts[i], strlen (texts[i]) + 1);
  memset (info, 0, sizeof *info);
}

WujiStatus
wuji_current_user (WujiUserInfo *out)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  fill_user (out);
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_list_users (WujiUserInfo **out, size_t *out_n)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL || out_n == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  *out_n = 1;
  *out = sim_own ("user list", sizeof **out, 1);
  fill_user (*out);
  return WUJI_STATUS_OK;
}

void
wuji_user_info_free (WujiUserInfo *info)
{
  SIM_CALL call = { 0 };

  if (sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE) && info != NULL)
    free_user (__func__, info);
}

void
wuji_user_info_array_free (WujiUserInfo *arr, size_t n)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE) || arr == NULL)
    return;
  for (size_t i = 0; i < n; i++)
    free_user (__func__, &arr[i]);
  sim_disown (__func__, "user list", arr, n);
}

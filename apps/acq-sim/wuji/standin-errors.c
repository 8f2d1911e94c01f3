/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The catalogue of fault codes. The vendor's texts are Chinese. One entry has a cause that is
 * longer than its buffer (the SDK then leaves it empty), one a severity that no document
 * names, one is for injection in the factory.
 */

#include "standin-api.h"
#include "standin-private.h"

#include <string.h>

#define LONG_TEXT                                                                                                                        \
  "总线电压在短时间内多次越限，可能由电源容量不足、线缆过长、接插件接触不良或外部干扰引起。" \
  "总线电压在短时间内多次越限，可能由电源容量不足、线缆过长、接插件接触不良或外部干扰引起。" \
  "总线电压在短时间内多次越限，可能由电源容量不足、线缆过长、接插件接触不良或外部干扰引起。"

typedef struct {
  uint16_t code;
  bool is_test;
  const char *name, *severity, *clear_policy, *desc, *cause, *resolution;
} Entry;

static const Entry catalogue[] = {
  { 0x0006, false, "BusFrameLossHigh", "Warning", "AutoClear", "总线丢帧率高", "总线干扰或负载过高",
    "检查线缆与接插件" },
  { 0x1103, false, "BusVoltageUnstable", "DeferredStop", "AutoClear", "总线电压不稳", LONG_TEXT,
    "检查电源" },
  { 0x2102, false, "Overcurrent", "ImmediateStop", "ManualClear", "过流", "负载过大或堵转",
    "移除负载后清除故障" },
  { 0x2103, false, "OverTemperature", "ImmediateStop", "ManualClear", "过温", "持续高负载",
    "冷却后清除故障" },
  { 0x3201, false, "EncoderLost", "Fatal", "NonClearable", "编码器丢失", "硬件故障", "联系售后" },
  { 0x4001, false, "SupervisorNotice", "Advisory", "AutoClear", "监控提示", "", "" },
  { 0x21f0, true, "TestInjection", "ImmediateStop", "ManualClear", "测试注入", "工厂测试",
    "无需处理" },
};

static void
put (char *field, size_t size, const char *text)
{
  if (strlen (text) < size)
    memcpy (field, text, strlen (text) + 1);
}

WujiStatus
wuji_hand_2_describe_error (uint16_t code, WujiErrorInfo *out)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  if (code == 0)
    sim_misuse (__func__, "code 0 means no fault and is not in the catalogue");
  memset (out, 0, sizeof *out);
  for (size_t i = 0; i < G_N_ELEMENTS (catalogue); i++) {
    const Entry *entry = &catalogue[i];

    if (entry->code != code)
      continue;
    out->code = code;
    out->is_test = entry->is_test;
    put (out->name, sizeof out->name, entry->name);
    put (out->severity, sizeof out->severity, entry->severity);
    put (out->clear_policy, sizeof out->clear_policy, entry->clear_policy);
    put (out->desc, sizeof out->desc, entry->desc);
    put (out->cause, sizeof out->cause, entry->cause);
    put (out->resolution, sizeof out->resolution, entry->resolution);
    return WUJI_STATUS_OK;
  }
  return sim_fail (WUJI_STATUS_ERR_NOT_FOUND, "unknown fault code 0x%04X", code);
}

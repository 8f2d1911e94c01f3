/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-fault.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define NODE(self) ACQ_NODE ((self)->session->source)

guint
wuji_fault_severity (const char *severity, gboolean is_test)
{
  /* Injected in a factory: worth keeping, not worth alarming anybody. */
  if (is_test)
    return ACQ_EVENT_SEVERITY_INFO;
  return strcmp (severity, "Warning") == 0 ? ACQ_EVENT_SEVERITY_WARNING : ACQ_EVENT_SEVERITY_ERROR;
}

/* A static lookup in the library, without a device: allowed on its threads. */
static gboolean
describe (WujiFaults *self, guint32 code, WujiErrorInfo *ret)
{
  union {
    WujiErrorInfo known;
    char room[2 * sizeof (WujiErrorInfo)];
  } info = { .room = { 0 } };
  WujiApi *api = &self->session->api;

  if (api->hand2_describe_error == NULL ||
      api->hand2_describe_error ((uint16_t) code, &info.known) != WUJI_OK)
    return FALSE;
  if (!wuji_is_text (info.known.name, sizeof info.known.name, FALSE) ||
      !wuji_is_text (info.known.severity, sizeof info.known.severity, TRUE) ||
      !wuji_is_text (info.known.clear_policy, sizeof info.known.clear_policy, TRUE))
    return FALSE;
  *ret = info.known;
  return TRUE;
}

static void
member (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
write_details (AcqEvent *event, const char *joint, guint nid, guint32 code,
               const WujiErrorInfo *info)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;
  char hex[16];

  g_snprintf (hex, sizeof hex, "0x%04X", code);
  json_builder_begin_object (builder);
  member (builder, "joint", joint);
  if (nid > 0) {
    json_builder_set_member_name (builder, "nid");
    json_builder_add_int_value (builder, nid);
  }
  member (builder, "code", hex);
  if (info != NULL) {
    member (builder, "name", info->name);
    member (builder, "severity", info->severity);
    member (builder, "clear_policy", info->clear_policy);
    json_builder_set_member_name (builder, "test");
    json_builder_add_boolean_value (builder, info->is_test);
  }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, FALSE);
  g_strlcpy (event->details, text, sizeof event->details);
}

static void
tell_begin (WujiFaults *self, guint joint, guint nid, guint32 code)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_FAULT,
                     .severity = ACQ_EVENT_SEVERITY_ERROR,
                     .code = code };
  WujiErrorInfo info;
  gboolean known = describe (self, code, &info);

  g_strlcpy (event.name, known ? info.name : "unknown_fault", sizeof event.name);
  if (known) {
    event.severity = (uint8_t) wuji_fault_severity (info.severity, info.is_test);
    g_snprintf (event.message, sizeof event.message, "%s: joint %s: %s (0x%04X, %s, %s)%s",
                acq_node_get_id (NODE (self)), self->joints[joint], info.name, code, info.severity,
                info.clear_policy, info.is_test ? "; a test injection" : "");
  } else {
    g_snprintf (event.message, sizeof event.message,
                "%s: joint %s: fault 0x%04X, which this release of the library does not know",
                acq_node_get_id (NODE (self)), self->joints[joint], code);
  }
  write_details (&event, self->joints[joint], nid, code, known ? &info : NULL);
  acq_node_event (NODE (self), &event);
}

static void
tell_end (WujiFaults *self, guint joint, guint nid, guint32 code)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_FAULT,
                     .severity = ACQ_EVENT_SEVERITY_INFO,
                     .code = code };

  g_strlcpy (event.name, "fault_cleared", sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s: joint %s: fault 0x%04X is gone",
              acq_node_get_id (NODE (self)), self->joints[joint], code);
  write_details (&event, self->joints[joint], nid, code, NULL);
  acq_node_event (NODE (self), &event);
}

void
wuji_faults_see (WujiFaults *self, guint joint, guint nid, guint32 code)
{
  guint32 before = self->codes[joint];

  if (G_LIKELY (before == code))
    return;
  self->codes[joint] = code;
  if (code != 0)
    tell_begin (self, joint, nid, code);
  else
    tell_end (self, joint, nid, before);
}

void
wuji_faults_see_bits (WujiFaults *self, guint joint, guint32 bits)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_FAULT, .code = bits };

  if (self->codes[joint] == bits)
    return;
  self->codes[joint] = bits;
  event.severity = bits != 0 ? ACQ_EVENT_SEVERITY_ERROR : ACQ_EVENT_SEVERITY_INFO;
  g_strlcpy (event.name, bits != 0 ? "fault_bits" : "fault_cleared", sizeof event.name);
  g_snprintf (event.message, sizeof event.message,
              "%s: joint %s: error bits 0x%08X (their meaning is not published)",
              acq_node_get_id (NODE (self)), self->joints[joint], bits);
  acq_node_event (NODE (self), &event);
}

void
wuji_faults_see_present (WujiFaults *self, guint32 present)
{
  guint32 before = self->has_present ? self->present : (1u << WUJI_HAND_JOINTS) - 1;
  guint32 changed = before ^ present;
  AcqEvent event = { .kind = ACQ_EVENT_KIND_ALERT, .code = present };
  GString *names;

  self->has_present = TRUE;
  self->present = present;
  if (G_LIKELY (changed == 0))
    return;
  names = g_string_new (NULL);
  for (guint i = 0; i < WUJI_HAND_JOINTS; i++)
    if (changed >> i & 1)
      g_string_append_printf (names, "%s%s %s", names->len > 0 ? ", " : "", self->joints[i],
                              present >> i & 1 ? "is back" : "is offline");
  event.severity = (before & ~present) != 0 ? ACQ_EVENT_SEVERITY_WARNING : ACQ_EVENT_SEVERITY_INFO;
  event.count = (guint64) WUJI_HAND_JOINTS - (guint64) __builtin_popcount (present);
  g_strlcpy (event.name, (before & ~present) != 0 ? "joints_offline" : "joints_online",
             sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s: %s; %u of %d joints are missing",
              acq_node_get_id (NODE (self)), names->str, (guint) event.count, WUJI_HAND_JOINTS);
  g_string_free (names, TRUE);
  acq_node_event (NODE (self), &event);
}

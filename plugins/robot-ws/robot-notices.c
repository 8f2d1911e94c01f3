/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-notices.h"

#include "robot-words.h"

/* What each end means, and what to do. */
static const struct {
  const char *cause, *text;
  gboolean needs_person;
} ends[] = {
  { "silence", "not a byte came for the idle-timeout" },
  { "no_handshake", "it did not answer the handshake" },
  { "connect_timeout", "it could not be reached within the connect-timeout; is it on, and is this "
                       "machine in its net?" },
  { "controlled_by_another",
    "it refused the handshake because another terminal controls it; close the APP, or "
    "let it connect after the recorder",
    TRUE },
  { "protocol_mismatch",
    "it refused protocol " ROBOT_PROTOCOL_VERSION "; its firmware speaks another one", TRUE },
  { "refused", "it refused the handshake with a status that nobody knows", TRUE },
  { "wrong_serial", "it is another robot than \"serial\" asks for", TRUE },
  { "yielded",
    "it made this recorder the owner of its control, since nobody else was; the recorder said "
    "goodbye. Connect the APP or the controlling program first, or set \"yield-ownership\": false "
    "if nobody is to drive it",
    TRUE },
};

char *
robot_describe_end (const RobotAction *end, const char *uri, const char *problem,
                    gboolean *ret_needs_person)
{
  const char *cause = end->end.cause;
  const char *text = problem != NULL ? problem : cause;

  *ret_needs_person = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    if (g_str_equal (ends[i].cause, cause)) {
      text = ends[i].text;
      *ret_needs_person = ends[i].needs_person;
    }
  }
  if (end->end.status != 0)
    return g_strdup_printf ("robot at %s: %s (status %d)", uri, text, end->end.status);
  return g_strdup_printf ("robot at %s: %s", uri, text);
}

void
robot_tell_control (AcqNode *node, const RobotAction *action)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_CONTROL, .severity = ACQ_EVENT_SEVERITY_INFO };
  const char *id = acq_node_get_id (node);
  const char *source = robot_owner_name (action->control.source);
  const char *name = "control_owner";

  event.code = action->control.source;
  switch (action->control.event) {
  case ACQ_ROBOT_CONTROL_EVENT_TAKEN:
    name = "control_taken";
    g_snprintf (event.message, sizeof event.message, "%s: control of the robot was taken", id);
    break;
  case ACQ_ROBOT_CONTROL_EVENT_RELEASED:
    name = "control_released";
    g_snprintf (event.message, sizeof event.message, "%s: control of the robot is free", id);
    break;
  case ACQ_ROBOT_CONTROL_EVENT_OURS:
    name = "control_ours";
    event.severity = ACQ_EVENT_SEVERITY_WARNING;
    g_snprintf (event.message, sizeof event.message,
                "%s: the robot reports %s as owner of its control, which is what this recorder is; "
                "it may be this recorder",
                id, source);
    break;
  case ACQ_ROBOT_CONTROL_EVENT_YIELDED:
    return; /* told as the end of the session */
  default:
    g_snprintf (event.message, sizeof event.message, "%s: %s owns the control of the robot", id,
                source);
  }
  g_strlcpy (event.name, name, sizeof event.name);
  acq_node_event (node, &event);
}

void
robot_tell_silent (AcqNode *node, RobotSensor sensor)
{
  acq_node_notice (
      node, ACQ_EVENT_SEVERITY_WARNING, "not_confirmed",
      "%s: the robot did not confirm the stream %s after %d tries; it may not do so for "
      "clients that do not own its control, or may not have it. The rest is recorded",
      acq_node_get_id (node), robot_sensors[sensor].name, ROBOT_SENSOR_TRIES);
}

void
robot_tell_flaw_counts (AcqNode *node, RobotDecoder *decoder)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_NOTICE, .severity = ACQ_EVENT_SEVERITY_INFO };
  g_autoptr (GString) details = g_string_new ("{");

  for (guint i = 0; i < ROBOT_N_FLAWS; i++) {
    if (decoder->flaws[i] == 0)
      continue;
    event.count += decoder->flaws[i];
    g_string_append_printf (details, "%s\"%s\":%" G_GUINT64_FORMAT, details->len > 1 ? "," : "",
                            robot_flaw_name ((RobotFlaw) i), decoder->flaws[i]);
    decoder->flaws[i] = 0;
  }
  if (event.count == 0)
    return;
  g_string_append_c (details, '}');
  g_strlcpy (event.name, "flaw_counts", sizeof event.name);
  g_snprintf (event.message, sizeof event.message,
              "%s: flaws in the messages of this connection, by kind", acq_node_get_id (node));
  g_strlcpy (event.details, details->str, sizeof event.details);
  acq_node_event (node, &event);
}

void
robot_tell_reject (AcqNode *node, RobotReject reject)
{
  acq_node_notice (
      node, ACQ_EVENT_SEVERITY_WARNING, robot_reject_name (reject),
      "%s: the robot sent something that is no message (%s); told once for each reason",
      acq_node_get_id (node), robot_reject_name (reject));
}

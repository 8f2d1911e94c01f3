/* SPDX-License-Identifier: Apache-2.0 */

/* The fault plan and the failing calls, out of the configuration. */

#include "standin-private.h"

#include <string.h>

/* "at" is a frame of the subscription (a number), or a time ("2s"). */
static void
read_when (SimReader *reader, SimTrouble *fault, int64_t base_ns)
{
  JsonNode *node = json_object_get_member (reader->object, "at");

  if (node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
      json_node_get_value_type (node) == G_TYPE_INT64) {
    fault->by_frame = TRUE;
    fault->at_frame = (guint64) sim_read_number (reader, "at", 0);
  } else {
    fault->at_ns = base_ns + sim_read_duration (reader, "at", 0);
  }
  fault->for_ns = sim_read_duration (reader, "for", SIM_NEVER);
  fault->every = (guint64) sim_read_number (reader, "every", 0);
  fault->chance = sim_read_number (reader, "p", 0);
  fault->again = sim_read_bool (reader, "again", FALSE);
  fault->times = (guint64) sim_read_number (reader, "times", fault->every > 0 ? 1e9 : 1);
}

static gboolean
is_of_device (SimTroubleType type)
{
  return type >= SIM_TROUBLE_DISCONNECT;
}

void
sim_plan_add_fault (JsonObject *object, int64_t base_ns)
{
  static const char *const ends[] = { "end", "error", "silent", NULL };
  SimReader reader = sim_reader (object, "a fault");
  SimTrouble fault = { 0 };
  const char *text;
  unsigned end;
  unsigned n = atomic_load (&sim.n_faults);

  if (n == SIM_MAX_FAULTS)
    sim_config_wrong ("more than %d faults", SIM_MAX_FAULTS);
  fault.type = (SimTroubleType) sim_read_choice (&reader, "kind", sim_fault_names, NULL);
  read_when (&reader, &fault, base_ns);
  fault.devices = sim_read_devices (&reader, "device");
  fault.streams = sim_read_streams (
      &reader, "on", fault.type == SIM_TROUBLE_BOARD ? "tactile/pressure_frame" : "*");
  fault.n = (guint64) sim_read_number (&reader, "n", 1);
  if (fault.type == SIM_TROUBLE_GAP)
    fault.times *= fault.n;
  fault.value = (int64_t) sim_read_number (&reader, "value", 0);
  fault.joint = (guint) sim_read_number (&reader, "joint", 0);
  fault.mask = sim_read_bits (&reader, "joints");
  fault.reboot = sim_read_bool (&reader, "reboot", FALSE);
  fault.how = (SimGarbage) sim_read_choice (&reader, "how", sim_garbage_names, "none");
  end = sim_read_choice (&reader, "as", ends, "end");
  fault.end = end == 1 ? WUJI_FRAME_KIND_ERROR : WUJI_FRAME_KIND_END;
  fault.silent = end == 2;
  text = sim_read_text (&reader, "text", "");
  g_strlcpy (fault.text, text != NULL ? text : "", sizeof fault.text);
  sim_reader_finish (&reader);
  if (is_of_device (fault.type) && fault.by_frame)
    sim_config_wrong ("the fault \"%s\" is of a device: \"at\" is a time such as \"2s\"",
                      sim_fault_names[fault.type]);
  sim.faults[n] = fault;
  atomic_store (&sim.n_faults, n + 1);
}

void
sim_plan_add_call (JsonObject *object)
{
  SimReader reader = sim_reader (object, "a failing call");
  SimCallFault *fault = &sim.call_faults[sim.n_call_faults];
  const char *name = sim_read_text (&reader, "call", NULL);
  const char *text = sim_read_text (&reader, "text", "injected failure");

  if (sim.n_call_faults == SIM_MAX_FAULTS)
    sim_config_wrong ("more than %d failing calls", SIM_MAX_FAULTS);
  if (name == NULL)
    sim_config_wrong ("a failing call has no \"call\"");
  *fault =
      (SimCallFault){ .delay_ms = (unsigned) (sim_read_duration (&reader, "delay", 0) / 1000000),
                      .fails = json_object_has_member (object, "status"),
                      .status = (WujiStatus) sim_read_number (&reader, "status", 0),
                      .times = (gint64) sim_read_number (&reader, "times", -1),
                      .devices = sim_read_devices (&reader, "device") };
  g_strlcpy (fault->name, name, sizeof fault->name);
  g_strlcpy (fault->text, text != NULL ? text : "", sizeof fault->text);
  sim_reader_finish (&reader);
  sim.n_call_faults++;
}

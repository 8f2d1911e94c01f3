/* SPDX-License-Identifier: Apache-2.0 */

#include "../sim-pace.h"
#include "sim-robot-ws.h"
#include "sim-robot.h"

#define LINK_HZ 100.0

gboolean
sim_robot_is_quiet (const SimRobot *self, gint64 now_ns)
{
  return now_ns < self->stall_ns || now_ns < self->deaf_ns;
}

static void
hang_up_all (SimRobot *self, gboolean udp_too, gboolean reset)
{
  for (guint i = 0; i < self->clients->len; i++) {
    SimRobotClient *client = self->clients->pdata[i];

    if (!client->udp || udp_too)
      sim_robot_hang_up (self, client, reset);
  }
}

static void
take_control (SimRobot *self, SimRobotOwner owner)
{
  self->owner = owner;
  self->owner_client = NULL;
  sim_robot_tell_all (self, owner == SIM_OWNER_NONE ? 1017 : 1016);
}

static void
ping_all (SimRobot *self)
{
  g_autoptr (GByteArray) ping = g_byte_array_new ();

  sim_ws_append (ping, TRUE, 0, SIM_WS_PING, FALSE, "robot", 5);
  for (guint i = 0; i < self->clients->len; i++) {
    SimRobotClient *client = self->clients->pdata[i];

    if (!client->udp && client->upgraded)
      sim_robot_transmit (self, client, ping->data, ping->len, FALSE);
  }
}

static void
strike (SimRobot *self, const SimFault *fault, gint64 now_ns)
{
  gint64 until = now_ns + fault->values[0] * 1000000;

  switch ((SimRobotFaultKind) fault->kind) {
  case SIM_ROBOT_CLOSE:
    for (guint i = 0; i < self->clients->len; i++)
      sim_robot_close (self, self->clients->pdata[i], (int) fault->values[0]);
    break;
  case SIM_ROBOT_DROP:
    hang_up_all (self, FALSE, fault->values[0] == 1);
    break;
  case SIM_ROBOT_STALL:
    self->stall_ns = until;
    break;
  case SIM_ROBOT_DEAF:
    self->deaf_ns = until;
    break;
  case SIM_ROBOT_REBOOT:
    hang_up_all (self, TRUE, FALSE);
    sim_robot_unlisten (self);
    self->down_ns = until;
    break;
  case SIM_ROBOT_TAKE:
    take_control (self, (SimRobotOwner) fault->values[0]);
    break;
  case SIM_ROBOT_RELEASE:
    take_control (self, SIM_OWNER_NONE);
    break;
  case SIM_ROBOT_CLOCK:
    self->clock_ms += fault->values[0];
    break;
  case SIM_ROBOT_PING:
    ping_all (self);
    break;
  case SIM_ROBOT_UNKNOWN:
    sim_robot_tell_all (self, (guint) fault->values[0]);
    break;
  case SIM_ROBOT_GOODBYE:
    sim_robot_tell_all (self, 1050);
    break;
  default:
    return; /* of single messages */
  }
  for (guint i = 0; i < self->clients->len; i++) {
    SimRobotClient *client = self->clients->pdata[i];

    if (client->accepted && (!client->gone || client->left_ns >= now_ns - self->start_ns))
      sim_robot_count_fault (client, SIM_ROBOT_LINK, fault);
  }
}

static void
run_link_beat (SimRobot *self, guint64 beat, gint64 now_ns)
{
  const SimFaultPlan *plan = self->options.faults;
  gint64 period = (gint64) (1e9 / LINK_HZ);

  for (gsize i = 0; i < plan->n_faults; i++)
    if (sim_fault_fires (&plan->faults[i], (guint64) self->options.seed, SIM_ROBOT_LINK, beat,
                         sim_beat_ns (beat, LINK_HZ), period))
      strike (self, &plan->faults[i], now_ns);
}

static void
send_sample (SimRobot *self, SimRobotStream stream, guint64 k)
{
  gint64 beat_ns = (gint64) sim_robot_sample_ns (&self->model, stream, k);
  gboolean made = FALSE;

  for (guint i = 0; i < self->clients->len; i++) {
    SimRobotClient *client = self->clients->pdata[i];

    if (client->gone || !client->accepted || client->close_sent ||
        (stream >= SIM_ROBOT_IMU && !client->enabled[stream]))
      continue;
    if (!made) {
      g_string_truncate (self->text, 0);
      sim_robot_write (&self->model, stream, k, (int) self->owner, self->clock_ms, self->text);
      made = TRUE;
    }
    sim_robot_say (self, client, stream, k, beat_ns, (gint64) (1e9 / self->model.rates[stream]),
                   self->next_id++);
  }
}

static gint64
run_later (SimRobot *self, gint64 now_ns)
{
  gint64 next = G_MAXINT64;

  for (guint i = 0; i < self->later->len;) {
    SimRobotLater later = g_array_index (self->later, SimRobotLater, i);
    gsize size;
    gconstpointer bytes;

    if (later.due_ns > now_ns) {
      next = MIN (next, later.due_ns);
      i++;
      continue;
    }
    bytes = g_bytes_get_data (later.bytes, &size);
    sim_robot_transmit (self, self->clients->pdata[later.client - 1], bytes, size, FALSE);
    g_bytes_unref (later.bytes);
    g_array_remove_index (self->later, i);
  }
  return next;
}

gint64
sim_robot_run_due (SimRobot *self, gint64 now_ns)
{
  gint64 next = run_later (self, now_ns);

  if (self->down_ns != 0 && now_ns >= self->down_ns) {
    g_autoptr (GError) error = NULL;

    self->down_ns = 0;
    if (!sim_robot_listen (self, &error))
      g_printerr ("%s: after the reboot: %s\n", g_get_prgname (), error->message);
  }
  if (self->down_ns != 0)
    next = MIN (next, self->down_ns);
  if (self->zero_ns == 0)
    return next;
  while (self->zero_ns + sim_beat_ns (self->beats[SIM_ROBOT_LINK], LINK_HZ) <= now_ns)
    run_link_beat (self, self->beats[SIM_ROBOT_LINK]++, now_ns);
  next = MIN (next, self->zero_ns + sim_beat_ns (self->beats[SIM_ROBOT_LINK], LINK_HZ));
  for (guint stream = 0; stream < SIM_ROBOT_N_TELEMETRY; stream++) {
    guint64 *k = &self->beats[stream];

    for (; self->zero_ns + sim_beat_ns (*k, self->model.rates[stream]) <= now_ns; ++*k)
      if (now_ns >= self->stall_ns)
        send_sample (self, (SimRobotStream) stream, *k);
    next = MIN (next, self->zero_ns + sim_beat_ns (*k, self->model.rates[stream]));
  }
  return next;
}

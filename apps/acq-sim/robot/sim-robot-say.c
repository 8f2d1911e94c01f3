/* SPDX-License-Identifier: Apache-2.0 */

#include <string.h>

#include "../sim-pace.h"
#include "sim-robot-ws.h"
#include "sim-robot.h"

static void
count (GHashTable *table, gpointer key)
{
  gpointer n = g_hash_table_lookup (table, key);

  g_hash_table_insert (table, key, GSIZE_TO_POINTER (GPOINTER_TO_SIZE (n) + 1));
}

void
sim_robot_count_received (SimRobotClient *client, guint type)
{
  count (client->received, GUINT_TO_POINTER (type));
}

void
sim_robot_count_fault (SimRobotClient *client, guint stream, const SimFault *fault)
{
  count (client->faults, sim_robot_fault_name (stream, fault));
}

typedef struct {
  const SimFault *field, *json, *unit, *huge, *frame, *stamp, *delay;
  gboolean loss, duplicate, elsewhere;
} Damage;

static const SimFault **
slot_of (Damage *damage, guint kind)
{
  switch (kind) {
  case SIM_ROBOT_FIELD:
    return &damage->field;
  case SIM_ROBOT_JSON:
    return &damage->json;
  case SIM_ROBOT_UNIT:
    return &damage->unit;
  case SIM_ROBOT_HUGE:
    return &damage->huge;
  case SIM_ROBOT_FRAME:
    return &damage->frame;
  case SIM_ROBOT_STAMP:
    return &damage->stamp;
  case SIM_ROBOT_DELAY:
    return &damage->delay;
  default:
    return NULL;
  }
}

/* What the plan has for this message. Where two entries say the same, the first one counts. */
static Damage
find_damage (SimRobot *self, SimRobotClient *client, guint stream, guint64 beat, gint64 beat_ns,
             gint64 period_ns)
{
  const SimFaultPlan *plan = self->options.faults;
  Damage damage = { 0 };

  for (gsize i = 0; i < plan->n_faults; i++) {
    const SimFault *fault = &plan->faults[i];
    const SimFault **slot = slot_of (&damage, fault->kind);

    if ((slot == NULL && fault->kind != SIM_ROBOT_LOSS && fault->kind != SIM_ROBOT_DUPLICATE &&
         fault->kind != SIM_ROBOT_ELSEWHERE) ||
        (slot != NULL && *slot != NULL) || (client->udp && fault->kind == SIM_ROBOT_FRAME) ||
        (!client->udp && fault->kind == SIM_ROBOT_ELSEWHERE) ||
        (stream != SIM_ROBOT_MOTION && fault->kind == SIM_ROBOT_STAMP) ||
        !sim_fault_fires (fault, (guint64) self->options.seed, stream, beat, beat_ns, period_ns))
      continue;
    if (slot != NULL)
      *slot = fault;
    damage.loss |= fault->kind == SIM_ROBOT_LOSS;
    damage.duplicate |= fault->kind == SIM_ROBOT_DUPLICATE;
    damage.elsewhere |= fault->kind == SIM_ROBOT_ELSEWHERE;
    sim_robot_count_fault (client, stream, fault);
  }
  return damage;
}

static void
damage_stamp (SimRobot *self, guint64 beat, int how)
{
  char *at = strstr (self->text->str, "\"time_stamp\":");
  guint64 k = how == 1 && beat > 0 ? beat - 1 : 0;
  SimRobotMotion motion;
  g_autofree char *stamp = NULL;
  gsize begin, end;

  if (at == NULL)
    return;
  sim_robot_motion (&self->model, k, &motion);
  stamp = how == 0 ? g_strdup ("0")
                   : g_strdup_printf ("%" G_GUINT64_FORMAT, motion.time_stamp - (how == 2));
  begin = (gsize) (at - self->text->str) + strlen ("\"time_stamp\":");
  end = begin + strspn (self->text->str + begin, "0123456789");
  g_string_erase (self->text, (gssize) begin, (gssize) (end - begin));
  g_string_insert (self->text, (gssize) begin, stamp);
}

static GByteArray *
make_unit (const GString *text, guint16 msg_id)
{
  GByteArray *unit = g_byte_array_new ();
  guint8 header[16] = {
    'Z', 'S', 'K', 'J', text->len & 0xFF, text->len >> 8 & 0xFF, msg_id & 0xFF, msg_id >> 8
  };

  g_byte_array_append (unit, header, sizeof header);
  g_byte_array_append (unit, (const guint8 *) text->str, (guint) text->len);
  return unit;
}

static void
damage_unit (GByteArray *unit, int how)
{
  guint length = unit->len - 16;

  switch (how) {
  case SIM_UNIT_SYNC:
    unit->data[3] = 'X';
    break;
  case SIM_UNIT_SHORT:
    unit->data[4] = (guint8) (length - 1);
    unit->data[5] = (guint8) ((length - 1) >> 8);
    break;
  case SIM_UNIT_LONG:
    unit->data[4] = (guint8) (length + 1);
    unit->data[5] = (guint8) ((length + 1) >> 8);
    break;
  case SIM_UNIT_TRAILING:
    g_byte_array_append (unit, (const guint8 *) "\n", 1);
    break;
  case SIM_UNIT_EMPTY:
    g_byte_array_set_size (unit, 16);
    unit->data[4] = unit->data[5] = 0;
    break;
  case SIM_UNIT_TINY:
    g_byte_array_set_size (unit, 7);
    break;
  case SIM_UNIT_TWO: {
    g_autofree guint8 *copy = g_memdup2 (unit->data, unit->len);

    g_byte_array_append (unit, copy, unit->len);
    break;
  }
  default:
    break;
  }
}

static void
frame_unit (GByteArray *out, const GByteArray *unit, const SimFault *fault, gboolean split)
{
  const guint8 *data = unit->data;
  gsize half = unit->len / 2;
  static const guint8 long_ping[200] = { 0 };

  if (split) {
    sim_ws_append (out, TRUE, 0, SIM_WS_BINARY, FALSE, data, half);
    sim_ws_append (out, TRUE, 0, SIM_WS_BINARY, FALSE, data + half, unit->len - half);
    return;
  }
  switch (fault == NULL ? -1 : (int) fault->values[0]) {
  case SIM_FRAME_TEXT:
    sim_ws_append (out, TRUE, 0, SIM_WS_TEXT, FALSE, data + 16, unit->len - 16);
    break;
  case SIM_FRAME_FRAGMENTS:
    sim_ws_append (out, FALSE, 0, SIM_WS_BINARY, FALSE, data, half);
    sim_ws_append (out, TRUE, 0, SIM_WS_PING, FALSE, "between", 7);
    sim_ws_append (out, FALSE, 0, SIM_WS_CONTINUATION, FALSE, NULL, 0);
    sim_ws_append (out, TRUE, 0, SIM_WS_CONTINUATION, FALSE, data + half, unit->len - half);
    break;
  case SIM_FRAME_LONG_PING:
    sim_ws_append (out, TRUE, 0, SIM_WS_PING, FALSE, long_ping, sizeof long_ping);
    break;
  case SIM_FRAME_MASKED:
  case SIM_FRAME_RSV:
  case SIM_FRAME_OPCODE:
    sim_ws_append (out, TRUE, fault->values[0] == SIM_FRAME_RSV ? 4 : 0,
                   fault->values[0] == SIM_FRAME_OPCODE ? 5 : SIM_WS_BINARY,
                   fault->values[0] == SIM_FRAME_MASKED, data, unit->len);
    break;
  default:
    sim_ws_append (out, TRUE, 0, SIM_WS_BINARY, FALSE, data, unit->len);
  }
}

/* Whether a perfect client decodes it. */
static gboolean
is_whole (const Damage *damage, gsize unit_size)
{
  return damage->json == NULL && damage->unit == NULL && !damage->elsewhere && unit_size <= 65551 &&
         (damage->frame == NULL || damage->frame->values[0] == SIM_FRAME_FRAGMENTS ||
          damage->frame->values[0] == SIM_FRAME_BYTEWISE);
}

static void
hand_over (SimRobot *self, SimRobotClient *client, const GByteArray *unit, const Damage *damage)
{
  g_autoptr (GByteArray) frames = g_byte_array_new ();
  gboolean split = damage->unit != NULL && damage->unit->values[0] == SIM_UNIT_SPLIT;

  if (!client->udp)
    frame_unit (frames, unit, damage->frame, split);
  if (damage->delay != NULL) {
    const GByteArray *what = client->udp ? unit : frames;
    SimRobotLater later = { sim_now_ns () + damage->delay->values[0] * 1000000, client->number,
                            g_bytes_new (what->data, what->len) };

    g_array_append_val (self->later, later);
  } else if (client->udp && split) {
    sim_robot_transmit (self, client, unit->data, unit->len / 2, damage->elsewhere);
    sim_robot_transmit (self, client, unit->data + unit->len / 2, unit->len - unit->len / 2,
                        damage->elsewhere);
  } else if (client->udp) {
    sim_robot_transmit (self, client, unit->data, unit->len, damage->elsewhere);
  } else if (damage->frame != NULL && damage->frame->values[0] == SIM_FRAME_BYTEWISE) {
    sim_robot_trickle (self, client, frames->data, frames->len);
  } else {
    sim_robot_transmit (self, client, frames->data, frames->len, FALSE);
  }
}

void
sim_robot_say (SimRobot *self, SimRobotClient *client, guint stream, guint64 beat, gint64 beat_ns,
               gint64 period_ns, guint16 msg_id)
{
  Damage damage = find_damage (self, client, stream, beat, beat_ns, period_ns);
  g_autofree char *original = g_strdup (self->text->str);
  g_autoptr (GByteArray) unit = NULL;
  SimRobotSent *sent = &client->sent[stream];
  guint n = damage.duplicate ? 2 : 1;

  if (damage.loss)
    return;
  if (damage.field != NULL)
    sim_robot_damage_field (self->text, (SimRobotFieldDamage) damage.field->values[0],
                            (guint) damage.field->values[1]);
  if (damage.stamp != NULL)
    damage_stamp (self, beat, (int) damage.stamp->values[0]);
  if (damage.json != NULL)
    sim_robot_damage_json (self->text, (int) damage.json->values[0]);
  while (damage.huge != NULL && self->text->len + 16 < (gsize) damage.huge->values[0])
    g_string_append_c (self->text, ' ');
  unit = make_unit (self->text, msg_id);
  if (damage.unit != NULL)
    damage_unit (unit, (int) damage.unit->values[0]);
  for (guint i = 0; i < n; i++)
    hand_over (self, client, unit, &damage);
  if (is_whole (&damage, unit->len)) {
    sent->first = sent->sent == 0 ? beat : sent->first;
    sent->last = beat;
    sent->sent += n;
  }
  g_string_assign (self->text, original); /* for the next client */
}

void
sim_robot_tell_all (SimRobot *self, guint type)
{
  for (guint i = 0; i < self->clients->len; i++) {
    SimRobotClient *client = self->clients->pdata[i];

    if (client->gone || !client->accepted)
      continue;
    if (type == 1016)
      client->taken = TRUE;
    g_string_printf (self->text, "{\"head\":{\"src\":1,\"time\":%" G_GINT64_FORMAT ",\"type\":%u}}",
                     g_get_real_time () / 1000 + self->clock_ms, type);
    sim_robot_say (self, client, SIM_ROBOT_LINK, self->beats[SIM_ROBOT_LINK], -1, 0,
                   self->next_id++);
  }
}

void
sim_robot_left (SimRobot *self, SimRobotClient *client)
{
  if (self->owner_client != client)
    return;
  self->owner_client = NULL;
  self->owner = SIM_OWNER_NONE;
  sim_robot_tell_all (self, 1017);
}

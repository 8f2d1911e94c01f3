/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-robot-damage.h"

#include <string.h>

static const char *const field_words[] = { "missing",  "null",        "text", "non_finite",
                                           "overflow", "short",       "long", "duplicate",
                                           "word",     "unknown_key", NULL };
static const char *const json_words[] = { "comma", "comment", "nan",       "cut",  "utf8", "tail",
                                          "array", "no_head", "text_type", "deep", NULL };
static const char *const unit_words[] = { "sync", "short", "long",  "trailing", "empty",
                                          "tiny", "two",   "split", NULL };
static const char *const frame_words[] = { "text", "fragments", "bytewise",  "masked",
                                           "rsv",  "opcode",    "long_ping", NULL };
static const char *const stamp_words[] = { "zero", "repeat", "back", NULL };
static const char *const http_words[] = { "404",     "302",    "200", "bad_accept",
                                          "garbage", "silent", NULL };
static const char *const drop_words[] = { "fin", "rst", NULL };
static const char *const owner_words[] = { "none", "app", "sdk", "external", NULL };

#define HOW(words, text)                                                                           \
  {                                                                                                \
    "how", text, words, 0, 0, 0                                                                    \
  }
#define NUMBER(name, text, def, min, max)                                                          \
  {                                                                                                \
    name, text, NULL, def, min, max                                                                \
  }
#define LASTS NUMBER ("ms", "how long", 1000, 1, 3600000)

static const SimFaultKind kinds[SIM_ROBOT_N_KINDS] = {
  [SIM_ROBOT_LOSS] = { "loss", "a message or an answer is not sent" },
  [SIM_ROBOT_DUPLICATE] = { "duplicate", "it is sent twice" },
  [SIM_ROBOT_DELAY] = { "delay", "it is sent later", { LASTS } },
  [SIM_ROBOT_FIELD] = { "field",
                        "one member of the data is damaged",
                        { HOW (field_words, "what becomes of it"),
                          NUMBER ("n", "which member", 0, 0, 1000) } },
  [SIM_ROBOT_JSON] = { "json", "the text is no message", { HOW (json_words, "in which way") } },
  [SIM_ROBOT_UNIT] = { "unit",
                       "the unit around the text is wrong",
                       { HOW (unit_words, "in which way") } },
  [SIM_ROBOT_HUGE] = { "huge",
                       "blanks make the message this long",
                       { NUMBER ("bytes", "size of the unit", 65551, 1000, 32000000) } },
  [SIM_ROBOT_FRAME] = { "frame",
                        "the WebSocket frames are unusual or wrong",
                        { HOW (frame_words, "in which way") } },
  [SIM_ROBOT_STAMP] = { "stamp",
                        "time_stamp of message 1102 is wrong",
                        { HOW (stamp_words, "in which way") } },
  [SIM_ROBOT_ELSEWHERE] = { "elsewhere", "a datagram comes from another port" },
  [SIM_ROBOT_HTTP] = { "http",
                       "the upgrade is not answered as it should (on=upgrade)",
                       { HOW (http_words, "but with") } },
  [SIM_ROBOT_REFUSE] = { "refuse",
                         "the handshake is refused (on=handshake)",
                         { NUMBER ("status", "status_code", 20, 1, 100000) } },
  [SIM_ROBOT_JUNK] = { "junk",
                       "other messages come before the answer (on=handshake)",
                       { NUMBER ("n", "how many", 3, 1, 1000) } },
  [SIM_ROBOT_CLOSE] = { "close",
                        "the robot closes WebSocket clients (on=link)",
                        { NUMBER ("code", "close code; 0 is none", 1001, 0, 4999) } },
  [SIM_ROBOT_DROP] = { "drop",
                       "the WebSocket connections break (on=link)",
                       { HOW (drop_words, "by") } },
  [SIM_ROBOT_STALL] = { "stall", "nothing at all is sent (on=link)", { LASTS } },
  [SIM_ROBOT_DEAF] = { "deaf", "telemetry only, no answers (on=link)", { LASTS } },
  [SIM_ROBOT_REBOOT] = { "reboot",
                         "all connections break, the ports are closed (on=link)",
                         { LASTS } },
  [SIM_ROBOT_TAKE] = { "take",
                       "somebody takes control (on=link)",
                       { { "by", "class of client", owner_words, 1, 0, 0 } } },
  [SIM_ROBOT_RELEASE] = { "release", "control is released (on=link)" },
  [SIM_ROBOT_CLOCK] = { "clock",
                        "the robot's clock steps (on=link)",
                        { NUMBER ("ms", "by", 3600000, -4000000000000, 4000000000000) } },
  [SIM_ROBOT_PING] = { "ping", "a WebSocket ping (on=link)" },
  [SIM_ROBOT_UNKNOWN] = { "unknown",
                          "a message that nobody knows (on=link)",
                          { NUMBER ("type", "head.type", 1019, 0, 100000) } },
  [SIM_ROBOT_GOODBYE] = { "goodbye", "the robot sends message 1050 (on=link)" },
};

static const char *const stream_words[SIM_ROBOT_N_STREAMS + 1] = {
  "state",   "faults",    "imu",       "lux",    "motion", "speed", "joints",
  "upgrade", "handshake", "heartbeat", "sensor", "link",   NULL
};

const SimFaultGrammar sim_robot_grammar = { kinds, SIM_ROBOT_N_KINDS, stream_words };

char *
sim_robot_fault_name (guint stream, const SimFault *fault)
{
  const SimFaultKind *kind = &kinds[fault->kind];
  const char *const *choices = kind->keys[0].choices;

  return g_strdup_printf ("%s %s%s%s", stream_words[stream], kind->name, choices ? ":" : "",
                          choices ? choices[fault->values[0]] : "");
}

/* ---- text surgery ---- */

/* Behind the value that begins at `at`. */
static gsize
end_of_value (const char *text, gsize at)
{
  int depth = 0;

  for (;; at++) {
    if (text[at] == '"') {
      for (at++; text[at] != '"'; at++)
        at += text[at] == '\\';
    } else if (text[at] == '{' || text[at] == '[') {
      depth++;
    } else if (text[at] == '}' || text[at] == ']') {
      if (depth-- == 0)
        return at;
    } else if (text[at] == ',' && depth == 0) {
      return at;
    }
  }
}

/* Finds a member of the data object: where its key begins, its value begins and ends. */
static gboolean
find_member (const GString *json, guint n, gsize *ret_key, gsize *ret_value, gsize *ret_end)
{
  static const char opening[] = "{\"data\":{";
  gsize starts[128], values[128], ends[128];
  guint count = 0;
  gsize at = sizeof opening - 1;

  if (!g_str_has_prefix (json->str, opening) || json->str[at] == '}')
    return FALSE;
  while (count < G_N_ELEMENTS (starts)) {
    starts[count] = at;
    values[count] = (gsize) (strchr (json->str + at, ':') - json->str) + 1;
    ends[count] = end_of_value (json->str, values[count]);
    at = ends[count++] + 1;
    if (json->str[at - 1] != ',')
      break;
  }
  n %= count;
  *ret_key = starts[n];
  *ret_value = values[n];
  *ret_end = ends[n];
  return TRUE;
}

static void
replace (GString *json, gsize from, gsize to, const char *with)
{
  g_string_erase (json, (gssize) from, (gssize) (to - from));
  g_string_insert (json, (gssize) from, with);
}

void
sim_robot_damage_field (GString *json, SimRobotFieldDamage how, guint n)
{
  static const char *const values[] = {
    [SIM_FIELD_NULL] = "null",        [SIM_FIELD_TEXT] = "\"text\"",
    [SIM_FIELD_NON_FINITE] = "1e400", [SIM_FIELD_OVERFLOW] = "99999999999999999999999",
    [SIM_FIELD_SHORT] = "[0.5]",      [SIM_FIELD_WORD] = "\"moonwalk\""
  };
  gsize key, value, end;
  g_autofree char *member = NULL;

  if (!find_member (json, n, &key, &value, &end))
    return;
  switch (how) {
  case SIM_FIELD_MISSING:
    if (json->str[end] == ',')
      end++;
    else if (json->str[key - 1] == ',')
      key--;
    g_string_erase (json, (gssize) key, (gssize) (end - key));
    break;
  case SIM_FIELD_DUPLICATE:
    member = g_strndup (json->str + key, end - key);
    g_string_insert_c (json, (gssize) end, ',');
    g_string_insert (json, (gssize) end + 1, member);
    break;
  case SIM_FIELD_UNKNOWN_KEY:
    g_string_insert (json, (gssize) key, "\"future_key\":{\"a\":[1,2]},");
    break;
  case SIM_FIELD_LONG:
    member = g_strnfill (2 * 70, ',');
    for (guint i = 0; i < 70; i++)
      member[2 * i] = '1';
    member[2 * 70 - 1] = ']';
    replace (json, value, end, member);
    g_string_insert_c (json, (gssize) value, '[');
    break;
  default:
    replace (json, value, end, values[how]);
  }
}

void
sim_robot_damage_json (GString *json, int how)
{
  static const char *const whole[] = {
    [6] = "[1,2]", [7] = "{\"data\":{}}", [8] = "{\"data\":{},\"head\":{\"type\":\"1101\"}}"
  };

  switch (how) {
  case 0:
    g_string_insert_c (json, (gssize) json->len - 1, ',');
    break;
  case 1:
    g_string_insert (json, 1, "/* comment */");
    break;
  case 2:
    g_string_insert (json, 1, "\"nan\":NaN,");
    break;
  case 3:
    g_string_truncate (json, json->len / 2);
    break;
  case 4:
    g_string_insert (json, 1, "\"bytes\":\"\xC3\x28\",");
    break;
  case 5:
    g_string_append (json, "{}");
    break;
  case 9:
    g_string_truncate (json, 0);
    for (guint i = 0; i < 200; i++)
      g_string_append (json, "{\"a\":");
    g_string_append_c (json, '1');
    for (guint i = 0; i < 200; i++)
      g_string_append_c (json, '}');
    break;
  default:
    g_string_assign (json, whole[how]);
  }
}

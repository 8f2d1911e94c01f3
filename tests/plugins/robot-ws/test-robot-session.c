/* SPDX-License-Identifier: Apache-2.0 */

#include <string.h>

#include "robot-session.h"

#define MS G_GINT64_CONSTANT (1000000)
#define S (1000 * MS)
#define T0 (G_GINT64_CONSTANT (1767225600) * S)

static const RobotSessionConfig plain = {
  .src = ROBOT_SRC_EXTERNAL,
  .speed_hz = 10,
  .yield_ownership = TRUE,
  .connect_timeout_ns = 5 * S,
  .idle_timeout_ns = 5 * S,
  .retry_ns = 15 * S,
  .busy_retry_ns = 30 * S,
  .refused_retry_ns = 300 * S,
  .yield_retry_ns = 60 * S,
  .version = "1",
  .device = "recorder",
  .platform = "linux",
  .package_name = "test",
};

typedef struct {
  RobotSessionConfig config;
  RobotSession session;
  gint64 now;
  GString *log; /* what it did, a word each */
} Fixture;

static const RobotHandshakeReply accepted = { .status_code = 0 };

/* Each action in a word or two: `+1000` is a message, `@0.2` the time since the start. */
static void
drain (Fixture *f)
{
  RobotAction action;

  while (robot_session_next (&f->session, &action)) {
    if (f->log->len > 0)
      g_string_append_c (f->log, ' ');
    switch (action.kind) {
    case ROBOT_ACTION_SEND:
      g_string_append_printf (f->log, "+%d", action.request.type);
      if (action.request.type == ROBOT_TYPE_SENSOR)
        g_string_append_printf (f->log, "/%u=%d", robot_sensors[action.request.sensor.sensor].id,
                                action.request.sensor.enable);
      break;
    case ROBOT_ACTION_READY:
      g_string_append (f->log, "ready");
      break;
    case ROBOT_ACTION_CONTROL:
      g_string_append_printf (f->log, "control%d:%d->%d", action.control.event,
                              action.control.previous, action.control.source);
      break;
    case ROBOT_ACTION_LINK:
      g_string_append_printf (f->log, "rtt%d", (int) (action.link.round_trip_ns / MS));
      break;
    case ROBOT_ACTION_SILENT:
      g_string_append_printf (f->log, "silent/%u", robot_sensors[action.sensor].id);
      break;
    case ROBOT_ACTION_END:
      g_string_append_printf (f->log, "end:%s,%ds%s", action.end.cause,
                              (int) (action.end.retry_ns / S), action.end.polite ? ",polite" : "");
      break;
    }
  }
}

static void
assert_log (Fixture *f, const char *expected)
{
  drain (f);
  g_assert_cmpstr (f->log->str, ==, expected);
  g_string_truncate (f->log, 0);
}

/* Time goes on; every deadline is met to the nanosecond, as a timer would. */
static void
wait_for (Fixture *f, gint64 ns)
{
  gint64 end = f->now + ns;

  while (robot_session_deadline (&f->session) <= end) {
    f->now = MAX (f->now, robot_session_deadline (&f->session));
    robot_session_tick (&f->session, f->now);
    drain (f);
  }
  f->now = end;
}

static void
begin (Fixture *f, const RobotSessionConfig *config)
{
  f->config = *config;
  f->now = T0;
  f->log = g_string_new ("");
  robot_session_init (&f->session, &f->config);
  robot_session_start (&f->session, f->now);
}

static void
end (Fixture *f)
{
  g_string_free (f->log, TRUE);
}

/* Connected and accepted. */
static void
run (Fixture *f, const RobotSessionConfig *config)
{
  begin (f, config);
  robot_session_connected (&f->session, f->now);
  robot_session_bytes (&f->session, f->now);
  robot_session_handshake (&f->session, &accepted, f->now);
  drain (f);
  g_string_truncate (f->log, 0);
}

static void
test_handshake (void)
{
  Fixture f;
  RobotHandshakeReply none = { .status_code = -1 };

  begin (&f, &plain);
  wait_for (&f, 100 * MS);
  assert_log (&f, "");
  robot_session_connected (&f.session, f.now);
  assert_log (&f, "+1000");
  wait_for (&f, 700 * MS);
  assert_log (&f, "+1000 +1000 +1000"); /* again at 200, 400 and 600 ms */
  robot_session_handshake (&f.session, &none, f.now);
  robot_session_owner (&f.session, 3, f.now); /* telemetry before the reply counts for nothing */
  robot_session_control (&f.session, ROBOT_TYPE_TAKEN);
  robot_session_echo (&f.session, 5, 5, f.now);
  assert_log (&f, "");
  robot_session_handshake (&f.session, &accepted, f.now);
  assert_log (&f, "ready");
  robot_session_handshake (&f.session, &(RobotHandshakeReply){ .status_code = 20 }, f.now);
  assert_log (&f, "");
  end (&f);
}

static void
test_budget (void)
{
  Fixture f;

  begin (&f, &plain);
  wait_for (&f, 6 * S);
  assert_log (&f, "end:connect_timeout,0s");
  g_assert_cmpint (robot_session_deadline (&f.session), ==, G_MAXINT64);
  end (&f);

  begin (&f, &plain);
  wait_for (&f, 4500 * MS);
  robot_session_connected (&f.session, f.now);
  wait_for (&f, 6 * S);
  assert_log (&f, "+1000 +1000 +1000 end:no_handshake,15s,polite");
  end (&f);
}

static void
test_refusals (void)
{
  static const struct {
    gint32 status;
    gboolean udp;
    const char *log;
  } cases[] = {
    { 10, FALSE, "end:protocol_mismatch,300s,polite" },
    { 20, FALSE, "end:controlled_by_another,30s,polite" },
    { 99, FALSE, "end:refused,300s,polite" },
    { 20, TRUE, "+1050 end:controlled_by_another,30s,polite" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    RobotSessionConfig config = plain;
    Fixture f;

    config.udp = cases[i].udp;
    begin (&f, &config);
    robot_session_connected (&f.session, f.now);
    assert_log (&f, "+1000");
    robot_session_handshake (&f.session, &(RobotHandshakeReply){ .status_code = cases[i].status },
                             f.now);
    assert_log (&f, cases[i].log);
    wait_for (&f, 60 * S);
    robot_session_stop (&f.session, f.now);
    robot_session_closed (&f.session, "closed");
    assert_log (&f, "");
    end (&f);
  }
}

static void
test_heartbeat (void)
{
  Fixture f;
  guint64 sent_ms;

  run (&f, &plain);
  for (guint i = 0; i < 50; i++) {
    robot_session_bytes (&f.session, f.now);
    wait_for (&f, 200 * MS);
    assert_log (&f, "+1001"); /* 5 Hz, whatever else happens */
  }
  sent_ms = (guint64) f.now / 1000000;
  robot_session_echo (&f.session, sent_ms, 12345, f.now + 3 * MS);
  assert_log (&f, "rtt3");
  robot_session_echo (&f.session, sent_ms, 12345, f.now + 4 * MS); /* once */
  assert_log (&f, "");
  robot_session_echo (&f.session, 0, 49, f.now); /* no time, but the number: 200 ms ago */
  assert_log (&f, "rtt200");

  /* After a sleep there is one, not the seven that were missed. */
  f.now += 1500 * MS;
  robot_session_bytes (&f.session, f.now);
  robot_session_tick (&f.session, f.now);
  assert_log (&f, "+1001");
  g_assert_cmpint (robot_session_deadline (&f.session), ==, f.now + 200 * MS);
  end (&f);
}

static void
test_silence (void)
{
  for (int udp = 0; udp < 2; udp++) {
    RobotSessionConfig config = plain;
    Fixture f;

    config.udp = udp;
    run (&f, &config);
    wait_for (&f, 4 * S);
    robot_session_bytes (&f.session, f.now);
    wait_for (&f, 4990 * MS);
    g_string_truncate (f.log, 0);
    wait_for (&f, 10 * MS);
    assert_log (&f, udp ? "+1050 end:silence,15s" : "end:silence,15s");
    end (&f);
  }
}

static void
alive (Fixture *f, gint64 ns)
{
  for (; ns > 0; ns -= 100 * MS) {
    robot_session_bytes (&f->session, f->now);
    wait_for (f, 100 * MS);
  }
}

/* Takes the heartbeats out of the log. */
static void
without_beats (Fixture *f)
{
  g_autoptr (GString) rest = g_string_new ("");
  g_auto (GStrv) words = NULL;

  drain (f);
  words = g_strsplit (f->log->str, " ", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], "+1001") != 0 && words[i][0] != '\0')
      g_string_append_printf (rest, "%s%s", rest->len > 0 ? " " : "", words[i]);
  g_string_assign (f->log, rest->str);
}

static void
test_sensors (void)
{
  RobotSessionConfig config = plain;
  RobotSensorReply yes = { .sensor = 40, .enable = 1, .freq = 10 };
  RobotSensorReply odd = { .sensor = -1, .enable = 1 };
  RobotSensorReply off = { .sensor = 10, .enable = 0 };
  Fixture f;

  config.sensors[ROBOT_SENSOR_IMU] = TRUE;
  config.sensors[ROBOT_SENSOR_SPEED] = TRUE;
  config.sensors[ROBOT_SENSOR_JOINTS] = TRUE;
  begin (&f, &config);
  robot_session_connected (&f.session, f.now);
  robot_session_handshake (&f.session, &accepted, f.now);
  assert_log (&f, "+1000 ready +1008/10=1 +1008/40=1 +1008/50=1");
  robot_session_sensor (&f.session, &yes);
  robot_session_sensor (&f.session, &odd);
  robot_session_sensor (&f.session, &off);
  robot_session_telemetry (&f.session, ROBOT_SENSOR_JOINTS); /* as good as an answer */
  alive (&f, 2900 * MS);
  without_beats (&f);
  assert_log (&f, "");
  alive (&f, 100 * MS);
  without_beats (&f);
  assert_log (&f, "+1008/10=1");
  alive (&f, 60 * S);
  without_beats (&f);
  assert_log (&f, "+1008/10=1 +1008/10=1 silent/10");

  /* A new connection asks for everything again. */
  robot_session_closed (&f.session, "reset");
  assert_log (&f, "end:reset,15s");
  robot_session_start (&f.session, f.now);
  robot_session_connected (&f.session, f.now);
  robot_session_handshake (&f.session, &accepted, f.now);
  assert_log (&f, "+1000 ready +1008/10=1 +1008/40=1 +1008/50=1");
  end (&f);
}

static void
test_sensors_after_taken (void)
{
  RobotSessionConfig config = plain;
  Fixture f;

  config.sensors[ROBOT_SENSOR_IMU] = TRUE;
  config.disable_on_stop = TRUE;
  config.udp = TRUE;
  run (&f, &config);
  robot_session_control (&f.session, ROBOT_TYPE_TAKEN);
  assert_log (&f, "control1:-1->-1");
  alive (&f, 20 * S);
  without_beats (&f);
  assert_log (&f, ""); /* nothing but heartbeats, and the goodbye */
  robot_session_control (&f.session, ROBOT_TYPE_RELEASED);
  robot_session_stop (&f.session, f.now);
  assert_log (&f, "control2:-1->-1 +1050 end:stopped,0s,polite");
  end (&f);
}

static void
test_stop (void)
{
  RobotSessionConfig config = plain;
  Fixture f;

  config.sensors[ROBOT_SENSOR_LUX] = TRUE;
  run (&f, &config);
  robot_session_stop (&f.session, f.now);
  assert_log (&f, "end:stopped,0s,polite");
  end (&f);

  config.disable_on_stop = TRUE;
  config.udp = TRUE;
  run (&f, &config);
  robot_session_stop (&f.session, f.now);
  assert_log (&f, "+1008/20=0 +1050 end:stopped,0s,polite");
  end (&f);

  begin (&f, &config);
  robot_session_stop (&f.session, f.now);
  robot_session_connected (&f.session, f.now);
  assert_log (&f, "end:stopped,0s");
  end (&f);

  begin (&f, &config);
  robot_session_connected (&f.session, f.now);
  robot_session_stop (&f.session, f.now);
  assert_log (&f, "+1000 +1050 end:stopped,0s,polite");
  end (&f);
}

/* Reports of the owner, one a line, and what the recorder does about them. */
static const struct {
  guint32 src;
  gboolean yield;
  gint32 reports[4]; /* ended by -2 */
  const char *log;
} owners[] = {
  { ROBOT_SRC_EXTERNAL, TRUE, { 1, 1, -2 }, "control3:-1->1" },
  { ROBOT_SRC_EXTERNAL, TRUE, { 0, 2, 0, -2 }, "control3:-1->0 control3:0->2 control3:2->0" },
  { ROBOT_SRC_EXTERNAL, TRUE, { 3, -2 }, "control4:-1->3 control5:-1->3 end:yielded,60s,polite" },
  { ROBOT_SRC_EXTERNAL,
    TRUE,
    { 0, 3, -2 },
    "control3:-1->0 control4:0->3 control5:0->3 end:yielded,60s,polite" },
  { ROBOT_SRC_EXTERNAL, TRUE, { 1, 3, -2 }, "control3:-1->1 control4:1->3" }, /* another of us */
  { ROBOT_SRC_EXTERNAL, FALSE, { 3, -2 }, "control4:-1->3" },
  { ROBOT_SRC_SDK, TRUE, { 2, -2 }, "control4:-1->2 control5:-1->2 end:yielded,60s,polite" },
  { ROBOT_SRC_SDK, TRUE, { 3, -2 }, "control3:-1->3" },
  { 77, TRUE, { 3, -2 }, "control3:-1->3" }, /* a class that no report can name */
  { ROBOT_SRC_EXTERNAL, TRUE, { -1, 255, -2 }, "control3:-1->255" },
};

static void
test_owners (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (owners); i++) {
    RobotSessionConfig config = plain;
    Fixture f;

    g_test_message ("case %u", i);
    config.src = owners[i].src;
    config.yield_ownership = owners[i].yield;
    run (&f, &config);
    for (guint n = 0; owners[i].reports[n] != -2; n++)
      robot_session_owner (&f.session, owners[i].reports[n], f.now);
    assert_log (&f, owners[i].log);
    end (&f);
  }
}

/* Who yields again and again does so more and more seldom; an owner who came resets that. */
static void
test_yield_backs_off (void)
{
  static const char *const expected[] = { "60s", "120s", "240s", "480s", "600s", "600s" };
  Fixture f;

  run (&f, &plain);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_autofree char *log = g_strdup_printf ("end:yielded,%s,polite", expected[i]);

    robot_session_owner (&f.session, 3, f.now);
    drain (&f);
    g_assert_nonnull (strstr (f.log->str, log));
    g_string_truncate (f.log, 0);
    robot_session_start (&f.session, f.now);
    robot_session_connected (&f.session, f.now);
    robot_session_handshake (&f.session, &accepted, f.now);
    drain (&f);
  }
  robot_session_owner (&f.session, 1, f.now);
  robot_session_start (&f.session, f.now);
  robot_session_connected (&f.session, f.now);
  robot_session_handshake (&f.session, &accepted, f.now);
  drain (&f);
  robot_session_owner (&f.session, 3, f.now);
  drain (&f);
  g_assert_nonnull (strstr (f.log->str, "end:yielded,60s"));
  end (&f);
}

/* Message numbers go on over connections and around their end. */
static void
test_numbers (void)
{
  Fixture f;
  RobotAction action;
  guint16 expected = 65534;

  begin (&f, &plain);
  f.session.msg_id = expected;
  for (guint i = 0; i < 4; i++) {
    robot_session_start (&f.session, f.now);
    robot_session_connected (&f.session, f.now);
    g_assert_true (robot_session_next (&f.session, &action));
    g_assert_cmpuint (action.request.msg_id, ==, expected++);
    g_assert_cmpuint (action.request.time_ms, ==, T0 / MS);
    g_assert_cmpuint (action.request.src, ==, 4);
  }
  end (&f);
}

/* Any input in any state: only the four messages, and an end that stays one. */
static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint round = 0; round < 300; round++) {
    RobotSessionConfig config = plain;
    RobotSession session;
    RobotAction action;
    gint64 now = T0;
    gboolean ended = FALSE;

    for (int i = 0; i < ROBOT_N_SENSORS; i++)
      config.sensors[i] = g_rand_boolean (rand);
    config.udp = g_rand_boolean (rand);
    config.yield_ownership = g_rand_boolean (rand);
    robot_session_init (&session, &config);
    robot_session_start (&session, now);
    for (guint step = 0; step < 200; step++) {
      RobotSensorReply reply = { g_rand_int_range (rand, -1, 60), (gint8) g_rand_boolean (rand),
                                 0 };
      RobotHandshakeReply hello = { .status_code = g_rand_int_range (rand, -1, 3) / 2 };

      now += g_rand_int_range (rand, 0, 400) * MS;
      switch (g_rand_int_range (rand, 0, 12)) {
      case 0:
        robot_session_connected (&session, now);
        break;
      case 1:
        robot_session_handshake (&session, &hello, now);
        break;
      case 2:
        robot_session_sensor (&session, &reply);
        break;
      case 3:
        robot_session_owner (&session, g_rand_int_range (rand, -1, 5), now);
        break;
      case 4:
        robot_session_control (&session, g_rand_boolean (rand) ? 1016 : 1017);
        break;
      case 5:
        robot_session_echo (&session, (guint64) now / 1000000, (guint16) step, now);
        break;
      case 6:
        robot_session_telemetry (&session, g_rand_int_range (rand, 0, ROBOT_N_SENSORS));
        break;
      case 7:
        if (g_rand_int_range (rand, 0, 40) == 0)
          robot_session_stop (&session, now);
        break;
      default:
        robot_session_bytes (&session, now);
        robot_session_tick (&session, now);
      }
      while (robot_session_next (&session, &action)) {
        RobotPacket packet;

        g_assert_false (ended);
        if (action.kind == ROBOT_ACTION_SEND)
          g_assert_true (robot_request_encode (&action.request, &packet));
        ended |= action.kind == ROBOT_ACTION_END;
      }
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/robot-session/handshake", test_handshake);
  g_test_add_func ("/robot-session/budget", test_budget);
  g_test_add_func ("/robot-session/refusals", test_refusals);
  g_test_add_func ("/robot-session/heartbeat", test_heartbeat);
  g_test_add_func ("/robot-session/silence", test_silence);
  g_test_add_func ("/robot-session/sensors", test_sensors);
  g_test_add_func ("/robot-session/sensors-after-taken", test_sensors_after_taken);
  g_test_add_func ("/robot-session/stop", test_stop);
  g_test_add_func ("/robot-session/owners", test_owners);
  g_test_add_func ("/robot-session/yield-backs-off", test_yield_backs_off);
  g_test_add_func ("/robot-session/numbers", test_numbers);
  g_test_add_func ("/robot-session/random", test_random);
  return g_test_run ();
}

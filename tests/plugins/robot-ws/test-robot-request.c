/* SPDX-License-Identifier: Apache-2.0 */

#include <string.h>

#include "robot-request.h"

static RobotRequest
handshake (void)
{
  return (RobotRequest){ .type = ROBOT_TYPE_HANDSHAKE,
                         .msg_id = 0,
                         .src = ROBOT_SRC_EXTERNAL,
                         .time_ms = 1767225600000,
                         .handshake = { .version = "0.1.0",
                                        .device = "recorder",
                                        .platform = "linux",
                                        .package_name = "org.example.recorder" } };
}

static void
assert_packet (const RobotRequest *request, const char *header, const char *json)
{
  RobotPacket packet;

  g_assert_true (robot_request_encode (request, &packet));
  g_assert_cmpmem (packet.bytes, ROBOT_HEADER_SIZE, header, ROBOT_HEADER_SIZE);
  g_assert_cmpmem (packet.bytes + ROBOT_HEADER_SIZE, packet.size - ROBOT_HEADER_SIZE, json,
                   strlen (json));
}

static void
test_bytes (void)
{
  RobotRequest request = handshake ();

  assert_packet (&request, "ZSKJ\xB6\0\0\0\0\0\0\0\0\0\0",
                 "{\"data\":{\"device\":\"recorder\",\"package_name\":\"org.example.recorder\","
                 "\"platform\":\"linux\",\"protocol_version\":\"1.2.0\",\"version\":\"0.1.0\"},"
                 "\"head\":{\"src\":4,\"time\":1767225600000,\"type\":1000}}");
  request = (RobotRequest){
    .type = ROBOT_TYPE_HEARTBEAT, .msg_id = 6, .src = 4, .time_ms = 1767225600200
  };
  assert_packet (&request, "ZSKJ\x33\0\x06\0\0\0\0\0\0\0\0",
                 "{\"head\":{\"src\":4,\"time\":1767225600200,\"type\":1001}}");
  request = (RobotRequest){ .type = ROBOT_TYPE_SENSOR,
                            .msg_id = 1,
                            .src = 4,
                            .time_ms = 1767225600420,
                            .sensor = { ROBOT_SENSOR_SPEED, TRUE, 50 } };
  assert_packet (&request, "ZSKJ\x60\0\x01\0\0\0\0\0\0\0\0",
                 "{\"data\":{\"enable\":true,\"freq\":50,\"sensor\":40},"
                 "\"head\":{\"src\":4,\"time\":1767225600420,\"type\":1008}}");
  request.sensor.enable = FALSE;
  request.msg_id = 65535;
  assert_packet (&request, "ZSKJ\x60\0\xFF\xFF\0\0\0\0\0\0\0",
                 "{\"data\":{\"enable\":false,\"freq\":0,\"sensor\":40},"
                 "\"head\":{\"src\":4,\"time\":1767225600420,\"type\":1008}}");
  request = (RobotRequest){ .type = ROBOT_TYPE_GOODBYE, .src = 3, .time_ms = 5 };
  assert_packet (&request, "ZSKJ\x27\0\0\0\0\0\0\0\0\0\0",
                 "{\"head\":{\"src\":3,\"time\":5,\"type\":1050}}");
}

/* Every type there can be on the wire, and some beyond: four can be said. */
static void
test_whitelist (void)
{
  for (guint type = 0; type < 0x20000; type++) {
    RobotRequest request = handshake ();
    RobotPacket packet;
    gboolean allowed = type == 1000 || type == 1001 || type == 1008 || type == 1050;

    request.type = (RobotType) type;
    g_assert_true (robot_request_encode (&request, &packet) == allowed);
    g_assert_true ((packet.size > 0) == allowed);
  }
}

static void
test_texts (void)
{
  RobotRequest request = handshake ();
  RobotPacket packet;
  g_autofree char *huge = g_strnfill (ROBOT_PACKET_SIZE, 'x');

  request.handshake.device = "a\"b\\c\nd";
  request.handshake.platform = NULL;
  g_assert_true (robot_request_encode (&request, &packet));
  g_assert_nonnull (g_strstr_len ((char *) packet.bytes + ROBOT_HEADER_SIZE,
                                  (gssize) packet.size - ROBOT_HEADER_SIZE,
                                  "{\"device\":\"a\\\"b\\\\c\\u000ad\",\"package_name\":\"org."
                                  "example.recorder\",\"platform\":\"\","));
  request.handshake.device = "not \xFF text";
  g_assert_false (robot_request_encode (&request, &packet));
  request.handshake.device = huge;
  g_assert_false (robot_request_encode (&request, &packet));
  g_assert_cmpuint (packet.size, ==, 0);
  request = (RobotRequest){ .type = ROBOT_TYPE_SENSOR, .sensor = { ROBOT_N_SENSORS, TRUE, 1 } };
  g_assert_false (robot_request_encode (&request, &packet));
}

static void
test_units (void)
{
  static const struct {
    const char *bytes;
    gsize size;
    RobotReject reject;
  } units[] = {
    { "ZSKJ\2\0\7\1\0\0\0\0\0\0\0\0{}", 18, ROBOT_REJECT_NONE },
    { "ZSKJ\2\0\7\1\xFF\xFF\xFF\xFF\0\0\0\1{}", 18, ROBOT_REJECT_NONE }, /* reserved: ignored */
    { "", 0, ROBOT_REJECT_SHORT },
    { "ZSKJ\2\0\7\1\0\0\0\0\0\0\0", 15, ROBOT_REJECT_SHORT },
    { "ZSKX\2\0\7\1\0\0\0\0\0\0\0\0{}", 18, ROBOT_REJECT_SYNC },
    { "XSKJ\2\0\7\1\0\0\0\0\0\0\0\0{}", 18, ROBOT_REJECT_SYNC },
    { "ZSKJ\3\0\7\1\0\0\0\0\0\0\0\0{}", 18, ROBOT_REJECT_TRUNCATED },
    { "ZSKJ\1\0\7\1\0\0\0\0\0\0\0\0{}", 18, ROBOT_REJECT_TRAILING },
    { "ZSKJ\0\2\7\1\0\0\0\0\0\0\0\0{}", 18, ROBOT_REJECT_TRUNCATED }, /* big endian */
    { "ZSKJ\0\0\7\1\0\0\0\0\0\0\0\0", 16, ROBOT_REJECT_EMPTY },
    { "ZSKJ\2\0\7\1\0\0\0\0\0\0\0\0{}ZSKJ\2\0\7\1\0\0\0\0\0\0\0\0{}", 36, ROBOT_REJECT_TWO_UNITS },
  };
  g_autofree guint8 *big = g_malloc0 (ROBOT_MAX_UNIT + 1);

  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    RobotUnit unit = { .msg_id = 99 };
    g_autofree guint8 *exact = g_memdup2 (units[i].bytes, units[i].size);

    g_assert_cmpint (robot_unit_parse (exact, units[i].size, &unit), ==, units[i].reject);
    g_assert_cmpuint (unit.msg_id, ==, units[i].reject == ROBOT_REJECT_NONE ? 0x0107 : 99);
    if (units[i].reject == ROBOT_REJECT_NONE)
      g_assert_cmpmem (unit.json, unit.json_length, "{}", 2);
    g_assert_cmpstr (robot_reject_name (units[i].reject), !=, "");
  }
  robot_unit_header (big, ROBOT_MAX_JSON, 0);
  g_assert_cmpint (robot_unit_parse (big, ROBOT_MAX_UNIT, &(RobotUnit){ 0 }), ==,
                   ROBOT_REJECT_NONE);
  g_assert_cmpint (robot_unit_parse (big, ROBOT_MAX_UNIT + 1, &(RobotUnit){ 0 }), ==,
                   ROBOT_REJECT_OVERSIZE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/robot-request/bytes", test_bytes);
  g_test_add_func ("/robot-request/whitelist", test_whitelist);
  g_test_add_func ("/robot-request/texts", test_texts);
  g_test_add_func ("/robot-request/units", test_units);
  return g_test_run ();
}

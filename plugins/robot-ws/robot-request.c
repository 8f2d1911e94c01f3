/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-request.h"

#include <string.h>

/* A text being written into the JSON part of a packet; `failed` once it did not fit. */
typedef struct {
  RobotPacket *packet;
  gboolean failed;
} Writer;

static void
put (Writer *writer, const char *text, gsize length)
{
  RobotPacket *packet = writer->packet;

  if (writer->failed || length > sizeof packet->bytes - packet->size) {
    writer->failed = TRUE;
    return;
  }
  memcpy (packet->bytes + packet->size, text, length);
  packet->size += length;
}

static void
put_text (Writer *writer, const char *text)
{
  put (writer, text, strlen (text));
}

static void
put_number (Writer *writer, guint64 value)
{
  char digits[24];

  g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, value);
  put_text (writer, digits);
}

static void
put_quoted (Writer *writer, const char *text)
{
  if (text == NULL)
    text = "";
  if (!g_utf8_validate (text, -1, NULL))
    writer->failed = TRUE;
  put (writer, "\"", 1);
  for (; *text != '\0'; text++) {
    char escape[8];

    if (*text == '"' || *text == '\\') {
      escape[0] = '\\';
      escape[1] = *text;
      put (writer, escape, 2);
    } else if ((guchar) *text < 0x20) {
      g_snprintf (escape, sizeof escape, "\\u%04x", *text);
      put_text (writer, escape);
    } else {
      put (writer, text, 1);
    }
  }
  put (writer, "\"", 1);
}

static void
put_handshake (Writer *writer, const RobotRequest *request)
{
  put_text (writer, "\"data\":{\"device\":");
  put_quoted (writer, request->handshake.device);
  put_text (writer, ",\"package_name\":");
  put_quoted (writer, request->handshake.package_name);
  put_text (writer, ",\"platform\":");
  put_quoted (writer, request->handshake.platform);
  put_text (writer, ",\"protocol_version\":\"" ROBOT_PROTOCOL_VERSION "\",\"version\":");
  put_quoted (writer, request->handshake.version);
  put_text (writer, "},");
}

static void
put_sensor (Writer *writer, const RobotRequest *request)
{
  put_text (writer, "\"data\":{\"enable\":");
  put_text (writer, request->sensor.enable ? "true" : "false");
  put_text (writer, ",\"freq\":");
  put_number (writer, request->sensor.enable ? request->sensor.freq : 0);
  put_text (writer, ",\"sensor\":");
  put_number (writer, robot_sensors[request->sensor.sensor].id);
  put_text (writer, "},");
}

/* The whitelist. FALSE for everything else. */
static gboolean
put_data (Writer *writer, const RobotRequest *request)
{
  switch (request->type) {
  case ROBOT_TYPE_HANDSHAKE:
    put_handshake (writer, request);
    return TRUE;
  case ROBOT_TYPE_SENSOR:
    if ((guint) request->sensor.sensor >= ROBOT_N_SENSORS)
      return FALSE;
    put_sensor (writer, request);
    return TRUE;
  case ROBOT_TYPE_HEARTBEAT:
  case ROBOT_TYPE_GOODBYE:
    return TRUE; /* no data */
  default:
    return FALSE;
  }
}

gboolean
robot_request_encode (const RobotRequest *request, RobotPacket *packet)
{
  Writer writer = { .packet = packet };

  packet->size = ROBOT_HEADER_SIZE;
  put (&writer, "{", 1);
  if (!put_data (&writer, request))
    writer.failed = TRUE;
  put_text (&writer, "\"head\":{\"src\":");
  put_number (&writer, request->src);
  put_text (&writer, ",\"time\":");
  put_number (&writer, request->time_ms);
  put_text (&writer, ",\"type\":");
  put_number (&writer, (guint64) request->type);
  put_text (&writer, "}}");
  if (writer.failed) {
    packet->size = 0;
    return FALSE;
  }
  robot_unit_header (packet->bytes, (guint16) (packet->size - ROBOT_HEADER_SIZE), request->msg_id);
  return TRUE;
}

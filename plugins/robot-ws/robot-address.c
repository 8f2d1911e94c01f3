/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-address.h"

#include <string.h>

#include <acq/acq.h>

#define WS_PORT 8081
#define UDP_PORT 8082

static gboolean
fail (GError **error, const char *uri, const char *problem)
{
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
               "uri is \"%s\": %s; allowed: ws://HOST:8081/ or udp://HOST:8082", uri, problem);
  return FALSE;
}

gboolean
robot_address_parse (const char *uri, RobotAddress *ret, GError **error)
{
  g_autoptr (GUri) parsed = g_uri_parse (uri, G_URI_FLAGS_NONE, NULL);
  const char *host, *path;
  gboolean udp, colons;
  int port;

  if (parsed == NULL)
    return fail (error, uri, "it is no URI");
  udp = strcmp (g_uri_get_scheme (parsed), "udp") == 0;
  if (!udp && strcmp (g_uri_get_scheme (parsed), "ws") != 0)
    return fail (error, uri, "robots speak WebSocket without encryption, and UDP");
  host = g_uri_get_host (parsed);
  path = g_uri_get_path (parsed);
  port = g_uri_get_port (parsed);
  if (host == NULL || *host == '\0')
    return fail (error, uri, "there is no host in it");
  if (port == 0)
    return fail (error, uri, "port 0 is none");
  if (g_uri_get_userinfo (parsed) != NULL || g_uri_get_query (parsed) != NULL ||
      g_uri_get_fragment (parsed) != NULL || (udp && *path != '\0' && strcmp (path, "/") != 0))
    return fail (error, uri, "there is more in it than a robot understands");
  if (port < 0)
    port = udp ? UDP_PORT : WS_PORT;
  colons = strchr (host, ':') != NULL;
  *ret = (RobotAddress){
    .udp = udp,
    .host = g_strdup (host),
    .port = (guint16) port,
    .uri = g_strdup_printf ("%s://%s%s%s:%d%s", udp ? "udp" : "ws", colons ? "[" : "", host,
                            colons ? "]" : "", port,
                            udp             ? ""
                            : *path == '\0' ? "/"
                                            : path),
  };
  return TRUE;
}

void
robot_address_clear (RobotAddress *self)
{
  g_clear_pointer (&self->host, g_free);
  g_clear_pointer (&self->uri, g_free);
}

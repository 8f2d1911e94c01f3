/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Locks, in their order: `life` here (using and leaving), `lock` of the reader (who has joined;
 * held for a batch and its events), then the port's own.
 *
 * A hub is found by graph and name. The list holds no reference: the last user takes its hub
 * out of it.
 */

#include "fsnh-hub.h"

#include "fsnh-reader.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

struct _FsnhHub {
  guint refs;      /* under hubs_lock */
  AcqGraph *graph; /* identity only */
  char *name;
  AcqPort *port;

  pthread_mutex_t life;
  FsnhHubConfig config; /* of the nodes that use it */
  char *address;        /* what config.socket points to */
  char *interface;
  char *users[3]; /* by side: id of the node */
  int fd;
  FsnhReader *reader; /* (nullable) */
};

static pthread_mutex_t hubs_lock = PTHREAD_MUTEX_INITIALIZER;
static GPtrArray *hubs; /* of FsnhHub, under hubs_lock; resident like the module */

static FsnhHub *
hub_new (AcqGraph *graph, const char *name)
{
  FsnhHub *self = g_new0 (FsnhHub, 1);

  self->graph = graph;
  self->name = g_strdup (name);
  self->port = acq_port_new (name, "datagrams");
  self->fd = -1;
  pthread_mutex_init (&self->life, NULL);
  return self;
}

FsnhHub *
fsnh_hub_get (AcqGraph *graph, const FsnhSocketConfig *socket)
{
  g_autofree char *name = fsnh_socket_name (socket);
  FsnhHub *found = NULL;

  pthread_mutex_lock (&hubs_lock);
  if (hubs == NULL)
    hubs = g_ptr_array_new ();
  for (guint i = 0; found == NULL && i < hubs->len; i++) {
    FsnhHub *hub = g_ptr_array_index (hubs, i);

    if (hub->graph == graph && strcmp (hub->name, name) == 0)
      found = hub;
  }
  if (found == NULL) {
    found = hub_new (graph, name);
    g_ptr_array_add (hubs, found);
  }
  found->refs++;
  pthread_mutex_unlock (&hubs_lock);
  return found;
}

void
fsnh_hub_unref (FsnhHub *self)
{
  gboolean last;

  pthread_mutex_lock (&hubs_lock);
  last = --self->refs == 0;
  if (last)
    g_ptr_array_remove_fast (hubs, self);
  pthread_mutex_unlock (&hubs_lock);
  if (!last)
    return;
  acq_port_unref (self->port);
  pthread_mutex_destroy (&self->life);
  g_free (self->name);
  g_free (self);
}

AcqPort *
fsnh_hub_get_port (FsnhHub *self)
{
  return self->port;
}

static const char *
difference (const FsnhHubConfig *a, const FsnhHubConfig *b)
{
  if (!fsnh_allow_equal (a->allow, b->allow))
    return "allow";
  if (a->constants.magic != b->constants.magic)
    return "magic";
  if (a->constants.quat_order != b->constants.quat_order)
    return "quat-order";
  if (g_strcmp0 (a->socket.interface, b->socket.interface) != 0)
    return "interface";
  if (a->socket.receive_buffer != b->socket.receive_buffer)
    return "receive-buffer";
  return NULL;
}

static gboolean
check_user (FsnhHub *self, AcqNode *node, guint side, const FsnhHubConfig *config, GError **error)
{
  const char *other = self->users[FSNH_LEFT + FSNH_RIGHT - side];
  const char *option = other != NULL ? difference (&self->config, config) : NULL;

  if (self->users[side] != NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "%s records the %s hand of %s already; one of the two nodes should have the other "
                 "\"side\"",
                 self->users[side], side == FSNH_LEFT ? "left" : "right", self->name);
    return FALSE;
  }
  if (self->reader != NULL && fsnh_reader_is_broken (self->reader)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "%s failed and is being closed", self->name);
    return FALSE;
  }
  if (option != NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "%s and %s share %s but differ in \"%s\"; give both the same", other,
                 acq_node_get_id (node), self->name, option);
    return FALSE;
  }
  return TRUE;
}

static gboolean
open_socket (FsnhHub *self, AcqNode *node, GError **error)
{
  guint64 wanted = self->config.socket.receive_buffer, granted = 0;

  self->fd = fsnh_socket_open (&self->config.socket, &granted, error);
  if (self->fd < 0)
    return FALSE;
  if (granted < wanted)
    acq_node_notice (node, ACQ_EVENT_SEVERITY_INFO, "receive_buffer",
                     "%s: the system gave a receive buffer of %" G_GUINT64_FORMAT
                     " bytes and not %" G_GUINT64_FORMAT "; to allow it: sudo sysctl -w "
                     "net.core.rmem_max=%" G_GUINT64_FORMAT,
                     self->name, granted, wanted, wanted);
  self->reader = fsnh_reader_start (&(FsnhReaderConfig){ .fd = self->fd,
                                                         .port = self->port,
                                                         .clock = acq_node_get_host_clock (node),
                                                         .allow = self->config.allow,
                                                         .constants = self->config.constants },
                                    error);
  if (self->reader == NULL) {
    close (self->fd);
    self->fd = -1;
  }
  return self->reader != NULL;
}

static void
take_config (FsnhHub *self, FsnhHubConfig *config)
{
  self->config = *config;
  self->config.socket.address = self->address = g_strdup (config->socket.address);
  self->config.socket.interface = self->interface = g_strdup (config->socket.interface);
  config->allow = NULL;
}

static void
drop_config (FsnhHub *self)
{
  g_clear_pointer (&self->config.allow, fsnh_allow_free);
  g_clear_pointer (&self->address, g_free);
  g_clear_pointer (&self->interface, g_free);
}

gboolean
fsnh_hub_use (FsnhHub *self, AcqNode *node, guint side, FsnhHubConfig *config, GError **error)
{
  gboolean ok;

  pthread_mutex_lock (&self->life);
  ok = check_user (self, node, side, config, error);
  if (ok && self->reader == NULL) {
    take_config (self, config);
    ok = open_socket (self, node, error);
    if (!ok)
      drop_config (self);
  }
  if (ok) {
    self->users[side] = g_strdup (acq_node_get_id (node));
    fsnh_reader_expect (self->reader);
  }
  pthread_mutex_unlock (&self->life);
  g_clear_pointer (&config->allow, fsnh_allow_free);
  return ok;
}

void
fsnh_hub_join (FsnhHub *self, FsnhHand *hand)
{
  fsnh_reader_join (self->reader, hand);
}

void
fsnh_hub_part (FsnhHub *self, FsnhHand *hand)
{
  fsnh_reader_part (self->reader, hand);
}

void
fsnh_hub_leave (FsnhHub *self, guint side)
{
  pthread_mutex_lock (&self->life);
  g_clear_pointer (&self->users[side], g_free);
  if (self->users[FSNH_LEFT] == NULL && self->users[FSNH_RIGHT] == NULL) {
    g_clear_pointer (&self->reader, fsnh_reader_stop);
    close (self->fd);
    self->fd = -1;
    drop_config (self);
  }
  pthread_mutex_unlock (&self->life);
}

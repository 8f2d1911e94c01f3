/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Datagrams of acq-sim fsnh at a given pace: how many arrive, and what one costs.
 *
 *   bench-udp RATE SECONDS bare                   a loop that receives and counts
 *   bench-udp RATE SECONDS count                  fsnh-udp, and a sink that counts
 *   bench-udp RATE SECONDS PLUGIN [OPTION=VALUE ...]    fsnh-udp, and a sink that writes
 *
 * RATE is in datagrams per second, of both hands together. One line of JSON; the sender's own
 * costs are not in it.
 */

#include "bench-common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <json-glib/json-glib.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ADDRESS "127.83.1.1"
#define PORT 15001
#define BUFFER (4 << 20)

typedef struct {
  guint64 sent, received, drops, unwritten;
  double cpu_s, seconds;
} Result;

/* The sender */

typedef struct {
  double rate, seconds;
  Result *result;
  gint done; /* atomic */
} Sender;

static gpointer
send_thread (gpointer data)
{
  Sender *self = data;
  g_autofree char *program =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-sim", "acq-sim", NULL);
  g_autofree char *rate = g_strdup_printf ("%.0f", self->rate / 2);
  g_autofree char *duration = g_strdup_printf ("%.3fs", self->seconds);
  const char *argv[] = { program, "fsnh",   "-q", "-r", "-",      "--host",
                         ADDRESS, "--rate", rate, "-d", duration, NULL };
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL;
  JsonObject *report;

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, NULL,
                     &error) ||
      !json_parser_load_from_data (parser, out, -1, &error))
    g_error ("acq-sim: %s", error->message);
  report = json_node_get_object (json_parser_get_root (parser));
  self->result->sent = (guint64) json_object_get_int_member (report, "datagrams");
  self->result->seconds = json_object_get_double_member (report, "seconds");
  g_atomic_int_set (&self->done, TRUE);
  return NULL;
}

/* The bare loop */

static int
bare_socket (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (PORT) };
  struct timeval timeout = { .tv_usec = 100000 };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int buffer = BUFFER;

  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) < 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  inet_pton (AF_INET, ADDRESS, &address.sin_addr);
  if (bind (fd, (struct sockaddr *) &address, sizeof address) < 0)
    g_error ("bind: %s", g_strerror (errno));
  return fd;
}

static void
run_bare (Sender *sender)
{
  enum { BATCH = 64 };
  static guint8 bytes[BATCH][2048];
  struct mmsghdr headers[BATCH] = { 0 };
  struct iovec pieces[BATCH];
  int fd = bare_socket ();
  GThread *thread = g_thread_new ("sender", send_thread, sender);
  int n = 0;

  for (guint i = 0; i < BATCH; i++) {
    pieces[i] = (struct iovec){ bytes[i], sizeof bytes[i] };
    headers[i].msg_hdr = (struct msghdr){ .msg_iov = &pieces[i], .msg_iovlen = 1 };
  }
  while (n > 0 || !g_atomic_int_get (&sender->done)) {
    n = recvmmsg (fd, headers, BATCH, MSG_WAITFORONE, NULL);
    sender->result->received += n > 0 ? (guint64) n : 0;
  }
  g_thread_join (thread);
  close (fd);
  sender->result->drops = sender->result->sent - sender->result->received;
}

/* The engine */

typedef struct {
  AcqSink parent_instance;
} BenchCount;

typedef struct {
  AcqSinkClass parent_class;
} BenchCountClass;

GType bench_count_get_type (void);
G_DEFINE_TYPE (BenchCount, bench_count, ACQ_TYPE_SINK)

static gboolean
bench_count_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  for (guint i = 0, begin = 0; i < n; i++)
    if (i + 1 == n || items[i + 1].link != items[begin].link) {
      acq_link_settle_written (items[begin].link, i + 1 - begin);
      begin = i + 1;
    }
  return TRUE;
}

static void
bench_count_class_init (BenchCountClass *klass)
{
  ACQ_SINK_CLASS (klass)->write = bench_count_write;
}

static void
bench_count_init (BenchCount *self)
{
}

static AcqNode *
add_counter (AcqGraph *graph)
{
  AcqNode *sink = g_object_new (bench_count_get_type (), NULL);

  acq_node_set_id (sink, "sink");
  acq_graph_add (graph, sink, NULL);
  g_object_unref (sink);
  return sink;
}

static void
add_hand (AcqGraph *graph, AcqRegistry *registry, AcqNode *sink, const char *side)
{
  /* As many frames as a file's queue of 30 s at the highest rate. */
  AcqQueueConfig queue = { .seconds = 30, .when_full = ACQ_WHEN_FULL_DROP_OLDEST };
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNode) hand = acq_registry_create (registry, "fsnh-udp", side, &error);

  if (hand == NULL || !acq_node_set_option_text (hand, "side", side, &error) ||
      !acq_node_set_option_text (hand, "address", ADDRESS, &error) ||
      !acq_node_set_option_text (hand, "rate-hz", "10000", &error) ||
      !acq_graph_add (graph, hand, &error))
    g_error ("%s", error->message);
  acq_graph_connect (graph, sink, side, &queue, NULL);
}

static void
read_ledger (AcqGraph *graph, Result *result)
{
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (graph);
  const AcqPortSnapshot *port = acq_snapshot_find_port (snapshot, NULL);

  result->received = port->packets;
  result->drops = port->kernel_drops;
  result->unwritten = bench_count_unwritten (graph);
}

static void
run_engine (Sender *sender, const char *plugin, char **options)
{
  g_autoptr (AcqRegistry) registry = acq_registry_new (NULL);
  g_autoptr (AcqHostClock) clock = acq_host_clock_new ();
  g_autoptr (AcqGraph) graph = acq_graph_new (clock);
  g_autofree char *dir = g_dir_make_tmp ("acq-bench-XXXXXX", NULL);
  g_autoptr (AcqTake) take = NULL;
  g_autoptr (GError) error = NULL;
  AcqNode *sink =
      plugin != NULL ? bench_add_sink (graph, registry, plugin, options) : add_counter (graph);

  add_hand (graph, registry, sink, "left");
  add_hand (graph, registry, sink, "right");
  take = acq_graph_begin_take (graph, dir, "bench", 0, &error);
  if (take == NULL)
    g_error ("%s", error->message);
  if (!acq_graph_start (graph, NULL, &error))
    g_error ("%s", error->message);
  g_thread_join (g_thread_new ("sender", send_thread, sender));
  acq_graph_stop (graph, 60);
  read_ledger (graph, sender->result);
  bench_remove_take (take, dir);
}

int
main (int argc, char **argv)
{
  Result result = { 0 };
  Sender sender = { .result = &result };
  double cpu = bench_cpu_s ();

  if (argc < 4 || g_getenv ("ACQ_BUILD_ROOT") == NULL) {
    g_printerr ("usage: bench-udp RATE SECONDS bare|count|PLUGIN [OPTION=VALUE ...]\n"
                "with ACQ_BUILD_ROOT, where the simulator is\n");
    return 2;
  }
  sender.rate = g_ascii_strtod (argv[1], NULL);
  sender.seconds = g_ascii_strtod (argv[2], NULL);
  if (g_str_equal (argv[3], "bare"))
    run_bare (&sender);
  else
    run_engine (&sender, g_str_equal (argv[3], "count") ? NULL : argv[3], argv + 4);
  cpu = bench_cpu_s () - cpu;
  g_print ("{\"rate\":%.0f,\"sent\":%" G_GUINT64_FORMAT ",\"received\":%" G_GUINT64_FORMAT
           ",\"lost\":%" G_GUINT64_FORMAT ",\"unwritten\":%" G_GUINT64_FORMAT
           ",\"cpu_ns_per_datagram\":%.0f}\n",
           (double) result.sent / result.seconds, result.sent, result.received,
           result.sent - result.received, result.unwritten, cpu / (double) result.received * 1e9);
  return 0;
}

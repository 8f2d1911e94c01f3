/* SPDX-License-Identifier: Apache-2.0 */

/*
 * acq-sim fsnh → acq-run → files, with every fault that the simulator knows: the
 * recorder's ledger is the simulator's report, number by number, and what is in the
 * files is the closed form.
 */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include <acq/acq.h>

#include "run-process.h"
#include "sim-fsnh-motion.h"

#define BEATS 240
#define RATE_HZ 240

static const char *const hand_names[] = { "left", "right" };
static const char *const sink_names[] = { "mcap", "npz" };

/**
 * Case:
 * @faults: for the simulator
 * @options: (nullable): for the simulator, separated by spaces
 * @one_hand: record the left one only
 * @off_form: what is in the packets is not always the closed form
 */
typedef struct {
  const char *name;
  const char *faults;
  const char *options;
  gboolean one_hand;
  gboolean off_form;
} Case;

static const Case cases[] = {
  { "nothing", NULL },
  { "forearm", NULL, "--mode forearm" },
  { "one-hand", NULL, NULL, .one_hand = TRUE },
  { "wrap", NULL, "--start-index 4294967200" },
  { "loss", "loss:p=0.05" },
  { "duplicate", "duplicate:p=0.05:n=2" },
  { "reorder", "reorder:every=20:by=3" },
  { "burst", "burst:every=60" },
  { "stall", "stall:at=50/150" },
  { "repeat-without-new", "repeat-without-new:every=40" },
  { "silence", "silence:at=100:ms=300" },
  { "restart", "restart:at=120" },
  { "machine-restart", "restart:at=120:what=machine" },
  { "jump", "jump:at=60/180:by=7" },
  { "mode", "mode:at=120" },
  { "sender", "sender:at=100:n=20" },
  { "forearm-stale", "forearm-stale:at=80", "--mode forearm" },
  { "odd", "odd:every=30", .off_form = TRUE },
  { "index-conflict", "index-conflict:every=50", .off_form = TRUE },
  { "malformed", "malformed:every=10" },
  { "malformed-instead", "malformed:every=10:instead=1" },
  { "foreign", "foreign:every=15" },
  { "wrong-source", "wrong-source:every=12" },
  { "all", "loss:p=0.02,duplicate:p=0.02,reorder:every=50,burst:every=70,stall:at=90,"
           "silence:at=110:ms=100,jump:at=130,mode:at=150,malformed:every=17,foreign:every=23,"
           "wrong-source:every=29,restart:at=200" },
};

typedef struct {
  const Case *c;
  RunProcess *run;
  GSubprocess *sim;
  JsonNode *sent;
} Running;

/* One that nobody has; the node binds it a moment later. */
static guint
free_port (void)
{
  g_autoptr (GSocket) socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GInetAddress) any = g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (any, 0);
  g_autoptr (GSocketAddress) bound = NULL;

  g_assert_true (g_socket_bind (socket, address, FALSE, NULL));
  bound = g_socket_get_local_address (socket, NULL);
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
}

static char *
source_text (const char *side, guint port)
{
  return g_strdup_printf ("\"%s_hand\": { \"plugin\": \"fsnh-udp\", \"side\": \"%s\", \"port\": "
                          "%u, \"rate-hz\": %d, \"allow\": [\"127.0.0.1\"] }",
                          side, side, port, RATE_HZ);
}

static GSubprocess *
start_simulator (const Case *c, guint port)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) more = g_strsplit (c->options != NULL ? c->options : "", " ", -1);
  g_autoptr (GError) error = NULL;
  GSubprocess *process;

  g_ptr_array_add (
      args, g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-sim", "acq-sim", NULL));
  g_ptr_array_add (args, g_strdup ("fsnh"));
  g_ptr_array_add (args, g_strdup_printf ("--port=%u", port));
  g_ptr_array_add (args, g_strdup_printf ("--rate=%d", RATE_HZ));
  g_ptr_array_add (args, g_strdup_printf ("--count=%d", BEATS));
  g_ptr_array_add (args, g_strdup ("--quiet"));
  g_ptr_array_add (args, g_strdup ("--report=-"));
  if (c->faults != NULL)
    g_ptr_array_add (args, g_strdup_printf ("--faults=%s", c->faults));
  for (char **arg = more; *arg != NULL; arg++) {
    if (**arg != '\0')
      g_ptr_array_add (args, g_strdup (*arg));
  }
  g_ptr_array_add (args, NULL);
  process =
      g_subprocess_newv ((const char *const *) args->pdata, G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  g_assert_no_error (error);
  return process;
}

static void
start (Running *self, const Case *c)
{
  guint port = free_port ();
  g_autofree char *left = source_text ("left", port);
  g_autofree char *right = source_text ("right", port);
  g_autofree char *pipeline = g_strdup_printf (
      "{ \"sources\": { %s%s%s }, \"sinks\": { \"mcap\": { \"plugin\": \"mcap-writer\" }, "
      "\"npz\": { \"plugin\": \"npz-writer\" } } }",
      left, c->one_hand ? "" : ", ", c->one_hand ? "" : right);
  const RunSetup setup = { pipeline, "--status jsonl" };
  g_autoptr (JsonObject) started = NULL;

  self->c = c;
  self->run = run_process_start (&setup);
  started = run_process_wait_line (self->run, "started");
  self->sim = start_simulator (c, port);
}

static JsonObject *
only_port (JsonObject *line)
{
  JsonObject *ports = json_object_get_object_member (line, "ports");
  g_autoptr (GList) values = json_object_get_values (ports);

  g_assert_cmpuint (g_list_length (values), ==, 1);
  return json_node_get_object (values->data);
}

/* Stops the recorder once it has seen everything that was sent. */
static void
finish (Running *self)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gint64 sent, seen = -1;

  g_subprocess_communicate_utf8 (self->sim, NULL, NULL, &text, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_successful (self->sim));
  self->sent = json_from_string (text, &error);
  g_assert_no_error (error);
  sent = json_object_get_int_member (json_node_get_object (self->sent), "datagrams");
  for (int looks = 0; seen < sent && looks < 10; looks++) {
    g_autoptr (JsonObject) line = run_process_wait_line (self->run, "status");

    seen = json_object_get_int_member (only_port (line), "datagrams");
  }
  run_process_signal (self->run, SIGINT);
  run_process_finish (self->run);
}

/* The ledger */

static void
compare_counts (JsonObject *got, JsonObject *wanted, const char *name)
{
  g_autoptr (JsonNode) a = json_node_copy (json_object_get_member (got, name));
  g_autoptr (JsonNode) b = json_node_copy (json_object_get_member (wanted, name));

  if (json_node_equal (a, b))
    return;
  g_autofree char *a_text = json_to_string (a, FALSE);
  g_autofree char *b_text = json_to_string (b, FALSE);
  g_error ("%s: recorded %s, sent %s", name, a_text, b_text);
}

static void
compare_port (Running *self)
{
  JsonObject *report = json_node_get_object (self->run->report);
  JsonObject *port = only_port (report);
  JsonObject *sent = json_node_get_object (self->sent);
  gint64 other = 0;

  if (self->c->one_hand)
    other = json_object_get_int_member (
        json_object_get_object_member (json_object_get_object_member (sent, "hands"), "right"),
        "accepted");
  g_assert_cmpint (json_object_get_int_member (port, "kernel_drops"), ==, 0);
  g_assert_cmpint (json_object_get_int_member (port, "datagrams"), ==,
                   json_object_get_int_member (sent, "datagrams"));
  g_assert_cmpint (json_object_get_int_member (port, "wrong_source"), ==,
                   json_object_get_int_member (sent, "wrong_source"));
  g_assert_cmpint (json_object_get_int_member (port, "other_hand"), ==, other);
  compare_counts (port, sent, "foreign");
  compare_counts (port, sent, "rejected");
}

static void
compare_hand (Running *self, const char *side)
{
  static const char *const counts[] = { "frames", "repeats", "duplicates", "late", "lost" };
  JsonObject *hands = json_object_get_object_member (json_node_get_object (self->sent), "hands");
  JsonObject *hand = json_object_get_object_member (hands, side);
  g_autofree char *node = g_strconcat (side, "_hand", NULL);
  g_autofree char *path = g_strconcat (node, ".hand_skeleton", NULL);

  g_assert_cmpint (run_process_get_int (self->run, "nodes", node, "accepted", NULL), ==,
                   json_object_get_int_member (hand, "accepted"));
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_test_message ("%s: %s", side, counts[i]);
    g_assert_cmpint (run_process_get_int (self->run, "streams", path, counts[i], NULL), ==,
                     json_object_get_int_member (hand, counts[i]));
  }
  for (gsize i = 0; i < G_N_ELEMENTS (sink_names); i++)
    g_assert_cmpint (
        run_process_get_int (self->run, "streams", path, "sinks", sink_names[i], "written", NULL),
        ==, json_object_get_int_member (hand, "frames"));
}

/* The files */

static void
compare_message (const AcqHandSkeleton *msg, SimFsnhHand hand, guint32 index)
{
  SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS];
  gboolean forearm = msg->root == ACQ_HAND_SKELETON_ROOT_FOREARM;
  guint first = forearm ? 1 : 0;

  sim_fsnh_motion (hand, forearm ? SIM_FSNH_FOREARM : SIM_FSNH_WRIST, index, joints);
  g_assert_cmpuint (msg->n_joints, ==, 21);
  for (guint i = 0; i < msg->n_joints; i++) {
    const AcqPose32 *pose = &msg->joints[i];
    const SimFsnhJoint got = { pose->position.x,    pose->position.y,    pose->position.z,
                               pose->orientation.w, pose->orientation.x, pose->orientation.y,
                               pose->orientation.z };

    g_assert_cmpmem (&got, sizeof got, &joints[first + i], sizeof got);
  }
}

static gboolean
topic_is (const AcqMcapChannel *channel, const char *topic)
{
  return channel->topic.size == strlen (topic) &&
         memcmp (channel->topic.data, topic, channel->topic.size) == 0;
}

static void
compare_array (AcqZipReader *zip, const char *key, const char *descr, const GByteArray *wanted)
{
  g_autoptr (GError) error = NULL;
  g_auto (AcqNpyHeader) header = { NULL };
  g_autoptr (GBytes) bytes = acq_npz_read (zip, key, &header, &error);
  gconstpointer data;
  gsize size;

  g_assert_no_error (error);
  g_assert_cmpstr (header.fields[0].descr, ==, descr);
  data = g_bytes_get_data (bytes, &size);
  g_assert_cmpmem (data, size, wanted->data, wanted->len);
}

/* The same rows as in the MCAP, bit for bit. */
static void
compare_arrays (Running *self, SimFsnhHand hand, const GByteArray *rows, const GByteArray *times)
{
  g_autofree char *path = run_process_find_file (self->run, ".npz");
  g_autofree char *key = g_strdup_printf ("%s_hand__hand_skeleton", hand_names[hand]);
  g_autofree char *times_key = g_strconcat (key, "__t_host_us", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqZipReader) zip = acq_zip_reader_open (path, &error);

  g_assert_no_error (error);
  compare_array (zip, key, "<f4", rows);
  compare_array (zip, times_key, "<i8", times);
}

static void
append_row (const AcqHandSkeleton *msg, guint64 log_time, GByteArray *rows, GByteArray *times)
{
  gint64 host_us = (gint64) (log_time / 1000);
  gint64 last_us = -1;

  /* Strictly increasing in microseconds too. */
  if (times->len > 0)
    memcpy (&last_us, times->data + times->len - sizeof last_us, sizeof last_us);
  host_us = MAX (host_us, last_us + 1);
  G_STATIC_ASSERT (sizeof (AcqPose32) == 7 * sizeof (float));
  g_byte_array_append (rows, (const guint8 *) msg->joints, 21 * sizeof (AcqPose32));
  g_byte_array_append (times, (const guint8 *) &host_us, sizeof host_us);
}

static void
compare_file (Running *self, SimFsnhHand hand)
{
  g_autofree char *path = run_process_find_file (self->run, ".mcap");
  g_autofree char *topic = g_strdup_printf ("/%s_hand/hand_skeleton", hand_names[hand]);
  g_autofree char *stream = g_strdup_printf ("%s_hand.hand_skeleton", hand_names[hand]);
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new_for_path (path, &error);
  g_autoptr (GByteArray) rows = g_byte_array_new ();
  g_autoptr (GByteArray) times = g_byte_array_new ();
  AcqMcapMessage message;
  gint64 n = 0;

  g_assert_no_error (error);
  while (acq_mcap_reader_next_message (reader, &message, &error)) {
    g_auto (AcqCdrMessage) decoded = { NULL };

    if (!topic_is (acq_mcap_reader_get_channel (reader, message.channel_id), topic))
      continue;
    n++;
    g_assert_true (acq_cdr_decode (&acq_hand_skeleton_schema, message.data.data, message.data.size,
                                   &decoded, &error));
    append_row ((const AcqHandSkeleton *) decoded.payload, message.log_time, rows, times);
    if (!self->c->off_form)
      compare_message ((const AcqHandSkeleton *) decoded.payload, hand, message.sequence);
  }
  g_assert_no_error (error);
  g_assert_cmpint (n, ==, run_process_get_int (self->run, "streams", stream, "frames", NULL));
  compare_arrays (self, hand, rows, times);
}

static void
verify_file (Running *self)
{
  g_autofree char *path = run_process_find_file (self->run, ".mcap");
  g_autoptr (AcqMcapReport) report = acq_mcap_verify_path (path, ACQ_MCAP_VERIFY_ORDER, NULL);

  for (guint i = 0; i < report->problems->len; i++)
    g_test_message ("%s", ((AcqMcapProblem *) report->problems->pdata[i])->text);
  g_assert_cmpuint (report->n_errors, ==, 0);
}

static void
check (Running *self)
{
  gint64 lost = 0;

  run_process_check_balance (self->run);
  compare_port (self);
  verify_file (self);
  for (guint hand = 0; hand < (self->c->one_hand ? 1 : SIM_FSNH_N_HANDS); hand++) {
    g_autofree char *stream = g_strdup_printf ("%s_hand.hand_skeleton", hand_names[hand]);

    compare_hand (self, hand_names[hand]);
    compare_file (self, (SimFsnhHand) hand);
    lost += run_process_get_int (self->run, "streams", stream, "lost", NULL);
  }
  g_assert_cmpint (self->run->exit_code, ==, lost > 0 ? 3 : 0);
  g_assert_cmpstr (run_process_get_text (self->run, "reason", NULL), ==, "interrupted");
}

/* They take a second each, mostly of waiting: so all at once. */
static Running running[G_N_ELEMENTS (cases)];

static void
test_case (gconstpointer data)
{
  Running *self = &running[GPOINTER_TO_UINT (data)];

  finish (self);
  check (self);
  g_clear_pointer (&self->sent, json_node_unref);
  g_clear_object (&self->sim);
  g_clear_pointer (&self->run, run_process_free);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strconcat ("/fsnh/", cases[i].name, NULL);

    start (&running[i], &cases[i]);
    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
  }
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */

/* acq-sim against the plugin, over real sockets, with every fault: the ledger of the one
 * equals the report of the other, number by number, and every value is the closed form's. */

#include "fsnh-fixture.h"

#include <json-glib/json-glib.h>
#include <string.h>

static JsonObject *
run_simulator (FsnhFixture *f, const char *const *arguments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *out = NULL;
  int status;

  g_ptr_array_add (argv,
                   g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps/acq-sim/acq-sim", NULL));
  for (const char *const *fixed = (const char *[]){ "fsnh", "-q", "-r", "-", "--host", NULL };
       *fixed != NULL; fixed++)
    g_ptr_array_add (argv, g_strdup (*fixed));
  g_ptr_array_add (argv, g_strdup (f->address));
  for (; *arguments != NULL; arguments++)
    g_ptr_array_add (argv, g_strdup (*arguments));
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  json_parser_load_from_data (parser, out, -1, &error);
  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

/* Both ways: every count that one side has is the same on the other. */
static void
assert_counts (JsonObject *wanted, const GArray *found)
{
  g_autoptr (GList) names = json_object_get_members (wanted);
  guint n = 0;

  for (GList *name = names; name != NULL; name = name->next) {
    g_test_message ("%s", (char *) name->data);
    g_assert_cmpint (json_object_get_int_member (wanted, name->data), ==,
                     (gint64) acq_counts_get (found, name->data));
  }
  for (guint i = 0; i < found->len; i++)
    n += g_array_index (found, AcqCount, i).n > 0;
  g_assert_cmpuint (n, ==, g_list_length (names));
}

static void
assert_hand (const AcqSnapshot *snapshot, const char *id, JsonObject *wanted)
{
  g_autofree char *path = g_strdup_printf ("%s.hand_skeleton", id);
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, path);
  const struct {
    const char *name;
    guint64 found;
  } counts[] = {
    { "frames", stream->frames },
    { "repeats", stream->counters[ACQ_STREAM_REPEATS] },
    { "duplicates", stream->counters[ACQ_STREAM_DUPLICATES] },
    { "late", stream->counters[ACQ_STREAM_LATE] },
    { "lost", stream->counters[ACQ_STREAM_LOST] },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_test_message ("%s %s", id, counts[i].name);
    g_assert_cmpint (json_object_get_int_member (wanted, counts[i].name), ==,
                     (gint64) counts[i].found);
  }
  for (guint i = 0; i < snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = snapshot->nodes->pdata[i];

    if (g_str_equal (node->id, id))
      g_assert_cmpint (json_object_get_int_member (wanted, "accepted"), ==,
                       (gint64) node->accepted);
  }
}

static void
compare (FsnhFixture *f, JsonObject *report)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (f->harness);
  const AcqPortSnapshot *port = acq_snapshot_find_port (snapshot, f->port);
  JsonObject *hands = json_object_get_object_member (report, "hands");

  g_assert_cmpint (json_object_get_int_member (report, "datagrams"), ==, (gint64) port->packets);
  g_assert_cmpint (json_object_get_int_member (report, "wrong_source"), ==,
                   (gint64) port->wrong_source);
  g_assert_cmpuint (port->other_hand, ==, 0);
  g_assert_cmpuint (port->kernel_drops, ==, 0);
  assert_counts (json_object_get_object_member (report, "foreign"), port->foreign);
  assert_counts (json_object_get_object_member (report, "rejected"), port->rejected);
  assert_hand (snapshot, "left_hand", json_object_get_object_member (hands, "left"));
  assert_hand (snapshot, "right_hand", json_object_get_object_member (hands, "right"));
}

/* The rows of the left hand, without those that a fault made odd on purpose. */
static void
check_values (FsnhFixture *f)
{
  AcqFrame *frame;
  guint n = 0;

  while ((frame = acq_harness_pop (f->harness, "hand_skeleton")) != NULL) {
    const AcqHandSkeleton *msg = (const AcqHandSkeleton *) frame->payload;
    gboolean forearm = msg->root == ACQ_HAND_SKELETON_ROOT_FOREARM;
    SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS];

    sim_fsnh_motion (SIM_FSNH_LEFT, forearm ? SIM_FSNH_FOREARM : SIM_FSNH_WRIST,
                     (guint32) frame->seq, joints);
    for (guint i = 0; i < 21; i++) {
      const SimFsnhJoint *j = &joints[i + (forearm ? 1 : 0)];
      const float wanted[] = { j->x, j->y, j->z, j->qx, j->qy, j->qz, j->qw };

      g_assert_cmpmem (&msg->joints[i], sizeof msg->joints[i], wanted, sizeof wanted);
    }
    acq_frame_unref (frame);
    n++;
  }
  g_assert_cmpuint (n, >, 40);
}

static FsnhFixture *
both_hands (const char *mode_allow)
{
  const char *options[] = { "side", "right", "allow", mode_allow, NULL };
  FsnhFixture *f = fsnh_fixture_new (NULL, options + 2);

  fsnh_fixture_add (f, "right_hand", options);
  fsnh_fixture_start (f);
  return f;
}

static void
test_faults (gconstpointer data)
{
  const char *const *arguments = data;
  g_autoptr (FsnhFixture) f = NULL;
  g_autoptr (JsonObject) report = NULL;

  /* Wrong sources come from 127.0.0.2; ours is the address that the route picks. */
  f = both_hands ("[\"127.0.0.1\", \"127.96.0.0/11\"]");
  report = run_simulator (f, arguments);
  acq_harness_stop (f->harness);
  compare (f, report);
  check_values (f);
}

/* Slow enough for the small receive buffer that a user without privileges gets. */
static const char *const clean[] = { "-n", "300", "--rate", "1000", NULL };
static const char *const forearm[] = { "-n", "300", "--rate", "1000", "--mode", "forearm", NULL };
static const char *const wrap[] = { "-n",
                                    "400",
                                    "--rate",
                                    "1000",
                                    "--start-index",
                                    "4294967100",
                                    "--faults",
                                    "loss:p=0.05,duplicate:p=0.05,reorder:p=0.05:by=3",
                                    NULL };
static const char *const every[] = {
  "-n",
  "1000",
  "--rate",
  "1000",
  "--seed",
  "7",
  "--faults",
  "loss:p=0.01,duplicate:p=0.02,reorder:p=0.02:by=4,burst:p=0.005:n=15,stall:p=0.005:n=9,"
  "repeat-without-new:p=0.01:n=2,silence:at=450:ms=20,restart:at=250,restart:at=500:what=machine,"
  "jump:p=0.002:by=30,mode:p=0.005,sender:p=0.005:n=20,forearm-stale:p=0.005,"
  "malformed:p=0.05,malformed:p=0.01:instead=1,foreign:p=0.05,wrong-source:p=0.02,"
  "index-conflict:p=0.01",
  NULL
};
static const char *const flood[] = {
  "-n", "3000", "--as-fast-as-possible", "--faults", "loss:p=0.1,malformed:p=0.1", NULL
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/fsnh/simulator/clean", clean, test_faults);
  g_test_add_data_func ("/fsnh/simulator/forearm", forearm, test_faults);
  g_test_add_data_func ("/fsnh/simulator/wrap", wrap, test_faults);
  g_test_add_data_func ("/fsnh/simulator/every-fault", every, test_faults);
  g_test_add_data_func ("/fsnh/simulator/flood", flood, test_faults);
  return g_test_run ();
}

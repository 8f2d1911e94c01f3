/* SPDX-License-Identifier: Apache-2.0 */

/* The simulator's packets and its predictions against the plugin's own parser and
 * sequence, in memory. The two share no code, so what they agree on is right twice. */

#include "fsnh-sequence.h"
#include "sim-fsnh-solver.h"

#include <math.h>
#include <string.h>

static const FsnhConstants documented = { FSNH_MAGIC, FSNH_QUAT_ORDER };

static FsnhReason
parse (const guint8 *bytes, gsize length, FsnhPacket *packet)
{
  return fsnh_packet_parse (bytes, length, &documented, packet);
}

/* The same as `fsnh_motion.py` says: whoever has Python can check a recording. */
static void
test_motion_digest (void)
{
  g_autoptr (GChecksum) sha = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint hand = 0; hand < 2; hand++)
    for (guint mode = 0; mode < 2; mode++)
      for (guint32 i = 0; i < 256; i++) {
        SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS];
        guint n = sim_fsnh_motion (hand, mode, i, joints);

        g_checksum_update (sha, (const guchar *) joints, (gssize) (n * sizeof *joints));
      }
  g_assert_cmpstr (g_checksum_get_string (sha), ==, FSNH_MOTION_SHA256);
}

static double
distance (const SimFsnhJoint *a, const SimFsnhJoint *b)
{
  double x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;

  return sqrt (x * x + y * y + z * z);
}

/* A hand: bones keep their length, quaternions are units, nothing jumps, also not where the
 * number wraps; and it moves. */
static void
test_motion_plausible (void)
{
  static const double bones[5][3] = {
    { 40, 32, 28 }, { 42, 26, 20 }, { 46, 28, 22 }, { 42, 26, 22 }, { 34, 20, 18 }
  };

  for (guint hand = 0; hand < 2; hand++)
    for (guint mode = 0; mode < 2; mode++)
      for (guint32 i = 0xFFFFFF00; i != 0x200; i++) {
        SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS], next[SIM_FSNH_MAX_JOINTS];
        guint n = sim_fsnh_motion (hand, mode, i, joints);
        double moved = 0;

        g_assert_cmpuint (n, ==, 21 + mode);
        sim_fsnh_motion (hand, mode, i + 1, next);
        for (guint k = 0; k < n; k++) {
          const SimFsnhJoint *j = &joints[k];
          double norm = (double) j->qw * j->qw + (double) j->qx * j->qx + (double) j->qy * j->qy +
                        (double) j->qz * j->qz;

          g_assert_cmpfloat_with_epsilon (norm, 1, 1e-6);
          moved = MAX (moved, distance (j, &next[k]));
        }
        g_assert_cmpfloat (moved, <, 0.005);
        for (guint f = 0; f < 5; f++)
          for (guint k = 0; k < 3; k++) {
            const SimFsnhJoint *j = &joints[mode + 1 + 4 * f + k];

            g_assert_cmpfloat_with_epsilon (distance (j, j + 1), bones[f][k] / 1024, 1e-6);
          }
      }
}

static gsize
write_one (const SimFsnhWriter *writer, SimFsnhHand hand, SimFsnhMode mode, guint32 index,
           guint8 *bytes)
{
  const SimFsnhHead head = { hand, mode, index, 123456789, TRUE, TRUE };

  return sim_fsnh_write (writer, &head, bytes);
}

/* What is written is what is read, float for float; and the forearm form, taken back to the
 * wrist, is the wrist form. */
static void
test_packets (void)
{
  g_autoptr (SimFsnhWriter) writer = sim_fsnh_writer_new (FSNH_MAGIC, FSNH_QUAT_ORDER);
  FsnhRow rows[2][FSNH_WRIST_JOINTS];

  for (guint hand = 0; hand < 2; hand++)
    for (guint32 i = 0xFFFFFFF0; i != 0x110; i++) {
      for (guint mode = 0; mode < 2; mode++) {
        SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS];
        guint8 bytes[SIM_FSNH_MAX_PACKET];
        FsnhPacket packet;
        gsize length = write_one (writer, hand, mode, i, bytes);

        g_assert_cmpint (parse (bytes, length, &packet), ==, FSNH_VALID);
        g_assert_cmphex (packet.flags, ==, 0);
        g_assert_cmpuint (packet.hand, ==, hand + 1);
        g_assert_cmpuint (packet.frame_index, ==, i);
        g_assert_cmpuint (packet.timestamp_ns, ==, 123456789);
        g_assert_cmpuint (packet.n_joints, ==, sim_fsnh_motion (hand, mode, i, joints));
        g_assert_cmpmem (joints, packet.n_joints * sizeof *joints, packet.joints,
                         packet.n_joints * sizeof *joints);
        fsnh_packet_rows (&packet, FSNH_WRIST_RELATIVE, rows[mode]);
      }
      for (guint k = 0; k < FSNH_WRIST_JOINTS * 7; k++)
        g_assert_cmpfloat_with_epsilon ((&rows[0][0].px)[k], (&rows[1][0].px)[k], 5e-7);
    }
}

/* Each defect is refused with the reason of its name, and no other. */
static void
test_defects (void)
{
  g_autoptr (SimFsnhWriter) writer = sim_fsnh_writer_new (FSNH_MAGIC, FSNH_QUAT_ORDER);

  for (guint defect = 0; defect < SIM_FSNH_N_DEFECTS; defect++)
    for (guint round = 0; round < 2000; round++) {
      guint8 bytes[SIM_FSNH_MAX_DATAGRAM];
      FsnhPacket packet;
      guint64 random = round * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
      gsize length = write_one (writer, round % 2, round / 2 % 2, round, bytes);

      length = sim_fsnh_break (bytes, length, defect, random);
      g_assert_cmpuint (length, <=, sizeof bytes);
      g_assert_cmpstr (fsnh_reason_name (parse (bytes, length, &packet)), ==,
                       sim_fsnh_defect_names[defect]);
    }
  g_assert_null (sim_fsnh_defect_names[SIM_FSNH_N_DEFECTS]);
}

static void
test_oddities (void)
{
  g_autoptr (SimFsnhWriter) writer = sim_fsnh_writer_new (FSNH_MAGIC, FSNH_QUAT_ORDER);

  for (guint odd = 0; odd < SIM_FSNH_N_ODDITIES; odd++)
    for (guint mode = 0; mode < 2; mode++) {
      guint8 bytes[SIM_FSNH_MAX_PACKET];
      FsnhPacket packet;
      gsize length = write_one (writer, SIM_FSNH_LEFT, mode, 5, bytes);
      gboolean made = sim_fsnh_make_odd (bytes, mode, odd);
      gboolean found = FALSE;

      g_assert_cmpint (parse (bytes, length, &packet), ==, FSNH_VALID);
      for (guint bit = 0; bit < FSNH_N_FLAGS; bit++)
        if (packet.flags >> bit & 1)
          found |= g_str_equal (fsnh_flag_name (bit), sim_fsnh_oddity_names[odd]);
      g_assert_cmpint (found, ==, made);
      g_assert_cmpint (packet.flags != 0, ==, made);
    }
}

/* A receiver made of the plugin's parts. */
typedef struct {
  SimFsnhLedger predicted;
  guint64 datagrams, wrong_source;
  guint64 reasons[FSNH_N_REASONS];
  FsnhSequence hands[2];
} Receiver;

static void
receive (const SimFsnhDatagram *d, gpointer user_data)
{
  Receiver *self = user_data;
  const FsnhSource source = { .port = 4000 + d->sender };
  FsnhReason reason;
  FsnhPacket packet;

  sim_fsnh_ledger_sent (&self->predicted, d);
  self->datagrams++;
  if (d->sender == SIM_FSNH_FROM_WRONG) {
    self->wrong_source++;
    return;
  }
  reason = parse (d->bytes, d->length, &packet);
  self->reasons[reason]++;
  if (reason == FSNH_VALID)
    fsnh_sequence_next (&self->hands[packet.hand - 1], &packet, d->bytes, &source,
                        (gint64) self->datagrams);
}

static guint64
flag_count (const FsnhSequence *hand, const char *name)
{
  for (guint bit = 0; bit < FSNH_N_FLAGS; bit++)
    if (g_str_equal (fsnh_flag_name (bit), name))
      return hand->flags[bit];
  g_assert_not_reached ();
}

static void
compare_hand (const SimFsnhHandLedger *wanted, const FsnhSequence *found)
{
  static const FsnhClass same[SIM_FSNH_N_CLASSES] = {
    [SIM_FSNH_CLASS_FIRST] = FSNH_CLASS_FIRST,
    [SIM_FSNH_CLASS_SENDER_RESTART] = FSNH_CLASS_SENDER_RESTART,
    [SIM_FSNH_CLASS_NEW] = FSNH_CLASS_NEW,
    [SIM_FSNH_CLASS_GAP] = FSNH_CLASS_GAP,
    [SIM_FSNH_CLASS_REPEAT_WITHOUT_NEW] = FSNH_CLASS_REPEAT_WITHOUT_NEW,
    [SIM_FSNH_CLASS_REPEAT] = FSNH_CLASS_REPEAT,
    [SIM_FSNH_CLASS_DUPLICATE] = FSNH_CLASS_DUPLICATE,
    [SIM_FSNH_CLASS_INDEX_CONFLICT] = FSNH_CLASS_INDEX_CONFLICT,
    [SIM_FSNH_CLASS_REORDER] = FSNH_CLASS_REORDER,
  };

  for (guint i = 0; i < SIM_FSNH_N_CLASSES; i++)
    g_assert_cmpuint (wanted->classes[i], ==, found->classes[same[i]]);
  g_assert_cmpuint (wanted->lost, ==, found->lost);
  g_assert_cmpuint (wanted->mode_changed, ==, found->mode_changed);
  g_assert_cmpuint (wanted->source_changed, ==, found->source_changed);
  g_assert_cmpuint (wanted->forearm_stale, ==, flag_count (found, "forearm_stale"));
  for (guint i = 0; i < SIM_FSNH_N_ODDITIES; i++)
    g_assert_cmpuint (wanted->odd[i], ==, flag_count (found, sim_fsnh_oddity_names[i]));
  g_assert_cmpuint (wanted->first.index, ==, found->first_index);
  g_assert_cmpuint (wanted->last.index, ==, found->last_index);
  g_assert_cmpuint (wanted->first.timestamp_ns, ==, found->first_timestamp_ns);
  g_assert_cmpuint (wanted->last.timestamp_ns, ==, found->last_timestamp_ns);
}

static void
compare (const Receiver *self)
{
  const SimFsnhLedger *wanted = &self->predicted;

  g_assert_cmpuint (wanted->datagrams, ==, self->datagrams);
  g_assert_cmpuint (wanted->wrong_source, ==, self->wrong_source);
  g_assert_cmpuint (wanted->foreign[SIM_FSNH_FNIM], ==, self->reasons[FSNH_FOREIGN_FNIM_240]);
  g_assert_cmpuint (wanted->foreign[SIM_FSNH_PICO], ==, self->reasons[FSNH_FOREIGN_PICO_1860]);
  for (guint i = 0; i < SIM_FSNH_N_DEFECTS; i++)
    for (guint r = 0; r < FSNH_N_REASONS; r++)
      if (g_str_equal (fsnh_reason_name (r), sim_fsnh_defect_names[i]))
        g_assert_cmpuint (wanted->rejected[i], ==, self->reasons[r]);
  for (guint i = 0; i < 2; i++)
    compare_hand (&wanted->hands[i], &self->hands[i]);
}

static void
run_plan (const char *spec, guint64 seed, guint32 start_index, SimFsnhMode mode, guint beats,
          guint64 struck[SIM_FSNH_N_FAULTS])
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SimFaultPlan) plan = sim_fault_plan_parse (&sim_fsnh_grammar, spec, &error);
  g_autoptr (SimFsnhWriter) writer = sim_fsnh_writer_new (FSNH_MAGIC, FSNH_QUAT_ORDER);
  g_autofree Receiver *receiver = g_new0 (Receiver, 1);
  g_autofree SimFsnhSolver *solvers = g_new0 (SimFsnhSolver, 2);

  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++) {
    solvers[i] = (SimFsnhSolver){
      .hand = i,
      .mode = mode,
      .rate_hz = 120,
      .start_index = start_index,
      .clock_ns = G_GUINT64_CONSTANT (800000000000),
      .seed = seed,
      .plan = plan,
      .writer = writer,
      .ledger = &receiver->predicted.hands[i],
      .emit = receive,
      .user_data = receiver,
    };
    sim_fsnh_solver_begin (&solvers[i]);
  }
  for (guint beat = 0; beat < beats; beat++) {
    sim_fsnh_solver_beat (&solvers[0]);
    sim_fsnh_solver_beat (&solvers[1]);
  }
  for (guint i = 0; i < 2; i++) {
    sim_fsnh_solver_end (&solvers[i]);
    for (guint k = 0; struck != NULL && k < SIM_FSNH_N_FAULTS; k++)
      struck[k] += solvers[i].struck[k];
  }
  compare (receiver);
}

/* Each fault alone, at known beats, with the ledger that it must give. */
static void
test_scripted (void)
{
  static const struct {
    const char *spec;
    guint64 frames, repeats, duplicates, late, lost;
  } cases[] = {
    /* 100 beats of each hand */
    { "loss:at=10", 99, 0, 0, 0, 1 },
    { "loss:at=10:n=5", 95, 0, 0, 0, 5 },
    { "loss:at=0:n=3", 97, 0, 0, 0, 0 },  /* before the first: nobody knows of them */
    { "loss:at=97:n=9", 97, 0, 0, 0, 0 }, /* behind the last */
    { "duplicate:at=10:n=2", 100, 0, 2, 0, 0 },
    { "reorder:at=10:by=3", 99, 0, 0, 1, 1 },
    { "reorder:at=0:by=1", 99, 0, 0, 1, 0 },
    { "reorder:at=99:by=1", 100, 0, 0, 0, 0 }, /* released at the end */
    { "reorder:at=99:by=1,loss:at=98", 99, 0, 0, 0, 1 },
    { "burst:at=10:n=20", 100, 0, 0, 0, 0 },
    { "stall:at=10:n=12", 88, 12, 0, 0, 0 },
    { "stall:at=0:n=3", 98, 2, 0, 0, 0 },
    { "repeat-without-new:at=10:n=4", 96, 3, 0, 0, 0 },
    { "repeat-without-new:at=10:n=4,reorder:at=9:by=1", 95, 3, 0, 1, 1 },
    { "silence:at=10:ms=250", 70, 0, 0, 0, 0 },
    { "restart:at=10", 100, 0, 0, 0, 0 },
    { "restart:at=10:what=machine", 100, 0, 0, 0, 0 },
    { "restart:at=10,loss:at=9:n=2", 98, 0, 0, 0, 0 },
    { "jump:at=10:by=7", 100, 0, 0, 0, 7 },
    { "jump:at=10:by=99999", 100, 0, 0, 0, 99999 },
    { "jump:at=10:by=100000", 100, 0, 0, 0, 0 }, /* taken for a restart */
    { "mode:at=10/20:form=toggle", 100, 0, 0, 0, 0 },
    { "sender:at=10:n=5", 100, 0, 0, 0, 0 },
    { "odd:at=10:what=quat_not_unit", 100, 0, 0, 0, 0 },
    { "index-conflict:at=10", 100, 0, 1, 0, 0 },
    { "malformed:at=10", 100, 0, 0, 0, 0 },
    { "malformed:at=10:instead=1", 99, 0, 0, 0, 1 },
    { "foreign:at=10:size=240,foreign:at=10:size=1860", 100, 0, 0, 0, 0 },
    { "wrong-source:at=10", 100, 0, 0, 0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (SimFaultPlan) plan = sim_fault_plan_parse (&sim_fsnh_grammar, cases[i].spec, NULL);
    g_autoptr (SimFsnhWriter) writer = sim_fsnh_writer_new (FSNH_MAGIC, FSNH_QUAT_ORDER);
    g_autofree Receiver *receiver = g_new0 (Receiver, 1);
    const FsnhSequence *hand = &receiver->hands[1];
    SimFsnhSolver solver = {
      .hand = SIM_FSNH_RIGHT,
      .rate_hz = 120,
      .start_index = 0xFFFFFFE0, /* the wrap is in the middle */
      .clock_ns = G_GUINT64_CONSTANT (800000000000),
      .plan = plan,
      .writer = writer,
      .ledger = &receiver->predicted.hands[1],
      .emit = receive,
      .user_data = receiver,
    };

    g_assert_nonnull (plan);
    sim_fsnh_solver_begin (&solver);
    for (guint beat = 0; beat < 100; beat++)
      sim_fsnh_solver_beat (&solver);
    sim_fsnh_solver_end (&solver);
    compare (receiver);
    g_test_message ("%s", cases[i].spec);
    g_assert_cmpuint (hand->ledger[FSNH_LEDGER_FRAME], ==, cases[i].frames);
    g_assert_cmpuint (hand->ledger[FSNH_LEDGER_REPEAT], ==, cases[i].repeats);
    g_assert_cmpuint (hand->ledger[FSNH_LEDGER_DUPLICATE], ==, cases[i].duplicates);
    g_assert_cmpuint (hand->ledger[FSNH_LEDGER_LATE], ==, cases[i].late);
    g_assert_cmpuint (hand->lost, ==, cases[i].lost);
  }
}

/* Everything at once, by chance, over the wrap and without. */
static void
test_random (void)
{
  static const char spec[] =
      "loss:p=0.01,loss:p=0.002:n=20,duplicate:p=0.02,duplicate:p=0.005:n=3,reorder:p=0.01,"
      "reorder:p=0.01:by=7,reorder:p=0.002:by=100,burst:p=0.003:n=15,stall:p=0.005:n=9,"
      "repeat-without-new:p=0.005:n=2,silence:p=0.001:ms=300,silence:p=0.0005:ms=2500,"
      "restart:p=0.0005,restart:p=0.0002:what=machine,jump:p=0.002:by=30,jump:p=0.0005:by=150000,"
      "mode:p=0.003,sender:p=0.003:n=40,forearm-stale:p=0.002,odd:p=0.003:what=quat_not_unit,"
      "odd:p=0.003:what=position_range,odd:p=0.003:what=palm_root_offset,"
      "odd:p=0.003:what=forearm_root_not_zero,odd:p=0.003:what=component_order_suspect,"
      "index-conflict:p=0.01,malformed:p=0.02,malformed:p=0.005:instead=1,foreign:p=0.02,"
      "wrong-source:p=0.01";
  guint64 struck[SIM_FSNH_N_FAULTS] = { 0 };

  for (guint64 seed = 1; seed <= 20; seed++) {
    g_test_message ("seed %" G_GUINT64_FORMAT, seed);
    run_plan (spec, seed, seed % 2 ? 0xFFFFFC00 : 0, seed % 3 == 0, 5000, struck);
  }
  for (guint i = 0; i < SIM_FSNH_N_FAULTS; i++) {
    if (struck[i] == 0)
      g_test_message ("%s never struck", sim_fsnh_grammar.kinds[i].name);
    g_assert_cmpuint (struck[i], >, 0);
  }
}

/* The same seed sends the same bytes, another one does not. */
static void
collect (const SimFsnhDatagram *d, gpointer user_data)
{
  g_checksum_update (user_data, d->bytes, (gssize) d->length);
}

static char *
digest_of (guint64 seed)
{
  g_autoptr (SimFaultPlan) plan =
      sim_fault_plan_parse (&sim_fsnh_grammar, "malformed:p=0.1,foreign:p=0.1,loss:p=0.1", NULL);
  g_autoptr (SimFsnhWriter) writer = sim_fsnh_writer_new (FSNH_MAGIC, FSNH_QUAT_ORDER);
  g_autoptr (GChecksum) sha = g_checksum_new (G_CHECKSUM_SHA256);
  const SimFsnhHandLedger ledger = { 0 };
  SimFsnhSolver solver = { .rate_hz = 120,
                           .clock_ns = 1,
                           .seed = seed,
                           .plan = plan,
                           .writer = writer,
                           .ledger = &ledger,
                           .emit = collect,
                           .user_data = sha };

  sim_fsnh_solver_begin (&solver);
  for (guint i = 0; i < 200; i++)
    sim_fsnh_solver_beat (&solver);
  sim_fsnh_solver_end (&solver);
  return g_strdup (g_checksum_get_string (sha));
}

static void
test_seed (void)
{
  g_autofree char *one = digest_of (1), *again = digest_of (1), *two = digest_of (2);

  g_assert_cmpstr (one, ==, again);
  g_assert_cmpstr (one, !=, two);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/fsnh/motion/digest", test_motion_digest);
  g_test_add_func ("/sim/fsnh/motion/plausible", test_motion_plausible);
  g_test_add_func ("/sim/fsnh/packets", test_packets);
  g_test_add_func ("/sim/fsnh/defects", test_defects);
  g_test_add_func ("/sim/fsnh/oddities", test_oddities);
  g_test_add_func ("/sim/fsnh/scripted", test_scripted);
  g_test_add_func ("/sim/fsnh/random", test_random);
  g_test_add_func ("/sim/fsnh/seed", test_seed);
  return g_test_run ();
}

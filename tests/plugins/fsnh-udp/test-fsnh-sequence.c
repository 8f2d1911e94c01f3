/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-rivals.h"
#include "fsnh-sequence.h"
#include "fsnh-vectors.h"

#include <string.h>

#define BEAT_NS G_GINT64_CONSTANT (8333333)
#define SECOND_NS G_GINT64_CONSTANT (1000000000)

static const FsnhConstants documented = { FSNH_MAGIC, FSNH_QUAT_ORDER };
static const FsnhSource here = { .address = { [15] = 1 }, .port = 4000 };
static const FsnhSource there = { .address = { [15] = 1 }, .port = 4001 };

/* The state of a test: a hand, and the next packet to be sent. */
typedef struct {
  FsnhSequence sequence;
  FsnhVector vector;
  gint64 receive_ns;
  FsnhSource source;
} Hand;

static void
hand_init (Hand *hand)
{
  memset (hand, 0, sizeof *hand);
  fsnh_vector_get ('A', &hand->vector);
  hand->source = here;
}

static FsnhVerdict
hand_send (Hand *hand)
{
  FsnhPacket packet;

  g_assert_cmpint (
      fsnh_packet_parse (hand->vector.bytes, hand->vector.length, &documented, &packet), ==,
      FSNH_VALID);
  hand->receive_ns += BEAT_NS;
  return fsnh_sequence_next (&hand->sequence, &packet, hand->vector.bytes, &hand->source,
                             hand->receive_ns);
}

static FsnhVerdict
hand_send_at (Hand *hand, guint32 index, guint8 status, guint64 timestamp)
{
  hand->vector.bytes[7] = status;
  fsnh_vector_put_u32 (hand->vector.bytes, 8, index);
  fsnh_vector_put_u64 (hand->vector.bytes, 12, timestamp);
  return hand_send (hand);
}

static guint64
usual_time (guint32 index)
{
  return (guint64) (SECOND_NS + index * BEAT_NS);
}

static void
expect (FsnhVerdict verdict, FsnhClass klass, guint32 lost)
{
  g_assert_cmpstr (fsnh_class_name (verdict.klass), ==, fsnh_class_name (klass));
  g_assert_cmpint (verdict.ledger, ==, fsnh_class_ledger (klass));
  g_assert_cmpuint (verdict.lost, ==, lost);
}

/* The script that comes with the protocol's vectors. */
static void
test_script (void)
{
  Hand hand;

  hand_init (&hand);
  expect (hand_send (&hand), FSNH_CLASS_FIRST, 0);
  fsnh_vector_get ('C', &hand.vector);
  expect (hand_send (&hand), FSNH_CLASS_REPEAT, 0);
  expect (hand_send_at (&hand, 2, 1, usual_time (2)), FSNH_CLASS_NEW, 0);
  expect (hand_send_at (&hand, 5, 1, usual_time (5)), FSNH_CLASS_GAP, 2);
  expect (hand_send (&hand), FSNH_CLASS_DUPLICATE, 0);
  expect (hand_send_at (&hand, 4, 1, usual_time (4)), FSNH_CLASS_REORDER, 0);
  expect (hand_send_at (&hand, 7, 0, usual_time (7)), FSNH_CLASS_REPEAT_WITHOUT_NEW, 1);
  expect (hand_send_at (&hand, 0, 1, usual_time (600)), FSNH_CLASS_SENDER_RESTART, 0);
  expect (hand_send_at (&hand, 1, 1, usual_time (600) - 2 * SECOND_NS), FSNH_CLASS_SENDER_RESTART,
          0);

  g_assert_cmpuint (hand.sequence.accepted, ==, 9);
  g_assert_cmpuint (hand.sequence.ledger[FSNH_LEDGER_FRAME], ==, 6);
  g_assert_cmpuint (hand.sequence.ledger[FSNH_LEDGER_REPEAT], ==, 1);
  g_assert_cmpuint (hand.sequence.ledger[FSNH_LEDGER_DUPLICATE], ==, 1);
  g_assert_cmpuint (hand.sequence.ledger[FSNH_LEDGER_LATE], ==, 1);
  g_assert_cmpuint (hand.sequence.lost, ==, 3);
  g_assert_cmpuint (hand.sequence.first_index, ==, 1);
  g_assert_cmpuint (hand.sequence.last_index, ==, 1);
}

static void
test_wrap (void)
{
  Hand hand;
  FsnhVerdict verdict;

  hand_init (&hand);
  fsnh_vector_get ('B', &hand.vector);
  expect (hand_send (&hand), FSNH_CLASS_FIRST, 0);
  fsnh_vector_get ('Q', &hand.vector);
  expect (verdict = hand_send (&hand), FSNH_CLASS_NEW, 0);
  g_assert_cmpuint (hand.sequence.flags[4], ==, 1);
  g_assert_cmpstr (fsnh_flag_name (4), ==, "forearm_stale");

  hand_init (&hand);
  expect (hand_send_at (&hand, 0xFFFFFFFE, 1, 5 * SECOND_NS), FSNH_CLASS_FIRST, 0);
  expect (hand_send_at (&hand, 1, 1, 5 * SECOND_NS + 3), FSNH_CLASS_GAP, 2);
  expect (hand_send_at (&hand, 0xFFFFFFFF, 1, 5 * SECOND_NS + 1), FSNH_CLASS_REORDER, 0);
  expect (hand_send_at (&hand, 2, 1, 5 * SECOND_NS + 4), FSNH_CLASS_NEW, 0);
}

/* One step after index 1000 at 10 s, at every edge of the table. */
static void
test_edges (void)
{
  static const struct {
    gint64 d;
    gint64 dt_ns;
    guint8 status;
    FsnhClass klass;
    guint32 lost;
  } cases[] = {
    { 1, BEAT_NS, 1, FSNH_CLASS_NEW, 0 },
    { 1, -SECOND_NS, 1, FSNH_CLASS_NEW, 0 },
    { 1, -SECOND_NS - 1, 1, FSNH_CLASS_SENDER_RESTART, 0 },
    { 1, BEAT_NS, 0, FSNH_CLASS_REPEAT_WITHOUT_NEW, 0 },
    { 2, BEAT_NS, 0, FSNH_CLASS_REPEAT_WITHOUT_NEW, 1 },
    { 2, BEAT_NS, 1, FSNH_CLASS_GAP, 1 },
    { 100000, BEAT_NS, 1, FSNH_CLASS_GAP, 99999 },
    { 100001, BEAT_NS, 1, FSNH_CLASS_SENDER_RESTART, 0 },
    { 0x7FFFFFFF, BEAT_NS, 1, FSNH_CLASS_SENDER_RESTART, 0 },
    { 0, BEAT_NS, 0, FSNH_CLASS_REPEAT, 0 },
    { 0, 0, 0, FSNH_CLASS_REPEAT, 0 },
    { 0, 0, 1, FSNH_CLASS_DUPLICATE, 0 },
    { 0, 1, 1, FSNH_CLASS_INDEX_CONFLICT, 0 },
    { 0, -SECOND_NS - 1, 0, FSNH_CLASS_SENDER_RESTART, 0 },
    { -1, 0, 1, FSNH_CLASS_REORDER, 0 },
    { -1, -BEAT_NS, 0, FSNH_CLASS_REORDER, 0 },
    { -1, 1, 1, FSNH_CLASS_SENDER_RESTART, 0 },
    { -120, -SECOND_NS, 1, FSNH_CLASS_REORDER, 0 },
    { -120, -SECOND_NS - 1, 1, FSNH_CLASS_SENDER_RESTART, 0 },
    { -121, -1, 1, FSNH_CLASS_SENDER_RESTART, 0 },
    { -1000, -1, 1, FSNH_CLASS_SENDER_RESTART, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Hand hand;

    hand_init (&hand);
    expect (hand_send_at (&hand, 1000, 1, 10 * SECOND_NS), FSNH_CLASS_FIRST, 0);
    expect (hand_send_at (&hand, (guint32) (1000 + cases[i].d), cases[i].status,
                          (guint64) (10 * SECOND_NS + cases[i].dt_ns)),
            cases[i].klass, cases[i].lost);
  }
}

/* After a restart the old numbers mean nothing: the next packet follows the new ones. */
static void
test_restart (void)
{
  Hand hand;

  hand_init (&hand);
  expect (hand_send_at (&hand, 500, 1, 10 * SECOND_NS), FSNH_CLASS_FIRST, 0);
  expect (hand_send_at (&hand, 3, 1, 11 * SECOND_NS), FSNH_CLASS_SENDER_RESTART, 0);
  expect (hand_send_at (&hand, 4, 1, 11 * SECOND_NS + 1), FSNH_CLASS_NEW, 0);
  expect (hand_send_at (&hand, 2, 1, 11 * SECOND_NS), FSNH_CLASS_REORDER, 0);
  expect (hand_send_at (&hand, 4, 1, 5 * SECOND_NS), FSNH_CLASS_SENDER_RESTART, 0);
  expect (hand_send_at (&hand, 6, 1, 5 * SECOND_NS + 1), FSNH_CLASS_GAP, 1);
  g_assert_cmpuint (hand.sequence.classes[FSNH_CLASS_SENDER_RESTART], ==, 2);
  g_assert_cmpuint (hand.sequence.classes[FSNH_CLASS_FIRST], ==, 1);
  g_assert_cmpuint (hand.sequence.ledger[FSNH_LEDGER_FRAME], ==, 5);
  g_assert_cmpuint (hand.sequence.first_timestamp_ns, ==, 10 * SECOND_NS);
  g_assert_cmpuint (hand.sequence.last_timestamp_ns, ==, 5 * SECOND_NS + 1);
}

/* An original that comes after its repeat is no conflict, and its copy is a duplicate. */
static void
test_upgrade (void)
{
  Hand hand;
  FsnhVerdict verdict;

  hand_init (&hand);
  verdict = hand_send_at (&hand, 10, 0, usual_time (10));
  expect (verdict, FSNH_CLASS_FIRST, 0);
  g_assert_true (verdict.started_on_repeat);
  expect (verdict = hand_send_at (&hand, 10, 1, usual_time (10)), FSNH_CLASS_INDEX_CONFLICT, 0);
  g_assert_true (verdict.upgraded);
  expect (hand_send (&hand), FSNH_CLASS_DUPLICATE, 0);
  hand.vector.bytes[100] ^= 1;
  expect (verdict = hand_send (&hand), FSNH_CLASS_INDEX_CONFLICT, 0);
  g_assert_false (verdict.upgraded);
  g_assert_cmpuint (hand.sequence.upgraded, ==, 1);
  g_assert_cmpuint (hand.sequence.classes[FSNH_CLASS_INDEX_CONFLICT], ==, 2);
  g_assert_cmpuint (hand.sequence.ledger[FSNH_LEDGER_DUPLICATE], ==, 3);
  g_assert_cmpuint (hand.sequence.started_on_repeat, ==, 1);
}

static void
test_times (void)
{
  Hand hand;

  hand_init (&hand);
  hand_send_at (&hand, 1, 1, usual_time (1));
  for (guint i = 0; i < 13; i++)
    hand_send_at (&hand, 1, 0, usual_time (2 + i));
  g_assert_cmpint (hand.sequence.longest_stall_ns, ==, 12 * BEAT_NS);
  hand_send_at (&hand, 2, 1, usual_time (15));
  g_assert_cmpint (hand.sequence.longest_stall_ns, ==, 13 * BEAT_NS);
  hand_send_at (&hand, 2, 0, usual_time (16));
  hand_send_at (&hand, 3, 1, usual_time (17));
  g_assert_cmpint (hand.sequence.longest_stall_ns, ==, 13 * BEAT_NS);
  g_assert_cmpint (hand.sequence.longest_silence_ns, ==, BEAT_NS);
  hand.receive_ns += SECOND_NS;
  hand_send_at (&hand, 4, 1, usual_time (18));
  g_assert_cmpint (hand.sequence.longest_silence_ns, ==, SECOND_NS + BEAT_NS);
  g_assert_cmpint (hand.sequence.last_receive_ns, ==, hand.receive_ns);
}

static void
test_mode (void)
{
  Hand hand;
  FsnhVerdict verdict;

  hand_init (&hand);
  hand_send_at (&hand, 1, 1, usual_time (1));
  fsnh_vector_get ('B', &hand.vector);
  verdict = hand_send_at (&hand, 2, 3, usual_time (2));
  expect (verdict, FSNH_CLASS_NEW, 0);
  g_assert_true (verdict.mode_changed);
  verdict = hand_send_at (&hand, 3, 3, usual_time (3));
  g_assert_false (verdict.mode_changed);
  fsnh_vector_get ('A', &hand.vector);
  /* A late packet of the old mode and a repeat are no rows, so they change nothing. */
  g_assert_false (hand_send_at (&hand, 1, 1, usual_time (1)).mode_changed);
  g_assert_false (hand_send_at (&hand, 3, 0, usual_time (4)).mode_changed);
  g_assert_true (hand_send_at (&hand, 4, 1, usual_time (5)).mode_changed);
  g_assert_cmpuint (hand.sequence.mode_changed, ==, 2);
}

static void
test_source (void)
{
  Hand hand;
  FsnhVerdict verdict;

  hand_init (&hand);
  verdict = hand_send_at (&hand, 1, 1, usual_time (1));
  g_assert_false (verdict.source_changed || verdict.source_moved);
  hand.source = there;
  verdict = hand_send_at (&hand, 2, 1, usual_time (2));
  g_assert_true (verdict.source_changed && verdict.source_moved);
  verdict = hand_send_at (&hand, 3, 1, usual_time (3));
  g_assert_true (verdict.source_changed && !verdict.source_moved);
  hand.source = here;
  verdict = hand_send_at (&hand, 4, 1, usual_time (4));
  g_assert_true (!verdict.source_changed && verdict.source_moved);
  hand.source = there;
  verdict = hand_send_at (&hand, 0, 1, usual_time (5));
  expect (verdict, FSNH_CLASS_SENDER_RESTART, 0);
  g_assert_true (!verdict.source_changed && verdict.source_moved);
  g_assert_cmpuint (hand.sequence.source_changed, ==, 2);
}

/* Whatever comes, in whatever order: the ledger balances after every packet. */
static void
test_balance (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  Hand hand;

  hand_init (&hand);
  for (guint i = 0; i < 20000; i++) {
    guint32 index = hand.sequence.last_index + (guint32) g_rand_int_range (random, -3, 6);
    guint64 ledger = 0, classes = 0;
    FsnhVerdict verdict;

    if (g_rand_int_range (random, 0, 50) == 0)
      index = g_rand_int (random);
    verdict = hand_send_at (&hand, index, (guint8) g_rand_int_range (random, 0, 2),
                            usual_time (index % 1000) + g_rand_int (random) % 3);
    for (guint k = 0; k < FSNH_N_LEDGER; k++)
      ledger += hand.sequence.ledger[k];
    for (guint k = 0; k < FSNH_N_CLASSES; k++)
      classes += hand.sequence.classes[k];
    g_assert_cmpuint (ledger, ==, i + 1);
    g_assert_cmpuint (classes, ==, i + 1);
    g_assert_cmpuint (hand.sequence.accepted, ==, i + 1);
    if (verdict.ledger == FSNH_LEDGER_FRAME)
      g_assert_cmpuint (hand.sequence.last_index, ==, index);
    g_assert_cmpuint (verdict.lost, <=, 99999);
  }
}

static void
test_names (void)
{
  for (guint i = 0; i < FSNH_N_CLASSES; i++)
    g_assert_nonnull (fsnh_class_name (i));
  g_assert_cmpstr (fsnh_ledger_name (FSNH_LEDGER_FRAME), ==, "frames");
  g_assert_cmpstr (fsnh_ledger_name (FSNH_LEDGER_REPEAT), ==, "repeats");
  g_assert_cmpstr (fsnh_ledger_name (FSNH_LEDGER_DUPLICATE), ==, "duplicates");
  g_assert_cmpstr (fsnh_ledger_name (FSNH_LEDGER_LATE), ==, "late");
}

/* Who sends at which millisecond, and whether rivals begin (b) or are over (o) then. */
static void
test_rivals (void)
{
  static const struct {
    const char *name;
    struct {
      gint64 ms;
      guint32 port;
      gboolean restart;
      char told;
    } steps[8];
  } rows[] = {
    { "one, restarted at other ports",
      { { 0, 1 }, { 10, 2, TRUE }, { 20, 3, TRUE }, { 30, 4, TRUE }, { 40, 4 } } },
    { "back and forth, but slowly", { { 0, 1 }, { 1, 2 }, { 1500, 1 }, { 2002, 2 } } },
    { "two", { { 0, 1 }, { 1, 2 }, { 2, 1 }, { 3, 2, TRUE, 'b' }, { 4, 1 }, { 5, 2 }, { 6, 2 } } },
    { "three", { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 1, FALSE, 'b' }, { 4, 2 }, { 5, 3 } } },
    { "two behind one address",
      { { 0, 1 }, { 1, 1, TRUE }, { 2, 1, TRUE }, { 3, 1, TRUE, 'b' }, { 4, 1, TRUE } } },
    { "over, and one more change",
      { { 0, 1 },
        { 1, 2 },
        { 2, 1 },
        { 3, 2, FALSE, 'b' },
        { 2002, 2 },
        { 2003, 2, FALSE, 'o' },
        { 2004, 1 },
        { 2005, 1 } } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    FsnhRivals rivals = { 0 };

    g_test_message ("%s", rows[i].name);
    for (guint k = 0; k < 8 && rows[i].steps[k].port != 0; k++) {
      const FsnhSource source = { .port = rows[i].steps[k].port };
      gint64 ns = rows[i].steps[k].ms * 1000000;
      gboolean over = fsnh_rivals_end (&rivals, ns);
      gboolean begin = fsnh_rivals_take (&rivals, &source, rows[i].steps[k].restart, ns);

      g_assert_cmpint (over, ==, rows[i].steps[k].told == 'o');
      g_assert_cmpint (begin, ==, rows[i].steps[k].told == 'b');
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fsnh/sequence/script", test_script);
  g_test_add_func ("/fsnh/sequence/wrap", test_wrap);
  g_test_add_func ("/fsnh/sequence/edges", test_edges);
  g_test_add_func ("/fsnh/sequence/restart", test_restart);
  g_test_add_func ("/fsnh/sequence/rivals", test_rivals);
  g_test_add_func ("/fsnh/sequence/upgrade", test_upgrade);
  g_test_add_func ("/fsnh/sequence/times", test_times);
  g_test_add_func ("/fsnh/sequence/mode", test_mode);
  g_test_add_func ("/fsnh/sequence/source", test_source);
  g_test_add_func ("/fsnh/sequence/balance", test_balance);
  g_test_add_func ("/fsnh/sequence/names", test_names);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */

/* Declared lengths of sequences, also of those in structs: each is looked at where it is. */

#include <stddef.h>

#include <acq/acq-harness.h>
#include <acq/acq.h>

/* Two structs of one type in a message, as a lab's own .msg may have them. */

typedef struct {
  uint32_t n_cells;
  float cells[4];
} TestPack;

typedef struct {
  uint32_t number;
  TestPack left;
  TestPack right;
} TestPacks;

static const AcqField pack_fields[] = {
  { .name = "cells",
    .kind = ACQ_KIND_F32,
    .arity = ACQ_ARITY_SEQUENCE,
    .interp = ACQ_INTERP_LINEAR,
    .offset = offsetof (TestPack, cells),
    .count_offset = offsetof (TestPack, n_cells),
    .stride = sizeof (float),
    .max = 4 },
};

static const AcqSchema pack_schema = { .name = "test_msgs/msg/Pack",
                                       .text = "float32[] cells",
                                       .size = sizeof (TestPack),
                                       .align = 4,
                                       .fields = pack_fields,
                                       .n_fields = G_N_ELEMENTS (pack_fields) };

static const AcqField packs_fields[] = {
  { .name = "number", .kind = ACQ_KIND_U32, .offset = 0, .stride = 4, .max = 1 },
  { .name = "left",
    .kind = ACQ_KIND_STRUCT,
    .interp = ACQ_INTERP_LINEAR,
    .offset = offsetof (TestPacks, left),
    .stride = sizeof (TestPack),
    .max = 1,
    .type = &pack_schema },
  { .name = "right",
    .kind = ACQ_KIND_STRUCT,
    .interp = ACQ_INTERP_LINEAR,
    .offset = offsetof (TestPacks, right),
    .stride = sizeof (TestPack),
    .max = 1,
    .type = &pack_schema },
};

static const AcqSchema packs_schema = { .name = "test_msgs/msg/Packs",
                                        .text = "uint32 number\nPack left\nPack right",
                                        .size = sizeof (TestPacks),
                                        .align = 4,
                                        .fields = packs_fields,
                                        .n_fields = G_N_ELEMENTS (packs_fields) };

/* A transform that only lets the harness have an input. */

typedef struct {
  AcqTransform parent_instance;
} TestIdle;

typedef struct {
  AcqTransformClass parent_class;
} TestIdleClass;

GType test_idle_get_type (void);
G_DEFINE_TYPE (TestIdle, test_idle, ACQ_TYPE_TRANSFORM)

static gboolean
test_idle_process (AcqTransform *transform, const AcqItem *items, guint n, GError **error)
{
  return TRUE;
}

static void
test_idle_class_init (TestIdleClass *klass)
{
  ACQ_TRANSFORM_CLASS (klass)->process = test_idle_process;
}

static void
test_idle_init (TestIdle *self)
{
}

typedef struct {
  guint number, left, right;
  gboolean suspect;
} Case;

static const Case cases[] = {
  { 3, 2, 3, FALSE }, { 0, 2, 3, FALSE }, { 2, 3, 3, TRUE }, { 99, 2, 2, TRUE }, { 2, 2, 3, FALSE },
};

static void
test_nested (void)
{
  g_autoptr (AcqHarness) h = acq_harness_new (g_object_new (test_idle_get_type (), NULL), "idle");
  AcqStreamInfo info = { .name = "packs", .schema = &packs_schema };
  AcqStream *stream = acq_harness_add_input (h, "truck", &info);
  guint count;

  acq_stream_set_count (stream, "left.cells", 4);
  acq_stream_set_count (stream, "left.cells", 2);
  acq_stream_set_count (stream, "right.cells", 3);
  g_assert_true (acq_stream_get_count (stream, "left.cells", &count));
  g_assert_cmpuint (count, ==, 2);
  g_assert_true (acq_stream_get_count (stream, "right.cells", &count));
  g_assert_cmpuint (count, ==, 3);
  g_assert_true (acq_harness_start (h, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    AcqFrame *frame;
    TestPacks *packs = acq_stream_begin (stream, &packs_schema, &frame);

    packs->number = cases[i].number;
    packs->left.n_cells = cases[i].left;
    packs->right.n_cells = cases[i].right;
    /* By hand nothing runs before the clock moves, so the frame stays in the link. */
    acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
    g_assert_cmpint ((frame->flags & ACQ_FRAME_SUSPECT) != 0, ==, cases[i].suspect);
  }
  {
    g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (h);
    const AcqStreamSnapshot *packs = acq_snapshot_find_stream (snapshot, "truck.packs");

    g_assert_cmpuint (
        g_array_index (packs->links, AcqLinkSnapshot, 0).counters.dropped[ACQ_DROP_TOO_LONG], ==,
        0);
  }
  g_assert_cmpuint (acq_harness_count_events (h, "count_mismatch"), ==, 1);
}

static void
test_unknown (void)
{
  static const char *const wrong[] = { "cells", "left", "left.cells.x", "number", "middle.cells" };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (AcqHarness) h = acq_harness_new (g_object_new (test_idle_get_type (), NULL), "idle");
    AcqStreamInfo info = { .name = "packs", .schema = &packs_schema };
    AcqStream *stream = acq_harness_add_input (h, "truck", &info);

    g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*has no sequence*");
    acq_stream_set_count (stream, wrong[i], 1);
    g_test_assert_expected_messages ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stream-counts/nested", test_nested);
  g_test_add_func ("/stream-counts/unknown", test_unknown);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-msgs.h>
#include <acq/acq-walk.h>

#include <math.h>
#include <string.h>

static const AcqLeaf *
find_leaf (const AcqLeaves *leaves, const char *path)
{
  for (guint i = 0; i < leaves->n; i++)
    if (g_str_equal (leaves->leaves[i].path, path))
      return &leaves->leaves[i];
  return NULL;
}

static void
test_leaves (void)
{
  g_autoptr (AcqLeaves) leaves = acq_leaves_new (&acq_hand_skeleton_schema, ACQ_LEAVES_PLAIN);
  const AcqLeaf *leaf;

  /* side, root, status, x, y, z, the quaternion, confidence */
  g_assert_cmpuint (leaves->n, ==, 8);
  leaf = find_leaf (leaves, "joints.position.y");
  g_assert_cmpint (leaf->kind, ==, ACQ_KIND_F32);
  g_assert_cmpint (leaf->interp, ==, ACQ_INTERP_LINEAR);
  g_assert_cmpuint (leaf->offset, ==, 4);
  g_assert_cmpuint (leaf->n_dims, ==, 1);
  g_assert_cmpuint (leaf->dims[0].max, ==, 21);
  g_assert_cmpuint (leaf->dims[0].stride, ==, sizeof (AcqPose32));
  g_assert_cmpuint (leaf->dims[0].offset, ==, G_STRUCT_OFFSET (AcqHandSkeleton, joints));
  g_assert_cmpstr (leaf->unit, ==, "m");
  leaf = find_leaf (leaves, "joints.orientation");
  g_assert_cmpint (leaf->interp, ==, ACQ_INTERP_SLERP);
  g_assert_cmpint (leaf->kind, ==, ACQ_KIND_F32);
  g_assert_cmpuint (leaf->n, ==, 4);
  g_assert_cmpuint (leaf->offset, ==, 12);
}

static void
test_merge (void)
{
  g_autoptr (AcqLeaves) hand = acq_leaves_new (&acq_hand_skeleton_schema, ACQ_LEAVES_MERGE);
  g_autoptr (AcqLeaves) imu = acq_leaves_new (&acq_imu_schema, ACQ_LEAVES_MERGE);
  g_autoptr (AcqLeaves) twist = acq_leaves_new (&acq_twist_stamped_schema, ACQ_LEAVES_MERGE);

  /* bytes; xyz; quaternion; confidence */
  g_assert_cmpuint (hand->n, ==, 4);
  g_assert_cmpuint (hand->leaves[0].n, ==, 3);
  g_assert_cmpstr (hand->leaves[1].path, ==, "joints.position.x");
  g_assert_cmpuint (hand->leaves[1].n, ==, 3);
  g_assert_cmpuint (hand->leaves[2].n, ==, 4);
  g_assert_true (hand->leaves[3].dims[0].is_sequence);
  /* quaternion, and three pairs of vector and covariance */
  g_assert_cmpuint (imu->n, ==, 6);
  g_assert_cmpuint (twist->n, ==, 1);
  g_assert_cmpuint (twist->leaves[0].n, ==, 6);
}

/* An outer hold holds what is inside, quaternions too. */
static void
test_hold (void)
{
  g_autoptr (AcqLeaves) leaves = acq_leaves_new (&acq_tf_message_schema, ACQ_LEAVES_PLAIN);

  for (guint i = 0; i < leaves->n; i++)
    g_assert_cmpint (leaves->leaves[i].interp, ==, ACQ_INTERP_HOLD);
  g_assert_nonnull (find_leaf (leaves, "transforms.transform.rotation.w"));
  g_assert_cmpint (find_leaf (leaves, "transforms.header.frame_id")->kind, ==, ACQ_KIND_STRING);
}

typedef struct {
  guint calls;
  gsize n;
  double sum;
} Sum;

static void
add_floats (const AcqLeaf *leaf, const guint *index, gconstpointer values, gsize n, gpointer data)
{
  Sum *sum = data;

  sum->calls++;
  sum->n += n;
  for (gsize i = 0; i < n; i++)
    sum->sum += ((const float *) values)[i];
}

static void
test_visit (void)
{
  g_autoptr (AcqLeaves) leaves = acq_leaves_new (&acq_hand_skeleton_schema, ACQ_LEAVES_PLAIN);
  AcqHandSkeleton msg = { .n_joints = 3, .n_confidence = 2, .confidence = { 0.5f, 0.25f, 99 } };
  Sum sum = { 0 };

  for (guint i = 0; i < 4; i++)
    msg.joints[i].position.y = i + 1;
  acq_leaf_visit (find_leaf (leaves, "joints.position.y"), &msg, sizeof msg, add_floats, &sum);
  g_assert_cmpuint (sum.calls, ==, 3);
  g_assert_cmpfloat (sum.sum, ==, 6);

  sum = (Sum){ 0 };
  acq_leaf_visit (find_leaf (leaves, "joints.orientation"), &msg, sizeof msg, add_floats, &sum);
  g_assert_cmpuint (sum.n, ==, 12);

  /* An array of scalars comes in one call; an empty one not at all. */
  sum = (Sum){ 0 };
  acq_leaf_visit (find_leaf (leaves, "confidence"), &msg, sizeof msg, add_floats, &sum);
  g_assert_cmpuint (sum.calls, ==, 1);
  g_assert_cmpuint (sum.n, ==, 2);
  g_assert_cmpfloat (sum.sum, ==, 0.75);
  msg.n_confidence = 0;
  sum = (Sum){ 0 };
  acq_leaf_visit (find_leaf (leaves, "confidence"), &msg, sizeof msg, add_floats, &sum);
  g_assert_cmpuint (sum.calls, ==, 0);
}

static void
test_flat (void)
{
  const struct {
    const AcqSchema *schema;
    gboolean flat;
    AcqKind kind;
    guint n;
  } cases[] = {
    { &acq_pose32_schema, TRUE, ACQ_KIND_F32, 7 },
    { &acq_vector3_schema, TRUE, ACQ_KIND_F64, 3 },
    { &acq_time_schema, FALSE, 0, 0 },
    { &acq_header_schema, FALSE, 0, 0 },
    { &acq_imu_schema, FALSE, 0, 0 },
    { &acq_point_field_schema, FALSE, 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    AcqKind kind = 0;
    guint n = 0;

    g_assert_cmpint (acq_schema_get_flat (cases[i].schema, &kind, &n), ==, cases[i].flat);
    g_assert_cmpint (kind, ==, cases[i].kind);
    g_assert_cmpuint (n, ==, cases[i].n);
  }
}

static void
test_json (void)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_GAP, .from_ns = G_MININT64, .count = G_MAXUINT64 };
  AcqClockState state = { .drift_ppm = NAN };
  AcqHandSkeleton hand = { .n_joints = 1, .n_confidence = 2, .confidence = { 0.1f, 1e-20f } };
  guint8 raw[sizeof (AcqRaw) + 32] = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);

  strcpy (event.node, "a\"\\\n");
  strcpy (event.stream, "é");
  acq_payload_append_json (&acq_event_schema, &event, sizeof event, text);
  g_assert_cmpstr (text->str, ==,
                   "{\"kind\":1,\"severity\":0,\"node\":\"a\\\"\\\\\\u000a\",\"stream\":\"é\","
                   "\"name\":\"\",\"message\":\"\",\"from_ns\":-9223372036854775808,\"to_ns\":0,"
                   "\"count\":18446744073709551615,\"code\":0,\"details\":\"\"}");
  g_string_truncate (text, 0);
  acq_payload_append_json (&acq_clock_state_schema, &state, sizeof state, text);
  g_assert_nonnull (strstr (text->str, "\"drift_ppm\":null,"));

  g_string_truncate (text, 0);
  acq_payload_append_json (&acq_hand_skeleton_schema, &hand, sizeof hand, text);
  g_assert_cmpstr (text->str, ==,
                   "{\"side\":0,\"root\":0,\"status\":0,\"joints\":[{\"position\":{\"x\":0,\"y\":0,"
                   "\"z\":0},\"orientation\":{\"x\":0,\"y\":0,\"z\":0,\"w\":0}}],"
                   "\"confidence\":[0.1,1e-20]}");

  memcpy (acq_raw_tail ((AcqRaw *) (void *) raw), "abc", 3);
  g_string_truncate (text, 0);
  acq_payload_append_json (&acq_raw_schema, raw, acq_raw_schema.tail_offset + 3, text);
  g_assert_cmpstr (text->str, ==,
                   "{\"sender\":\"\",\"reason\":\"\",\"length\":0,\"data\":\"YWJj\"}");
}

static void
assert_wrong (const AcqSchema *schema, gconstpointer payload, gsize size, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (acq_payload_check (schema, payload, size, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_SCHEMA);
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_check (void)
{
  AcqGridValid grid = { .n_valid = 257 };
  AcqEvent event = { 0 };
  AcqHandSkeleton hand = { .n_joints = 21 };
  guint8 image[sizeof (AcqImage) + 16] = { 0 };

  g_assert_true (acq_payload_check (&acq_hand_skeleton_schema, &hand, sizeof hand, NULL));
  g_assert_true (acq_schema_counts_fit (&acq_hand_skeleton_schema, &hand));
  hand.n_confidence = 22;
  g_assert_false (acq_schema_counts_fit (&acq_hand_skeleton_schema, &hand));
  assert_wrong (&acq_hand_skeleton_schema, &hand, sizeof hand,
                "confidence: 22 elements; at most 21");
  assert_wrong (&acq_hand_skeleton_schema, &hand, sizeof hand - 1, "are needed");
  assert_wrong (&acq_grid_valid_schema, &grid, sizeof grid, "valid: 257 elements");
  memset (event.node, 'x', sizeof event.node);
  assert_wrong (&acq_event_schema, &event, sizeof event, "node: the text does not end");
  strcpy (event.node, "\xff");
  assert_wrong (&acq_event_schema, &event, sizeof event, "node: the text is not UTF-8");
  g_assert_true (acq_payload_check (&acq_image_schema, image, acq_image_schema.tail_offset, NULL));
  assert_wrong (&acq_image_schema, image, acq_image_schema.tail_offset - 1, "at least");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/walk/leaves", test_leaves);
  g_test_add_func ("/walk/merge", test_merge);
  g_test_add_func ("/walk/hold", test_hold);
  g_test_add_func ("/walk/visit", test_visit);
  g_test_add_func ("/walk/flat", test_flat);
  g_test_add_func ("/walk/json", test_json);
  g_test_add_func ("/walk/check", test_check);
  return g_test_run ();
}

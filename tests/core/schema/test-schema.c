/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-msgs.h>
#include <acq/acq-error.h>

#include <string.h>

/* What the descriptors say, for the types that show one thing each. */
static void
test_layout (void)
{
  const AcqSchema *imu = &acq_imu_schema;
  const AcqSchema *hand = &acq_hand_skeleton_schema;
  const AcqField *joints = acq_schema_find_field (hand, "joints");
  const AcqField *name = acq_schema_find_field (&acq_joint_state_schema, "name");

  /* No padding between 37 doubles: one copy behind the header. */
  g_assert_cmpuint (imu->n_ops, ==, 2);
  g_assert_cmpint (imu->ops[0].code, ==, ACQ_CDR_HEADER);
  g_assert_cmpint (imu->ops[1].code, ==, ACQ_CDR_COPY);
  g_assert_cmpuint (imu->ops[1].align, ==, 8);
  g_assert_cmpuint (imu->ops[1].bytes, ==, 37 * 8);

  /* 21 poses without padding: one sequence. */
  g_assert_cmpuint (hand->n_ops, ==, 4);
  g_assert_cmpint (hand->ops[2].code, ==, ACQ_CDR_SEQ);
  g_assert_cmpuint (hand->ops[2].bytes, ==, 28);
  g_assert_cmpuint (hand->ops[2].max, ==, 21);
  g_assert_true (joints->type == &acq_pose32_schema);
  g_assert_true (acq_pose32_schema.is_packed);
  g_assert_cmpstr (joints->npz, ==, ".");
  g_assert_cmpuint (joints->offset, ==, G_STRUCT_OFFSET (AcqHandSkeleton, joints));
  g_assert_cmpuint (joints->count_offset, ==, G_STRUCT_OFFSET (AcqHandSkeleton, n_joints));

  g_assert_cmpint (name->flags, ==, ACQ_FIELD_CONSTANT);
  g_assert_cmpuint (acq_joint_state_schema.n_constants, ==, 1);

  g_assert_true (acq_image_schema.tail == acq_schema_find_field (&acq_image_schema, "data"));
  g_assert_cmpuint (acq_image_schema.tail_offset % 16, ==, 0);
  g_assert_false (acq_transform_stamped_schema.has_header);
  g_assert_cmpuint (sizeof (((AcqTransformStamped *) NULL)->header.frame_id), ==, 65);
}

static void
test_interp (void)
{
  const struct {
    const AcqSchema *schema;
    const char *path;
    AcqInterp interp;
    const char *unit;
  } cases[] = {
    { &acq_imu_schema, "orientation", ACQ_INTERP_SLERP, NULL },
    { &acq_imu_schema, "orientation_covariance", ACQ_INTERP_HOLD, "rad^2" },
    { &acq_imu_schema, "linear_acceleration", ACQ_INTERP_LINEAR, "m/s^2" },
    { &acq_imu_schema, "linear_acceleration.z", ACQ_INTERP_LINEAR, NULL },
    { &acq_hand_skeleton_schema, "side", ACQ_INTERP_HOLD, NULL },
    { &acq_hand_skeleton_schema, "joints.orientation", ACQ_INTERP_SLERP, NULL },
    { &acq_hand_skeleton_schema, "joints.position.x", ACQ_INTERP_LINEAR, "m" },
    { &acq_joint_state_schema, "effort", ACQ_INTERP_LINEAR, "N.m" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AcqField *field = acq_schema_find_field (cases[i].schema, cases[i].path);

    g_assert_nonnull (field);
    g_assert_cmpint (field->interp, ==, cases[i].interp);
    g_assert_cmpstr (field->unit, ==, cases[i].unit);
  }
  g_assert_null (acq_schema_find_field (&acq_imu_schema, "orientation.q"));
  g_assert_null (acq_schema_find_field (&acq_imu_schema, "orientation.x.y"));
  g_assert_null (acq_schema_find_field (&acq_imu_schema, "header"));
  g_assert_null (acq_schema_find_field (&acq_imu_schema, ""));
}

static void
test_lookup (void)
{
  static const AcqSchema own = { .name = "lab_msgs/msg/Own", .text = "uint8 a\n", .size = 1 };
  static const AcqSchema other = { .name = "lab_msgs/msg/Own", .text = "uint8 b\n", .size = 1 };
  g_autoptr (GError) error = NULL;
  const AcqSchema *const *all;
  guint n;

  all = acq_schema_list (&n);
  g_assert_cmpuint (n, >, 20);
  for (guint i = 0; i < n; i++) {
    g_assert_true (acq_schema_lookup (all[i]->name) == all[i]);
    if (i > 0)
      g_assert_cmpint (strcmp (all[i - 1]->name, all[i]->name), <, 0);
  }
  g_assert_null (acq_schema_lookup ("acq_msgs/msg/Nothing"));

  g_assert_null (acq_schema_lookup (own.name));
  g_assert_true (acq_schema_register (&own, &error));
  g_assert_true (acq_schema_register (&own, &error));
  g_assert_no_error (error);
  g_assert_true (acq_schema_lookup (own.name) == &own);
  g_assert_false (acq_schema_register (&other, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_SCHEMA);
  g_assert_true (acq_schema_lookup (own.name) == &own);
}

/* MCAP wants short names, every type once, and an exact line between them. */
static void
test_text (void)
{
  const char *text = acq_hand_skeleton_schema.text;
  const char *found = strstr (text, "MSG: acq_msgs/Pose32\n");

  g_assert_true (g_str_has_prefix (text, "# The joints of one hand"));
  g_assert_nonnull (found);
  g_assert_null (strstr (found + 1, "MSG: acq_msgs/Pose32\n"));
  g_assert_nonnull (strstr (text, "MSG: std_msgs/Header\n"));
  g_assert_null (strstr (text, "MSG: builtin_interfaces"));
  g_assert_null (strstr (text, "<="));
  for (found = strstr (text, "===="); found != NULL; found = strstr (found, "====")) {
    g_assert_cmpuint (strspn (found, "="), ==, 80);
    g_assert_true (found[-1] == '\n' && g_str_has_prefix (found + 80, "\nMSG: "));
    found += 80;
  }
}

static void
test_values (void)
{
  const AcqEnumValue *value = &acq_hand_skeleton_schema.values[1];

  g_assert_cmpstr (value->name, ==, "SIDE_LEFT");
  g_assert_cmpint (value->value, ==, ACQ_HAND_SKELETON_SIDE_LEFT);
  g_assert_cmpint (ACQ_HAND_SKELETON_SIDE_LEFT, ==, ACQ_SIDE_LEFT);
  g_assert_cmpint (ACQ_HAND_SKELETON_JOINTS_MAX, ==, 21);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schema/layout", test_layout);
  g_test_add_func ("/schema/interp", test_interp);
  g_test_add_func ("/schema/lookup", test_lookup);
  g_test_add_func ("/schema/text", test_text);
  g_test_add_func ("/schema/values", test_values);
  return g_test_run ();
}

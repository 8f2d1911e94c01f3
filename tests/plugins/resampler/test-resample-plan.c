/* SPDX-License-Identifier: Apache-2.0 */

/* Message types compiled: what is blended, what is held, and what "no measurement" does. */

#include <math.h>
#include <string.h>

#include "resample-plan.h"

#define BLEND(plan, a, b, u)                                                                       \
  resample_plan_blend ((plan), (guint8 *) (a), sizeof *(a), (const guint8 *) (b), sizeof *(b), (u))

static void
test_imu (void)
{
  g_autoptr (ResamplePlan) plan = resample_plan_new (&acq_imu_schema, NULL);
  AcqImu a = { .orientation = { 0, 0, 0, 1 },
               .orientation_covariance = { 5 },
               .angular_velocity = { 1, 2, 3 },
               .linear_acceleration = { -1, 1e308, 0 } };
  AcqImu b = { .orientation = { 0, 0, 1, 0 },
               .orientation_covariance = { 9 },
               .angular_velocity = { 2, 2, NAN },
               .linear_acceleration = { 1, -1e308, INFINITY } };

  g_assert_true (resample_plan_blends (plan));
  BLEND (plan, &a, &b, 0.25);
  g_assert_cmpfloat_with_epsilon (a.orientation.z, sin (G_PI / 8), 1e-15);
  g_assert_cmpfloat_with_epsilon (a.orientation.w, cos (G_PI / 8), 1e-15);
  g_assert_cmpfloat (a.orientation_covariance[0], ==, 5);
  g_assert_cmpfloat (a.angular_velocity.x, ==, 1.25);
  g_assert_cmpfloat (a.angular_velocity.y, ==, 2);
  g_assert_true (isnan (a.angular_velocity.z));
  g_assert_cmpfloat (a.linear_acceleration.x, ==, -0.5);
  g_assert_cmpfloat (a.linear_acceleration.y, ==, 5e307);
  g_assert_true (isnan (a.linear_acceleration.z));
}

/* A device without orientation says so with zeros; that stays what it was. */
static void
test_no_orientation (void)
{
  g_autoptr (ResamplePlan) plan = resample_plan_new (&acq_imu_schema, NULL);
  AcqImu a = { .linear_acceleration = { 0, 0, 9 } };
  AcqImu b = { .linear_acceleration = { 0, 0, 10 } };
  AcqImu c = { .orientation = { 0, 0, 0, 1 } };

  BLEND (plan, &a, &b, 0.5);
  g_assert_cmpfloat (a.orientation.w, ==, 0);
  g_assert_cmpfloat (a.linear_acceleration.z, ==, 9.5);
  BLEND (plan, &a, &c, 0.5);
  g_assert_true (isnan (a.orientation.x) && isnan (a.orientation.w));
}

static void
fill_skeleton (AcqHandSkeleton *hand, guint n, float x, double angle)
{
  memset (hand, 0, sizeof *hand);
  hand->side = 1;
  hand->n_joints = n;
  for (guint i = 0; i < n; i++)
    hand->joints[i] =
        (AcqPose32){ { x, i, -x },
                     { 0, (float) sin (angle / 2 * i), 0, (float) cos (angle / 2 * i) } };
}

static void
test_skeleton (void)
{
  g_autoptr (ResamplePlan) plan = resample_plan_new (&acq_hand_skeleton_schema, NULL);
  AcqHandSkeleton a, b;

  fill_skeleton (&a, 21, 1, 0);
  fill_skeleton (&b, 21, 3, 0.1);
  b.side = 2;
  BLEND (plan, &a, &b, 0.75);
  g_assert_cmpuint (a.side, ==, 1);
  for (guint i = 0; i < 21; i++) {
    g_assert_cmpfloat (a.joints[i].position.x, ==, 2.5);
    g_assert_cmpfloat (a.joints[i].position.y, ==, i);
    g_assert_cmpfloat_with_epsilon (a.joints[i].orientation.y, sin (0.0375 * i), 1e-7);
    g_assert_cmpfloat_with_epsilon (a.joints[i].orientation.w, cos (0.0375 * i), 1e-7);
  }
}

/* Lengths that differ have no partner: the earlier message, whole. */
static void
test_counts (void)
{
  g_autoptr (ResamplePlan) hands = resample_plan_new (&acq_hand_skeleton_schema, NULL);
  g_autoptr (ResamplePlan) joints = resample_plan_new (&acq_joint_state_schema, NULL);
  AcqHandSkeleton a, b;
  AcqJointState p = {
    .n_position = 2, .position = { 1, 2 }, .n_velocity = 2, .velocity = { 1, 2 }
  };
  AcqJointState q = { .n_position = 2, .position = { 3, 4 }, .n_velocity = 1, .velocity = { 9 } };

  fill_skeleton (&a, 20, 1, 0);
  fill_skeleton (&b, 21, 3, 0.1);
  BLEND (hands, &a, &b, 0.5);
  g_assert_cmpuint (a.n_joints, ==, 20);
  g_assert_cmpfloat (a.joints[3].position.x, ==, 1);
  BLEND (joints, &p, &q, 0.5);
  g_assert_cmpfloat (p.position[0], ==, 2);
  g_assert_cmpfloat (p.position[1], ==, 3);
  g_assert_cmpuint (p.n_velocity, ==, 2);
  g_assert_cmpfloat (p.velocity[0], ==, 1);
  g_assert_cmpuint (p.n_effort, ==, 0);
}

/* Tails */

#define TAXELS 6
#define TAIL_SIZE(n) (acq_image_schema.tail_offset + (n) * sizeof (float))

typedef struct {
  _Alignas(16) guint8 bytes[256];
} Tail;

static Tail
tail_of (const float *values)
{
  Tail self = { { 0 } };

  memcpy (self.bytes + acq_image_schema.tail_offset, values, TAXELS * sizeof *values);
  return self;
}

static float
taxel (const Tail *self, guint i)
{
  float value;

  memcpy (&value, self->bytes + TAIL_SIZE (i), sizeof value);
  return value;
}

static void
test_tail (void)
{
  AcqTailLayout layout = { .kind = ACQ_KIND_F32,
                           .count = TAXELS,
                           .interp = ACQ_INTERP_LINEAR,
                           .has_invalid = TRUE,
                           .invalid = -1 };
  g_autoptr (ResamplePlan) plan = resample_plan_new (&acq_image_schema, &layout);
  g_autoptr (ResamplePlan) held = resample_plan_new (&acq_image_schema, NULL);
  Tail a = tail_of ((float[]){ 1, -1, -1, 4, NAN, 0 });
  Tail b = tail_of ((float[]){ 3, -1, 5, -1, 2, 1 });
  const float half[] = { 2, -1, -1, -1, -1, 0.5 };
  Tail shorter = a, same = a;

  resample_plan_blend (plan, shorter.bytes, TAIL_SIZE (TAXELS), b.bytes, TAIL_SIZE (TAXELS - 1),
                       0.5);
  g_assert_cmpfloat (taxel (&shorter, 0), ==, 1);
  g_assert_false (resample_plan_blends (held));
  resample_plan_blend (held, same.bytes, TAIL_SIZE (TAXELS), b.bytes, TAIL_SIZE (TAXELS), 0.5);
  g_assert_cmpfloat (taxel (&same, 0), ==, 1);
  resample_plan_blend (plan, a.bytes, TAIL_SIZE (TAXELS), b.bytes, TAIL_SIZE (TAXELS), 0.5);
  for (guint i = 0; i < TAXELS; i++)
    g_assert_cmpfloat (taxel (&a, i), ==, half[i]);
  resample_plan_invalidate (plan, a.bytes, TAIL_SIZE (TAXELS));
  for (guint i = 0; i < TAXELS; i++)
    g_assert_cmpfloat (taxel (&a, i), ==, -1);
}

/* Quaternions one behind the other in a tail. */
static void
test_tail_of_quaternions (void)
{
  AcqTailLayout layout = { .kind = ACQ_KIND_F32, .count = 4, .interp = ACQ_INTERP_SLERP };
  g_autoptr (ResamplePlan) plan = resample_plan_new (&acq_image_schema, &layout);
  Tail a = tail_of ((float[]){ 0, 0, 0, 1, 7, 7 });
  Tail b = tail_of ((float[]){ 0, -1, 0, 0, 9, 9 });

  resample_plan_blend (plan, a.bytes, TAIL_SIZE (TAXELS), b.bytes, TAIL_SIZE (TAXELS), 0.5);
  g_assert_cmpfloat_with_epsilon (taxel (&a, 1), -sqrt (0.5), 1e-7);
  g_assert_cmpfloat_with_epsilon (taxel (&a, 3), sqrt (0.5), 1e-7);
  g_assert_cmpfloat (taxel (&a, 4), ==, 7);
}

/* No measurement */

static void
test_invalidate (void)
{
  g_autoptr (ResamplePlan) plan = resample_plan_new (&acq_robot_state_schema, NULL);
  AcqRobotState state = {
    .motion_status = 3, .control_source = 2, .auto_mode_light = 1, .speed_x = 0.5
  };

  g_strlcpy (state.motion_status_word, "crawl", sizeof state.motion_status_word);
  resample_plan_invalidate (plan, (guint8 *) &state, sizeof state);
  g_assert_cmpuint (state.motion_status, ==, 3);
  g_assert_cmpstr (state.motion_status_word, ==, "crawl");
  g_assert_cmpint (state.control_source, ==, -1);
  g_assert_cmpint (state.auto_mode_light, ==, -1);
  g_assert_true (isnan (state.speed_x));
}

/* Every type that ships, with every sequence full: a message between itself and itself is itself,
 * and nothing is touched beyond it. */
static void
fill_counts (const AcqSchema *schema, guint8 *at)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];
    guint32 n = field->max;

    if (field->flags & (ACQ_FIELD_CONSTANT | ACQ_FIELD_TAIL))
      continue;
    if (field->arity == ACQ_ARITY_SEQUENCE)
      memcpy (at + field->count_offset, &n, sizeof n);
    if (field->kind == ACQ_KIND_STRUCT)
      for (guint j = 0; j < n; j++)
        fill_counts (field->type, at + field->offset + j * (gsize) field->stride);
  }
}

static void
test_all_types (void)
{
  guint n;
  const AcqSchema *const *all = acq_schema_list (&n);

  for (guint i = 0; i < n; i++) {
    g_autoptr (ResamplePlan) plan = resample_plan_new (all[i], NULL);
    gsize size = all[i]->tail != NULL ? all[i]->tail_offset + 32 : all[i]->size;
    g_autofree guint8 *a = g_malloc0 (size);
    g_autofree guint8 *b = g_malloc0 (size);
    g_autofree guint8 *before = NULL;

    fill_counts (all[i], a);
    fill_counts (all[i], b);
    before = g_memdup2 (a, size);
    resample_plan_blend (plan, a, size, b, size, 0.5);
    g_assert_true (memcmp (a, before, size) == 0);
    resample_plan_blend (plan, a, size, a, size, 0);
    g_assert_true (memcmp (a, before, size) == 0);
    resample_plan_invalidate (plan, a, size);
    g_assert_true (acq_payload_check (all[i], a, size, NULL));
    g_assert_cmpint (memcmp (a, before, size) != 0, ==, plan->n > 0);
  }
  g_assert_cmpuint (n, >, 30);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/imu", test_imu);
  g_test_add_func ("/plan/no-orientation", test_no_orientation);
  g_test_add_func ("/plan/skeleton", test_skeleton);
  g_test_add_func ("/plan/counts", test_counts);
  g_test_add_func ("/plan/tail", test_tail);
  g_test_add_func ("/plan/tail-of-quaternions", test_tail_of_quaternions);
  g_test_add_func ("/plan/invalidate", test_invalidate);
  g_test_add_func ("/plan/all-types", test_all_types);
  return g_test_run ();
}

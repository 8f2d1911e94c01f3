/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static guint32 state = 12345;

/* A measure: a slow movement and the noise of a sensor. */
static double
measure (double time, guint lane)
{
  state = state * 1664525u + 1013904223u;
  return sin (time * (1 + lane % 7) + lane) + (state >> 8) * 1e-10;
}

/* Channels that are alike: each node has `n`. */
typedef struct {
  const char *nodes[2];
  const char *name;
  guint n;
  guint rate_hz;
  const AcqSchema *schema;
  gsize tail;
  void (*fill) (gpointer payload, double time);
  const char *frame_id;
} Kind;

static void
fill_tactile (gpointer payload, double time)
{
  AcqImage *image = payload;
  float *values = (float *) ((guint8 *) payload + acq_image_schema.tail_offset);

  image->height = 24;
  image->width = 31;
  strcpy (image->encoding, "32FC1");
  image->step = 31 * 4;
  for (guint i = 0; i < 24 * 31; i++) /* much of a glove touches nothing */
    values[i] = i % 31 < 20 ? (float) measure (time, i) : 0;
}

static void
fill_skeleton (gpointer payload, double time)
{
  AcqHandSkeleton *hand = payload;

  hand->n_joints = 21;
  for (guint i = 0; i < 21; i++) {
    AcqPose32 *pose = &hand->joints[i];
    pose->position.x = (float) measure (time, i);
    pose->position.y = (float) measure (time, i + 1);
    pose->position.z = (float) measure (time, i + 2);
    pose->orientation.x = (float) measure (time, i + 3);
    pose->orientation.w = 1;
  }
}

static void
fill_imu (gpointer payload, double time)
{
  AcqImu *imu = payload;

  imu->orientation.x = measure (time, 1);
  imu->orientation.y = measure (time, 2);
  imu->orientation.z = measure (time, 3);
  imu->orientation.w = measure (time, 4);
  imu->angular_velocity.x = measure (time, 5);
  imu->angular_velocity.y = measure (time, 6);
  imu->angular_velocity.z = measure (time, 7);
  imu->linear_acceleration.x = measure (time, 8);
  imu->linear_acceleration.y = measure (time, 9);
  imu->linear_acceleration.z = measure (time, 10);
  for (guint i = 0; i < 9; i += 4) /* a filter that says how sure it is */
    imu->orientation_covariance[i] = 1e-4 * measure (time, i);
}

static void
fill_joints (gpointer payload, double time)
{
  AcqJointState *joints = payload;

  joints->n_position = joints->n_velocity = joints->n_effort = 8;
  for (guint i = 0; i < 8; i++) {
    joints->position[i] = measure (time, i);
    joints->velocity[i] = measure (time, i + 8);
    joints->effort[i] = measure (time, i + 16);
  }
}

static void
fill_twist (gpointer payload, double time)
{
  AcqTwistStamped *twist = payload;

  twist->twist.linear.x = measure (time, 1);
  twist->twist.linear.y = measure (time, 2);
  twist->twist.angular.z = measure (time, 3);
}

static const Kind w1[] = {
  { { "glove_0", "glove_1" },
    "tactile",
    1,
    120,
    &acq_image_schema,
    24 * 31 * 4,
    fill_tactile,
    "left_glove" },
  { { "glove_0", "glove_1" },
    "hand_skeleton",
    1,
    120,
    &acq_hand_skeleton_schema,
    0,
    fill_skeleton,
    "left_glove" },
  { { "glove_0", "glove_1" }, "imu", 6, 800, &acq_imu_schema, 0, fill_imu, "left_glove_palm" },
  { { "hand_0", "hand_1" },
    "joints",
    1,
    1000,
    &acq_joint_state_schema,
    0,
    fill_joints,
    "left_hand" },
  { { "robot" }, "speed", 2, 100, &acq_twist_stamped_schema, 0, fill_twist, "dog" },
  { { "robot" }, "joints", 1, 50, &acq_joint_state_schema, 0, fill_joints, "dog" },
  { { "robot" }, "pose", 1, 1, &acq_hand_skeleton_schema, 0, fill_skeleton, "dog" },
};

/* With a header of 45 bytes, a twist has exactly 100. */
static const Kind w2[] = {
  { { "device" },
    "twist",
    20,
    4167,
    &acq_twist_stamped_schema,
    0,
    fill_twist,
    "left_glove_middle_finger_tip_f" },
};

static int
compare (gconstpointer a, gconstpointer b)
{
  const RigMessage *x = a, *y = b;

  return x->offset_us != y->offset_us ? (x->offset_us > y->offset_us ? 1 : -1)
                                      : (x->channel > y->channel) - (x->channel < y->channel);
}

static RigMessage
make_message (const Kind *kind, guint16 channel, guint i)
{
  gsize size = kind->tail != 0 ? kind->schema->tail_offset + kind->tail : kind->schema->size;
  double time = (double) i / kind->rate_hz;
  gpointer payload = g_malloc0 (size);
  RigMessage message = {
    .channel = channel,
    .offset_us = (guint32) (i * 1000000.0 / kind->rate_hz) + channel,
    .input = { kind->schema, payload, size, G_GINT64_CONSTANT (1700000000000000000) + i * 1000,
               kind->frame_id, NULL },
  };

  kind->fill (payload, time);
  message.bound = acq_cdr_bound (&message.input);
  message.cdr = g_malloc (message.bound);
  message.cdr_size = acq_cdr_encode (&message.input, message.cdr);
  return message;
}

static void
add_channel (Rig *self, GArray *messages, const Kind *kind, const char *node, guint number)
{
  RigChannel *channel = &self->channels[self->n_channels];

  *channel = (RigChannel){ node, "", kind->schema, kind->rate_hz, kind->tail };
  if (kind->n > 1)
    g_snprintf (channel->name, sizeof channel->name, "%s_%u", kind->name, number);
  else
    g_strlcpy (channel->name, kind->name, sizeof channel->name);
  for (guint i = 0; i < kind->rate_hz * self->stretch_ms / 1000; i++) {
    RigMessage message = make_message (kind, self->n_channels, i);

    self->bytes += message.cdr_size;
    g_array_append_val (messages, message);
  }
  self->n_channels++;
}

static Rig *
rig_new (const char *name, const Kind *kinds, guint n_kinds, guint stretch_ms)
{
  Rig *self = g_new0 (Rig, 1);
  g_autoptr (GArray) messages = g_array_new (FALSE, FALSE, sizeof (RigMessage));

  self->name = name;
  self->stretch_ms = stretch_ms;
  for (guint k = 0; k < n_kinds; k++)
    for (guint node = 0; node < 2 && kinds[k].nodes[node] != NULL; node++)
      for (guint n = 0; n < kinds[k].n; n++)
        add_channel (self, messages, &kinds[k], kinds[k].nodes[node], n);
  g_array_sort (messages, compare);
  self->n_messages = messages->len;
  self->messages = (RigMessage *) (void *) g_array_free (g_steal_pointer (&messages), FALSE);
  return self;
}

Rig *
rig_new_w1 (void)
{
  return rig_new ("W1", w1, G_N_ELEMENTS (w1), 1000);
}

Rig *
rig_new_w2 (void)
{
  return rig_new ("W2", w2, G_N_ELEMENTS (w2), 100);
}

void
rig_free (Rig *self)
{
  for (guint i = 0; i < self->n_messages; i++) {
    g_free ((gpointer) self->messages[i].input.payload);
    g_free (self->messages[i].cdr);
  }
  g_free (self->messages);
  g_free (self);
}

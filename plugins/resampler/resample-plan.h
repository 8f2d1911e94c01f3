/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/**
 * ResampleMode:
 * @RESAMPLE_LINEAR: a measure: along the straight line
 * @RESAMPLE_SLERP: quaternions, four numbers each: along the shorter arc
 * @RESAMPLE_HELD: never blended; listed only because it has a value that means "no measurement"
 */
typedef enum {
  RESAMPLE_LINEAR,
  RESAMPLE_SLERP,
  RESAMPLE_HELD,
} ResampleMode;

/**
 * ResampleOp:
 * @kind: of one number
 * @n: numbers side by side; a tail has as many as fit in it
 * @offset: of the first, from the element of the innermost dimension
 * @size: bytes of one number
 * @none: how "no measurement" is written here: NaN, or the field's invalid value
 * @dims: (array length=n_dims): the arrays around it that could not be folded into @n, outermost
 *   first
 *
 * What to do with one run of numbers of a message.
 */
typedef struct {
  ResampleMode mode;
  AcqKind kind;
  guint n;
  guint32 offset;
  guint32 size;
  double none;
  gboolean is_tail;
  guint n_dims;
  AcqLeafDim dims[ACQ_LEAF_MAX_DIMS];
} ResampleOp;

/**
 * ResamplePlan:
 *
 * A message type, compiled: only what is not simply held has an operation. Everything else, and
 * sequences whose lengths differ, stay as the earlier message had them.
 */
typedef struct {
  guint n;
  ResampleOp *ops;
} ResamplePlan;

/**
 * resample_plan_new:
 * @schema: a type
 * @tail: (nullable): how the stream's tail reads; without it, as the type says
 */
ResamplePlan *resample_plan_new (const AcqSchema *schema, const AcqTailLayout *tail);
void resample_plan_free (ResamplePlan *self);

/** resample_plan_blends: Returns: whether any number of the type is blended */
gboolean resample_plan_blends (const ResamplePlan *self);

/**
 * resample_plan_blend:
 * @self: a plan
 * @payload: (inout): a copy of the earlier message; what lies at @u between both on return
 * @size: bytes of @payload
 * @later: the later message; may be @payload, which leaves quaternions of unit length
 * @later_size: bytes of @later
 * @u: 0 is the earlier, 1 the later
 *
 * Where one side has no measurement (NaN, infinite, the invalid value, a quaternion of length 0)
 * and the other side something else, there is no measurement between them either.
 */
void resample_plan_blend (const ResamplePlan *self, guint8 *payload, gsize size,
                          const guint8 *later, gsize later_size, double u);

/**
 * resample_plan_invalidate:
 * @self: a plan
 * @payload: a message
 * @size: bytes of it
 *
 * Writes "no measurement" into every measure. What is held stays.
 */
void resample_plan_invalidate (const ResamplePlan *self, guint8 *payload, gsize size);

/**
 * resample_plan_new_blank:
 * @stream: a stream
 * @self: its plan
 * @ret_size: (out): bytes of the message
 *
 * Returns: (transfer full): the message before anything was measured: the lengths that the stream
 *   declares, integers 0, texts empty, measures "no measurement"
 */
guint8 *resample_plan_new_blank (const ResamplePlan *self, AcqStream *stream, gsize *ret_size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ResamplePlan, resample_plan_free)

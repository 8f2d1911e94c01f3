/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-schema.h>

/*
 * Going through a payload without knowing its type: the scalars of a type as a
 * flat list, a check, and JSON.
 */

#define ACQ_LEAF_MAX_DIMS 4

/**
 * AcqLeafDim:
 * @offset: of element 0, from the element of the dimension before (or from the payload)
 * @stride: bytes to the next element
 * @max: elements at most (sequence) or exactly (fixed)
 * @count_offset: of the `uint32_t` count, from the element of the dimension before; fixed: unused
 * @is_sequence: whether there is a count
 *
 * One array around a leaf.
 */
typedef struct {
  guint32 offset;
  guint32 stride;
  guint32 max;
  guint32 count_offset;
  gboolean is_sequence;
} AcqLeafDim;

/**
 * AcqLeaf:
 * @path: names joined by dots, for example `joints.position.x`; of the first scalar when merged
 * @field: the innermost member; of the first scalar when merged
 * @kind: of one scalar, or ACQ_KIND_STRING
 * @interp: in force here: `hold` on an outer field holds everything inside
 * @n: scalars side by side: 4 for a quaternion (x, y, z, w), 1 otherwise, or more when merged
 * @offset: of the first, from the element of the last dimension
 * @size: bytes of one scalar; of a string the room, NUL included
 * @unit: (nullable): from the field, or the nearest one around it that has a unit
 * @has_invalid: whether @invalid means anything
 * @invalid: the value that means "no measurement"
 * @is_tail: the leaf is the tail: @offset is where it begins, and its count follows from the size
 *   of the payload
 * @n_dims: arrays around it, outermost first
 *
 * A scalar of a type, or a run of equal ones. Constants are not in the payload and so are no
 * leaves.
 */
typedef struct {
  const char *path;
  const AcqField *field;
  AcqKind kind;
  AcqInterp interp;
  guint n;
  guint32 offset;
  guint32 size;
  const char *unit;
  gboolean has_invalid;
  double invalid;
  gboolean is_tail;
  guint n_dims;
  AcqLeafDim dims[ACQ_LEAF_MAX_DIMS];
} AcqLeaf;

/**
 * AcqLeaves:
 * @schema: the type
 * @n: how many
 * @leaves: (array length=n): in the order of the fields
 */
typedef struct {
  const AcqSchema *schema;
  guint n;
  AcqLeaf *leaves;
} AcqLeaves;

/**
 * AcqLeavesFlags:
 * @ACQ_LEAVES_MERGE: neighbours of one kind, one interpolation, one invalid value and one array
 *   become one leaf: what a loop over numbers wants, and a reader of names does not
 */
typedef enum {
  ACQ_LEAVES_PLAIN = 0,
  ACQ_LEAVES_MERGE = 1 << 0,
} AcqLeavesFlags;

/**
 * acq_leaves_new:
 * @schema: a type
 * @flags: what to do with neighbours
 *
 * Returns: (transfer full): the leaves of a type
 */
ACQ_API AcqLeaves *acq_leaves_new (const AcqSchema *schema, AcqLeavesFlags flags);

/** acq_leaves_free: Takes %NULL. */
ACQ_API void acq_leaves_free (AcqLeaves *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqLeaves, acq_leaves_free)

/**
 * AcqLeafFunc:
 * @leaf: the leaf
 * @index: (array fixed-size=4): where in the arrays around it
 * @values: the first of @n scalars side by side, or a string
 * @n: how many
 * @user_data: from acq_leaf_visit()
 */
typedef void (*AcqLeafFunc) (const AcqLeaf *leaf, const guint *index, gconstpointer values, gsize n,
                             gpointer user_data);

/**
 * acq_leaf_visit:
 * @leaf: a leaf
 * @payload: of the type of the leaf, checked
 * @size: bytes of the payload
 * @func: called once for each place, in memory order; an array of scalars is one place
 * @user_data: for @func
 *
 * Goes through all places of one leaf in one message. A tail is one place.
 */
ACQ_API void acq_leaf_visit (const AcqLeaf *leaf, gconstpointer payload, gsize size,
                             AcqLeafFunc func, gpointer user_data);

/**
 * acq_schema_get_flat:
 * @self: a type
 * @ret_kind: (out): of every scalar
 * @ret_n: (out): how many
 *
 * Whether a type is nothing but scalars of one kind, side by side: then an array of it reads as
 * a matrix (21 poses are 21 × 7 floats).
 */
ACQ_API gboolean acq_schema_get_flat (const AcqSchema *self, AcqKind *ret_kind, guint *ret_n);

/**
 * acq_schema_counts_fit:
 * @self: a type
 * @payload: of that type
 *
 * The cheap part of acq_payload_check(), for each push.
 *
 * Returns: whether every count of a sequence is within its limit
 */
ACQ_API gboolean acq_schema_counts_fit (const AcqSchema *self, gconstpointer payload);

/**
 * acq_payload_check:
 * @schema: a type
 * @payload: of that type
 * @size: bytes of it
 * @error: names the field and what is wrong with it
 *
 * Whether a payload is one: size, counts, strings that end and are UTF-8, booleans.
 */
ACQ_API gboolean acq_payload_check (const AcqSchema *schema, gconstpointer payload, gsize size,
                                    GError **error);

/**
 * acq_payload_equal:
 * @schema: a type
 * @a: a payload
 * @a_size: bytes of it
 * @b: another
 * @b_size: bytes of it
 *
 * Returns: whether both say the same, bit for bit; padding and unused elements do not count
 */
ACQ_API gboolean acq_payload_equal (const AcqSchema *schema, gconstpointer a, gsize a_size,
                                    gconstpointer b, gsize b_size);

/**
 * acq_payload_append_json:
 * @schema: a type
 * @payload: of that type, checked
 * @size: bytes of it
 * @out: where the text goes
 *
 * Appends one JSON object. NaN and infinities are `null`, integers are exact, floats have as many
 * digits as their kind needs, a `uint8[]` tail is Base64. Header and constants are not in it.
 */
ACQ_API void acq_payload_append_json (const AcqSchema *schema, gconstpointer payload, gsize size,
                                      GString *out);

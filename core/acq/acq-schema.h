/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-types.h>

/*
 * A schema is a message type. It is written once, as ROS 2 `.msg` text, and the
 * generator (acq-msg-gen) makes from it a flat C struct and the constant
 * descriptor declared here. Encoders, files and transforms walk descriptors;
 * nobody writes code per type.
 *
 * The payload of a frame is the generated struct and, behind it, at most one
 * variable tail: one block without pointers.
 */

/**
 * AcqKind:
 *
 * What a field is made of. ACQ_KIND_STRING is a NUL-terminated UTF-8 `char[max]`.
 */
typedef enum {
  ACQ_KIND_BOOL,
  ACQ_KIND_I8,
  ACQ_KIND_U8,
  ACQ_KIND_I16,
  ACQ_KIND_U16,
  ACQ_KIND_I32,
  ACQ_KIND_U32,
  ACQ_KIND_I64,
  ACQ_KIND_U64,
  ACQ_KIND_F32,
  ACQ_KIND_F64,
  ACQ_KIND_STRING,
  ACQ_KIND_STRUCT,
} AcqKind;

/**
 * AcqArity:
 * @ACQ_ARITY_ONE: a single value
 * @ACQ_ARITY_FIXED: an array `T x[max]`
 * @ACQ_ARITY_SEQUENCE: `uint32_t n_x; T x[max]`, or the tail
 */
typedef enum {
  ACQ_ARITY_ONE,
  ACQ_ARITY_FIXED,
  ACQ_ARITY_SEQUENCE,
} AcqArity;

/**
 * AcqInterp:
 * @ACQ_INTERP_HOLD: keep the last value: integers, flags, enumerations, strings
 * @ACQ_INTERP_LINEAR: a measure
 * @ACQ_INTERP_SLERP: a quaternion struct with members x, y, z, w
 *
 * How a field reads between two samples.
 */
typedef enum {
  ACQ_INTERP_HOLD,
  ACQ_INTERP_LINEAR,
  ACQ_INTERP_SLERP,
} AcqInterp;

/**
 * AcqFieldFlags:
 * @ACQ_FIELD_CONSTANT: not in the struct; declared once on the stream, emitted by every encoder
 * @ACQ_FIELD_TAIL: stored behind the struct
 * @ACQ_FIELD_HAS_INVALID: the value `invalid` means "no measurement"
 */
typedef enum {
  ACQ_FIELD_CONSTANT = 1 << 0,
  ACQ_FIELD_TAIL = 1 << 1,
  ACQ_FIELD_HAS_INVALID = 1 << 2,
} AcqFieldFlags;

/**
 * AcqField:
 * @name: the ROS name
 * @offset: of the first element in the struct (unused for constants and tails)
 * @count_offset: of the `uint32_t` count, for sequences that are in the struct
 * @stride: bytes from one element to the next; for strings the bytes of one, NUL included
 * @max: elements at most (sequence), exactly (fixed), or 1
 * @constant: index among the constants of the schema, for ACQ_FIELD_CONSTANT
 * @type: (nullable): of a struct
 * @unit: (nullable): SI symbol
 * @npz: (nullable): `@npz` annotation; "." makes the field the stream's own array, "-" leaves it
 * out
 * @invalid: the value that means "no measurement", with ACQ_FIELD_HAS_INVALID
 * @doc: (nullable): the comment behind the field
 *
 * A member of a message type. A top-level `std_msgs/Header header` is not among
 * the fields: encoders write it from the frame.
 */
struct _AcqField {
  const char *name;
  AcqKind kind;
  AcqArity arity;
  AcqInterp interp;
  AcqFieldFlags flags;
  guint32 offset;
  guint32 count_offset;
  guint32 stride;
  guint32 max;
  guint32 constant;
  const AcqSchema *type;
  const char *unit;
  const char *npz;
  double invalid;
  const char *doc;
};

/**
 * AcqEnumValue:
 *
 * A constant of a `.msg`, for example `uint8 ROOT_WRIST=0`. Text constants have
 * @text.
 */
typedef struct {
  const char *name;
  AcqKind kind;
  gint64 value;
  double real;
  const char *text;
} AcqEnumValue;

/**
 * AcqCdrOpCode:
 * @ACQ_CDR_COPY: align to @align, copy @bytes from @offset
 * @ACQ_CDR_SEQ: write the u32 count at @count_offset, align to @align when it is not 0, copy
 *   count * @bytes from @offset
 * @ACQ_CDR_SEQ_STRUCT: count as above, then the next @n_ops operations once for each element
 *   of @bytes stride
 * @ACQ_CDR_ARRAY_STRUCT: the next @n_ops operations @count times, @bytes stride
 * @ACQ_CDR_STRING: the `char[]` at @offset
 * @ACQ_CDR_CONSTANT: constant number @count of the stream
 * @ACQ_CDR_HEADER: the top-level std_msgs/Header, from the frame
 * @ACQ_CDR_TAIL: u32 count, align, the tail with elements of @bytes
 * @ACQ_CDR_TAIL_STRING: the tail, which is text without a NUL, as a string
 *
 * One step of turning a payload into CDR (XCDR1, little endian).
 */
typedef enum {
  ACQ_CDR_COPY,
  ACQ_CDR_SEQ,
  ACQ_CDR_SEQ_STRUCT,
  ACQ_CDR_ARRAY_STRUCT,
  ACQ_CDR_STRING,
  ACQ_CDR_CONSTANT,
  ACQ_CDR_HEADER,
  ACQ_CDR_TAIL,
  ACQ_CDR_TAIL_STRING,
} AcqCdrOpCode;

typedef struct {
  AcqCdrOpCode code;
  guint32 align;
  guint32 offset;
  guint32 bytes;
  guint32 count;
  guint32 count_offset;
  guint32 max;
  guint32 n_ops;
} AcqCdrOp;

/**
 * AcqSchema:
 * @name: `package/msg/Type`
 * @text: the `ros2msg` text, dependencies included
 * @doc: (nullable): the comment on top of the `.msg`
 * @size: of the struct
 * @align: of the struct
 * @tail_offset: where a tail begins in the payload
 * @tail: (nullable): the field that is the tail
 * @has_header: the type begins with a std_msgs/Header
 * @is_packed: the struct has no padding and its bytes are its CDR bytes
 * @cdr_max: bytes of the CDR form at most, without frame id, constants and tail
 *
 * A message type.
 */
struct _AcqSchema {
  const char *name;
  const char *text;
  const char *doc;
  guint32 size;
  guint32 align;
  guint32 tail_offset;
  const AcqField *tail;
  gboolean has_header;
  gboolean is_packed;
  guint32 cdr_max;
  const AcqField *fields;
  guint n_fields;
  guint n_constants;
  const AcqCdrOp *ops;
  guint n_ops;
  const AcqEnumValue *values;
  guint n_values;
};

/**
 * acq_kind_size:
 * @kind: a kind
 *
 * Returns: bytes of one value; 0 for strings and structs
 */
ACQ_API guint acq_kind_size (AcqKind kind);

/**
 * acq_kind_name:
 * @kind: a kind
 *
 * Returns: (transfer none): the ROS name, for example `float32`
 */
ACQ_API const char *acq_kind_name (AcqKind kind);

/**
 * acq_schema_find_field:
 * @self: a schema
 * @path: names joined by dots, for example `pose.position`
 *
 * Returns: (nullable) (transfer none): the field
 */
ACQ_API const AcqField *acq_schema_find_field (const AcqSchema *self, const char *path);

/**
 * acq_schema_lookup:
 * @name: `package/msg/Type`
 *
 * Finds a type that ships with libacq, or was registered.
 *
 * Returns: (nullable) (transfer none): the schema
 */
ACQ_API const AcqSchema *acq_schema_lookup (const char *name);

/**
 * acq_schema_register:
 * @schema: a type of a plugin; must stay for ever, as resident plugins do
 * @error: set when another type of that name is known
 *
 * Makes acq_schema_lookup() find a type that does not ship with libacq. Doing
 * so twice is fine.
 *
 * Thread: any.
 */
ACQ_API gboolean acq_schema_register (const AcqSchema *schema, GError **error);

/**
 * acq_schema_equal:
 *
 * Returns: whether two descriptors mean the same type and layout, be they one object or not
 */
ACQ_API gboolean acq_schema_equal (const AcqSchema *a, const AcqSchema *b);

/**
 * acq_schema_list:
 * @ret_length: (out): how many
 *
 * Returns: (transfer none) (array length=ret_length): what ships with libacq, sorted by name
 */
ACQ_API const AcqSchema *const *acq_schema_list (guint *ret_length);

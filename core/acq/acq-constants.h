/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-schema.h>

/*
 * The values of the `@constant` fields of a type: joint names, limits. They are
 * declared once on a stream, are not in its frames, and every encoder emits them.
 */

/**
 * AcqConstantsBuilder:
 *
 * Collects values. Setters never fail at once: the first mistake is told by
 * acq_constants_builder_end(), so that a device's set-up reads as a list.
 */
typedef struct _AcqConstantsBuilder AcqConstantsBuilder;

/**
 * acq_constants_builder_new:
 * @schema: a type
 *
 * A field that is never set is empty, or zero.
 *
 * Returns: (transfer full): free with acq_constants_builder_end()
 */
ACQ_API AcqConstantsBuilder *acq_constants_builder_new (const AcqSchema *schema);

/**
 * acq_constants_builder_set_strv:
 * @self: a builder
 * @field: name of a `string[]` field
 * @values: (array zero-terminated=1): UTF-8 text, copied
 */
ACQ_API void acq_constants_builder_set_strv (AcqConstantsBuilder *self, const char *field,
                                             const char *const *values);

/**
 * acq_constants_builder_set_string:
 * @self: a builder
 * @field: name of a `string` field
 * @value: UTF-8 text, copied
 */
ACQ_API void acq_constants_builder_set_string (AcqConstantsBuilder *self, const char *field,
                                               const char *value);

/**
 * acq_constants_builder_set_doubles:
 * @self: a builder
 * @field: name of a field of numbers
 * @values: (array length=n): converted to the type of the field, which must hold them exactly
 *   (float32 rounds)
 * @n: how many; 1 for a single value
 */
ACQ_API void acq_constants_builder_set_doubles (AcqConstantsBuilder *self, const char *field,
                                                const double *values, guint n);

/**
 * acq_constants_builder_set_ints:
 * @self: a builder
 * @field: name of a field of integers or booleans
 * @values: (array length=n): must be in the range of the field
 * @n: how many; 1 for a single value
 */
ACQ_API void acq_constants_builder_set_ints (AcqConstantsBuilder *self, const char *field,
                                             const gint64 *values, guint n);

/**
 * acq_constants_builder_end:
 * @self: (transfer full): a builder
 * @error: set to the first mistake of the setters
 *
 * Returns: (transfer full) (nullable): the values, immutable from now on
 */
ACQ_API AcqConstants *acq_constants_builder_end (AcqConstantsBuilder *self, GError **error);

/**
 * acq_constants_new_strv:
 * @schema: a type
 * @field: name of a `string[]` field
 * @values: (array zero-terminated=1): UTF-8 text, copied
 * @error: set when the type has no such field
 *
 * The whole builder in one call, for types with one constant field.
 *
 * Returns: (transfer full) (nullable): the values
 */
ACQ_API AcqConstants *acq_constants_new_strv (const AcqSchema *schema, const char *field,
                                              const char *const *values, GError **error);

/** acq_constants_ref: Thread: any. Returns: (transfer full): @self */
ACQ_API AcqConstants *acq_constants_ref (AcqConstants *self);

/** acq_constants_unref: Thread: any. Takes %NULL. */
ACQ_API void acq_constants_unref (AcqConstants *self);

/** acq_constants_get_schema: Returns: (transfer none): the type */
ACQ_API const AcqSchema *acq_constants_get_schema (const AcqConstants *self);

/**
 * acq_constants_get_strv:
 * @self: constants
 * @field: name of a `string` or `string[]` field
 *
 * Returns: (transfer none) (nullable): its texts, %NULL-terminated; %NULL when there is no such
 * field
 */
ACQ_API const char *const *acq_constants_get_strv (const AcqConstants *self, const char *field);

/**
 * acq_constants_get_data:
 * @self: constants
 * @field: name of a field of numbers
 * @ret_n: (out) (optional): how many
 *
 * Returns: (transfer none) (nullable): the values in the field's own kind; %NULL when there is no
 *   such field
 */
ACQ_API gconstpointer acq_constants_get_data (const AcqConstants *self, const char *field,
                                              guint *ret_n);

/** acq_constants_get_count: Returns: elements of @field, 0 when there is no such field */
ACQ_API guint acq_constants_get_count (const AcqConstants *self, const char *field);

/** acq_constants_equal: Returns: whether both say the same, of one type; %NULL is nothing set */
ACQ_API gboolean acq_constants_equal (const AcqConstants *a, const AcqConstants *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqConstants, acq_constants_unref)

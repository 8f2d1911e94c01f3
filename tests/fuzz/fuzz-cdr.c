/* SPDX-License-Identifier: Apache-2.0 */

/* The CDR decoder, and everything that walks what it accepts. The first byte chooses the type. */

#include <acq/acq-cdr.h>
#include <acq/acq-walk.h>

#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
touch (const AcqLeaf *leaf, const guint *index, gconstpointer values, gsize n, gpointer data)
{
  gsize bytes =
      leaf->kind == ACQ_KIND_STRING ? (leaf->is_tail ? n : strlen (values)) : n * leaf->size;
  guint *sum = data;

  for (gsize i = 0; i < bytes; i++)
    *sum += ((const guint8 *) values)[i];
}

static void
check (const AcqSchema *schema, const AcqCdrMessage *message, const guint8 *data, gsize size)
{
  AcqCdrInput input = { schema,
                        message->payload,
                        message->payload_size,
                        message->stamp_ns,
                        message->frame_id,
                        message->constants };
  g_autofree guint8 *out = g_malloc (acq_cdr_bound (&input));
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (AcqLeaves) leaves = acq_leaves_new (schema, ACQ_LEAVES_MERGE);
  guint sum = 0;

  /* What is accepted has one form only. */
  g_assert_true (acq_cdr_encode (&input, out) == size && memcmp (out, data, size) == 0);
  acq_payload_append_json (schema, message->payload, message->payload_size, text);
  for (guint i = 0; i < leaves->n; i++)
    acq_leaf_visit (&leaves->leaves[i], message->payload, message->payload_size, touch, &sum);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto (AcqCdrMessage) message = { 0 };
  const AcqSchema *const *all;
  const AcqSchema *schema;
  guint n;

  if (size == 0)
    return 0;
  all = acq_schema_list (&n);
  schema = all[data[0] % n];
  if (acq_cdr_decode (schema, data + 1, size - 1, &message, NULL))
    check (schema, &message, data + 1, size - 1);
  return 0;
}

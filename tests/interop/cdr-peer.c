/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cdr-peer: our half of the CDR interop test; test-cdr.js is the other.
 *
 *   cdr-peer emit SEED    every shipped type: its text, its limits, random messages
 *   cdr-peer dump         reads "TYPE BASE64" lines, says what each message holds
 *
 * What a message holds is told as words in wire order: integers in decimal, floats as their
 * bits, text as the hex of its UTF-8, counts as #n. So nothing is lost between the two halves.
 */
#include <stdio.h>
#include <string.h>

#include <acq/acq-cdr.h>
#include <acq/acq-msgs.h>

#include "random-payload.h"

static void
dump_text (GString *out, const char *text, gsize length)
{
  g_string_append (out, " s");
  for (gsize i = 0; i < length; i++)
    g_string_append_printf (out, "%02x", (guchar) text[i]);
}

static void
dump_scalar (GString *out, AcqKind kind, const guint8 *at)
{
  guint64 bits = 0;

  memcpy (&bits, at, acq_kind_size (kind));
  if (kind == ACQ_KIND_F32)
    g_string_append_printf (out, " f%08x", (guint) bits);
  else if (kind == ACQ_KIND_F64)
    g_string_append_printf (out, " d%016" G_GINT64_MODIFIER "x", bits);
  else if (kind == ACQ_KIND_I8)
    g_string_append_printf (out, " %d", (gint8) bits);
  else if (kind == ACQ_KIND_I16)
    g_string_append_printf (out, " %d", (gint16) bits);
  else if (kind == ACQ_KIND_I32)
    g_string_append_printf (out, " %d", (gint32) bits);
  else if (kind == ACQ_KIND_I64)
    g_string_append_printf (out, " %" G_GINT64_FORMAT, (gint64) bits);
  else
    g_string_append_printf (out, " %" G_GUINT64_FORMAT, bits);
}

static void dump_struct (GString *out, const AcqSchema *schema, const guint8 *payload,
                         const AcqCdrInput *message);

static void
dump_constant (GString *out, const AcqField *field, const AcqConstants *constants)
{
  const char *const *texts = acq_constants_get_strv (constants, field->name);
  const guint8 *data = acq_constants_get_data (constants, field->name, NULL);
  guint n = acq_constants_get_count (constants, field->name);

  if (field->arity == ACQ_ARITY_SEQUENCE)
    g_string_append_printf (out, " #%u", n);
  for (guint i = 0; i < n; i++) {
    if (texts != NULL)
      dump_text (out, texts[i], strlen (texts[i]));
    else
      dump_scalar (out, field->kind, data + (gsize) i * acq_kind_size (field->kind));
  }
}

static void
dump_tail (GString *out, const AcqField *field, const AcqCdrInput *message)
{
  const guint8 *tail = (const guint8 *) message->payload + message->schema->tail_offset;
  gsize size = message->payload_size - message->schema->tail_offset;

  if (field->kind == ACQ_KIND_STRING) {
    dump_text (out, (const char *) tail, size);
    return;
  }
  g_string_append_printf (out, " #%" G_GSIZE_FORMAT, size / field->stride);
  for (gsize i = 0; i < size; i += field->stride)
    dump_scalar (out, field->kind, tail + i);
}

static void
dump_field (GString *out, const AcqField *field, const guint8 *payload, const AcqCdrInput *message)
{
  guint32 n = field->max;

  if (field->arity == ACQ_ARITY_SEQUENCE) {
    memcpy (&n, payload + field->count_offset, sizeof n);
    g_string_append_printf (out, " #%u", n);
  }
  for (guint32 i = 0; i < n; i++) {
    const guint8 *at = payload + field->offset + (gsize) i * field->stride;

    if (field->kind == ACQ_KIND_STRUCT)
      dump_struct (out, field->type, at, message);
    else if (field->kind == ACQ_KIND_STRING)
      dump_text (out, (const char *) at, strlen ((const char *) at));
    else
      dump_scalar (out, field->kind, at);
  }
}

static void
dump_struct (GString *out, const AcqSchema *schema, const guint8 *payload,
             const AcqCdrInput *message)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];

    if (field->flags & ACQ_FIELD_CONSTANT)
      dump_constant (out, field, message->constants);
    else if (field->flags & ACQ_FIELD_TAIL)
      dump_tail (out, field, message);
    else
      dump_field (out, field, payload, message);
  }
}

static char *
dump (const AcqCdrInput *message)
{
  GString *out = g_string_new (NULL);

  if (message->schema->has_header) {
    gint64 sec = message->stamp_ns / G_GINT64_CONSTANT (1000000000);
    gint64 nanosec = message->stamp_ns % G_GINT64_CONSTANT (1000000000);

    if (nanosec < 0) {
      nanosec += 1000000000;
      sec--;
    }
    g_string_append_printf (out, " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, sec, nanosec);
    dump_text (out, message->frame_id, strlen (message->frame_id));
  }
  dump_struct (out, message->schema, message->payload, message);
  g_string_erase (out, 0, 1);
  return g_string_free (out, FALSE);
}

static void
emit_schema (const AcqSchema *schema)
{
  g_autofree char *text = g_base64_encode ((const guchar *) schema->text, strlen (schema->text));

  printf ("schema\t%s\t%s\n", schema->name, text);
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];

    printf ("limit\t%s\t%s\t%u\t%u\n", schema->name, field->name, field->max,
            field->kind == ACQ_KIND_STRING ? field->stride : 0);
  }
}

static void
emit_messages (const AcqSchema *schema, GRand *rand)
{
  for (guint i = 0; i < 16; i++) {
    g_autofree guint8 *bytes = NULL;
    g_autofree char *base64 = NULL;
    g_autofree char *words = NULL;
    RandomMessage message;
    gsize size;

    random_message_init (&message, schema, i % RANDOM_N_STYLES, rand);
    bytes = random_message_encode (&message, &size);
    base64 = g_base64_encode (bytes, size);
    words = dump (&message.input);
    printf ("message\t%s\t%s\t%s\n", schema->name, base64, words);
    random_message_clear (&message);
  }
}

static int
emit (guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const AcqSchema *const *all;
  guint n;

  all = acq_schema_list (&n);
  for (guint i = 0; i < n; i++)
    emit_schema (all[i]);
  for (guint i = 0; i < n; i++)
    emit_messages (all[i], rand);
  return 0;
}

static void
dump_line (const char *name, const char *base64)
{
  g_auto (AcqCdrMessage) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *bytes = NULL;
  g_autofree char *words = NULL;
  const AcqSchema *schema = acq_schema_lookup (name);
  AcqCdrInput input;
  gsize size;

  bytes = g_base64_decode (base64, &size);
  if (schema == NULL || !acq_cdr_decode (schema, bytes, size, &decoded, &error)) {
    printf ("error %s\n", error != NULL ? error->message : "unknown type");
    return;
  }
  input = (AcqCdrInput){ schema,           decoded.payload,  decoded.payload_size,
                         decoded.stamp_ns, decoded.frame_id, decoded.constants };
  words = dump (&input);
  printf ("%s\n", words);
}

static int
dump_lines (void)
{
  g_autoptr (GIOChannel) in = g_io_channel_unix_new (0);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  gsize length;

  if (g_io_channel_read_to_end (in, &text, &length, NULL) != G_IO_STATUS_NORMAL)
    return 1;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++) {
    char *space = strchr (lines[i], ' ');

    if (space == NULL)
      return 1;
    *space = '\0';
    dump_line (lines[i], space + 1);
  }
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc == 3 && g_str_equal (argv[1], "emit"))
    return emit (g_ascii_strtoull (argv[2], NULL, 10));
  if (argc == 2 && g_str_equal (argv[1], "dump"))
    return dump_lines ();
  fprintf (stderr, "usage: cdr-peer emit SEED | cdr-peer dump\n");
  return 2;
}

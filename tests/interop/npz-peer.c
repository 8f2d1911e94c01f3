/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Archives for test-npz.py to read, and a reader for what NumPy wrote.
 *
 *   npz-peer record DIR none|deflate   a take through the sink and the resampler; prints its path
 *   npz-peer types PATH none|deflate   a table with a column of every type
 *   npz-peer read PATH                 prints "key descr order shape crc" for each array
 *   npz-peer large PATH none|deflate   a member beyond 4 GiB and one behind it
 */

#include <acq/acq-harness.h>
#include <acq/acq.h>
#include <isa-l.h>

#include <stdio.h>
#include <string.h>

#define MS G_GINT64_CONSTANT (1000000)
#define N_MESSAGES 200
#define TAXELS 744

static void
check (gboolean ok, GError *error)
{
  if (!ok)
    g_error ("%s", error != NULL ? error->message : "failed");
}

/* A recording. The values are closed forms that test-npz.py knows, too. */

static void
push_all (AcqStream *skeleton, AcqStream *tactile, AcqStream *angles, guint i)
{
  AcqFrame *frame;
  AcqHandSkeleton *hand = acq_hand_skeleton_begin (skeleton, &frame);
  AcqHandJointAngles *joints;
  float *taxels;

  hand->side = ACQ_SIDE_LEFT;
  hand->n_joints = 21;
  for (guint k = 0; k < 21; k++) {
    hand->joints[k].position.x = (float) i + (float) k / 32;
    hand->joints[k].position.y = (float) k;
    hand->joints[k].orientation.w = 1;
  }
  acq_stream_push (skeleton, frame, 0, G_GUINT64_CONSTANT (7000000000) + i * MS);

  acq_stream_begin_sized (tactile, &acq_image_schema, TAXELS * 4, &frame);
  taxels = (float *) (gpointer) (frame->payload + acq_image_schema.tail_offset);
  for (guint k = 0; k < TAXELS; k++)
    taxels[k] = k % 5 == 0 ? -1 : (float) ((i * 1000 + k) % 4096);
  acq_stream_push (tactile, frame, 0, ACQ_TIME_NONE);

  joints = acq_hand_joint_angles_begin (angles, &frame);
  joints->n_angles = 20;
  joints->n_confidence = 5;
  for (guint k = 0; k < 20; k++)
    joints->angles[k] = i * 0.5 + k;
  for (guint k = 0; k < 5; k++)
    joints->confidence[k] = k * 0.25;
  acq_stream_push (angles, frame, 0, ACQ_TIME_NONE);
}

static void
record (const char *directory, const char *compression)
{
  static const AcqTailLayout tail = { .kind = ACQ_KIND_F32, .count = TAXELS };
  AcqHarness *h = acq_harness_new_plugin (NULL, "npz-writer", "npz");
  AcqGraph *graph = acq_harness_get_graph (h);
  AcqStreamInfo infos[] = {
    { .name = "hand_skeleton", .schema = &acq_hand_skeleton_schema, .rate_hz = 1000 },
    { .name = "tactile", .schema = &acq_image_schema, .max_tail = TAXELS * 4, .tail = &tail },
    { .name = "hand_joint_angles", .schema = &acq_hand_joint_angles_schema },
    { .name = "wrench", .schema = &acq_twist_stamped_schema },
  };
  AcqStream *streams[G_N_ELEMENTS (infos)];
  g_autoptr (AcqRegistry) registry = acq_registry_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNode) grid = acq_registry_create (registry, "resampler", "grid", &error);

  check (grid != NULL, error);
  check (acq_node_set_option_text (grid, "rate-hz", "500", &error), error);
  check (acq_node_set_option_text (grid, "max-gap-ms", "20", &error), error);
  acq_harness_set (h, "compression", compression);
  acq_harness_set (h, "device-names", "[\"left_glove=glove_0\"]");
  for (guint i = 0; i < G_N_ELEMENTS (infos); i++)
    streams[i] = acq_harness_add_input (h, "left_glove", &infos[i]);
  acq_stream_set_count (streams[0], "joints", 21);
  acq_stream_set_count (streams[0], "confidence", 0);
  acq_stream_set_count (streams[2], "angles", 20);
  acq_stream_set_count (streams[2], "confidence", 5);
  acq_harness_add_node (h, grid, "grid");
  check (acq_graph_connect (graph, grid, "left_glove.hand_skeleton", NULL, &error), error);
  check (acq_graph_connect (graph, acq_harness_get_node (h), "grid", NULL, &error), error);
  acq_graph_set_fact (graph, "task", "\xe5\x80\x92\xe6\xb0\xb4 \xf0\x9f\xa7\xa4");

  acq_harness_begin_take (h, directory);
  check (acq_harness_start (h, &error), error);
  for (guint i = 0; i < N_MESSAGES; i++) {
    push_all (streams[0], streams[1], streams[2], i);
    acq_harness_advance (h, MS);
  }
  acq_harness_advance (h, 200 * MS); /* a gap at the end: ticks without a measurement */
  acq_harness_end_take (h);
  acq_harness_stop (h);
  acq_harness_free (h);
}

/* Every type. Byte b of column c in row i is (31 c + 7 i + b) mod 256, truths its lowest bit. */

static const AcqNpyField all_types[] = {
  { .name = "b1", .descr = "|b1" },
  { .name = "i1", .descr = "|i1" },
  { .name = "u1", .descr = "|u1" },
  { .name = "i2", .descr = "<i2" },
  { .name = "u2", .descr = "<u2" },
  { .name = "i4", .descr = "<i4" },
  { .name = "u4", .descr = "<u4" },
  { .name = "i8", .descr = "<i8" },
  { .name = "u8", .descr = "<u8" },
  { .name = "f2", .descr = "<f2" },
  { .name = "f4", .descr = "<f4", .n_dims = 2, .dims = { 21, 7 } },
  { .name = "f8", .descr = "<f8", .n_dims = 1, .dims = { 3 } },
  { .name = "c16", .descr = "<c16" },
  { .name = "time", .descr = "<M8[us]" },
  { .name = "bytes", .descr = "|S12" },
  { .name = "none", .descr = "<f4", .n_dims = 1, .dims = { 0 } },
};

static AcqZipMethod
method_of (const char *word)
{
  return g_str_equal (word, "deflate") ? ACQ_ZIP_DEFLATED : ACQ_ZIP_STORED;
}

static void
write_types (const char *path, const char *compression)
{
  guint n = G_N_ELEMENTS (all_types);
  g_autoptr (GError) error = NULL;
  g_autofree AcqNpyField *fields = g_memdup2 (all_types, sizeof all_types);
  g_autoptr (AcqNpzSpool) spool = acq_npz_spool_new (path, &error);
  AcqNpySpool *table;
  gsize row_size;

  check (spool != NULL, error);
  check (acq_npy_layout (fields, n, &row_size, &error), error);
  table = acq_npz_spool_add_table (spool, "types", fields, n, 5000, &error);
  check (table != NULL, error);
  for (guint i = 0; i < 1000; i++) {
    guint8 *row = acq_npy_spool_begin_row (table);

    for (guint c = 0; c < n; c++)
      for (gsize b = 0; b < fields[c].size; b++) {
        guint8 value = (guint8) (31 * c + 7 * i + b);

        row[fields[c].offset + b] = c == 0 ? value & 1 : value;
      }
    check (acq_npy_spool_commit_row (table, &error), error);
  }
  check (acq_npy_spool_flush (table, &error), error);
  acq_npy_spool_free (table);
  check (acq_npz_spool_set_text (spool, "meta", "{}", &error), error);
  /* Kept: NumPy shall read the table itself, too. */
  check (acq_npz_spool_assemble (spool, method_of (compression), ACQ_NPZ_SPOOL_KEEP, NULL, NULL,
                                 NULL, NULL, &error),
         error);
}

static void
read_all (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqZipReader) zip = acq_zip_reader_open (path, &error);

  check (zip != NULL, error);
  for (guint i = 0; i < acq_zip_reader_get_n_entries (zip); i++) {
    const AcqZipEntry *entry = acq_zip_reader_get_entry (zip, i);
    g_autofree char *key = g_strndup (entry->name, strlen (entry->name) - strlen (".npy"));
    g_auto (AcqNpyHeader) header = { 0 };
    g_autoptr (GBytes) data = acq_npz_read (zip, key, &header, &error);
    g_autoptr (GString) shape = g_string_new ("");

    check (data != NULL, error);
    for (guint k = 0; k < header.n_dims; k++)
      g_string_append_printf (shape, "%" G_GUINT64_FORMAT ",", header.shape[k]);
    g_print ("%s %s %c (%s) %08x\n", key, header.fields[0].descr, header.fortran_order ? 'F' : 'C',
             shape->str,
             crc32_gzip_refl (0, g_bytes_get_data (data, NULL), g_bytes_get_size (data)));
  }
}

/* 4.5 GiB, a member behind it, both methods: every field of 32 bits is too small somewhere. */
static void
write_large (const char *path, const char *compression)
{
  gsize piece = 64u << 20;
  g_autofree guint8 *zeros = g_malloc0 (piece);
  g_autoptr (GError) error = NULL;
  AcqPartFile *file = acq_part_file_new (path, ACQ_PART_FILE_REPLACE, &error);
  AcqZipWriter *zip;
  AcqNpyField type = { .descr = "|u1" };
  AcqNpyHeader header = { .fields = &type, .n_fields = 1, .n_dims = 1 };
  const char *const names[] = { "large.npy", "behind.npy" };
  const guint64 n_pieces[] = { 72, 1 };

  check (file != NULL, error);
  zip = acq_zip_writer_new (acq_part_file_get_fd (file), path);
  for (guint m = 0; m < 2; m++) {
    g_autoptr (GBytes) head = NULL;

    header.shape[0] = n_pieces[m] * piece;
    head = acq_npy_header_encode (&header, &error);
    check (acq_zip_writer_begin (zip, names[m], method_of (compression), &error), error);
    check (
        acq_zip_writer_write (zip, g_bytes_get_data (head, NULL), g_bytes_get_size (head), &error),
        error);
    for (guint64 i = 0; i < n_pieces[m]; i++) {
      zeros[0] = (guint8) (i + 1);
      check (acq_zip_writer_write (zip, zeros, piece, &error), error);
    }
    check (acq_zip_writer_end (zip, &error), error);
  }
  check (acq_zip_writer_finish (zip, &error), error);
  check (acq_part_file_publish (file, &error), error);
  acq_zip_writer_free (zip);
  acq_part_file_free (file);
}

int
main (int argc, char *argv[])
{
  const char *mode = argc > 2 ? argv[1] : "";

  if (g_str_equal (mode, "record") && argc == 4)
    record (argv[2], argv[3]);
  else if (g_str_equal (mode, "types") && argc == 4)
    write_types (argv[2], argv[3]);
  else if (g_str_equal (mode, "large") && argc == 4)
    write_large (argv[2], argv[3]);
  else if (g_str_equal (mode, "read"))
    read_all (argv[2]);
  else
    g_error ("usage: npz-peer record DIR none|deflate | types PATH none|deflate | "
             "large PATH none|deflate | read PATH");
  return 0;
}

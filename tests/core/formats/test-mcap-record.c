/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-mcap.h>

#include <string.h>

#define T(text)                                                                                    \
  {                                                                                                \
    (const guint8 *) text, sizeof text - 1                                                         \
  }

/* Two pairs: a -> 1, bc -> "". */
static const char map_bytes[] = "\1\0\0\0a\1\0\0\0001\2\0\0\0bc\0\0\0\0";
static const char entry_bytes[] = "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0";
static const char count_bytes[] = "\5\0\6\0\0\0\0\0\0\0";

/* Each record with the bytes that the specification's tables give for it. */
static const struct {
  AcqMcapRecord record;
  AcqMcapSpan bytes;
} cases[] = {
  { { ACQ_MCAP_HEADER, .header = { T ("ros2"), T ("lib") } },
    T ("\x01\x0f\0\0\0\0\0\0\0"
       "\4\0\0\0ros2"
       "\3\0\0\0lib") },
  { { ACQ_MCAP_FOOTER, .footer = { 0x0102030405060708, 9, 0xa0b0c0d0 } },
    T ("\x02\x14\0\0\0\0\0\0\0"
       "\x08\7\6\5\4\3\2\1"
       "\x09\0\0\0\0\0\0\0"
       "\xd0\xc0\xb0\xa0") },
  { { ACQ_MCAP_SCHEMA, .schema = { 0x0102, T ("n"), T ("e"), T ("d\0") } },
    T ("\x03\x12\0\0\0\0\0\0\0"
       "\2\1"
       "\1\0\0\0n"
       "\1\0\0\0e"
       "\2\0\0\0d\0") },
  { { ACQ_MCAP_CHANNEL, .channel = { 0, 3, T ("/t"), T ("cdr"), T (map_bytes) } },
    T ("\x04\x29\0\0\0\0\0\0\0"
       "\0\0\3\0"
       "\2\0\0\0/t"
       "\3\0\0\0cdr"
       "\x14\0\0\0"
       "\1\0\0\0a\1\0\0\0001\2\0\0\0bc\0\0\0\0") },
  { { ACQ_MCAP_MESSAGE, .message = { 7, 8, 9, 10, T ("xyz") } },
    T ("\x05\x19\0\0\0\0\0\0\0"
       "\7\0"
       "\x08\0\0\0"
       "\x09\0\0\0\0\0\0\0"
       "\x0a\0\0\0\0\0\0\0"
       "xyz") },
  { { ACQ_MCAP_CHUNK, .chunk = { 1, 2, 3, 4, T ("lz4"), T ("rec") } },
    T ("\x06\x2e\0\0\0\0\0\0\0"
       "\1\0\0\0\0\0\0\0"
       "\2\0\0\0\0\0\0\0"
       "\3\0\0\0\0\0\0\0"
       "\4\0\0\0"
       "\3\0\0\0lz4"
       "\3\0\0\0\0\0\0\0rec") },
  { { ACQ_MCAP_MESSAGE_INDEX, .message_index = { 5, T (entry_bytes) } },
    T ("\x07\x16\0\0\0\0\0\0\0"
       "\5\0\x10\0\0\0"
       "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0") },
  { { ACQ_MCAP_CHUNK_INDEX, .chunk_index = { 1, 2, 3, 4, T (count_bytes), 5, T (""), 6, 7 } },
    T ("\x08\x4a\0\0\0\0\0\0\0"
       "\1\0\0\0\0\0\0\0"
       "\2\0\0\0\0\0\0\0"
       "\3\0\0\0\0\0\0\0"
       "\4\0\0\0\0\0\0\0"
       "\x0a\0\0\0\5\0\6\0\0\0\0\0\0\0"
       "\5\0\0\0\0\0\0\0"
       "\0\0\0\0"
       "\6\0\0\0\0\0\0\0"
       "\7\0\0\0\0\0\0\0") },
  { { ACQ_MCAP_ATTACHMENT, .attachment = { 1, 2, T ("n"), T ("m"), T ("dd"), 3 } },
    T ("\x09\x28\0\0\0\0\0\0\0"
       "\1\0\0\0\0\0\0\0"
       "\2\0\0\0\0\0\0\0"
       "\1\0\0\0n"
       "\1\0\0\0m"
       "\2\0\0\0\0\0\0\0dd"
       "\3\0\0\0") },
  { { ACQ_MCAP_ATTACHMENT_INDEX, .attachment_index = { 1, 2, 3, 4, 5, T ("n"), T ("m") } },
    T ("\x0a\x32\0\0\0\0\0\0\0"
       "\1\0\0\0\0\0\0\0"
       "\2\0\0\0\0\0\0\0"
       "\3\0\0\0\0\0\0\0"
       "\4\0\0\0\0\0\0\0"
       "\5\0\0\0\0\0\0\0"
       "\1\0\0\0n"
       "\1\0\0\0m") },
  { { ACQ_MCAP_STATISTICS, .statistics = { 1, 2, 3, 4, 5, 6, 7, 8, T (count_bytes) } },
    T ("\x0b\x38\0\0\0\0\0\0\0"
       "\1\0\0\0\0\0\0\0"
       "\2\0"
       "\3\0\0\0"
       "\4\0\0\0"
       "\5\0\0\0"
       "\6\0\0\0"
       "\7\0\0\0\0\0\0\0"
       "\x08\0\0\0\0\0\0\0"
       "\x0a\0\0\0\5\0\6\0\0\0\0\0\0\0") },
  { { ACQ_MCAP_METADATA, .metadata = { T ("m"), T ("") } },
    T ("\x0c\x09\0\0\0\0\0\0\0"
       "\1\0\0\0m"
       "\0\0\0\0") },
  { { ACQ_MCAP_METADATA_INDEX, .metadata_index = { 1, 2, T ("m") } },
    T ("\x0d\x15\0\0\0\0\0\0\0"
       "\1\0\0\0\0\0\0\0"
       "\2\0\0\0\0\0\0\0"
       "\1\0\0\0m") },
  { { ACQ_MCAP_SUMMARY_OFFSET, .summary_offset = { 3, 1, 2 } },
    T ("\x0e\x11\0\0\0\0\0\0\0"
       "\3"
       "\1\0\0\0\0\0\0\0"
       "\2\0\0\0\0\0\0\0") },
  { { ACQ_MCAP_DATA_END, .data_end = { 0x01020304 } },
    T ("\x0f\4\0\0\0\0\0\0\0"
       "\4\3\2\1") },
};

static void
test_encode (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GByteArray) out = g_byte_array_new ();

    acq_mcap_encode (out, &cases[i].record);
    g_test_message ("%s", acq_mcap_opcode_name (cases[i].record.opcode));
    g_assert_cmpmem (out->data, out->len, cases[i].bytes.data, cases[i].bytes.size);
  }
}

/* Decoding and encoding again is the identity, also with fields of a later version behind. */
static void
test_decode (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GByteArray) grown = g_byte_array_new ();
    g_autoptr (GByteArray) out = g_byte_array_new ();
    g_autoptr (GError) error = NULL;
    gsize position = 0;
    guint8 opcode;
    AcqMcapSpan content;
    AcqMcapRecord record;

    g_assert_true (acq_mcap_next (cases[i].bytes, &position, &opcode, &content, &error));
    g_assert_cmpuint (position, ==, cases[i].bytes.size);
    g_assert_cmpuint (opcode, ==, cases[i].record.opcode);
    g_assert_false (acq_mcap_next (cases[i].bytes, &position, &opcode, &content, &error));
    g_assert_no_error (error);

    g_byte_array_append (grown, content.data, content.size);
    if (opcode != ACQ_MCAP_MESSAGE)
      g_byte_array_append (grown, (const guint8 *) "\1\xff\xff", 3);
    g_assert_true (
        acq_mcap_decode (opcode, (AcqMcapSpan){ grown->data, grown->len }, &record, &error));
    acq_mcap_encode (out, &record);
    g_assert_cmpmem (out->data, out->len, cases[i].bytes.data, cases[i].bytes.size);
  }
}

/* A record that is cut anywhere is refused, and what was there before stays. */
static void
test_cut (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize size = 0; size < cases[i].bytes.size; size++) {
      /* An exact copy, so that a sanitizer sees any step behind its end. */
      g_autofree guint8 *copy = g_memdup2 (cases[i].bytes.data, MAX (size, 1));
      AcqMcapSpan cut = { copy, size }, content;
      g_autoptr (GError) error = NULL;
      AcqMcapRecord record = { 0 };
      gsize position = 0;
      guint8 opcode;

      g_assert_false (acq_mcap_next (cut, &position, &opcode, &content, &error));
      g_assert_cmpuint (position, ==, 0);
      if (size == 0)
        g_assert_no_error (error);
      else
        g_assert_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED);
      if (size < ACQ_MCAP_FRAMING_SIZE || cases[i].record.opcode == ACQ_MCAP_MESSAGE)
        continue;
      g_clear_error (&error);
      content = (AcqMcapSpan){ copy + ACQ_MCAP_FRAMING_SIZE, size - ACQ_MCAP_FRAMING_SIZE };
      g_assert_false (acq_mcap_decode (cases[i].record.opcode, content, &record, &error));
      g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
      g_assert_cmpuint (record.opcode, ==, 0);
    }
}

static const struct {
  guint8 opcode;
  AcqMcapSpan content;
  const char *message;
} refused[] = {
  { 0x00, T (""), "0x00 is not the opcode of a known record" },
  { 0x80, T (""), "0x80 is not the opcode of a known record" },
  { ACQ_MCAP_MESSAGE, T ("\0\0"), "Message record ends before its field sequence" },
  { ACQ_MCAP_HEADER, T ("\5\0\0\0abc"), "Header record: field profile says 5 bytes, 3 are left" },
  { ACQ_MCAP_CHUNK,
    T ("01234567"
       "01234567"
       "01234567"
       "0123"
       "\0\0\0\0"
       "\xff\xff\xff\xff\xff\xff\xff\xff"),
    "Chunk record: field records says 18446744073709551615 bytes, 0 are left" },
  { ACQ_MCAP_MESSAGE_INDEX, T ("\0\0\1\0\0\0z"),
    "MessageIndex record: field records has 1 bytes, which is not a multiple of 16" },
  { ACQ_MCAP_METADATA, T ("\0\0\0\0\6\0\0\0\1\0\0\0a0"),
    "Metadata record: the pairs of field metadata do not fill its 6 bytes" },
};

static void
test_refused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autoptr (GError) error = NULL;
    AcqMcapRecord record;

    g_assert_false (acq_mcap_decode (refused[i].opcode, refused[i].content, &record, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
    g_assert_cmpstr (error->message, ==, refused[i].message);
  }
}

static void
test_map (void)
{
  static const char *const pairs[] = { "bc", "", "a", "1", NULL };
  g_autoptr (GByteArray) map = g_byte_array_new ();
  AcqMcapSpan span, key, value;
  gsize position = 0;

  acq_mcap_map_encode (map, pairs);
  g_assert_cmpmem (map->data, map->len, map_bytes, sizeof map_bytes - 1);
  span = (AcqMcapSpan){ map->data, map->len };
  g_assert_true (acq_mcap_map_next (span, &position, &key, &value));
  g_assert_true (acq_mcap_span_equal (key, acq_mcap_text ("a")));
  g_assert_true (acq_mcap_span_equal (value, acq_mcap_text ("1")));
  g_assert_true (acq_mcap_map_next (span, &position, &key, &value));
  g_assert_true (acq_mcap_span_equal (key, acq_mcap_text ("bc")));
  g_assert_false (acq_mcap_map_next (span, &position, &key, &value));
  g_assert_true (acq_mcap_map_lookup (span, "a", &value));
  g_assert_true (acq_mcap_span_equal (value, acq_mcap_text ("1")));
  g_assert_false (acq_mcap_map_lookup (span, "b", &value));
}

/* Random bytes and flipped bits decode to something inside the input, or not at all. */
static void
test_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint round = 0; round < 20000; round++) {
    guint i = g_rand_int_range (rand, 0, G_N_ELEMENTS (cases));
    gsize size = cases[i].bytes.size - ACQ_MCAP_FRAMING_SIZE;
    g_autofree guint8 *copy = g_memdup2 (cases[i].bytes.data + ACQ_MCAP_FRAMING_SIZE, size);
    g_autoptr (GByteArray) out = g_byte_array_new ();
    AcqMcapRecord record;

    for (guint n = g_rand_int_range (rand, 1, 4); n != 0; n--)
      copy[g_rand_int_range (rand, 0, size)] = g_rand_int_range (rand, 0, 256);
    if (!acq_mcap_decode (cases[i].record.opcode, (AcqMcapSpan){ copy, size }, &record, NULL))
      continue;
    acq_mcap_encode (out, &record);
    g_assert_cmpuint (out->len, <=, size + ACQ_MCAP_FRAMING_SIZE);
    g_assert_cmpmem (out->data + ACQ_MCAP_FRAMING_SIZE, out->len - ACQ_MCAP_FRAMING_SIZE, copy,
                     out->len - ACQ_MCAP_FRAMING_SIZE);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcap/record/encode", test_encode);
  g_test_add_func ("/mcap/record/decode", test_decode);
  g_test_add_func ("/mcap/record/cut", test_cut);
  g_test_add_func ("/mcap/record/refused", test_refused);
  g_test_add_func ("/mcap/record/map", test_map);
  g_test_add_func ("/mcap/record/mutations", test_mutations);
  return g_test_run ();
}

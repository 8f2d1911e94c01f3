/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-cdr.h>
#include <acq/acq-error.h>
#include <acq/acq-msgs.h>

#include <string.h>

#include "random-payload.h"

static char *
to_hex (const guint8 *data, gsize size)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < size; i++)
    g_string_append_printf (text, i % 4 == 0 && i > 0 ? " %02x" : "%02x", data[i]);
  return g_string_free (text, FALSE);
}

static void
assert_bytes (const AcqCdrInput *input, const char *expected)
{
  g_autofree guint8 *out = g_malloc (acq_cdr_bound (input));
  gsize size = acq_cdr_encode (input, out);
  g_autofree char *hex = to_hex (out, size);

  g_assert_cmpstr (hex, ==, expected);
}

/* Nested: a header inside an element inside a sequence; time, two texts, alignment to 8. */
static void
test_golden_nested (void)
{
  g_autofree AcqTFMessage *msg = g_new0 (AcqTFMessage, 1);
  AcqCdrInput input = { &acq_tf_message_schema, msg, sizeof *msg, .stamp_ns = 0 };

  msg->n_transforms = 1;
  msg->transforms[0].header.stamp.sec = 1;
  msg->transforms[0].header.stamp.nanosec = 2;
  strcpy (msg->transforms[0].header.frame_id, "map");
  strcpy (msg->transforms[0].child_frame_id, "arm_1");
  msg->transforms[0].transform.translation.x = 1;
  msg->transforms[0].transform.rotation.w = -2;
  assert_bytes (&input, "00010000 "                   /* encapsulation */
                        "01000000 "                   /* 4: one transform */
                        "01000000 02000000 "          /* 8: stamp */
                        "04000000 6d617000 "          /* 16: "map" */
                        "06000000 61726d5f 31000000 " /* 24: "arm_1", padding to 8 */
                        "00000000 0000f03f 00000000 00000000 00000000 00000000 "
                        "00000000 00000000 00000000 00000000 00000000 00000000 "
                        "00000000 000000c0");
}

/* Padded: neighbours of other sizes; the padding of C must not leak. */
static void
test_golden_padded (void)
{
  AcqClockState msg;
  AcqCdrInput input = { &acq_clock_state_schema, &msg, sizeof msg,
                        .stamp_ns = -G_GINT64_CONSTANT (1500000000), .frame_id = "w" };

  memset (&msg, 0xee, sizeof msg);
  strcpy (msg.id, "glove");
  msg.kind = ACQ_CLOCK_STATE_KIND_UPTIME;
  msg.epoch = 3;
  msg.state = ACQ_CLOCK_STATE_STATE_LOCKED;
  msg.offset_ns = -1;
  msg.drift_ppm = 0.5;
  msg.uncertainty_ns = 7;
  msg.host_ns = 0x1122334455667788;
  msg.device_ns = G_MAXUINT64;
  assert_bytes (&input, "00010000 "
                        "feffffff 0065cd1d "          /* 4: -1.5 s is -2 s and half a second */
                        "02000000 77000000 "          /* 12: "w" */
                        "06000000 676c6f76 65000200 " /* 20: "glove", kind */
                        "03000000 01000000 "          /* 32: epoch, state */
                        "00000000 "                   /* 40: padding to 8, counted from byte 4 */
                        "ffffffff ffffffff 00000000 0000e03f 07000000 00000000 "
                        "88776655 44332211 ffffffff ffffffff");
}

/* A tail in the middle, and an empty sequence of doubles, which has no padding behind it. */
static void
test_golden_tail (void)
{
  guint8 block[sizeof (AcqPointCloud2) + 32] = { 0 };
  AcqPointCloud2 *msg = (AcqPointCloud2 *) (void *) block;
  AcqCdrInput input = { &acq_point_cloud2_schema, block, acq_point_cloud2_schema.tail_offset + 3,
                        .frame_id = NULL };

  msg->height = 1;
  msg->width = 1;
  msg->n_fields = 1;
  strcpy (msg->fields[0].name, "x");
  msg->fields[0].datatype = ACQ_POINT_FIELD_FLOAT32;
  msg->fields[0].count = 1;
  msg->point_step = 3;
  msg->row_step = 3;
  msg->is_dense = true;
  memcpy (acq_point_cloud2_tail (msg), "\x0a\x0b\x0c", 3);
  assert_bytes (&input, "00010000 00000000 00000000 "
                        "01000000 00000000 "                   /* empty frame id */
                        "01000000 01000000 01000000 "          /* height, width, one field */
                        "02000000 78000000 00000000 07000000 " /* "x", offset, datatype */
                        "01000000 00000000 "                   /* count, is_bigendian */
                        "03000000 03000000 "                   /* steps */
                        "03000000 0a0b0c01"); /* the tail, and is_dense behind it */
}

static void
test_golden_joint_state (void)
{
  const char *const names[] = { "a", "bc", NULL };
  g_autoptr (AcqConstants) constants =
      acq_constants_new_strv (&acq_joint_state_schema, "name", names, NULL);
  g_autofree AcqJointState *msg = g_new0 (AcqJointState, 1);
  AcqCdrInput input = { &acq_joint_state_schema, msg, sizeof *msg, .frame_id = "" };

  msg->n_position = 1;
  msg->position[0] = 1;
  input.constants = constants;
  assert_bytes (&input, "00010000 00000000 00000000 01000000 00000000 "
                        "02000000 02000000 61000000 03000000 62630000 " /* names */
                        "01000000 00000000 0000f03f "                   /* one position */
                        "00000000 00000000");                           /* no velocity, no effort */
  input.constants = NULL;
  msg->n_position = 0;
  assert_bytes (&input, "00010000 00000000 00000000 01000000 00000000 "
                        "00000000 00000000 00000000 00000000");
}

static void
assert_round_trip (const RandomMessage *message)
{
  const AcqSchema *schema = message->input.schema;
  g_auto (AcqCdrMessage) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *again = NULL;
  g_autofree guint8 *out = NULL;
  gsize size, again_size;
  AcqCdrInput input;

  out = random_message_encode (message, &size);
  acq_cdr_decode (schema, out, size, &decoded, &error);
  g_assert_no_error (error);
  g_assert_true (acq_payload_equal (schema, message->payload, message->input.payload_size,
                                    decoded.payload, decoded.payload_size));
  g_assert_true (acq_constants_equal (message->constants, decoded.constants));
  g_assert_cmpint (decoded.stamp_ns, ==, message->input.stamp_ns);
  if (schema->has_header)
    g_assert_cmpstr (decoded.frame_id, ==, message->frame_id);

  input = (AcqCdrInput){ schema,           decoded.payload,  decoded.payload_size,
                         decoded.stamp_ns, decoded.frame_id, decoded.constants };
  again = g_malloc (acq_cdr_bound (&input));
  again_size = acq_cdr_encode (&input, again);
  g_assert_cmpmem (again, again_size, out, size);
}

static void
test_round_trip (gconstpointer data)
{
  const AcqSchema *schema = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (schema->name));

  for (guint style = 0; style < RANDOM_N_STYLES; style++) {
    for (guint i = 0; i < 40; i++) {
      RandomMessage message;

      random_message_init (&message, schema, style, rand);
      assert_round_trip (&message);
      random_message_clear (&message);
    }
  }
}

/* Whatever the bytes say: an error, or a message that encodes to the very same bytes. */
static void
test_mutations (gconstpointer data)
{
  const AcqSchema *schema = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (schema->name) + 1);

  for (guint i = 0; i < 300; i++) {
    g_auto (AcqCdrMessage) decoded = { 0 };
    g_autoptr (GError) error = NULL;
    g_autofree guint8 *bytes = NULL;
    g_autofree guint8 *exact = NULL;
    RandomMessage message;
    gsize size;

    random_message_init (&message, schema, i % RANDOM_N_STYLES, rand);
    bytes = random_message_encode (&message, &size);
    random_message_clear (&message);
    if (i % 4 == 0)
      size = g_rand_int_range (rand, 0, size);
    for (int k = g_rand_int_range (rand, 0, 4); k > 0 && size > 4; k--)
      bytes[g_rand_int_range (rand, 4, size)] =
          g_rand_boolean (rand) ? g_rand_int (rand) : 255 * g_rand_boolean (rand);
    exact = g_memdup2 (bytes, size);
    if (acq_cdr_decode (schema, exact, size, &decoded, &error)) {
      AcqCdrInput input = { schema,           decoded.payload,  decoded.payload_size,
                            decoded.stamp_ns, decoded.frame_id, decoded.constants };
      g_autofree guint8 *again = g_malloc (acq_cdr_bound (&input));
      gsize again_size = acq_cdr_encode (&input, again);

      g_assert_cmpmem (again, again_size, exact, size);
    } else {
      g_assert_true (g_error_matches (error, ACQ_ERROR, ACQ_ERROR_FORMAT) ||
                     g_error_matches (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED) ||
                     g_error_matches (error, ACQ_ERROR, ACQ_ERROR_SCHEMA));
      g_assert_null (decoded.payload);
    }
  }
}

static void
test_errors (void)
{
  const struct {
    const char *hex;
    AcqError code;
    const char *words;
  } cases[] = {
    { "", ACQ_ERROR_FORMAT, "00 01 00 00" },
    { "0000000000000000", ACQ_ERROR_FORMAT, "00 01 00 00" },
    { "00010000", ACQ_ERROR_TRUNCATED, "byte 4: 4 bytes are needed" },
    { "00010000000000000000000001000000ff", ACQ_ERROR_FORMAT, "does not end" },
    { "0001000000000000ffffffff01000000", ACQ_ERROR_FORMAT, "4294967295 nanoseconds" },
    { "00010000000000000000000000000000", ACQ_ERROR_FORMAT, "length 0" },
    { "00010000000000000000000002000000c30000", ACQ_ERROR_FORMAT, "not UTF-8" },
    { "000100000000000000000000010000000001", ACQ_ERROR_TRUNCATED, "needed" },
    { "000100000000000000000000010000000001000001000000", ACQ_ERROR_FORMAT, "padding is 0x01" },
    { "000100000000000000000000010000000000000000000000ffffffff", ACQ_ERROR_FORMAT,
      "4294967295 elements; at most 256" },
    { "0001000000000000000000000100000000000000000000000100000002", ACQ_ERROR_SCHEMA,
      "0x02 is no bool" },
    { "000100000000000000000000010000000000000000000000010000000100", ACQ_ERROR_FORMAT,
      "1 bytes are left over" },
    { "0001000000000000000000000100000000000000ffffff7f", ACQ_ERROR_FORMAT, "do not fit" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (GError) error = NULL;
    AcqCdrMessage message = { 0 };

    for (const char *at = cases[i].hex; *at != '\0'; at += 2) {
      guint8 byte = g_ascii_xdigit_value (at[0]) << 4 | g_ascii_xdigit_value (at[1]);

      g_byte_array_append (bytes, &byte, 1);
    }
    g_assert_false (
        acq_cdr_decode (&acq_grid_valid_schema, bytes->data, bytes->len, &message, &error));
    g_test_message ("%s", error->message);
    g_assert_error (error, ACQ_ERROR, (int) cases[i].code);
    g_assert_nonnull (strstr (error->message, cases[i].words));
    g_assert_null (message.payload);
  }
}

int
main (int argc, char **argv)
{
  const AcqSchema *const *all;
  guint n;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cdr/golden/nested", test_golden_nested);
  g_test_add_func ("/cdr/golden/padded", test_golden_padded);
  g_test_add_func ("/cdr/golden/tail", test_golden_tail);
  g_test_add_func ("/cdr/golden/joint-state", test_golden_joint_state);
  g_test_add_func ("/cdr/errors", test_errors);
  all = acq_schema_list (&n);
  for (guint i = 0; i < n; i++) {
    g_autofree char *path = g_strdup_printf ("/cdr/round-trip/%s", all[i]->name);
    g_autofree char *wild = g_strdup_printf ("/cdr/mutations/%s", all[i]->name);

    g_test_add_data_func (path, all[i], test_round_trip);
    g_test_add_data_func (wild, all[i], test_mutations);
  }
  return g_test_run ();
}

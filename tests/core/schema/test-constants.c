/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-cdr.h>
#include <acq/acq-constants.h>
#include <acq/acq-error.h>
#include <acq/acq-msgs.h>

#include <string.h>

/* A type with every sort of constant, by hand: no shipped type has them all. */
static const AcqField fields[] = {
  { "names", ACQ_KIND_STRING, ACQ_ARITY_SEQUENCE, .flags = ACQ_FIELD_CONSTANT, .max = 3 },
  { "model", ACQ_KIND_STRING, ACQ_ARITY_ONE, .flags = ACQ_FIELD_CONSTANT, .max = 1, .constant = 1 },
  { "limits", ACQ_KIND_F64, ACQ_ARITY_FIXED, .flags = ACQ_FIELD_CONSTANT, .max = 2, .constant = 2 },
  { "ids", ACQ_KIND_U16, ACQ_ARITY_SEQUENCE, .flags = ACQ_FIELD_CONSTANT, .constant = 3 },
  { "gain", ACQ_KIND_F32, ACQ_ARITY_ONE, .flags = ACQ_FIELD_CONSTANT, .max = 1, .constant = 4 },
  { "value", ACQ_KIND_U8, ACQ_ARITY_ONE, .max = 1, .stride = 1 },
};
static const AcqSchema schema = { .name = "test_msgs/msg/All",
                                  .text = "",
                                  .fields = fields,
                                  .n_fields = G_N_ELEMENTS (fields),
                                  .n_constants = 5 };

static void
test_values (void)
{
  const char *const names[] = { "one", "two", NULL };
  const gint64 ids[] = { 0, 65535 };
  const double limits[] = { -1.5, 2 };
  AcqConstantsBuilder *builder = acq_constants_builder_new (&schema);
  g_autoptr (AcqConstants) constants = NULL;
  g_autoptr (AcqConstants) again = NULL;
  g_autoptr (GError) error = NULL;
  const guint16 *numbers;
  guint n;

  acq_constants_builder_set_strv (builder, "names", names);
  acq_constants_builder_set_string (builder, "model", "X");
  acq_constants_builder_set_ints (builder, "ids", ids, 2);
  acq_constants_builder_set_doubles (builder, "limits", limits, 2);
  constants = acq_constants_builder_end (builder, &error);
  g_assert_no_error (error);

  g_assert_true (acq_constants_get_schema (constants) == &schema);
  g_assert_cmpstr (acq_constants_get_strv (constants, "names")[1], ==, "two");
  g_assert_null (acq_constants_get_strv (constants, "names")[2]);
  g_assert_cmpstr (acq_constants_get_strv (constants, "model")[0], ==, "X");
  numbers = acq_constants_get_data (constants, "ids", &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (numbers[1], ==, 65535);
  g_assert_cmpfloat (((const double *) acq_constants_get_data (constants, "limits", &n))[0], ==,
                     -1.5);
  g_assert_cmpfloat (((const float *) acq_constants_get_data (constants, "gain", &n))[0], ==, 0);
  g_assert_cmpuint (acq_constants_get_count (constants, "names"), ==, 2);
  g_assert_cmpuint (acq_constants_get_count (constants, "value"), ==, 0);
  g_assert_null (acq_constants_get_strv (constants, "limits"));
  g_assert_null (acq_constants_get_data (constants, "names", NULL));

  again = acq_constants_ref (constants);
  g_assert_true (acq_constants_equal (again, constants));
  g_assert_false (acq_constants_equal (NULL, constants));
}

static void
set_case (AcqConstantsBuilder *builder, guint i)
{
  const char *const four[] = { "1", "2", "3", "4", NULL };
  const char *const wrong[] = { "\xff", NULL };
  const gint64 big = 65536, one = 1;
  const double half = 0.5;

  switch (i) {
  case 0:
    acq_constants_builder_set_string (builder, "value", "x");
    break;
  case 1:
    acq_constants_builder_set_string (builder, "limits", "x");
    break;
  case 2:
    acq_constants_builder_set_strv (builder, "names", four);
    break;
  case 3:
    acq_constants_builder_set_strv (builder, "names", wrong);
    break;
  case 4:
    acq_constants_builder_set_ints (builder, "ids", &big, 1);
    break;
  case 5:
    acq_constants_builder_set_ints (builder, "gain", &one, 1);
    break;
  case 6:
    acq_constants_builder_set_doubles (builder, "ids", &half, 1);
    break;
  default:
    acq_constants_builder_set_doubles (builder, "limits", &half, 1);
    break;
  }
}

static void
test_errors (void)
{
  const char *const words[] = { "no @constant field", "it is float64, not text",
                                "at most 3",          "not UTF-8",
                                "65536 is no uint16", "not an integer",
                                "0.5 is no uint16",   "2 is needed" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    AcqConstantsBuilder *builder = acq_constants_builder_new (&schema);
    g_autoptr (GError) error = NULL;

    set_case (builder, i);
    acq_constants_builder_set_string (builder, "nothing", "a later mistake is not told");
    g_assert_null (acq_constants_builder_end (builder, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_SCHEMA);
    g_assert_nonnull (strstr (error->message, words[i]));
  }
}

static void
test_empty (void)
{
  const char *const none[] = { NULL };
  g_autoptr (AcqConstants) empty =
      acq_constants_new_strv (&acq_joint_state_schema, "name", none, NULL);

  g_assert_true (acq_constants_equal (empty, NULL));
  g_assert_true (acq_constants_equal (NULL, NULL));
  acq_constants_unref (NULL);
}

/* Constants that were never set read as those that were set to nothing. */
static void
test_encoded (void)
{
  static const AcqCdrOp ops[] = {
    { ACQ_CDR_CONSTANT, .count = 0 }, { ACQ_CDR_CONSTANT, .count = 1 },
    { ACQ_CDR_CONSTANT, .count = 2 }, { ACQ_CDR_CONSTANT, .count = 3 },
    { ACQ_CDR_CONSTANT, .count = 4 }, { ACQ_CDR_COPY, .align = 1, .bytes = 1 }
  };
  AcqSchema whole = schema;
  g_autoptr (AcqConstants) empty = NULL;
  guint8 value = 7;
  AcqCdrInput input = { &whole, &value, 1, .frame_id = NULL };
  g_autofree guint8 *unset = NULL;
  g_autofree guint8 *set = NULL;
  gsize n_unset, n_set;
  g_auto (AcqCdrMessage) message = { 0 };
  g_autoptr (GError) error = NULL;

  whole.ops = ops;
  whole.n_ops = G_N_ELEMENTS (ops);
  whole.size = whole.tail_offset = 1;
  whole.cdr_max = 64;
  empty = acq_constants_builder_end (acq_constants_builder_new (&whole), NULL);
  unset = g_malloc (acq_cdr_bound (&input));
  n_unset = acq_cdr_encode (&input, unset);
  input.constants = empty;
  set = g_malloc (acq_cdr_bound (&input));
  n_set = acq_cdr_encode (&input, set);
  g_assert_cmpmem (unset, n_unset, set, n_set);
  /* names 0; "" and padding; two doubles; ids 0; gain; value */
  g_assert_cmpuint (n_set, ==, 4 + 4 + 8 + 16 + 4 + 4 + 1 + 4);
  acq_cdr_decode (&whole, set, n_set, &message, &error);
  g_assert_no_error (error);
  g_assert_true (acq_constants_equal (message.constants, empty));
  g_assert_cmpuint (message.payload[0], ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/constants/values", test_values);
  g_test_add_func ("/constants/errors", test_errors);
  g_test_add_func ("/constants/empty", test_empty);
  g_test_add_func ("/constants/encoded", test_encoded);
  return g_test_run ();
}

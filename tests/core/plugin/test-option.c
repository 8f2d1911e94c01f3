/* SPDX-License-Identifier: Apache-2.0 */
/* Option tables as pure functions: sizes, durations, ranges, values, nearest words. */
#include <math.h>

#include <acq/acq-error.h>

#include "pipeline/acq-jsonc-private.h"
#include "plugin/acq-option-private.h"

typedef struct {
  gboolean flag;
  gint64 port;
  double rate;
  int side;
  char *serial;
  char **streams;
  guint64 memory;
  gint64 timeout;
} Fields;

static const char *const sides[] = { "left", "right", NULL };

enum { FLAG, PORT, RATE, SIDE, SERIAL, STREAMS, MEMORY, TIMEOUT, FILE_, N_OPTIONS };

static const AcqOption options[] = {
  [FLAG] = { "flag", ACQ_FIELD_BOOL (Fields, flag), .def = TRUE },
  [PORT] = { "port", ACQ_FIELD_INT (Fields, port), .def = 15001, .min = 1, .max = 65535 },
  [RATE] = { "rate-hz", ACQ_FIELD_DOUBLE (Fields, rate), .def = 100, .min = 0.1, .max = 2000,
             .unit = "Hz" },
  [SIDE] = { "side", ACQ_FIELD_ENUM (Fields, side, sides), .flags = ACQ_OPTION_REQUIRED },
  [SERIAL] = { "serial", ACQ_FIELD_STRING (Fields, serial) },
  [STREAMS] = { "streams", ACQ_FIELD_STRV (Fields, streams), .def_text = "a,b" },
  [MEMORY] = { "memory", ACQ_FIELD_BYTES (Fields, memory), .def = 67108864, .min = 4096, .max = 0 },
  [TIMEOUT] = { "timeout", ACQ_FIELD_DURATION (Fields, timeout), .def = 0.25, .min = 0.01,
                .max = 60 },
  [FILE_] = { "file", ACQ_FIELD_STRING (Fields, serial), .flags = ACQ_OPTION_PATH },
};

static void
test_bytes (void)
{
  static const struct {
    const char *text;
    gboolean ok;
    guint64 bytes;
  } cases[] = {
    { "0", TRUE, 0 },
    { "4096", TRUE, 4096 },
    { "18446744073709551615", TRUE, G_MAXUINT64 },
    { "18446744073709551616", FALSE, 0 },
    { "64MiB", TRUE, 67108864 },
    { "1.5 GB", TRUE, 1500000000 },
    { "1kB", TRUE, 1000 },
    { "1KiB", TRUE, 1024 },
    { "2TiB", TRUE, 2199023255552 },
    { "12B", TRUE, 12 },
    { "16777216TiB", FALSE, 0 },
    { "-1", FALSE, 0 },
    { "-1MiB", FALSE, 0 },
    { "64 mib", FALSE, 0 },
    { "64Mb", FALSE, 0 },
    { "64  MiB", FALSE, 0 },
    { " 64", FALSE, 0 },
    { "0x10", FALSE, 0 },
    { "inf", FALSE, 0 },
    { "nan", FALSE, 0 },
    { "1.5", FALSE, 0 },
    { "", FALSE, 0 },
    { "MiB", FALSE, 0 },
    { "1e3MB", TRUE, 1000000000 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint64 bytes = 7;

    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (acq_parse_bytes (cases[i].text, &bytes), ==, cases[i].ok);
    g_assert_cmpuint (bytes, ==, cases[i].ok ? cases[i].bytes : 7);
  }
}

static void
test_duration (void)
{
  static const struct {
    const char *text;
    gboolean ok;
    gint64 ns;
  } cases[] = {
    { "0", TRUE, 0 },
    { "1.5", TRUE, 1500000000 },
    { "250ms", TRUE, 250000000 },
    { "1.5s", TRUE, 1500000000 },
    { "2min", TRUE, 120000000000 },
    { "1 h", TRUE, 3600000000000 },
    { "7us", TRUE, 7000 },
    { "7µs", TRUE, 7000 },
    { "3ns", TRUE, 3 },
    { "1d", TRUE, 86400000000000 },
    { "-1s", TRUE, -1000000000 },
    { "0.1s", TRUE, 100000000 },
    { "200000d", FALSE, 0 },
    { "1m", FALSE, 0 },
    { "1 sec", FALSE, 0 },
    { "s", FALSE, 0 },
    { "1e400", FALSE, 0 },
    { "", FALSE, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 ns = 7;

    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (acq_parse_duration (cases[i].text, &ns), ==, cases[i].ok);
    g_assert_cmpint (ns, ==, cases[i].ok ? cases[i].ns : 7);
  }
}

static void
test_numbers_as_text (void)
{
  static const struct {
    double value;
    const char *text;
  } cases[] = {
    { 0.1, "0.1" },
    { 0.001, "0.001" },
    { 110, "110" },
    { 1e300, "1e+300" },
    { 1.0 / 3, "0.3333333333333333" },
    { -0.5, "-0.5" },
    { 9007199254740991, "9007199254740991" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = acq_number_to_text (cases[i].value);

    g_assert_cmpstr (text, ==, cases[i].text);
    g_assert_cmpfloat (g_ascii_strtod (text, NULL), ==, cases[i].value);
  }
}

static void
test_texts (void)
{
  static const struct {
    guint option;
    const char *range;
    const char *def;
  } cases[] = {
    { FLAG, "true or false", "true" },
    { PORT, "a whole number from 1 to 65535", "15001" },
    { RATE, "a number from 0.1 to 2000 Hz", "100" },
    { SIDE, "\"left\" or \"right\"", "required" },
    { SERIAL, "a text", "null" },
    { STREAMS, "a list of texts", "[\"a\",\"b\"]" },
    { MEMORY, "a number of bytes or a size such as \"64MiB\" of at least 4KiB", "\"64MiB\"" },
    { TIMEOUT, "a number of seconds or a duration such as \"250ms\" from 10ms to 60s",
      "\"250ms\"" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *range = acq_option_range_to_string (&options[cases[i].option]);
    g_autofree char *def = acq_option_default_to_string (&options[cases[i].option]);

    g_assert_cmpstr (range, ==, cases[i].range);
    g_assert_cmpstr (def, ==, cases[i].def);
  }
}

/* What came in as JSON comes out as the shortest JSON of the same value, or is refused in words. */
static void
test_values (void)
{
  static const struct {
    guint option;
    const char *json;
    const char *result; /* JSON, or the message when it begins with "found" */
  } cases[] = {
    { FLAG, "false", "false" },
    { FLAG, "1", "found the number 1, allowed is true or false" },
    { FLAG, "\"yes\"", "found the text \"yes\", allowed is true or false" },
    { PORT, "65535", "65535" },
    { PORT, "1e3", "1000" },
    { PORT, "0", "found the number 0, allowed is a whole number from 1 to 65535" },
    { PORT, "1.5", "found the number 1.5, allowed is a whole number from 1 to 65535" },
    { PORT, "null", "found null, allowed is a whole number from 1 to 65535" },
    { RATE, "0.1", "0.1" },
    { RATE, "2001", "found the number 2001, allowed is a number from 0.1 to 2000 Hz" },
    { RATE, "[1]", "found a list, allowed is a number from 0.1 to 2000 Hz" },
    { SIDE, "\"right\"", "\"right\"" },
    { SIDE, "\"Left\"",
      "found the text \"Left\", allowed is \"left\" or \"right\"; did you mean \"left\"?" },
    { SIDE, "null", "found null, allowed is \"left\" or \"right\"" },
    { SERIAL, "\"A\\n\\u00e9\"", "\"A\\né\"" },
    { SERIAL, "12", "found the number 12, allowed is a text" },
    { SERIAL, "null", "null" },
    { STREAMS, "[]", "[]" },
    { STREAMS, "[\"x\"]", "[\"x\"]" },
    { STREAMS, "[1]", "found a list, allowed is a list of texts" },
    { STREAMS, "\"x\"", "found the text \"x\", allowed is a list of texts" },
    { STREAMS, "{\"a\":1}", "found an object, allowed is a list of texts" },
    { MEMORY, "4096", "\"4KiB\"" },
    { MEMORY, "\"1.5 GB\"", "\"1500000000\"" },
    { MEMORY, "4095",
      "found the number 4095, allowed is a number of bytes or a size such as \"64MiB\" of at least "
      "4KiB" },
    { TIMEOUT, "1.5", "\"1.5s\"" },
    { TIMEOUT, "\"10ms\"", "\"10ms\"" },
    { TIMEOUT, "-1",
      "found the number -1, allowed is a number of seconds or a duration such as \"250ms\" from "
      "10ms to 60s" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AcqOption *option = &options[cases[i].option];
    g_autoptr (GError) error = NULL;
    g_autoptr (JsonNode) node = acq_jsonc_parse_value (cases[i].json, &error);
    AcqOptionValue value = { 0 };

    g_assert_no_error (error);
    g_test_message ("%s = %s", option->name, cases[i].json);
    if (!acq_option_parse (option, node, &value, &error)) {
      g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
      g_assert_cmpstr (error->message, ==, cases[i].result);
      continue;
    }
    /* Through the field of a struct, as a node keeps it. */
    Fields fields = { 0 };
    acq_option_store (option, &fields, &value);
    value = acq_option_peek (option, &fields);
    g_autoptr (JsonNode) again = acq_option_value_to_json (option, &value);
    g_autofree char *text = acq_json_print (again, FALSE);
    g_assert_cmpstr (text, ==, cases[i].result);
    acq_option_value_clear (option, &value);
  }
}

static void
test_bare_text (void)
{
  static const struct {
    guint option;
    const char *text;
    const char *json; /* NULL: refused */
  } cases[] = {
    { FLAG, "false", "false" },           { PORT, "15002", "15002" },
    { PORT, "many", "\"many\"" },         { SERIAL, "0012", "\"0012\"" },
    { SERIAL, "12", "\"12\"" },           { SERIAL, "true", "\"true\"" },
    { SERIAL, "\"true\"", "\"true\"" },   { SERIAL, "", "\"\"" },
    { SERIAL, "\"open", NULL },           { SIDE, "left", "\"left\"" },
    { STREAMS, "a, b", "[\"a\",\"b\"]" }, { STREAMS, "12", "[\"12\"]" },
    { STREAMS, "[\"a\"]", "[\"a\"]" },    { STREAMS, "[\"a\",]", NULL },
    { MEMORY, "4MiB", "\"4MiB\"" },       { TIMEOUT, "1.5", "1.5" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (JsonNode) node =
        acq_option_text_to_json (&options[cases[i].option], cases[i].text, &error);

    g_test_message ("%s", cases[i].text);
    if (cases[i].json == NULL) {
      g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
      g_assert_null (node);
      continue;
    }
    g_autofree char *json = acq_json_print (node, FALSE);
    g_assert_cmpstr (json, ==, cases[i].json);
  }
}

static void
test_paths (void)
{
  g_autofree char *home = g_build_filename (g_get_home_dir (), "x", NULL);
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *below = g_build_filename (here, "x", NULL);
  const struct {
    const char *text;
    const char *path;
  } cases[] = { { "~/x", home },
                { "~", g_get_home_dir () },
                { "x", below },
                { "./y/../x", below },
                { "/x", "/x" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), cases[i].text);
    AcqOptionValue value;

    g_assert_true (acq_option_parse (&options[FILE_], node, &value, NULL));
    g_assert_cmpstr (value.s, ==, cases[i].path);
    acq_option_value_clear (&options[FILE_], &value);
  }
}

static void
test_nearest (void)
{
  static const char *const words[] = { "left_glove",  "right_glove", "rate-hz",  "max-gap-ms",
                                       "mcap-writer", "wuji-glove",  "resampler" };
  static const struct {
    const char *word;
    const char *nearest;
  } cases[] = {
    { "left_glov", "left_glove" },
    { "letf_glove", "left_glove" },
    { "Left-Glove", "left_glove" },
    { "rate", "rate-hz" },
    { "rate_hz", "rate-hz" },
    { "gap", NULL },
    { "mcapwriter", "mcap-writer" },
    { "xyz", NULL },
    { "", NULL },
    { "resample", "resampler" },
    { "wuji", "wuji-glove" },
    { "resam", "resampler" },
    { "glove", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (acq_nearest_word (cases[i].word, words, G_N_ELEMENTS (words)), ==,
                     cases[i].nearest);

  g_autofree char *huge = g_strnfill (100000, 'a');
  g_assert_null (acq_nearest_word (huge, words, G_N_ELEMENTS (words)));
  g_assert_null (acq_nearest_word ("a", NULL, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/option/bytes", test_bytes);
  g_test_add_func ("/option/duration", test_duration);
  g_test_add_func ("/option/numbers", test_numbers_as_text);
  g_test_add_func ("/option/texts", test_texts);
  g_test_add_func ("/option/values", test_values);
  g_test_add_func ("/option/bare", test_bare_text);
  g_test_add_func ("/option/paths", test_paths);
  g_test_add_func ("/option/nearest", test_nearest);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0 */

#include <math.h>
#include <string.h>

#include "robot-json.h"

#define MAX_LENGTH 4096

static RobotJson json;

/* ---- what is JSON and what is not ---- */

static const struct {
  const char *text;
  RobotJsonResult result;
} texts[] = {
  { "{}", ROBOT_JSON_OK },
  { " \t\r\n[ ] \n", ROBOT_JSON_OK },
  { "{\"a\":[1,-0,0.5,1e3,-2E-7],\"b\":{\"c\":null,\"d\":true,\"e\":false}}", ROBOT_JSON_OK },
  { "\xEF\xBB\xBF{\"bom\":1}", ROBOT_JSON_OK },
  { "\"\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\"", ROBOT_JSON_OK },
  { "\"\\ud83d\\ude00\"", ROBOT_JSON_OK },
  { "\"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"", ROBOT_JSON_OK },
  { "12", ROBOT_JSON_OK },
  { "", ROBOT_JSON_SYNTAX },
  { " ", ROBOT_JSON_SYNTAX },
  { "{", ROBOT_JSON_SYNTAX },
  { "{\"a\"", ROBOT_JSON_SYNTAX },
  { "{\"a\":", ROBOT_JSON_SYNTAX },
  { "{\"a\":1", ROBOT_JSON_SYNTAX },
  { "{\"a\":1,}", ROBOT_JSON_SYNTAX },
  { "[1,]", ROBOT_JSON_SYNTAX },
  { "[1 2]", ROBOT_JSON_SYNTAX },
  { "[1}", ROBOT_JSON_SYNTAX },
  { "{a:1}", ROBOT_JSON_SYNTAX },
  { "{'a':1}", ROBOT_JSON_SYNTAX },
  { "{\"a\" 1}", ROBOT_JSON_SYNTAX },
  { "{} {}", ROBOT_JSON_SYNTAX },
  { "{}x", ROBOT_JSON_SYNTAX },
  { "[1 // no\n]", ROBOT_JSON_SYNTAX },
  { "[/* no */1]", ROBOT_JSON_SYNTAX },
  { "[NaN]", ROBOT_JSON_SYNTAX },
  { "[Infinity]", ROBOT_JSON_SYNTAX },
  { "[0x10]", ROBOT_JSON_SYNTAX },
  { "[01]", ROBOT_JSON_SYNTAX },
  { "[+1]", ROBOT_JSON_SYNTAX },
  { "[.5]", ROBOT_JSON_SYNTAX },
  { "[1.]", ROBOT_JSON_SYNTAX },
  { "[1e]", ROBOT_JSON_SYNTAX },
  { "[-]", ROBOT_JSON_SYNTAX },
  { "[tru]", ROBOT_JSON_SYNTAX },
  { "[truex]", ROBOT_JSON_SYNTAX },
  { "[nul", ROBOT_JSON_SYNTAX },
  { "\"open", ROBOT_JSON_SYNTAX },
  { "\"\\", ROBOT_JSON_SYNTAX },
  { "\"\\x\"", ROBOT_JSON_SYNTAX },
  { "\"\\u12\"", ROBOT_JSON_SYNTAX },
  { "\"\\u12g4\"", ROBOT_JSON_SYNTAX },
  { "\"tab\there\"", ROBOT_JSON_SYNTAX },
  { "\"\\ud83d\"", ROBOT_JSON_UTF8 },
  { "\"\\ude00\"", ROBOT_JSON_UTF8 },
  { "\"\\ud83d\\u0041\"", ROBOT_JSON_UTF8 },
  { "\"\xFF\"", ROBOT_JSON_UTF8 },
  { "\"\xC0\x80\"", ROBOT_JSON_UTF8 },
  { "\"\xED\xA0\x80\"", ROBOT_JSON_UTF8 },
  { "\"\xE2\x82", ROBOT_JSON_UTF8 },
  { "\xEF\xBC\x8C", ROBOT_JSON_SYNTAX }, /* a full-width comma */
};

static void
test_texts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    gsize length = strlen (texts[i].text);
    g_autofree char *exact = g_memdup2 (texts[i].text, length); /* no NUL: reads beyond it show */

    g_test_message ("text %u", i);
    g_assert_cmpint (robot_json_parse (&json, exact, length), ==, texts[i].result);
  }
}

static void
test_ends (void)
{
  g_assert_cmpint (robot_json_parse (&json, "{}\0", 3), ==, ROBOT_JSON_OK);
  g_assert_cmpint (robot_json_parse (&json, "{} \0", 4), ==, ROBOT_JSON_OK);
  g_assert_cmpint (robot_json_parse (&json, "{}\0\0", 4), ==, ROBOT_JSON_SYNTAX);
  g_assert_cmpint (robot_json_parse (&json, "{}\0x", 4), ==, ROBOT_JSON_SYNTAX);
}

static void
test_depth (void)
{
  char text[4 * ROBOT_JSON_MAX_DEPTH];

  for (guint depth = 1; depth < 2 * ROBOT_JSON_MAX_DEPTH; depth++) {
    memset (text, '[', depth);
    memset (text + depth, ']', depth);
    g_assert_cmpint (robot_json_parse (&json, text, 2 * depth), ==,
                     depth <= ROBOT_JSON_MAX_DEPTH ? ROBOT_JSON_OK : ROBOT_JSON_DEPTH);
  }
}

/* The most tokens that a text of the full length can have. */
static void
test_size (void)
{
  g_autofree char *text = g_malloc (MAX_LENGTH + 2);

  for (guint i = 0; i < MAX_LENGTH; i++)
    text[i] = i % 2 == 0 ? ',' : '1';
  text[0] = '[';
  text[MAX_LENGTH - 2] = ' ';
  text[MAX_LENGTH - 1] = ']';
  g_assert_cmpint (robot_json_parse (&json, text, MAX_LENGTH), ==, ROBOT_JSON_OK);
  g_assert_cmpuint (json.tokens[0].next, ==, json.n_tokens);
  g_assert_cmpuint (json.n_tokens, ==, MAX_LENGTH / 2);
  g_assert_cmpint (robot_json_parse (&json, text, MAX_LENGTH + 1), ==, ROBOT_JSON_SIZE);
}

static void
test_tokens (void)
{
  static const char text[] = "{\"a\":[1,{}],\"b\":2}";

  g_assert_cmpint (robot_json_parse (&json, text, sizeof text - 1), ==, ROBOT_JSON_OK);
  g_assert_cmpuint (json.n_tokens, ==, 7);
  g_assert_cmpuint (json.tokens[0].next, ==, 7);
  g_assert_cmpuint (json.tokens[0].length, ==, sizeof text - 1);
  g_assert_cmpuint (json.tokens[2].next, ==, 5); /* the array ends before "b" */
  g_assert_cmpuint (json.tokens[2].length, ==, 6);
  g_assert_true (robot_json_key_is (&json, &json.tokens[5], "b", 1));
  g_assert_false (robot_json_key_is (&json, &json.tokens[5], "bb", 2));
}

/* ---- numbers ---- */

static const struct {
  const char *text;
  RobotValue as_double;
  double real;
  RobotValue as_u64;
  guint64 u64;
  RobotValue as_i64;
  gint64 i64;
} numbers[] = {
#define OK ROBOT_VALUE_OK
#define OVER ROBOT_VALUE_OVERFLOW
#define TYPE ROBOT_VALUE_MISTYPED
#define INF ROBOT_VALUE_NON_FINITE
  { "0", OK, 0, OK, 0, OK, 0 },
  { "-0", OK, -0.0, OK, 0, OK, 0 },
  { "-1", OK, -1, OVER, 0, OK, -1 },
  { "1767225601234567890", OK, 1767225601234567890.0, OK, 1767225601234567890u, OK,
    1767225601234567890 },
  { "9007199254740993", OK, 9007199254740992.0, OK, 9007199254740993u, OK, 9007199254740993 },
  { "9223372036854775807", OK, 9223372036854775807.0, OK, 9223372036854775807u, OK, G_MAXINT64 },
  { "9223372036854775808", OK, 9223372036854775808.0, OK, 9223372036854775808u, OVER, 0 },
  { "-9223372036854775808", OK, -9223372036854775808.0, OVER, 0, OK, G_MININT64 },
  { "-9223372036854775809", OK, -9223372036854775808.0, OVER, 0, OVER, 0 },
  { "18446744073709551615", OK, 18446744073709551615.0, OK, G_MAXUINT64, OVER, 0 },
  { "18446744073709551616", OK, 18446744073709551616.0, OVER, 0, OVER, 0 },
  { "99999999999999999999999", OK, 99999999999999999999999.0, OVER, 0, OVER, 0 },
  { "1101.0", OK, 1101, OK, 1101, OK, 1101 },
  { "11.01e2", OK, 1101, OK, 1101, OK, 1101 },
  { "2.7", OK, 2.7, TYPE, 0, TYPE, 0 },
  { "-2.0", OK, -2, OVER, 0, OK, -2 },
  { "1e17", OK, 1e17, OVER, 0, OVER, 0 },
  { "1e400", INF, 0, OVER, 0, OVER, 0 },
  { "-1e400", INF, 0, OVER, 0, OVER, 0 },
  { "1e-400", OK, 0, OK, 0, OK, 0 },
  { "0.1", OK, 0.1, TYPE, 0, TYPE, 0 },
  { "-0.42", OK, -0.42, TYPE, 0, TYPE, 0 },
  { "55.12", OK, 55.12, TYPE, 0, TYPE, 0 },
  { "0.30000000000000004", OK, 0.30000000000000004, TYPE, 0, TYPE, 0 },
  { "2.2250738585072011e-308", OK, 2.2250738585072011e-308, TYPE, 0, TYPE, 0 },
  { "0.00000000000000000000000123", OK, 0.00000000000000000000000123, TYPE, 0, TYPE, 0 },
  { "123456789012345678901234567890.5e-10", OK, 12345678901234567890.12345678905, OVER, 0, OVER,
    0 },
  { "3.14159265358979323846264338327950288419716939937510582097494459230781640", OK, G_PI, TYPE, 0,
    TYPE, 0 },
#undef OK
#undef OVER
#undef TYPE
#undef INF
};

static void
test_numbers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    double real = 77;
    guint64 u64 = 77;
    gint64 i64 = 77;

    g_test_message ("%s", numbers[i].text);
    g_assert_cmpint (robot_json_parse (&json, numbers[i].text, strlen (numbers[i].text)), ==,
                     ROBOT_JSON_OK);
    g_assert_cmpint (robot_json_double (&json, json.tokens, &real), ==, numbers[i].as_double);
    if (numbers[i].as_double == ROBOT_VALUE_OK)
      g_assert_cmpmem (&real, sizeof real, &numbers[i].real, sizeof real);
    else
      g_assert_cmpfloat (real, ==, 77);
    g_assert_cmpint (robot_json_u64 (&json, json.tokens, &u64), ==, numbers[i].as_u64);
    g_assert_cmpuint (u64, ==, numbers[i].as_u64 == ROBOT_VALUE_OK ? numbers[i].u64 : 77);
    g_assert_cmpint (robot_json_i64 (&json, json.tokens, &i64), ==, numbers[i].as_i64);
    g_assert_cmpint (i64, ==, numbers[i].as_i64 == ROBOT_VALUE_OK ? numbers[i].i64 : 77);
  }
}

/* Whatever a robot prints comes back as the same double. */
static void
test_round_trip (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260101);
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < 50000; i++) {
    double value = g_rand_double_range (rand, -1, 1) * pow (10, g_rand_int_range (rand, -20, 20));
    static const char *const formats[] = { "%.17g", "%.6f", "%.3f", "%.9e", "%.0f" };
    double read = 0;

    g_ascii_formatd (text, sizeof text, formats[i % G_N_ELEMENTS (formats)], value);
    value = g_ascii_strtod (text, NULL);
    g_assert_cmpint (robot_json_parse (&json, text, strlen (text)), ==, ROBOT_JSON_OK);
    g_assert_cmpint (robot_json_double (&json, json.tokens, &read), ==, ROBOT_VALUE_OK);
    g_assert_cmpmem (&read, sizeof read, &value, sizeof value);
  }
}

/* ---- strings ---- */

static void
test_strings (void)
{
  static const struct {
    const char *text;
    gsize size;
    RobotValue result;
    const char *value;
  } strings[] = {
    { "\"abc\"", 4, ROBOT_VALUE_OK, "abc" },
    { "\"abc\"", 3, ROBOT_VALUE_TOO_LONG, "old" },
    { "\"\"", 1, ROBOT_VALUE_OK, "" },
    { "\"\\u00e9\\ud83d\\ude00\\n\"", 8, ROBOT_VALUE_OK, "\xC3\xA9\xF0\x9F\x98\x80\n" },
    { "\"\\u00e9\\ud83d\\ude00\\n\"", 7, ROBOT_VALUE_TOO_LONG, "old" },
    { "\"a\\u0000b\"", 32, ROBOT_VALUE_MISTYPED, "old" },
    { "17", 32, ROBOT_VALUE_MISTYPED, "old" },
    { "null", 32, ROBOT_VALUE_MISTYPED, "old" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++) {
    char buffer[32] = "old";

    g_test_message ("%s", strings[i].text);
    g_assert_cmpint (robot_json_parse (&json, strings[i].text, strlen (strings[i].text)), ==,
                     ROBOT_JSON_OK);
    g_assert_cmpint (robot_json_text (&json, json.tokens, buffer, strings[i].size), ==,
                     strings[i].result);
    g_assert_cmpstr (buffer, ==, strings[i].value);
  }
  g_assert_cmpint (robot_json_parse (&json, "{\"n\\u0061me\":1}", 15), ==, ROBOT_JSON_OK);
  g_assert_true (robot_json_key_is (&json, &json.tokens[1], "name", 4));
}

/* Random damage: never a crash, and tokens that stay inside the text. */
static void
test_mutations (void)
{
  static const char seed_text[] =
      "{\"data\":{\"names\":[\"fl1\",\"caf\xC3\xA9\"],\"positions\":[0.021,-7.4e-1,123456789012],"
      "\"t\":1767225601234567890,\"deep\":[[[{\"x\":[null,true,false]}]]],\"e\":\"\\ud83d\\ude00\"}"
      ","
      "\"head\":{\"src\":1,\"time\":1767225601000,\"type\":1104}}";
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  guint n_ok = 0;

  for (guint round = 0; round < 20000; round++) {
    gsize length = (gsize) g_rand_int_range (rand, 0, sizeof seed_text);
    g_autofree char *text = NULL;

    if (round % 2 == 0)
      length = sizeof seed_text - 1;
    text = g_memdup2 (seed_text, length);
    for (guint n = (guint) g_rand_int_range (rand, 0, 4); n > 0 && length > 0; n--)
      text[g_rand_int_range (rand, 0, (gint32) length)] = (char) g_rand_int_range (rand, 0, 256);
    if (robot_json_parse (&json, text, length) != ROBOT_JSON_OK)
      continue;
    n_ok++;
    for (guint32 i = 0; i < json.n_tokens; i++) {
      char buffer[16];
      double real;
      guint64 u64;
      gint64 i64;

      g_assert_cmpuint (json.tokens[i].offset + json.tokens[i].length, <=, length);
      g_assert_cmpuint (json.tokens[i].next, >, i);
      g_assert_cmpuint (json.tokens[i].next, <=, json.n_tokens);
      robot_json_double (&json, &json.tokens[i], &real);
      robot_json_u64 (&json, &json.tokens[i], &u64);
      robot_json_i64 (&json, &json.tokens[i], &i64);
      robot_json_text (&json, &json.tokens[i], buffer, sizeof buffer);
    }
  }
  g_assert_cmpuint (n_ok, >, 1000);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  robot_json_init (&json, MAX_LENGTH);
  g_test_add_func ("/robot-json/texts", test_texts);
  g_test_add_func ("/robot-json/ends", test_ends);
  g_test_add_func ("/robot-json/depth", test_depth);
  g_test_add_func ("/robot-json/size", test_size);
  g_test_add_func ("/robot-json/tokens", test_tokens);
  g_test_add_func ("/robot-json/numbers", test_numbers);
  g_test_add_func ("/robot-json/round-trip", test_round_trip);
  g_test_add_func ("/robot-json/strings", test_strings);
  g_test_add_func ("/robot-json/mutations", test_mutations);
  result = g_test_run ();
  robot_json_clear (&json);
  return result;
}

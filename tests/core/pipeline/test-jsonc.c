/* SPDX-License-Identifier: Apache-2.0 */
/* JSON with comments: what is accepted, every mistake with its place, and no harm from any bytes.
 */
#include <string.h>

#include <acq/acq-error.h>

#include "pipeline/acq-jsonc-private.h"

static void
test_accepted (void)
{
  static const struct {
    const char *text;
    const char *json;
  } cases[] = {
    { "{}", "{}" },
    { "\xef\xbb\xbf // bom\r\n [ 1 , /* c */ 2 ] // end", "[1,2]" },
    { "{\"a\":{\"b\":[true,false,null]}}", "{\"a\":{\"b\":[true,false,null]}}" },
    { "[-0,9223372036854775807,-9223372036854775808,1e3,0.001]",
      "[0,9223372036854775807,-9223372036854775808,1000,0.001]" },
    { "\"\\ud83d\\ude00 \\u00e9 \\/ \\\\ \\\" //\"", "\"😀 é / \\\\ \\\" //\"" },
    { "\"/* no comment */\"", "\"/* no comment */\"" },
    { "{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}" },
    { "{\"\":1}", "{\"\":1}" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AcqJsonc) doc = acq_jsonc_parse (cases[i].text, strlen (cases[i].text));

    g_test_message ("case %" G_GSIZE_FORMAT, i);
    g_assert_cmpuint (acq_jsonc_get_problems (doc)->len, ==, 0);
    g_autofree char *json = acq_json_print (acq_jsonc_get_root (doc), FALSE);
    g_assert_cmpstr (json, ==, cases[i].json);
  }
}

/* All problems of a text, one a line. */
static char *
list_problems (const char *text, gsize length, gboolean *ret_has_root)
{
  g_autoptr (AcqJsonc) doc = acq_jsonc_parse (text, length);
  const GPtrArray *problems = acq_jsonc_get_problems (doc);
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < problems->len; i++) {
    const AcqJsonProblem *p = g_ptr_array_index (problems, i);

    g_string_append_printf (list, "%u:%u %s: %s\n", p->place.line, p->place.column, p->path,
                            p->message);
  }
  *ret_has_root = acq_jsonc_get_root (doc) != NULL;
  return g_string_free (list, FALSE);
}

static void
test_mistakes (void)
{
  static const struct {
    const char *text;
    gboolean goes_on; /* the mistake was stepped over */
    const char *problems;
  } cases[] = {
    { "", FALSE, "1:1 : the text ends, wanted a value\n" },
    { "{\n  \"a\": 1,\n  \"a\": 2\n}", TRUE,
      "3:3 /a: this key is given twice, first in line 2, column 3\n" },
    { "{\"a\": {\"x\": 1, \"x\": 2}, \"a\": 3}", TRUE,
      "1:16 /a/x: this key is given twice, first in line 1, column 8\n"
      "1:25 /a: this key is given twice, first in line 1, column 2\n" },
    { "[1, 2,]", TRUE, "1:6 : a comma before the closing \"]\" is not allowed\n" },
    { "[1,, 2]", TRUE, "1:4 : one comma too many\n" },
    { "[,]", TRUE, "1:2 : one comma too many\n" },
    { "{\"a\": 1\n \"b\": 2}", TRUE, "2:2 : a comma is missing before this\n" },
    { "{a: 'x', \"b\" = True}", TRUE,
      "1:2 : a key stands in double quotes: \"a\"\n"
      "1:5 /a: a text stands in double quotes, not in single ones\n"
      "1:14 /b: found \"=\", wanted \":\"\n"
      "1:16 /b: found True; write true and false in small letters\n" },
    { "[0x1F, 01, +1, .5, 1., 1e400, 9223372036854775808, NaN, -Infinity, 1_000]", TRUE,
      "1:2 /0: 0x1F is no number in JSON; write 31\n"
      "1:8 /1: 01 is no number in JSON\n"
      "1:12 /2: +1 is no number in JSON\n"
      "1:16 /3: .5 is no number in JSON\n"
      "1:20 /4: 1. is no number in JSON\n"
      "1:24 /5: 1e400 is too large for a number\n"
      "1:31 /6: 9223372036854775808 is too large for a whole number of 64 bits\n"
      "1:52 /7: NaN is no number in JSON\n"
      "1:57 /8: -Infinity is no number in JSON\n"
      "1:68 /9: 1_000 is no number in JSON\n" },
    { "[hello]", TRUE, "1:2 /0: found the bare word hello; a text stands in double quotes\n" },
    { "[1] 2", TRUE, "1:5 : there is more text after the end of the value\n" },
    { "# note\n1", TRUE, "1:1 : a comment begins with \"//\", not with \"#\"\n" },
    { "[\"a\tb\", \"\\q\"]", TRUE,
      "1:4 /0: a control character in a text is written \\u0009\n"
      "1:10 /1: this escape means nothing; allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u "
      "with "
      "four hexadecimal digits of a character\n" },
    { "{\"a/b~\": {\"é\": 0x}}", TRUE, "1:16 /a~1b~0/é: 0x is no number in JSON\n" },
    { "{\n  \"a\": [1, 2\n}", FALSE,
      "3:1 /a: found \"}\" where the list that begins in line 2, column 8 wants \"]\"\n" },
    { "{\"a\": {", FALSE,
      "1:8 /a: the text ends inside the object that begins in line 1, column 7; a closing \"}\" is "
      "missing\n" },
    { "[\"abc\n]", FALSE, "1:2 /0: the text that begins here has no closing quote\n" },
    { "[1] /* x", FALSE, "1:5 : the comment that begins here has no end\n" },
    { "{\"a\" 1}", FALSE, "1:6 /a: found \"1\", wanted a \":\" after the key\n" },
    { "{{}}", FALSE, "1:2 : found \"{\", wanted a key in double quotes\n" },
    { "[\xc3\xa9]", FALSE, "1:2 /0: found \"é\", wanted a value\n" },
    { "[\"\xff\"]", FALSE, "1:3 : found the byte 0xff, which is no UTF-8 text\n" },
    { "\xff\xfe{", FALSE, "1:1 : the text is UTF-16; save it as UTF-8\n" },
    { "[\x01]", FALSE, "1:2 /0: found the control character 0x01, wanted a value\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    gboolean goes_on;
    g_autofree char *problems = list_problems (cases[i].text, strlen (cases[i].text), &goes_on);

    g_test_message ("case %" G_GSIZE_FORMAT, i);
    g_assert_cmpstr (problems, ==, cases[i].problems);
    g_assert_cmpint (goes_on, ==, cases[i].goes_on);
  }
}

static void
test_escapes (void)
{
  static const char *const bad[] = { "\"\\ud800\"",        "\"\\udc00\"", "\"\\ud800x\"",
                                     "\"\\ud800\\u0041\"", "\"\\u0000\"", "\"\\u12\"",
                                     "\"\\u12g4\"" };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (AcqJsonc) doc = acq_jsonc_parse (bad[i], strlen (bad[i]));

    g_assert_cmpuint (acq_jsonc_get_problems (doc)->len, ==, 1);
  }
}

static void
test_depth (void)
{
  GString *text = g_string_new (NULL);
  gboolean has_root;

  for (int i = 0; i < ACQ_JSONC_MAX_DEPTH; i++)
    g_string_append_c (text, '[');
  for (int i = 0; i < ACQ_JSONC_MAX_DEPTH; i++)
    g_string_append_c (text, ']');
  g_autofree char *none = list_problems (text->str, text->len, &has_root);
  g_assert_cmpstr (none, ==, "");
  g_assert_true (has_root);

  g_string_truncate (text, 0);
  for (int i = 0; i < 200000; i++)
    g_string_append_c (text, '[');
  g_autofree char *problems = list_problems (text->str, text->len, &has_root);
  g_assert_nonnull (strstr (problems, "1:65 "));
  g_assert_nonnull (strstr (problems, "nested more than 64 deep"));
  g_assert_false (has_root);
  g_string_free (text, TRUE);
}

static void
test_nul (void)
{
  gboolean has_root;
  g_autofree char *problems = list_problems ("[1\0]", 4, &has_root);

  g_assert_cmpstr (problems, ==, "1:3 : found the byte 0x00, which is no UTF-8 text\n");
}

static void
test_places (void)
{
  static const char text[] = "{ // first\n  \"é\": [ 1,\n    {\"x\": 2} ]\n}";
  g_autoptr (AcqJsonc) doc = acq_jsonc_parse (text, strlen (text));
  JsonNode *list = json_object_get_member (json_node_get_object (acq_jsonc_get_root (doc)), "é");
  JsonNode *second = json_array_get_element (json_node_get_array (list), 1);
  JsonNode *x = json_object_get_member (json_node_get_object (second), "x");
  const struct {
    AcqJsonPlace place;
    guint line, column;
  } cases[] = {
    { acq_jsonc_get_place (doc, acq_jsonc_get_root (doc)), 1, 1 },
    { acq_jsonc_get_key_place (doc, list), 2, 3 },
    { acq_jsonc_get_place (doc, list), 2, 8 },
    { acq_jsonc_get_place (doc, second), 3, 5 },
    { acq_jsonc_get_key_place (doc, second), 3, 5 },
    { acq_jsonc_get_key_place (doc, x), 3, 6 },
    { acq_jsonc_get_place (doc, x), 3, 11 },
    { acq_jsonc_get_place (doc, NULL), 0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpuint (cases[i].place.line, ==, cases[i].line);
    g_assert_cmpuint (cases[i].place.column, ==, cases[i].column);
  }
}

static void
test_parse_value (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = acq_jsonc_parse_value ("[1,]", &error);

  g_assert_null (node);
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
  g_assert_cmpstr (error->message, ==,
                   "this is not JSON: column 3: a comma before the closing \"]\" is not allowed");
}

static void
test_pretty (void)
{
  g_autoptr (JsonNode) node =
      acq_jsonc_parse_value ("{\"a\":{\"b\":[1,\"x\\ny\"]},\"c\":{},\"d\":0.1}", NULL);
  g_autofree char *text = acq_json_print (node, TRUE);

  g_assert_cmpstr (
      text, ==, "{\n  \"a\": {\n    \"b\": [1, \"x\\ny\"]\n  },\n  \"c\": {},\n  \"d\": 0.1\n}\n");
}

/* Whatever bytes come: an answer, and a tree that is as good as its text. */
static void
test_mutations (void)
{
  static const char seed_text[] =
      "{ // c\n \"a\": [1, -2.5e3, true, null, \"x\\u00e9\\n\", {}], /* d */ \"b\": {\"c\": []}}";
  static const char alphabet[] = "{}[]\",:/*\\#'=0123456789eE+-.tfnux \n\t\xc3\xa9\xff";
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260101);
  guint n_good = 0, n_bad = 0;

  for (guint round = 0; round < 20000; round++) {
    gsize length = sizeof seed_text - 1;
    g_autofree char *text = g_memdup2 (seed_text, length);
    guint n = (guint) g_rand_int_range (rand, 1, 5);

    for (guint i = 0; i < n; i++)
      text[g_rand_int_range (rand, 0, (gint32) length)] =
          alphabet[g_rand_int_range (rand, 0, sizeof alphabet - 1)];
    length -= (gsize) g_rand_int_range (rand, 0, 3);
    g_autoptr (AcqJsonc) doc = acq_jsonc_parse (text, length);
    if (acq_jsonc_get_problems (doc)->len > 0) {
      n_bad++;
      continue;
    }
    n_good++;
    g_autofree char *once = acq_json_print (acq_jsonc_get_root (doc), FALSE);
    g_autoptr (JsonNode) again = acq_jsonc_parse_value (once, NULL);
    g_assert_nonnull (again);
    g_autofree char *twice = acq_json_print (again, FALSE);
    g_assert_cmpstr (once, ==, twice);
  }
  g_assert_cmpuint (n_good, >, 200);
  g_assert_cmpuint (n_bad, >, 5000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jsonc/accepted", test_accepted);
  g_test_add_func ("/jsonc/mistakes", test_mistakes);
  g_test_add_func ("/jsonc/escapes", test_escapes);
  g_test_add_func ("/jsonc/depth", test_depth);
  g_test_add_func ("/jsonc/nul", test_nul);
  g_test_add_func ("/jsonc/places", test_places);
  g_test_add_func ("/jsonc/value", test_parse_value);
  g_test_add_func ("/jsonc/pretty", test_pretty);
  g_test_add_func ("/jsonc/mutations", test_mutations);
  return g_test_run ();
}

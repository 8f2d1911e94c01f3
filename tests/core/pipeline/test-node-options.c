/* SPDX-License-Identifier: Apache-2.0 */
/* Options of nodes: inherited tables, properties, errors, and what a node says of itself. */
#include <json-glib/json-glib.h>

#include "fake-plugins.h"

static AcqRegistry *registry;

static AcqNode *
make (const char *plugin)
{
  g_autoptr (GError) error = NULL;
  AcqNode *node = acq_registry_create (registry, plugin, "n", &error);

  g_assert_no_error (error);
  return node;
}

static char *
options_of (AcqNode *node)
{
  g_autoptr (JsonNode) json = acq_node_options_to_json (node);

  return json_to_string (json, FALSE);
}

static void
test_defaults (void)
{
  g_autoptr (AcqNode) node = make ("fake-glove");
  g_autofree char *json = options_of (node);
  guint n;

  g_assert_cmpstr (
      json, ==,
      "{\"serial\":null,\"side\":\"left\",\"port\":15001,\"timeout\":\"1s\",\"gain\":1."
      "0,\"attach\":false,\"streams\":null,\"stamp\":\"host\",\"retry-min\":\"1s\","
      "\"retry-max\":\"15s\",\"open-timeout\":\"15s\"}");
  g_assert_cmpstr (acq_node_class_list_options (ACQ_NODE_GET_CLASS (node), &n)[0].name, ==,
                   "serial");
  g_assert_cmpuint (n, ==, 6);

  /* A class without a table of its own has none, but its parent's options all the same. */
  g_autoptr (AcqNode) replay = make ("fake-replay");
  g_assert_null (acq_node_class_list_options (ACQ_NODE_GET_CLASS (replay), &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_true (acq_node_set_option_text (replay, "stamp", "auto", NULL));
}

static void
test_properties (void)
{
  g_autoptr (AcqNode) node = make ("fake-glove");
  const char *const streams[] = { "tact*", NULL };
  g_autofree char *serial = NULL, *side = NULL;
  g_auto (GStrv) got = NULL;
  gint64 port;
  double timeout, gain;
  gboolean attach;

  g_object_set (node, "serial", "A1", "side", "right", "port", (gint64) 7, "timeout", 0.25, "gain",
                -2.5, "attach", TRUE, "streams", streams, NULL);
  g_object_get (node, "serial", &serial, "side", &side, "port", &port, "timeout", &timeout, "gain",
                &gain, "attach", &attach, "streams", &got, NULL);
  g_assert_cmpstr (serial, ==, "A1");
  g_assert_cmpstr (side, ==, "right");
  g_assert_cmpint (port, ==, 7);
  g_assert_cmpfloat (timeout, ==, 0.25);
  g_assert_cmpfloat (gain, ==, -2.5);
  g_assert_true (attach);
  g_assert_cmpstrv (got, streams);

  g_autoptr (AcqNode) disk = make ("fake-disk");
  guint64 size;
  g_object_set (disk, "chunk-size", (guint64) 8192, NULL);
  g_object_get (disk, "chunk-size", &size, NULL);
  g_assert_cmpuint (size, ==, 8192);

  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_CRITICAL,
                         "option \"port\" of fake-glove: found the number 0, *");
  g_object_set (node, "port", (gint64) 0, NULL);
  g_test_assert_expected_messages ();
}

static void
count_notify (GObject *object, GParamSpec *pspec, gpointer data)
{
  ++*(guint *) data;
}

static void
test_set (void)
{
  static const struct {
    const char *name, *text;
    const char *message; /* NULL: it is good */
  } cases[] = {
    { "port", "9", NULL },
    { "serial", "9", NULL },
    { "retry-min", "2s", NULL },
    { "streams", "imu/palm,tactile", NULL },
    { "prot", "9", "fake-glove has no option \"prot\"; did you mean \"port\"?" },
    { "port", "x",
      "option \"port\" of fake-glove: found the text \"x\", allowed is a whole number from 1 to "
      "65535" },
    { "serial", "\"x",
      "option \"serial\" of fake-glove: this is not JSON: column 1: the text that begins here has "
      "no "
      "closing quote" },
    { "streams", "palm",
      "option \"streams\" of fake-glove: found the stream \"palm\", allowed is \"hand_skeleton\", "
      "\"tactile\" or \"imu/palm\", or a glob of them" },
  };
  g_autoptr (AcqNode) node = make ("fake-glove");
  guint n_notified = 0;

  g_signal_connect (node, "notify::port", G_CALLBACK (count_notify), &n_notified);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    gboolean ok = acq_node_set_option_text (node, cases[i].name, cases[i].text, &error);

    g_assert_cmpint (ok, ==, cases[i].message == NULL);
    if (!ok) {
      g_assert_true (error->domain == ACQ_ERROR);
      g_assert_cmpstr (error->message, ==, cases[i].message);
    }
  }
  g_assert_cmpuint (n_notified, ==, 1);
  g_autofree char *json = options_of (node);
  g_assert_true (g_str_has_prefix (json, "{\"serial\":\"9\",\"side\":\"left\",\"port\":9,"));
  g_assert_nonnull (strstr (json, "\"streams\":[\"imu/palm\",\"tactile\"]"));
}

static void
test_check (void)
{
  g_autoptr (AcqNode) node = make ("fake-glove");
  g_autoptr (GError) error = NULL;

  g_assert_false (acq_node_check (node, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
  g_assert_cmpstr (error->message, ==,
                   "option \"side\" of fake-glove is missing; it is \"left\" or \"right\"");
  g_clear_error (&error);
  g_assert_true (acq_node_set_option_text (node, "side", "left", NULL));
  g_assert_true (acq_node_check (node, &error));
  g_assert_true (acq_node_set_option_text (node, "attach", "true", NULL));
  g_assert_false (acq_node_check (node, &error));
  g_assert_cmpstr (error->message, ==, "to attach, a serial is needed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  registry = fake_registry ();
  g_test_add_func ("/node-options/defaults", test_defaults);
  g_test_add_func ("/node-options/properties", test_properties);
  g_test_add_func ("/node-options/set", test_set);
  g_test_add_func ("/node-options/check", test_check);
  int result = g_test_run ();
  g_object_unref (registry);
  return result;
}

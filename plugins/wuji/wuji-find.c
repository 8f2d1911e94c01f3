/* SPDX-License-Identifier: Apache-2.0 */

/* Which device: by serial number, by address, or the only one of its kind and side. */

#include "wuji-find.h"

#include <string.h>

#include "wuji-side.h"

static const struct {
  const char *plugin, *what;
  WujiDeviceType type;
} classes[] = {
  [WUJI_CLASS_GLOVE] = { "wuji-glove", "Wuji Glove", WUJI_DEVICE_GLOVE },
  [WUJI_CLASS_HAND_2] = { "wuji-hand2", "Wuji Hand 2", WUJI_DEVICE_HAND_2 },
  [WUJI_CLASS_HAND] = { "wuji-hand", "first-generation Wuji Hand", WUJI_DEVICE_HAND },
  [WUJI_CLASS_TF] = { "wuji-tf", "device", WUJI_DEVICE_UNKNOWN },
};

void
wuji_target_clear (WujiTarget *self)
{
  g_clear_pointer (&self->value, g_free);
}

static gboolean
scan (const WujiApi *api, WujiDiscovered **ret_found, size_t *ret_n, GError **error)
{
  const char *reason;
  WujiStatus status;

  if (!(api->judged.features & WUJI_FEATURE_SCAN)) {
    g_autofree char *why = wuji_version_explain (&api->judged, WUJI_FEATURE_SCAN);

    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "%s; or give the serial number", why);
    return FALSE;
  }
  status = api->scan (ret_found, ret_n);
  if (status != WUJI_OK) {
    wuji_api_set_error (api, status, "looking for devices", error);
    return FALSE;
  }
  reason = wuji_canary_scan (*ret_found, *ret_n);
  if (reason == NULL)
    return TRUE;
  api->discovered_free (*ret_found, *ret_n);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN,
               "release %s of the library lists devices in a layout that is not known (%s): give "
               "the serial number instead",
               api->judged.text, reason);
  return FALSE;
}

static gboolean
is_wanted (const WujiDiscovered *found, WujiDeviceType type, AcqSide side)
{
  if (type != WUJI_DEVICE_UNKNOWN && found->device_id != type)
    return FALSE;
  return side == ACQ_SIDE_UNKNOWN || wuji_side_from_serial (found->serial_number) == side;
}

static char *
line (const WujiDiscovered *found)
{
  static const char *const transports[] = { "udp", "usb", "bridge" };
  AcqSide side = wuji_side_from_serial (found->serial_number);

  return g_strdup_printf ("%s  %s  %s  %s  %s", found->serial_number, found->model,
                          acq_side_to_string (side), transports[found->transport], found->address);
}

static char **
lines (const WujiDiscovered *found, size_t n, WujiDeviceType type, AcqSide side)
{
  GPtrArray *all = g_ptr_array_new ();

  for (size_t i = 0; i < n; i++)
    if (is_wanted (&found[i], type, side))
      g_ptr_array_add (all, line (&found[i]));
  g_ptr_array_add (all, NULL);
  return (char **) g_ptr_array_free (all, FALSE);
}

static gboolean
choose (const WujiDiscovered *found, size_t n, WujiClass device_class, AcqSide side,
        WujiTarget *ret_target, GError **error)
{
  WujiDeviceType type = classes[device_class].type;
  g_auto (GStrv) fitting = lines (found, n, type, side);
  g_auto (GStrv) all = lines (found, n, WUJI_DEVICE_UNKNOWN, ACQ_SIDE_UNKNOWN);
  g_autofree char *listed = g_strjoinv ("\n  ", g_strv_length (fitting) > 0 ? fitting : all);
  g_autofree char *side_word =
      side != ACQ_SIDE_UNKNOWN ? g_strdup_printf ("%s ", acq_side_to_string (side)) : g_strdup ("");

  if (g_strv_length (fitting) == 1) {
    for (size_t i = 0; i < n; i++)
      if (is_wanted (&found[i], type, side))
        ret_target->value = g_strdup (found[i].serial_number);
    return TRUE;
  }
  if (g_strv_length (fitting) > 1)
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE,
                 "there are %u %s%ss; say which one with serial%s:\n  %s", g_strv_length (fitting),
                 side_word, classes[device_class].what, side == ACQ_SIDE_UNKNOWN ? " or side" : "",
                 listed);
  else
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE,
                 "no %s%s was found; is it switched on and in the same network? %s%s%s", side_word,
                 classes[device_class].what,
                 n > 0 ? "There are:\n  " : "Nothing else was found either.", n > 0 ? listed : "",
                 n > 0 ? "" : " If the network has several interfaces, give address and port.");
  return FALSE;
}

gboolean
wuji_find (const WujiApi *api, const WujiOptions *options, WujiClass device_class,
           WujiTarget *ret_target, GError **error)
{
  WujiDiscovered *found = NULL;
  size_t n = 0;
  gboolean chosen;

  if (options->serial != NULL || options->address != NULL) {
    ret_target->by_address = options->serial == NULL;
    ret_target->value = g_strdup (options->serial != NULL ? options->serial : options->address);
    return TRUE;
  }
  if (!scan (api, &found, &n, error))
    return FALSE;
  chosen = choose (found, n, device_class, (AcqSide) options->side, ret_target, error);
  api->discovered_free (found, n);
  return chosen;
}

char **
wuji_scan_lines (const WujiOptions *options, WujiClass device_class, GError **error)
{
  WujiDiscovered *found = NULL;
  size_t n = 0;
  WujiApi api;
  char **all;

  if (!wuji_api_load (&api, device_class, options->library, options->accept_version, error) ||
      !scan (&api, &found, &n, error))
    return NULL;
  all = lines (found, n, classes[device_class].type, (AcqSide) options->side);
  api.discovered_free (found, n);
  return all;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One module file. It is opened bind-local, so that two plugins may compile the
 * same C files, and stays for good, because GObject types cannot be taken back.
 */
#include "plugin/acq-module-private.h"

#include <string.h>

#include <gmodule.h>

#include <acq/acq-sink.h>
#include <acq/acq-source.h>
#include <acq/acq-transform.h>

#include "plugin/acq-elf-private.h"

gboolean
acq_name_is_valid (const char *name, char joint)
{
  gboolean begin = TRUE;

  if (!g_ascii_islower (*name))
    return FALSE;
  for (const char *p = name; *p != '\0'; p++) {
    gboolean alnum = g_ascii_islower (*p) || g_ascii_isdigit (*p);

    if (!alnum && (*p != joint || begin))
      return FALSE;
    begin = !alnum;
  }
  return !begin;
}

AcqModule *
acq_module_new (const char *path)
{
  AcqModule *self = g_new0 (AcqModule, 1);
  g_autofree char *file = g_path_get_basename (path);

  self->path = g_strdup (path);
  self->name = g_strndup (file, strlen (file) - strlen (".so"));
  return self;
}

void
acq_module_free (AcqModule *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->path);
  g_free (self->problem);
  g_free (self);
}

static char *
find_stream_problem (const AcqPlugin *plugin)
{
  for (const AcqStreamTemplate *t = plugin->streams; t != NULL && t->name != NULL; t++) {
    g_auto (GStrv) segments = g_strsplit (t->name, "/", -1);

    for (gsize i = 0; segments[i] != NULL; i++)
      if (!acq_name_is_valid (segments[i], '_'))
        return g_strdup_printf ("its stream name \"%s\" is not made of [a-z][a-z0-9_]* and \"/\"",
                                t->name);
    if (t->schema == NULL)
      return g_strdup_printf ("its stream \"%s\" has no schema", t->name);
    for (const AcqStreamTemplate *u = plugin->streams; u != t; u++)
      if (strcmp (t->name, u->name) == 0)
        return g_strdup_printf ("it has the stream \"%s\" twice", t->name);
  }
  return NULL;
}

char *
acq_plugin_find_problem (const AcqPlugin *plugin, const char *name)
{
  /* First of all: nothing else of a foreign descriptor means anything. */
  if (plugin->abi != ACQ_PLUGIN_ABI)
    return g_strdup_printf ("it was built for plugin ABI %u, this acq has %u: build it again "
                            "against this version",
                            plugin->abi, ACQ_PLUGIN_ABI);
  if (plugin->name == NULL || !acq_name_is_valid (plugin->name, '-'))
    return g_strdup_printf ("its name \"%s\" is not kebab-case", plugin->name ? plugin->name : "");
  if (strcmp (plugin->name, name) != 0)
    return g_strdup_printf ("it calls itself \"%s\"; its file must be named %s.so", plugin->name,
                            plugin->name);
  if (plugin->summary == NULL || plugin->version == NULL || plugin->licence == NULL)
    return g_strdup ("its descriptor lacks a summary, a version or a licence");
  if (plugin->get_type == NULL)
    return g_strdup ("its descriptor has no get_type");
  g_autofree char *problem = find_stream_problem (plugin);
  if (problem != NULL)
    return g_steal_pointer (&problem);

  GType type = plugin->get_type ();
  if (type == G_TYPE_INVALID)
    return g_strdup ("its class cannot be registered: is there another of the same name?");
  if (!g_type_is_a (type, ACQ_TYPE_SOURCE) && !g_type_is_a (type, ACQ_TYPE_TRANSFORM) &&
      !g_type_is_a (type, ACQ_TYPE_SINK))
    return g_strdup_printf ("its class %s is no AcqSource, AcqTransform or AcqSink",
                            g_type_name (type));
  if (G_TYPE_IS_ABSTRACT (type))
    return g_strdup_printf ("its class %s is abstract", g_type_name (type));
  return NULL;
}

void
acq_module_load (AcqModule *self)
{
  g_autoptr (GError) error = NULL;
  gpointer symbol = NULL;

  if (self->plugin != NULL || self->problem != NULL)
    return;
  if (!acq_elf_check_file (self->path, acq_elf_own_target (), &error)) {
    self->problem = g_strdup (error->message);
    return;
  }
  GModule *module = g_module_open (self->path, G_MODULE_BIND_LOCAL);
  if (module == NULL) {
    self->problem = acq_elf_explain (self->path, g_module_error ());
    return;
  }
  g_module_make_resident (module);
  if (!g_module_symbol (module, "acq_plugin", &symbol) || symbol == NULL)
    self->problem =
        g_strdup_printf ("%s exports no symbol acq_plugin: it is no acq plugin", self->path);
  /* Ours to keep open no longer; being resident, it stays. */
  g_module_close (module);
  if (self->problem != NULL)
    return;

  g_autofree char *why = acq_plugin_find_problem (symbol, self->name);
  if (why != NULL)
    self->problem = g_strdup_printf ("%s: %s", self->path, why);
  else
    self->plugin = symbol;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What was lost beyond what the file allows: this decides on exit code 3. */
#include <string.h>

#include "pipeline/acq-pattern-private.h"
#include "pipeline/acq-verdict-private.h"

static double
share_of (guint64 missing, const AcqStreamSnapshot *stream)
{
  guint64 total = stream->frames + stream->counters[ACQ_STREAM_LOST];

  return missing == 0 ? 0 : (double) missing / (double) MAX (total, 1);
}

static void
add_reason (GPtrArray *reasons, const AcqStreamSnapshot *stream, const char *sink, guint64 missing,
            const char *how, double allowed)
{
  guint64 total = stream->frames + stream->counters[ACQ_STREAM_LOST];

  g_ptr_array_add (reasons,
                   g_strdup_printf ("%s%s%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                    " messages are missing (%s), %.3g %%; allowed is %.3g %%",
                                    stream->path, sink != NULL ? " → " : "",
                                    sink != NULL ? sink : "", missing, total, how,
                                    share_of (missing, stream) * 100, allowed * 100));
}

/* "12 dropped: oldest, 3 failed: no_space" */
static guint64
describe_link (const AcqLinkCounters *n, GString *how)
{
  guint64 sum = 0;

  for (int c = 0; c < ACQ_DROP_N_CAUSES; c++) {
    sum += n->dropped[c];
    if (n->dropped[c] > 0)
      g_string_append_printf (how, "%s%" G_GUINT64_FORMAT " dropped: %s", how->len > 0 ? ", " : "",
                              n->dropped[c], acq_drop_cause_to_string ((AcqDropCause) c));
  }
  for (int c = 0; c < ACQ_FAIL_N_CAUSES; c++) {
    sum += n->failed[c];
    if (n->failed[c] > 0)
      g_string_append_printf (how, "%s%" G_GUINT64_FORMAT " failed: %s", how->len > 0 ? ", " : "",
                              n->failed[c], acq_fail_cause_to_string ((AcqFailCause) c));
  }
  return sum;
}

static void
check_stream (AcqPipeline *self, const AcqStreamSnapshot *stream, gboolean strict,
              GPtrArray *reasons)
{
  guint64 lost = stream->counters[ACQ_STREAM_LOST];
  g_autofree char *node = acq_pattern_dup_node (stream->path);
  const AcqExpect *expect =
      acq_pipeline_find_expect (self, node, acq_pattern_stream (stream->path), ACQ_EXPECT_MAX_LOSS);
  double allowed = expect != NULL && !strict ? expect->max_loss : 0;

  /* What never came is missing everywhere: said once. */
  if (share_of (lost, stream) > allowed) {
    g_autofree char *how = g_strdup_printf ("%" G_GUINT64_FORMAT " never came", lost);

    add_reason (reasons, stream, NULL, lost, how, allowed);
  }
  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkSnapshot *link = &g_array_index (stream->links, AcqLinkSnapshot, i);
    g_autoptr (GString) how = g_string_new (NULL);

    if (lost > 0)
      g_string_append_printf (how, "%" G_GUINT64_FORMAT " never came", lost);
    guint64 own = describe_link (&link->counters, how);
    if (own > 0 && share_of (lost + own, stream) > allowed)
      add_reason (reasons, stream, link->sink, lost + own, how->str, allowed);
  }
}

/* A required source that said nothing at all: whatever it had to say is missing. */
static void
check_silence (AcqPipeline *self, const AcqSnapshot *snapshot, const AcqPlannedNode *node,
               GPtrArray *reasons)
{
  g_autofree char *prefix = g_strconcat (node->id, ".", NULL);
  gint64 ran_ns = self->start_ns != 0 ? snapshot->host_ns - self->start_ns : 0;
  guint64 frames = 0;

  /* Who stops at once has not waited for anything. */
  if ((double) ran_ns < acq_expect_options[ACQ_EXPECT_GRACE].def * 1e9)
    return;
  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];

    if (g_str_has_prefix (stream->path, prefix))
      frames += stream->frames;
  }
  if (frames == 0)
    g_ptr_array_add (reasons,
                     g_strdup_printf ("%s: not a single message came; check that the device is on "
                                      "and sends here, or say \"expect\": { \"%s.*\": "
                                      "{ \"required\": false } }",
                                      node->id, node->id));
}

gboolean
acq_pipeline_loss_allowed (AcqPipeline *self, const AcqSnapshot *snapshot, gboolean strict,
                           GPtrArray **ret_reasons)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < snapshot->streams->len; i++)
    check_stream (self, snapshot->streams->pdata[i], strict, reasons);
  for (guint i = 0; i < self->nodes->len; i++) {
    const AcqPlannedNode *node = self->nodes->pdata[i];

    if (node->section == ACQ_SECTION_SOURCES && node->enabled && node->plugin != NULL &&
        acq_pipeline_is_required (self, node))
      check_silence (self, snapshot, node, reasons);
  }
  /* They overlap with what never came, so they count only where nothing is allowed at all. */
  for (guint i = 0; strict && i < snapshot->ports->len; i++) {
    const AcqPortSnapshot *port = snapshot->ports->pdata[i];

    if (port->kernel_drops > 0)
      g_ptr_array_add (reasons,
                       g_strdup_printf ("%s: the kernel dropped %" G_GUINT64_FORMAT " %s",
                                        port->name, port->kernel_drops, port->packets_word));
  }
  gboolean ok = reasons->len == 0;
  if (ret_reasons != NULL)
    *ret_reasons = g_steal_pointer (&reasons);
  return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "resampler-input.h"

#include <math.h>
#include <string.h>

/* The longest gap, in nominal periods, and for streams that have no nominal rate. */
#define GAP_PERIODS 3
#define GAP_UNKNOWN_NS G_GINT64_CONSTANT (1000000000)

char *
resampler_input_dup_name (const char *node, const char *stream)
{
  char *name = g_strconcat (node, "_", stream, NULL);

  return g_strdelimit (name, "/", '_');
}

/* The declared lengths of sequences, also in structs within the type. */
static void
copy_counts (ResamplerInput *self, const AcqSchema *schema, const char *prefix)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];
    g_autofree char *path = g_strconcat (prefix, field->name, NULL);
    guint count;

    if (field->arity == ACQ_ARITY_SEQUENCE && acq_stream_get_count (self->in, path, &count))
      acq_stream_set_count (self->out, path, count);
    if (field->arity == ACQ_ARITY_ONE && field->kind == ACQ_KIND_STRUCT) {
      g_autofree char *inner = g_strconcat (path, ".", NULL);

      copy_counts (self, field->type, inner);
    }
  }
}

static void
add_output (ResamplerInput *self, AcqTransform *node, const char *name,
            const ResamplerSettings *settings)
{
  AcqStreamInfo info = {
    .name = name,
    .schema = acq_stream_get_schema (self->in),
    .rate_hz = settings->rate_hz,
    .frame_id = acq_stream_get_frame_id (self->in),
    .latency_ns = settings->latency_ns + acq_transform_get_delay (node),
    .max_tail = acq_stream_get_max_tail (self->in),
    .tail = acq_stream_get_tail (self->in),
    .constants = acq_stream_get_constants (self->in),
  };
  g_autofree const char **keys = acq_stream_list_metadata (self->in);

  self->out = acq_transform_add_stream (node, &info);
  copy_counts (self, info.schema, "");
  for (guint i = 0; keys[i] != NULL; i++)
    acq_stream_set_metadata (self->out, keys[i], acq_stream_get_metadata (self->in, keys[i]));
  acq_stream_set_metadata (self->out, "resampled_from", acq_stream_get_path (self->in));
}

ResamplerInput *
resampler_input_new (AcqTransform *node, AcqStream *in, const char *name,
                     const ResamplerSettings *settings)
{
  ResamplerInput *self = g_new0 (ResamplerInput, 1);
  double rate_hz = acq_stream_get_rate (in);
  /* The stretch that a tick waits for, and one that has begun at either end. */
  guint n_slots = (guint) ceil (settings->latency_ns * 1e-9 * settings->rate_hz) + 3;

  self->in = in;
  self->latched = acq_stream_is_latched (in);
  self->plan = resample_plan_new (acq_stream_get_schema (in), acq_stream_get_tail (in));
  self->history = resample_history_new (n_slots, (GDestroyNotify) acq_frame_unref);
  self->blank = resample_plan_new_blank (self->plan, in, &self->blank_size);
  self->max_gap_ns = settings->max_gap_ns;
  if (self->max_gap_ns == 0)
    self->max_gap_ns = rate_hz > 0 ? (gint64) (GAP_PERIODS * 1e9 / rate_hz) : GAP_UNKNOWN_NS;
  if (self->latched)
    self->max_gap_ns = G_MAXINT64;
  add_output (self, node, name, settings);
  return self;
}

void
resampler_input_free (ResamplerInput *self)
{
  if (self == NULL)
    return;
  resample_history_free (self->history);
  resample_plan_free (self->plan);
  g_free (self->blank);
  g_free (self);
}

static gboolean
keep (ResamplerInput *self, AcqFrame *frame, const ResampleGrid *grid)
{
  ResampleSample sample = { frame->host_ns, resample_grid_index (grid, frame->host_ns),
                            acq_frame_ref (frame) };

  return resample_history_add (self->history, sample);
}

void
resampler_input_begin (ResamplerInput *self, const ResampleGrid *grid, guint64 first)
{
  g_autoptr (AcqFrame) latched = acq_stream_ref_latched (self->in);

  resample_history_clear (self->history);
  self->next = first;
  self->late_ns = 0;
  /* A newer one comes by the link. */
  if (latched != NULL && latched->host_ns < grid->start_ns)
    keep (self, latched, grid);
}

gboolean
resampler_input_add (ResamplerInput *self, AcqFrame *frame, const ResampleGrid *grid)
{
  gboolean late = self->next > 0 && frame->host_ns <= resample_grid_tick (grid, self->next - 1);

  if (late)
    acq_stream_count (self->out, ACQ_STREAM_LATE, 1);
  keep (self, frame, grid);
  return !late;
}

static AcqFrame *
begin (ResamplerInput *self, const guint8 *payload, gsize size)
{
  const AcqSchema *schema = acq_stream_get_schema (self->out);
  AcqFrame *frame;
  guint8 *copy;

  if (schema->tail != NULL)
    copy = acq_stream_begin_sized (self->out, schema, size - schema->tail_offset, &frame);
  else
    copy = acq_stream_begin (self->out, schema, &frame);
  memcpy (copy, payload, size);
  return frame;
}

/* Between two messages, or behind the last one while the next has not come. */
static gboolean
is_near (const ResamplerInput *self, const AcqFrame *before, const AcqFrame *after, gint64 host_ns,
         gint64 known_ns)
{
  gint64 until_ns = after != NULL ? after->host_ns : known_ns;

  return before->host_ns == host_ns || until_ns - before->host_ns <= self->max_gap_ns;
}

static guint32
fill (ResamplerInput *self, AcqFrame *frame, const AcqFrame *before, const AcqFrame *after,
      gint64 host_ns)
{
  double u = 0;

  if (after == NULL || before->host_ns == host_ns)
    after = before;
  else
    u = (double) (host_ns - before->host_ns) / (double) (after->host_ns - before->host_ns);
  resample_plan_blend (self->plan, frame->payload, frame->size,
                       after == before ? frame->payload : after->payload, after->size, u);
  return (before->flags | after->flags) & (ACQ_FRAME_INVALID | ACQ_FRAME_SUSPECT);
}

gboolean
resampler_input_emit (ResamplerInput *self, gint64 host_ns, gint64 known_ns)
{
  const ResampleSample *a, *b;
  const AcqFrame *before, *after;
  AcqFrame *frame;
  guint32 flags = ACQ_FRAME_INVALID;

  resample_history_around (self->history, host_ns, &a, &b);
  before = a != NULL ? a->data : NULL;
  after = b != NULL && !self->latched ? b->data : NULL;
  if (before == NULL)
    frame = begin (self, self->blank, self->blank_size);
  else {
    frame = begin (self, before->payload, before->size);
    if (is_near (self, before, after, host_ns, known_ns))
      flags = fill (self, frame, before, after, host_ns);
    else
      resample_plan_invalidate (self->plan, frame->payload, frame->size);
  }
  frame->host_ns = host_ns;
  frame->flags |= flags;
  acq_stream_push (self->out, frame, 0, ACQ_TIME_NONE);
  return (flags & ACQ_FRAME_INVALID) == 0;
}

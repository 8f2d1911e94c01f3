/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resampler: many streams onto one grid of time
 *
 *   "grid": { "plugin": "resampler", "inputs": ["*_hand"], "rate-hz": 100 }
 *
 * Every input gets one message for every tick, at the tick's host time: measures on the straight
 * line between the messages around it, quaternions on the shorter arc, everything else as the
 * message before had it. What has no measurement near enough says so: ACQ_FRAME_INVALID, NaN or
 * the field's invalid value, and a false in the stream `valid`. Streams are called
 * <node>_<stream>. docs/plugins/resampler.md has the rules in full.
 *
 * `latency-ms` decides: a tick is emitted once everything up to that long behind it has come. It
 * has to be longer than the time between two messages of the slowest input that is to be
 * interpolated; with less, its last value is held.
 *
 * The grid begins when the take does, tick i is at start + i / rate, and it ends with the take.
 * What came out does not depend on how fast the machine was: ticks follow the time of the
 * messages, not the clock.
 *
 * Pure parts: resample-slerp (quaternions), resample-plan (a message type, compiled),
 * resample-history (the messages around a tick), resample-grid (times). resampler-input is one
 * stream on its way. Everything runs on the transform's own thread.
 */
#include <acq/acq.h>

#include "resample-grid.h"
#include "resampler-input.h"

#define NS_PER_MS 1e6
#define NS_PER_S G_GINT64_CONSTANT (1000000000)

#define VALID_STREAM "valid"

/* An input that joins a take later than this does not get the ticks that it missed. */
#define CATCH_UP_NS (20 * NS_PER_S)

/* One notice of late messages, until an input was in time for so long. */
#define LATE_QUIET_NS (10 * NS_PER_S)

struct _Resampler {
  AcqTransform parent_instance;

  /* Options. */
  double rate_hz;
  double max_gap_ms;
  double latency_ms;

  /* From the check of the pipeline, if there was one. */
  GPtrArray *expected; /* of text: names of the streams that may come */

  /* Between open and close. */
  ResamplerSettings settings;
  GPtrArray *inputs; /* of ResamplerInput, in order of connection */
  GPtrArray *names;  /* of text: what `valid` speaks of */
  AcqStream *valid;  /* (nullable): from the first take on */
  gint64 last_ns;    /* the last tick that was emitted, in any take */

  /* In a take. */
  gboolean recording;
  ResampleGrid grid;
  guint64 first;    /* tick of the take */
  guint64 next;     /* the first tick that was not emitted */
  gint64 next_ns;   /* its host time */
  gint64 newest_ns; /* host time of the newest message */
};

#define RESAMPLER_TYPE (resampler_get_type ())
G_DECLARE_FINAL_TYPE (Resampler, resampler, RESAMPLER, NODE, AcqTransform)
G_DEFINE_FINAL_TYPE (Resampler, resampler, ACQ_TYPE_TRANSFORM)

static const AcqOption options[] = {
  { "rate-hz", ACQ_FIELD_DOUBLE (Resampler, rate_hz), .def = 100, .min = 0.1, .max = 5000,
    .unit = "Hz", .help = "Ticks of the grid per second" },
  { "max-gap-ms", ACQ_FIELD_DOUBLE (Resampler, max_gap_ms), .def = 0, .min = 0, .max = 3600e3,
    .unit = "ms",
    .help = "Messages of one input that are further apart have no valid tick between them; 0 is "
            "three nominal periods of each input, 1000 ms for those without a nominal rate" },
  { "latency-ms", ACQ_FIELD_DOUBLE (Resampler, latency_ms), .def = 100, .min = 0, .max = 10000,
    .unit = "ms",
    .help = "How long a tick waits for the messages behind it: more than one period of the "
            "slowest input that is to be interpolated; later messages are counted as late" },
};

/* Names */

static void
set_clash (GError **error, const char *name, const char *a, const char *b)
{
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_PIPELINE,
               "the inputs %s and %s would both be called '%s'; give one of their nodes another id",
               a, b, name);
}

static gboolean
resampler_derive (AcqTransform *transform, const AcqInputInfo *inputs, guint n, GArray *ret_streams,
                  GError **error)
{
  Resampler *self = RESAMPLER_NODE (transform);
  AcqDerivedStream valid = { NULL, &acq_grid_valid_schema };

  /* Inputs that appear only once their device talks are known by name from here. */
  g_ptr_array_set_size (self->expected, 0);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = resampler_input_dup_name (inputs[i].node, inputs[i].stream);
    g_autofree char *from = g_strconcat (inputs[i].node, ".", inputs[i].stream, NULL);
    AcqDerivedStream stream = { NULL, inputs[i].schema };

    for (guint j = 0; j < i; j++) {
      const char *other = g_array_index (ret_streams, AcqDerivedStream, j).name;

      if (g_str_equal (other, name)) {
        g_autofree char *taken = g_strconcat (inputs[j].node, ".", inputs[j].stream, NULL);

        set_clash (error, name, taken, from);
        return FALSE;
      }
    }
    g_ptr_array_add (self->expected, g_strdup (name));
    stream.name = g_steal_pointer (&name);
    g_array_append_val (ret_streams, stream);
  }
  valid.name = g_strdup (VALID_STREAM);
  g_array_append_val (ret_streams, valid);
  return TRUE;
}

/* Inputs */

static ResamplerInput *
input_at (Resampler *self, guint i)
{
  return self->inputs->pdata[i];
}

static int
find_name (const Resampler *self, const char *name)
{
  for (guint i = 0; i < self->names->len; i++) {
    if (g_str_equal (self->names->pdata[i], name))
      return i;
  }
  return -1;
}

static void
add_name (Resampler *self, const char *name)
{
  if (self->names->len < ACQ_GRID_VALID_VALID_MAX && find_name (self, name) < 0)
    g_ptr_array_add (self->names, g_strdup (name));
}

/* The names are constants of the stream: all that are to be expected, and all that are here. */
static void
declare_valid (Resampler *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) names = NULL;
  g_autoptr (AcqConstants) constants = NULL;
  AcqStreamInfo info = { .name = VALID_STREAM,
                         .schema = &acq_grid_valid_schema,
                         .rate_hz = self->rate_hz,
                         .latency_ns = self->settings.latency_ns +
                                       acq_transform_get_delay (ACQ_TRANSFORM (self)) };

  for (guint i = 0; i < self->expected->len; i++)
    add_name (self, self->expected->pdata[i]);
  for (guint i = 0; i < self->inputs->len; i++)
    add_name (self, acq_stream_get_name (input_at (self, i)->out));
  for (guint i = 0; i < self->names->len; i++)
    g_strv_builder_add (builder, self->names->pdata[i]);
  names = g_strv_builder_end (builder);
  constants =
      acq_constants_new_strv (&acq_grid_valid_schema, "names", (const char *const *) names, NULL);
  info.constants = constants;
  self->valid = acq_transform_add_stream (ACQ_TRANSFORM (self), &info);
  acq_stream_set_count (self->valid, "valid", self->names->len);
  for (guint i = 0; i < self->inputs->len; i++)
    input_at (self, i)->place = find_name (self, acq_stream_get_name (input_at (self, i)->out));
}

static void
tell_slow (Resampler *self, const ResamplerInput *input)
{
  double rate_hz = acq_stream_get_rate (input->in);
  double period_ms = rate_hz > 0 ? 1e3 / rate_hz : 0;

  if (input->latched || period_ms <= self->latency_ms || !resample_plan_blends (input->plan))
    return;
  acq_node_notice (ACQ_NODE (self), ACQ_EVENT_SEVERITY_INFO, "held",
                   "%s comes every %g ms, and latency-ms is %g: its measures are held between "
                   "messages; they are interpolated with a latency-ms above %g",
                   acq_stream_get_path (input->in), period_ms, self->latency_ms, period_ms);
}

/* A device that came in the middle of a take. */
static void
join_take (Resampler *self, ResamplerInput *input)
{
  gint64 missed_ns = self->next_ns - resample_grid_tick (&self->grid, self->first);
  gboolean whole = missed_ns <= CATCH_UP_NS;

  resampler_input_begin (input, &self->grid, whole ? self->first : self->next);
  if (whole && input->place >= 0)
    return;
  acq_node_notice (ACQ_NODE (self), ACQ_EVENT_SEVERITY_INFO, "joined",
                   "%s joined %.1f s after the take began%s%s", acq_stream_get_path (input->in),
                   missed_ns * 1e-9, whole ? "" : ": its grid begins there",
                   input->place >= 0 ? "" : "; it is not in the stream 'valid'");
}

static gboolean
resampler_add_link (AcqTransform *transform, AcqLink *link, GError **error)
{
  Resampler *self = RESAMPLER_NODE (transform);
  AcqStream *in = acq_link_get_stream (link);
  g_autofree char *name = resampler_input_dup_name (acq_node_get_id (acq_stream_get_node (in)),
                                                    acq_stream_get_name (in));
  ResamplerInput *input;

  for (guint i = 0; i < self->inputs->len; i++) {
    const ResamplerInput *other = input_at (self, i);

    if (g_str_equal (acq_stream_get_name (other->out), name)) {
      set_clash (error, name, acq_stream_get_path (other->in), acq_stream_get_path (in));
      return FALSE;
    }
  }
  input = resampler_input_new (transform, in, name, &self->settings);
  input->place = find_name (self, name);
  g_ptr_array_add (self->inputs, input);
  acq_link_set_data (link, input, NULL);
  tell_slow (self, input);
  if (self->recording)
    join_take (self, input);
  return TRUE;
}

/* The grid */

static void
go_to (Resampler *self, guint64 tick)
{
  self->next = tick;
  self->next_ns = resample_grid_tick (&self->grid, tick);
}

static void
emit_tick (Resampler *self, gint64 known_ns)
{
  AcqFrame *frame;
  AcqGridValid *row = acq_grid_valid_begin (self->valid, &frame);

  row->n_valid = self->names->len;
  for (guint i = 0; i < self->inputs->len; i++) {
    ResamplerInput *input = input_at (self, i);
    gboolean near = FALSE;

    /* More than one only where an input joined late. */
    for (; input->next <= self->next; input->next++)
      near = resampler_input_emit (input, resample_grid_tick (&self->grid, input->next), known_ns);
    if (input->place >= 0)
      row->valid[input->place] = near;
  }
  frame->host_ns = self->next_ns;
  acq_stream_push (self->valid, frame, 0, ACQ_TIME_NONE);
  self->last_ns = self->next_ns;
  go_to (self, self->next + 1);
}

/* All ticks for which enough is known, when all up to @complete_ns has come. */
static void
emit_due (Resampler *self, gint64 complete_ns)
{
  gint64 latency_ns = self->settings.latency_ns;

  while (self->next_ns <= complete_ns - latency_ns)
    emit_tick (self, self->next_ns + latency_ns);
}

static void
tell_late (Resampler *self, ResamplerInput *input, gint64 host_ns)
{
  gint64 before_ns = input->late_ns;

  input->late_ns = host_ns;
  if (before_ns != 0 && host_ns - before_ns < LATE_QUIET_NS)
    return;
  acq_node_notice (ACQ_NODE (self), ACQ_EVENT_SEVERITY_WARNING, "late",
                   "%s comes later than latency-ms %g allows: the ticks that needed its messages "
                   "are written without; use a larger latency-ms, or find out what delays it",
                   acq_stream_get_path (input->in), self->latency_ms);
}

/* Slots */

static gboolean
resampler_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  Resampler *self = RESAMPLER_NODE (node);

  self->settings = (ResamplerSettings){ self->rate_hz, (gint64) (self->latency_ms * NS_PER_MS),
                                        (gint64) (self->max_gap_ms * NS_PER_MS) };
  self->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) resampler_input_free);
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->valid = NULL;
  self->last_ns = G_MININT64;
  self->recording = FALSE;
  return TRUE;
}

static void
resampler_close (AcqNode *node)
{
  Resampler *self = RESAMPLER_NODE (node);

  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->names, g_ptr_array_unref);
}

static gboolean
resampler_begin (AcqTransform *transform, AcqTake *take, GError **error)
{
  Resampler *self = RESAMPLER_NODE (transform);

  self->grid = (ResampleGrid){ acq_take_get_start (take), self->rate_hz };
  /* A take that reaches back into another one, by pre-roll: no tick comes twice. */
  self->first = self->last_ns < self->grid.start_ns
                    ? 0
                    : resample_grid_index (&self->grid, self->last_ns + 1);
  go_to (self, self->first);
  self->newest_ns = self->grid.start_ns;
  self->recording = TRUE;
  if (self->valid == NULL)
    declare_valid (self);
  for (guint i = 0; i < self->inputs->len; i++)
    resampler_input_begin (input_at (self, i), &self->grid, self->first);
  return TRUE;
}

static gboolean
resampler_process (AcqTransform *transform, const AcqItem *items, guint n, GError **error)
{
  Resampler *self = RESAMPLER_NODE (transform);

  for (guint i = 0; i < n; i++) {
    ResamplerInput *input = acq_link_get_data (items[i].link);
    gint64 host_ns = items[i].frame->host_ns;

    /* They come in order of time, so everything before this one has come. */
    emit_due (self, host_ns - 1);
    if (!resampler_input_add (input, items[i].frame, &self->grid))
      tell_late (self, input, host_ns);
    self->newest_ns = MAX (self->newest_ns, host_ns);
  }
  return TRUE;
}

static gboolean
resampler_tick (AcqTransform *transform, gint64 now_ns, GError **error)
{
  Resampler *self = RESAMPLER_NODE (transform);

  if (self->recording)
    emit_due (self, MIN (acq_transform_get_complete (transform), now_ns));
  return TRUE;
}

/* The ticks that still waited: nothing more comes for them. */
static gboolean
resampler_end (AcqTransform *transform, AcqTake *take, GError **error)
{
  Resampler *self = RESAMPLER_NODE (transform);
  gint64 stop_ns = acq_take_get_stop (take);

  if (stop_ns == G_MAXINT64)
    stop_ns = self->newest_ns + 1;
  while (self->next_ns < stop_ns)
    emit_tick (self, MIN (stop_ns, self->next_ns + self->settings.latency_ns));
  self->recording = FALSE;
  for (guint i = 0; i < self->inputs->len; i++)
    resample_history_clear (input_at (self, i)->history);
  return TRUE;
}

static void
resampler_finalize (GObject *object)
{
  g_ptr_array_unref (RESAMPLER_NODE (object)->expected);
  G_OBJECT_CLASS (resampler_parent_class)->finalize (object);
}

static void
resampler_class_init (ResamplerClass *klass)
{
  AcqTransformClass *transform = ACQ_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = resampler_finalize;
  ACQ_NODE_CLASS (klass)->open = resampler_open;
  ACQ_NODE_CLASS (klass)->close = resampler_close;
  transform->derive = resampler_derive;
  transform->add_link = resampler_add_link;
  transform->begin = resampler_begin;
  transform->process = resampler_process;
  transform->tick = resampler_tick;
  transform->end = resampler_end;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), options, G_N_ELEMENTS (options));
}

static void
resampler_init (Resampler *self)
{
  self->expected = g_ptr_array_new_with_free_func (g_free);
}

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "resampler",
  .summary = "Many streams onto one grid of time",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .get_type = resampler_get_type,
};

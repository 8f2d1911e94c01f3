/* SPDX-License-Identifier: Apache-2.0 */
#include "sink-rig.h"

#include <string.h>

void
sink_rig_set_up (SinkRig *f, const char *const *options)
{
  memset (f, 0, sizeof *f);
  f->h = acq_harness_new_plugin (NULL, "mcap-writer", "mcap");
  for (guint i = 0; options != NULL && options[i] != NULL; i += 2)
    acq_harness_set (f->h, options[i], options[i + 1]);
  f->clock = acq_clock_new ("left_glove", ACQ_CLOCK_UPTIME);
  f->skeleton = acq_harness_add_input (f->h, "left_glove",
                                       &(AcqStreamInfo){ .name = "hand_skeleton",
                                                         .schema = &acq_hand_skeleton_schema,
                                                         .rate_hz = 120,
                                                         .clock = f->clock,
                                                         .has_sequence = TRUE });
  f->imu = acq_harness_add_input (
      f->h, "left_glove",
      &(AcqStreamInfo){
          .name = "imu/palm", .schema = &acq_imu_schema, .rate_hz = 800, .frame_id = "palm" });
  f->tactile = acq_harness_add_input (
      f->h, "left_glove",
      &(AcqStreamInfo){
          .name = "tactile", .schema = &acq_image_schema, .rate_hz = 120, .max_tail = TAXELS * 4 });
  f->frames = acq_harness_add_input (f->h, "arm",
                                     &(AcqStreamInfo){ .name = "frames",
                                                       .schema = &acq_twist_stamped_schema,
                                                       .topic = "/tf_static",
                                                       .latched = TRUE });
  acq_stream_set_metadata (f->skeleton, "axes", "x forward");
  acq_stream_set_metadata (f->skeleton, "side", "left");
}

void
sink_rig_start (SinkRig *f)
{
  AcqGraph *graph = acq_harness_get_graph (f->h);
  g_autoptr (GBytes) pipeline = g_bytes_new_static ("{}", 2);
  g_autoptr (GError) error = NULL;

  acq_graph_attach (graph, "pipeline.json", "application/json", pipeline);
  acq_graph_set_fact (graph, "operator", "op07");
  f->take = acq_take_ref (acq_harness_begin_take (f->h, NULL));
  g_assert_true (acq_harness_start (f->h, &error));
  g_assert_no_error (error);
}

void
sink_rig_tear_down (SinkRig *f)
{
  acq_harness_free (f->h);
  g_clear_pointer (&f->take, acq_take_unref);
  g_clear_pointer (&f->clock, acq_clock_unref);
}

float
sink_rig_joint_x (guint i, guint joint)
{
  return (float) i + (float) joint / 32;
}

static void
push_skeleton (SinkRig *f, guint i)
{
  AcqFrame *frame;
  AcqHandSkeleton *hand = acq_hand_skeleton_begin (f->skeleton, &frame);

  hand->side = ACQ_SIDE_LEFT;
  hand->n_joints = 21;
  for (guint j = 0; j < 21; j++)
    hand->joints[j].position.x = sink_rig_joint_x (i, j);
  /* Beyond 32 bits: the file has the lower half. */
  acq_stream_push (f->skeleton, frame, G_GUINT64_CONSTANT (0xffffffff) + i, 5000 + i);
}

/* Messages number @n in all, a millisecond apart. */
void
sink_rig_push (SinkRig *f, guint n)
{
  for (guint end = f->n + n; f->n < end; f->n++) {
    AcqFrame *frame;
    AcqImage *image;
    float *taxels;

    push_skeleton (f, f->n);
    acq_imu_begin (f->imu, &frame)->angular_velocity.z = f->n * 0.5;
    acq_stream_push (f->imu, frame, 0, ACQ_TIME_NONE);
    image = acq_stream_begin_sized (f->tactile, &acq_image_schema, TAXELS * 4, &frame);
    image->width = TAXELS;
    strcpy (image->encoding, "32FC1");
    taxels = (float *) (frame->payload + acq_image_schema.tail_offset);
    for (guint j = 0; j < TAXELS; j++)
      taxels[j] = (float) (f->n * 1000 + j);
    acq_stream_push (f->tactile, frame, 0, ACQ_TIME_NONE);
    acq_harness_advance (f->h, MS);
  }
}

void
sink_rig_push_latched (SinkRig *f, double x)
{
  AcqFrame *frame;

  acq_twist_stamped_begin (f->frames, &frame)->twist.linear.x = x;
  acq_stream_push (f->frames, frame, 0, ACQ_TIME_NONE);
  acq_harness_advance (f->h, MS);
}

/* --- reading ------------------------------------------------------------ */

char *
sink_rig_path (AcqTake *take, const char *suffix)
{
  g_autofree char *name = g_strconcat (acq_take_get_base (take), suffix, NULL);

  return g_build_filename (acq_take_get_directory (take), name, NULL);
}

AcqMcapReader *
sink_rig_open (AcqTake *take)
{
  g_autofree char *path = sink_rig_path (take, ".mcap");
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReport) report = acq_mcap_verify_path (path, ACQ_MCAP_VERIFY_ORDER, &error);
  AcqMcapReader *reader;

  g_assert_no_error (error);
  for (guint i = 0; i < report->problems->len; i++)
    g_error ("%s", ((AcqMcapProblem *) report->problems->pdata[i])->text);
  reader = acq_mcap_reader_new_for_path (path, &error);
  g_assert_no_error (error);
  g_assert_nonnull (acq_mcap_reader_read_summary (reader, NULL));
  return reader;
}

gboolean
mcap_is_text (AcqMcapSpan span, const char *text)
{
  return acq_mcap_span_equal (span, acq_mcap_text (text));
}

const AcqMcapChannel *
mcap_find_channel (AcqMcapReader *reader, const char *topic)
{
  const AcqMcapSummary *summary = acq_mcap_reader_read_summary (reader, NULL);

  for (guint i = 0; i < summary->channels->len; i++) {
    const AcqMcapChannel *channel = &g_array_index (summary->channels, AcqMcapChannel, i);
    if (mcap_is_text (channel->topic, topic))
      return channel;
  }
  g_error ("no topic %s", topic);
}

/* The next message of a topic; the payload is decoded into @message. */
gboolean
mcap_next_of (AcqMcapReader *reader, const char *topic, const AcqSchema *schema,
              AcqMcapMessage *ret_record, AcqCdrMessage *message)
{
  guint16 id = mcap_find_channel (reader, topic)->id;
  g_autoptr (GError) error = NULL;

  acq_cdr_message_clear (message);
  while (acq_mcap_reader_next_message (reader, ret_record, &error)) {
    if (ret_record->channel_id != id)
      continue;
    g_assert_true (
        acq_cdr_decode (schema, ret_record->data.data, ret_record->data.size, message, &error));
    g_assert_no_error (error);
    return TRUE;
  }
  g_assert_no_error (error);
  return FALSE;
}

char *
mcap_metadata_of (AcqMcapSpan map, const char *key)
{
  AcqMcapSpan value;

  return acq_mcap_map_lookup (map, key, &value) ? acq_mcap_span_dup (value) : NULL;
}

/* A Metadata record by name. */
AcqMcapSpan
mcap_find_metadata (AcqMcapReader *reader, const char *name)
{
  const AcqMcapSummary *summary = acq_mcap_reader_read_summary (reader, NULL);

  for (guint i = 0; i < summary->metadata_indexes->len; i++) {
    const AcqMcapMetadataIndex *index =
        &g_array_index (summary->metadata_indexes, AcqMcapMetadataIndex, i);
    AcqMcapItem item;

    if (!mcap_is_text (index->name, name))
      continue;
    g_assert_true (acq_mcap_reader_read_at (reader, index->offset, &item, NULL));
    return item.record.metadata.metadata;
  }
  g_error ("no metadata %s", name);
}

guint64
mcap_count_of (AcqMcapReader *reader, const char *topic)
{
  const AcqMcapStatistics *statistics = &acq_mcap_reader_read_summary (reader, NULL)->statistics;
  guint16 wanted = mcap_find_channel (reader, topic)->id;

  for (gsize i = 0; i < statistics->channel_counts.size / 10; i++) {
    guint16 id;
    guint64 count;

    acq_mcap_count_get (statistics->channel_counts, i, &id, &count);
    if (id == wanted)
      return count;
  }
  return 0;
}

const AcqLinkCounters *
mcap_sink_counters (AcqSnapshot *snapshot, const char *path)
{
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, path);

  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkSnapshot *link = &g_array_index (stream->links, AcqLinkSnapshot, i);
    if (g_str_equal (link->sink, "mcap"))
      return &link->counters;
  }
  g_error ("%s does not go to the sink", path);
}

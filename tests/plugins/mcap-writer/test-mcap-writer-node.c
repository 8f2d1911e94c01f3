/* SPDX-License-Identifier: Apache-2.0 */

/* What the sink writes is read back and compared, value by value. */

#include "sink-rig.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* --- values ------------------------------------------------------------- */

static void
check_skeleton (AcqMcapReader *reader, guint n)
{
  g_auto (AcqCdrMessage) message = { 0 };
  AcqMcapMessage record;
  guint i;

  acq_mcap_reader_rewind (reader);
  for (i = 0; mcap_next_of (reader, "/left_glove/hand_skeleton", &acq_hand_skeleton_schema, &record,
                            &message);
       i++) {
    const AcqHandSkeleton *hand = (const AcqHandSkeleton *) (gpointer) message.payload;

    g_assert_cmpuint (record.sequence, ==, (guint32) (0xffffffffu + i));
    g_assert_cmpint (record.log_time, ==, ACQ_HARNESS_START_NS + i * MS);
    g_assert_cmpuint (record.publish_time, ==, 5000 + i);
    g_assert_cmpint (message.stamp_ns, ==, record.log_time);
    g_assert_cmpstr (message.frame_id, ==, "left_glove");
    g_assert_cmpuint (hand->n_joints, ==, 21);
    for (guint j = 0; j < 21; j++)
      g_assert_cmpfloat (hand->joints[j].position.x, ==, sink_rig_joint_x (i, j));
  }
  g_assert_cmpuint (i, ==, n);
}

static void
check_imu_and_tactile (AcqMcapReader *reader, guint n)
{
  g_auto (AcqCdrMessage) message = { 0 };
  AcqMcapMessage record;
  guint i;

  acq_mcap_reader_rewind (reader);
  for (i = 0; mcap_next_of (reader, "/left_glove/imu/palm", &acq_imu_schema, &record, &message);
       i++) {
    g_assert_cmpuint (record.sequence, ==, i + 1);
    g_assert_cmpuint (record.publish_time, ==, record.log_time);
    g_assert_cmpstr (message.frame_id, ==, "palm");
    g_assert_cmpfloat (((AcqImu *) (gpointer) message.payload)->angular_velocity.z, ==, i * 0.5);
  }
  g_assert_cmpuint (i, ==, n);

  acq_mcap_reader_rewind (reader);
  for (i = 0; mcap_next_of (reader, "/left_glove/tactile", &acq_image_schema, &record, &message);
       i++) {
    const float *taxels =
        (const float *) (gpointer) (message.payload + acq_image_schema.tail_offset);

    g_assert_cmpuint (message.payload_size, ==, acq_image_schema.tail_offset + TAXELS * 4);
    for (guint j = 0; j < TAXELS; j++)
      g_assert_cmpfloat (taxels[j], ==, (float) (i * 1000 + j));
  }
  g_assert_cmpuint (i, ==, n);
}

static void
record_and_check (const char *const *options)
{
  SinkRig f;
  g_autoptr (AcqMcapReader) reader = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;

  sink_rig_set_up (&f, options);
  sink_rig_start (&f);
  sink_rig_push (&f, 300);
  acq_harness_stop (f.h);
  reader = sink_rig_open (f.take);
  check_skeleton (reader, 300);
  check_imu_and_tactile (reader, 300);
  g_assert_cmpuint (mcap_count_of (reader, "/tf_static"), ==, 0); /* declared, silent */
  snapshot = acq_harness_snapshot (f.h);
  g_assert_cmpuint (mcap_sink_counters (snapshot, "left_glove.tactile")->written, ==, 300);
  g_assert_cmpuint (mcap_sink_counters (snapshot, "left_glove.tactile")->pending, ==, 0);
  sink_rig_tear_down (&f);
}

static void
test_values (void)
{
  static const char *const none[] = { "compression", "none", NULL };
  static const char *const small[] = { "compression", "zstd",    "level", "1", "chunk-size",
                                       "4KiB",        "workers", "3",     NULL };
  static const char *const plain[] = { "data-crc", "false", NULL };

  record_and_check (NULL);
  record_and_check (none);
  record_and_check (small);
  record_and_check (plain);
}

/* --- what it says of them ------------------------------------------------ */

static void
check_channels (AcqMcapReader *reader)
{
  AcqMcapSpan skeleton = mcap_find_channel (reader, "/left_glove/hand_skeleton")->metadata;
  AcqMcapSpan imu = mcap_find_channel (reader, "/left_glove/imu/palm")->metadata;
  AcqMcapSpan frames = mcap_find_channel (reader, "/tf_static")->metadata;
  g_autofree char *units = mcap_metadata_of (imu, "acq.units");
  g_autofree char *volatile_qos = mcap_metadata_of (imu, "offered_qos_profiles");
  g_autofree char *latched_qos = mcap_metadata_of (frames, "offered_qos_profiles");
  guint16 schema_id = mcap_find_channel (reader, "/left_glove/imu/palm")->schema_id;
  const AcqMcapSchema *schema = acq_mcap_reader_get_schema (reader, schema_id);

  mcap_assert_metadata (skeleton, "acq.node", "left_glove");
  mcap_assert_metadata (skeleton, "acq.stream", "hand_skeleton");
  mcap_assert_metadata (skeleton, "acq.device_clock", "uptime");
  mcap_assert_metadata (skeleton, "acq.clock_id", "left_glove");
  mcap_assert_metadata (skeleton, "acq.stamp", "host");
  mcap_assert_metadata (skeleton, "acq.sequence", "device");
  mcap_assert_metadata (skeleton, "acq.latency_ns", "0");
  mcap_assert_metadata (skeleton, "acq.hold_back_ns", "10000000");
  mcap_assert_metadata (skeleton, "axes", "x forward");
  mcap_assert_metadata (skeleton, "side", "left");
  mcap_assert_metadata (imu, "acq.device_clock", "none");
  mcap_assert_metadata (imu, "acq.sequence", "counter");
  mcap_assert_metadata (frames, "acq.sequence", "counter");
  g_assert_nonnull (strstr (units, "\"angular_velocity.z\":\"rad/s\""));
  g_assert_nonnull (strstr (volatile_qos, "durability: volatile\n"));
  g_assert_nonnull (strstr (latched_qos, "durability: transient_local\n"));
  g_assert_true (mcap_is_text (schema->name, "sensor_msgs/msg/Imu"));
  g_assert_true (mcap_is_text (schema->encoding, "ros2msg"));
  g_assert_true (mcap_is_text (schema->data, acq_imu_schema.text));
}

static void
check_ledger (AcqMcapReader *reader, guint n)
{
  g_autofree char *streams =
      mcap_metadata_of (mcap_find_metadata (reader, "acq.ledger"), "streams");
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *link;

  g_assert_true (json_parser_load_from_data (parser, streams, -1, NULL));
  link = json_node_get_object (json_parser_get_root (parser));
  link = json_object_get_object_member (link, "left_glove.hand_skeleton");
  link = json_object_get_object_member (link, "sinks");
  link = json_object_get_object_member (link, "mcap");
  g_assert_cmpint (json_object_get_int_member (link, "offered"), ==, n);
  g_assert_cmpint (json_object_get_int_member (link, "written"), ==, n);
}

static void
check_attachments (AcqMcapReader *reader)
{
  const AcqMcapSummary *summary = acq_mcap_reader_read_summary (reader, NULL);
  static const char *const names[] = { "pipeline.json", "left_glove/late.txt" };
  AcqMcapItem item;

  g_assert_cmpuint (summary->attachment_indexes->len, ==, 2);
  for (guint i = 0; i < 2; i++) {
    const AcqMcapAttachmentIndex *index =
        &g_array_index (summary->attachment_indexes, AcqMcapAttachmentIndex, i);
    g_assert_true (mcap_is_text (index->name, names[i]));
    g_assert_true (acq_mcap_reader_read_at (reader, index->offset, &item, NULL));
    g_assert_true (mcap_is_text (item.record.attachment.data, i == 0 ? "{}" : "late"));
  }
}

static void
test_story (void)
{
  SinkRig f;
  g_autoptr (AcqMcapReader) reader = NULL;
  g_autoptr (GBytes) late = g_bytes_new_static ("late", 4);
  g_autofree char *start_ns = NULL;
  AcqMcapSpan session, end;
  AcqMcapItem item;

  sink_rig_set_up (&f, NULL);
  sink_rig_start (&f);
  sink_rig_push (&f, 50);
  acq_node_attach (acq_stream_get_node (f.skeleton), "late.txt", "text/plain", late);
  acq_node_notice (acq_stream_get_node (f.skeleton), ACQ_EVENT_SEVERITY_INFO, "hello", "hello");
  sink_rig_push (&f, 50);
  acq_harness_stop (f.h);

  reader = sink_rig_open (f.take);
  check_channels (reader);
  check_ledger (reader, 100);
  check_attachments (reader);
  g_assert_cmpuint (mcap_count_of (reader, "/acq/events"), >=, 1);
  session = mcap_find_metadata (reader, "acq.session");
  mcap_assert_metadata (session, "operator", "op07");
  mcap_assert_metadata (session, "task", "test");
  mcap_assert_metadata (session, "name", acq_take_get_base (f.take));
  start_ns = g_strdup_printf ("%" G_GINT64_FORMAT, acq_take_get_start (f.take));
  mcap_assert_metadata (session, "start_ns", start_ns);
  end = mcap_find_metadata (reader, "acq.end");
  mcap_assert_metadata (end, "complete", "true");
  mcap_find_metadata (reader, "acq.clocks");
  {
    g_autofree char *node =
        mcap_metadata_of (mcap_find_metadata (reader, "acq.provenance"), "node.mcap");
    g_assert_nonnull (strstr (node, "\"compression\":\"lz4\""));
  }
  g_assert_true (acq_mcap_reader_next (reader, &item, NULL));
  acq_mcap_reader_rewind (reader);
  g_assert_true (acq_mcap_reader_next (reader, &item, NULL));
  g_assert_true (mcap_is_text (item.record.header.profile, "ros2"));
  sink_rig_tear_down (&f);
}

/* --- takes -------------------------------------------------------------- */

static void
test_latched (void)
{
  SinkRig f;
  g_autoptr (AcqTake) second = NULL;
  g_autoptr (AcqMcapReader) reader = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  g_auto (AcqCdrMessage) message = { 0 };
  AcqMcapMessage record;
  gint64 first_ns;

  sink_rig_set_up (&f, NULL);
  sink_rig_start (&f);
  first_ns = acq_harness_now (f.h);
  sink_rig_push_latched (&f, 1.5);
  acq_harness_advance (f.h, 300 * MS);
  acq_harness_end_take (f.h);
  acq_harness_advance (f.h, 300 * MS);
  second = acq_take_ref (acq_harness_begin_take (f.h, NULL));
  acq_harness_advance (f.h, 50 * MS);
  sink_rig_push_latched (&f, 2.5);
  acq_harness_advance (f.h, 300 * MS);
  acq_harness_stop (f.h);

  reader = sink_rig_open (second);
  g_assert_cmpuint (mcap_count_of (reader, "/tf_static"), ==, 2);
  g_assert_true (mcap_next_of (reader, "/tf_static", &acq_twist_stamped_schema, &record, &message));
  g_assert_cmpint (record.log_time, ==, acq_take_get_start (second));
  g_assert_cmpint (record.publish_time, ==, first_ns);
  g_assert_cmpint (message.stamp_ns, ==, first_ns);
  g_assert_cmpuint (record.sequence, ==, 1);
  g_assert_cmpfloat (((AcqTwistStamped *) (gpointer) message.payload)->twist.linear.x, ==, 1.5);
  g_assert_true (mcap_next_of (reader, "/tf_static", &acq_twist_stamped_schema, &record, &message));
  g_assert_cmpfloat (((AcqTwistStamped *) (gpointer) message.payload)->twist.linear.x, ==, 2.5);

  snapshot = acq_harness_snapshot (f.h);
  g_assert_cmpuint (mcap_sink_counters (snapshot, "arm.frames")->replayed, ==, 1);
  g_assert_cmpuint (mcap_sink_counters (snapshot, "arm.frames")->written, ==, 2);
  sink_rig_tear_down (&f);
}

/* --- rosbag2 ------------------------------------------------------------ */

static void
test_rosbag2 (void)
{
  SinkRig f;
  static const char *const options[] = { "rosbag2-metadata", "true", NULL };
  g_autofree char *path = NULL;
  g_autofree char *text = NULL;
  g_autofree char *file_line = NULL;

  sink_rig_set_up (&f, options);
  sink_rig_start (&f);
  sink_rig_push (&f, 10);
  acq_harness_stop (f.h);
  path = g_build_filename (acq_take_get_directory (f.take), "metadata.yaml", NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  file_line = g_strdup_printf ("    - \"%s.mcap\"\n", acq_take_get_base (f.take));
  g_assert_nonnull (strstr (text, "  storage_identifier: mcap\n"));
  g_assert_nonnull (strstr (text, file_line));
  g_assert_nonnull (strstr (text, "        name: \"/left_glove/hand_skeleton\"\n"
                                  "        type: \"acq_msgs/msg/HandSkeleton\"\n"
                                  "        serialization_format: cdr\n"));
  g_assert_nonnull (strstr (text, "      message_count: 10\n"));
  sink_rig_tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcap-writer/values", test_values);
  g_test_add_func ("/mcap-writer/story", test_story);
  g_test_add_func ("/mcap-writer/latched", test_latched);
  g_test_add_func ("/mcap-writer/rosbag2", test_rosbag2);
  return g_test_run ();
}

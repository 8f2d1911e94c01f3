/* SPDX-License-Identifier: Apache-2.0 */

/* The sink under a fake clock: what it writes is read back and compared, value by value. */

#include <acq/acq-harness.h>
#include <acq/acq.h>
#include <json-glib/json-glib.h>

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#define MS G_GINT64_CONSTANT (1000000)
#define TAXELS 744

/* --- a rig -------------------------------------------------------------- */

typedef struct {
  AcqHarness *h;
  AcqTake *take;
  AcqClock *clock;
  AcqStream *skeleton; /* device time and sequence */
  AcqStream *imu;      /* neither */
  AcqStream *tactile;  /* a tail */
  AcqStream *frames;   /* latched, on a topic of its own */
  guint n;             /* messages of each but the last */
} Fixture;

static void
set_up (Fixture *f, const char *const *options)
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

static void
start (Fixture *f)
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

static void
tear_down (Fixture *f)
{
  acq_harness_free (f->h);
  g_clear_pointer (&f->take, acq_take_unref);
  g_clear_pointer (&f->clock, acq_clock_unref);
}

static float
joint_x (guint i, guint joint)
{
  return (float) i + (float) joint / 32;
}

static void
push_skeleton (Fixture *f, guint i)
{
  AcqFrame *frame;
  AcqHandSkeleton *hand = acq_hand_skeleton_begin (f->skeleton, &frame);

  hand->side = ACQ_SIDE_LEFT;
  hand->n_joints = 21;
  for (guint j = 0; j < 21; j++)
    hand->joints[j].position.x = joint_x (i, j);
  /* Beyond 32 bits: the file has the lower half. */
  acq_stream_push (f->skeleton, frame, G_GUINT64_CONSTANT (0xffffffff) + i, 5000 + i);
}

/* Messages number @n in all, a millisecond apart. */
static void
push (Fixture *f, guint n)
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

static void
push_latched (Fixture *f, double x)
{
  AcqFrame *frame;

  acq_twist_stamped_begin (f->frames, &frame)->twist.linear.x = x;
  acq_stream_push (f->frames, frame, 0, ACQ_TIME_NONE);
  acq_harness_advance (f->h, MS);
}

/* --- reading ------------------------------------------------------------ */

static char *
path_of (AcqTake *take, const char *suffix)
{
  g_autofree char *name = g_strconcat (acq_take_get_base (take), suffix, NULL);

  return g_build_filename (acq_take_get_directory (take), name, NULL);
}

static AcqMcapReader *
open_take (AcqTake *take)
{
  g_autofree char *path = path_of (take, ".mcap");
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

static gboolean
is_text (AcqMcapSpan span, const char *text)
{
  return acq_mcap_span_equal (span, acq_mcap_text (text));
}

static const AcqMcapChannel *
find_channel (AcqMcapReader *reader, const char *topic)
{
  const AcqMcapSummary *summary = acq_mcap_reader_read_summary (reader, NULL);

  for (guint i = 0; i < summary->channels->len; i++) {
    const AcqMcapChannel *channel = &g_array_index (summary->channels, AcqMcapChannel, i);
    if (is_text (channel->topic, topic))
      return channel;
  }
  g_error ("no topic %s", topic);
}

/* The next message of a topic; the payload is decoded into @message. */
static gboolean
next_of (AcqMcapReader *reader, const char *topic, const AcqSchema *schema,
         AcqMcapMessage *ret_record, AcqCdrMessage *message)
{
  guint16 id = find_channel (reader, topic)->id;
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

static char *
metadata_of (AcqMcapSpan map, const char *key)
{
  AcqMcapSpan value;

  return acq_mcap_map_lookup (map, key, &value) ? acq_mcap_span_dup (value) : NULL;
}

#define assert_metadata(map, key, wanted)                                                          \
  do {                                                                                             \
    g_autofree char *found_ = metadata_of (map, key);                                              \
    g_assert_cmpstr (found_, ==, wanted);                                                          \
  } while (0)

/* A Metadata record by name. */
static AcqMcapSpan
find_metadata (AcqMcapReader *reader, const char *name)
{
  const AcqMcapSummary *summary = acq_mcap_reader_read_summary (reader, NULL);

  for (guint i = 0; i < summary->metadata_indexes->len; i++) {
    const AcqMcapMetadataIndex *index =
        &g_array_index (summary->metadata_indexes, AcqMcapMetadataIndex, i);
    AcqMcapItem item;

    if (!is_text (index->name, name))
      continue;
    g_assert_true (acq_mcap_reader_read_at (reader, index->offset, &item, NULL));
    return item.record.metadata.metadata;
  }
  g_error ("no metadata %s", name);
}

static guint64
count_of (AcqMcapReader *reader, const char *topic)
{
  const AcqMcapStatistics *statistics = &acq_mcap_reader_read_summary (reader, NULL)->statistics;
  guint16 wanted = find_channel (reader, topic)->id;

  for (gsize i = 0; i < statistics->channel_counts.size / 10; i++) {
    guint16 id;
    guint64 count;

    acq_mcap_count_get (statistics->channel_counts, i, &id, &count);
    if (id == wanted)
      return count;
  }
  return 0;
}

static const AcqLinkCounters *
counters_of (AcqSnapshot *snapshot, const char *path)
{
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, path);

  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkSnapshot *link = &g_array_index (stream->links, AcqLinkSnapshot, i);
    if (g_str_equal (link->sink, "mcap"))
      return &link->counters;
  }
  g_error ("%s does not go to the sink", path);
}

/* --- values ------------------------------------------------------------- */

static void
check_skeleton (AcqMcapReader *reader, guint n)
{
  g_auto (AcqCdrMessage) message = { 0 };
  AcqMcapMessage record;
  guint i;

  acq_mcap_reader_rewind (reader);
  for (i = 0;
       next_of (reader, "/left_glove/hand_skeleton", &acq_hand_skeleton_schema, &record, &message);
       i++) {
    const AcqHandSkeleton *hand = (const AcqHandSkeleton *) (gpointer) message.payload;

    g_assert_cmpuint (record.sequence, ==, (guint32) (0xffffffffu + i));
    g_assert_cmpint (record.log_time, ==, ACQ_HARNESS_START_NS + i * MS);
    g_assert_cmpuint (record.publish_time, ==, 5000 + i);
    g_assert_cmpint (message.stamp_ns, ==, record.log_time);
    g_assert_cmpstr (message.frame_id, ==, "left_glove");
    g_assert_cmpuint (hand->n_joints, ==, 21);
    for (guint j = 0; j < 21; j++)
      g_assert_cmpfloat (hand->joints[j].position.x, ==, joint_x (i, j));
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
  for (i = 0; next_of (reader, "/left_glove/imu/palm", &acq_imu_schema, &record, &message); i++) {
    g_assert_cmpuint (record.sequence, ==, i + 1);
    g_assert_cmpuint (record.publish_time, ==, record.log_time);
    g_assert_cmpstr (message.frame_id, ==, "palm");
    g_assert_cmpfloat (((AcqImu *) (gpointer) message.payload)->angular_velocity.z, ==, i * 0.5);
  }
  g_assert_cmpuint (i, ==, n);

  acq_mcap_reader_rewind (reader);
  for (i = 0; next_of (reader, "/left_glove/tactile", &acq_image_schema, &record, &message); i++) {
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
  Fixture f;
  g_autoptr (AcqMcapReader) reader = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;

  set_up (&f, options);
  start (&f);
  push (&f, 300);
  acq_harness_stop (f.h);
  reader = open_take (f.take);
  check_skeleton (reader, 300);
  check_imu_and_tactile (reader, 300);
  g_assert_cmpuint (count_of (reader, "/tf_static"), ==, 0); /* declared, silent */
  snapshot = acq_harness_snapshot (f.h);
  g_assert_cmpuint (counters_of (snapshot, "left_glove.tactile")->written, ==, 300);
  g_assert_cmpuint (counters_of (snapshot, "left_glove.tactile")->pending, ==, 0);
  tear_down (&f);
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
  AcqMcapSpan skeleton = find_channel (reader, "/left_glove/hand_skeleton")->metadata;
  AcqMcapSpan imu = find_channel (reader, "/left_glove/imu/palm")->metadata;
  AcqMcapSpan frames = find_channel (reader, "/tf_static")->metadata;
  g_autofree char *units = metadata_of (imu, "acq.units");
  g_autofree char *volatile_qos = metadata_of (imu, "offered_qos_profiles");
  g_autofree char *latched_qos = metadata_of (frames, "offered_qos_profiles");
  guint16 schema_id = find_channel (reader, "/left_glove/imu/palm")->schema_id;
  const AcqMcapSchema *schema = acq_mcap_reader_get_schema (reader, schema_id);

  assert_metadata (skeleton, "acq.node", "left_glove");
  assert_metadata (skeleton, "acq.stream", "hand_skeleton");
  assert_metadata (skeleton, "acq.device_clock", "uptime");
  assert_metadata (skeleton, "acq.clock_id", "left_glove");
  assert_metadata (skeleton, "acq.stamp", "host");
  assert_metadata (skeleton, "acq.sequence", "device");
  assert_metadata (skeleton, "acq.latency_ns", "0");
  assert_metadata (skeleton, "acq.hold_back_ns", "10000000");
  assert_metadata (skeleton, "axes", "x forward");
  assert_metadata (skeleton, "side", "left");
  assert_metadata (imu, "acq.device_clock", "none");
  assert_metadata (imu, "acq.sequence", "counter");
  assert_metadata (frames, "acq.sequence", "counter");
  g_assert_nonnull (strstr (units, "\"angular_velocity.z\":\"rad/s\""));
  g_assert_nonnull (strstr (volatile_qos, "durability: volatile\n"));
  g_assert_nonnull (strstr (latched_qos, "durability: transient_local\n"));
  g_assert_true (is_text (schema->name, "sensor_msgs/msg/Imu"));
  g_assert_true (is_text (schema->encoding, "ros2msg"));
  g_assert_true (is_text (schema->data, acq_imu_schema.text));
}

static void
check_ledger (AcqMcapReader *reader, guint n)
{
  g_autofree char *streams = metadata_of (find_metadata (reader, "acq.ledger"), "streams");
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
    g_assert_true (is_text (index->name, names[i]));
    g_assert_true (acq_mcap_reader_read_at (reader, index->offset, &item, NULL));
    g_assert_true (is_text (item.record.attachment.data, i == 0 ? "{}" : "late"));
  }
}

static void
test_story (void)
{
  Fixture f;
  g_autoptr (AcqMcapReader) reader = NULL;
  g_autoptr (GBytes) late = g_bytes_new_static ("late", 4);
  g_autofree char *start_ns = NULL;
  AcqMcapSpan session, end;
  AcqMcapItem item;

  set_up (&f, NULL);
  start (&f);
  push (&f, 50);
  acq_node_attach (acq_stream_get_node (f.skeleton), "late.txt", "text/plain", late);
  acq_node_notice (acq_stream_get_node (f.skeleton), ACQ_EVENT_SEVERITY_INFO, "hello", "hello");
  push (&f, 50);
  acq_harness_stop (f.h);

  reader = open_take (f.take);
  check_channels (reader);
  check_ledger (reader, 100);
  check_attachments (reader);
  g_assert_cmpuint (count_of (reader, "/acq/events"), >=, 1);
  session = find_metadata (reader, "acq.session");
  assert_metadata (session, "operator", "op07");
  assert_metadata (session, "task", "test");
  assert_metadata (session, "name", acq_take_get_base (f.take));
  start_ns = g_strdup_printf ("%" G_GINT64_FORMAT, acq_take_get_start (f.take));
  assert_metadata (session, "start_ns", start_ns);
  end = find_metadata (reader, "acq.end");
  assert_metadata (end, "complete", "true");
  find_metadata (reader, "acq.clocks");
  {
    g_autofree char *node = metadata_of (find_metadata (reader, "acq.provenance"), "node.mcap");
    g_assert_nonnull (strstr (node, "\"compression\":\"lz4\""));
  }
  g_assert_true (acq_mcap_reader_next (reader, &item, NULL));
  acq_mcap_reader_rewind (reader);
  g_assert_true (acq_mcap_reader_next (reader, &item, NULL));
  g_assert_true (is_text (item.record.header.profile, "ros2"));
  tear_down (&f);
}

/* --- time --------------------------------------------------------------- */

static guint64
part_size (AcqTake *take)
{
  g_autofree char *path = path_of (take, ".mcap.part");
  g_autoptr (GMappedFile) map = g_mapped_file_new (path, FALSE, NULL);

  return map != NULL ? g_mapped_file_get_length (map) : 0;
}

/* Workers are real: wait, with a bound, until they have settled everything. */
static gboolean
wait_settled (Fixture *f, const char *path)
{
  for (guint i = 0; i < 5000; i++) {
    g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (f->h);
    const AcqLinkCounters *n = counters_of (snapshot, path);

    if (n->offered != 0 && n->pending == 0 && n->queued == 0)
      return TRUE;
    g_usleep (1000);
  }
  return FALSE;
}

/* A chunk leaves when its oldest message is 0.6 of the interval old, not before. */
static void
test_flush_interval (void)
{
  Fixture f;
  guint64 head;
  g_autoptr (AcqSnapshot) before = NULL;

  set_up (&f, NULL);
  start (&f);
  for (guint i = 0; i < 5000 && part_size (f.take) == 0; i++)
    g_usleep (1000);
  head = part_size (f.take);
  g_assert_cmpuint (head, >, 0); /* the head is on its way at once */
  push (&f, 1);
  acq_harness_advance (f.h, 500 * MS);
  before = acq_harness_snapshot (f.h);
  g_assert_cmpuint (counters_of (before, "left_glove.tactile")->pending, ==, 1);
  g_assert_cmpuint (part_size (f.take), ==, head);
  acq_harness_advance (f.h, 100 * MS);
  acq_harness_advance (f.h, 20 * MS);
  g_assert_true (wait_settled (&f, "left_glove.tactile"));
  g_assert_cmpuint (part_size (f.take), >, head + TAXELS);
  tear_down (&f);
}

/* What was killed can be recovered: the part file of a running take, as it lies there. */
static void
test_recover (void)
{
  Fixture f;
  g_autofree char *part = NULL;
  g_autofree char *copy = NULL;
  g_autofree char *to = NULL;
  g_autofree char *bytes = NULL;
  g_autoptr (AcqMcapReport) report = NULL;
  g_autoptr (GError) error = NULL;
  AcqMcapRecovery recovery;
  gsize size;

  set_up (&f, NULL);
  start (&f);
  push (&f, 700);
  acq_harness_advance (f.h, 600 * MS);
  acq_harness_advance (f.h, 20 * MS);
  g_assert_true (wait_settled (&f, "left_glove.tactile"));
  part = path_of (f.take, ".mcap.part");
  copy = path_of (f.take, ".copy");
  to = path_of (f.take, ".recovered.mcap");
  g_assert_true (g_file_get_contents (part, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (copy, bytes, size, NULL));
  g_assert_true (acq_mcap_recover_path (copy, to, 0, &recovery, &error));
  g_assert_no_error (error);
  g_assert_false (acq_mcap_recovery_has_loss (&recovery));
  g_assert_cmpuint (recovery.messages, >=, 3 * 700);
  report = acq_mcap_verify_path (to, ACQ_MCAP_VERIFY_ORDER, &error);
  g_assert_cmpuint (report->n_errors + report->n_warnings, ==, 0);
  tear_down (&f);
}

/* --- takes -------------------------------------------------------------- */

static void
test_latched (void)
{
  Fixture f;
  g_autoptr (AcqTake) second = NULL;
  g_autoptr (AcqMcapReader) reader = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  g_auto (AcqCdrMessage) message = { 0 };
  AcqMcapMessage record;
  gint64 first_ns;

  set_up (&f, NULL);
  start (&f);
  first_ns = acq_harness_now (f.h);
  push_latched (&f, 1.5);
  acq_harness_advance (f.h, 300 * MS);
  acq_harness_end_take (f.h);
  acq_harness_advance (f.h, 300 * MS);
  second = acq_take_ref (acq_harness_begin_take (f.h, NULL));
  acq_harness_advance (f.h, 50 * MS);
  push_latched (&f, 2.5);
  acq_harness_advance (f.h, 300 * MS);
  acq_harness_stop (f.h);

  reader = open_take (second);
  g_assert_cmpuint (count_of (reader, "/tf_static"), ==, 2);
  g_assert_true (next_of (reader, "/tf_static", &acq_twist_stamped_schema, &record, &message));
  g_assert_cmpint (record.log_time, ==, acq_take_get_start (second));
  g_assert_cmpint (record.publish_time, ==, first_ns);
  g_assert_cmpint (message.stamp_ns, ==, first_ns);
  g_assert_cmpuint (record.sequence, ==, 1);
  g_assert_cmpfloat (((AcqTwistStamped *) (gpointer) message.payload)->twist.linear.x, ==, 1.5);
  g_assert_true (next_of (reader, "/tf_static", &acq_twist_stamped_schema, &record, &message));
  g_assert_cmpfloat (((AcqTwistStamped *) (gpointer) message.payload)->twist.linear.x, ==, 2.5);

  snapshot = acq_harness_snapshot (f.h);
  g_assert_cmpuint (counters_of (snapshot, "arm.frames")->replayed, ==, 1);
  g_assert_cmpuint (counters_of (snapshot, "arm.frames")->written, ==, 2);
  tear_down (&f);
}

/* --- failures ----------------------------------------------------------- */

/* A limit on the size of files stands in for a full disk. */
static void
test_full_disk (void)
{
  Fixture f;
  struct rlimit before, limit = { 4 * 1024 * 1024, 0 };
  static const char *const options[] = { "compression", "none", "chunk-size", "64KiB", NULL };
  g_autoptr (AcqMcapReader) reader = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  const AcqLinkCounters *n;
  AcqMcapSpan end;

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  limit.rlim_max = before.rlim_max;
  setrlimit (RLIMIT_FSIZE, &limit);
  set_up (&f, options);
  start (&f);
  for (guint i = 0; i < 40 && acq_harness_find_event (f.h, "failed") == NULL; i++)
    push (&f, 50);
  g_assert_nonnull (acq_harness_find_event (f.h, "failed"));
  g_assert_cmpint (acq_node_get_state (acq_harness_get_node (f.h)), ==, ACQ_NODE_FAILED);
  acq_harness_stop (f.h);
  setrlimit (RLIMIT_FSIZE, &before);

  reader = open_take (f.take);
  snapshot = acq_harness_snapshot (f.h);
  n = counters_of (snapshot, "left_glove.tactile");
  g_assert_cmpuint (n->written, >, 0);
  g_assert_cmpuint (n->written, ==, count_of (reader, "/left_glove/tactile"));
  g_assert_cmpuint (n->failed[ACQ_FAIL_WRITE] + n->failed[ACQ_FAIL_NO_SPACE], >, 0);
  g_assert_cmpuint (n->pending, ==, 0);
  end = find_metadata (reader, "acq.end");
  assert_metadata (end, "complete", "false");
  tear_down (&f);
}

static void
test_unusable_directory (void)
{
  Fixture f;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;

  set_up (&f, NULL);
  f.take = acq_take_ref (acq_harness_begin_take (f.h, NULL));
  path = path_of (f.take, ".mcap");
  g_assert_true (g_file_set_contents (path, "mine", 4, NULL));
  g_assert_true (acq_harness_start (f.h, &error));
  acq_harness_advance (f.h, 20 * MS);
  g_assert_cmpint (acq_node_get_state (acq_harness_get_node (f.h)), ==, ACQ_NODE_FAILED);
  g_assert_nonnull (strstr (acq_harness_find_event (f.h, "failed")->message, "is not replaced"));
  tear_down (&f);
}

static const struct {
  const char *option;
  const char *text;
  const char *message; /* in the error of set, or of check */
} bad_options[] = {
  { "compression", "gzip", "gzip" },
  { "chunk-size", "1GiB", "256" },
  { "workers", "0", "1" },
  { "flush-interval-ms", "5", "10" },
  { "level", "20", "lz4 has no level 20" },
};

static void
test_options (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_options); i++) {
    AcqHarness *h = acq_harness_new_plugin (NULL, "mcap-writer", "mcap");
    AcqNode *node = acq_harness_get_node (h);
    g_autoptr (GError) error = NULL;

    g_assert_false (
        acq_node_set_option_text (node, bad_options[i].option, bad_options[i].text, &error) &&
        acq_node_check (node, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
    g_assert_nonnull (strstr (error->message, bad_options[i].message));
    acq_harness_free (h);
  }
}

/* --- rosbag2 ------------------------------------------------------------ */

static void
test_rosbag2 (void)
{
  Fixture f;
  static const char *const options[] = { "rosbag2-metadata", "true", NULL };
  g_autofree char *path = NULL;
  g_autofree char *text = NULL;
  g_autofree char *file_line = NULL;

  set_up (&f, options);
  start (&f);
  push (&f, 10);
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
  tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcap-writer/values", test_values);
  g_test_add_func ("/mcap-writer/story", test_story);
  g_test_add_func ("/mcap-writer/flush-interval", test_flush_interval);
  g_test_add_func ("/mcap-writer/recover", test_recover);
  g_test_add_func ("/mcap-writer/latched", test_latched);
  g_test_add_func ("/mcap-writer/full-disk", test_full_disk);
  g_test_add_func ("/mcap-writer/unusable-directory", test_unusable_directory);
  g_test_add_func ("/mcap-writer/options", test_options);
  g_test_add_func ("/mcap-writer/rosbag2", test_rosbag2);
  return g_test_run ();
}

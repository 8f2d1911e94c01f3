/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wuji-tf: where the wrists of Wuji Gloves are, as the vendor's library works it out
 *
 *   "wuji_frames": { "plugin": "wuji-tf" }
 *
 * The library's global transforms go to /tf and /tf_static, where viewers look for them. Its
 * frames are called l_… and r_…; a recording may have two left hands, so here they are called
 * like the streams of the glove that they belong to: `<node>_wrist`. Which node that is says
 * `frames` ("l=left_glove"), or the only glove of that side does.
 *
 * Only gloves that this process is connected to have transforms. Each moving transform is a
 * message of its own, with the device's own time of it. Static ones are repeated by the
 * library every second, and kept when they change.
 */

#include <acq/acq.h>

#include <string.h>

#include "wuji-session.h"
#include "wuji-side.h"

#define GLOVES_S 20 /* how long opening the gloves beside us may take */

typedef struct {
  char vendor[32];
  char ours[65];
} Name;

struct _WujiTf {
  AcqSource parent;

  WujiOptions options;
  char **frames;
  WujiSession session;
};

#define WUJI_TYPE_TF (wuji_tf_get_type ())
G_DECLARE_FINAL_TYPE (WujiTf, wuji_tf, WUJI, TF, AcqSource)
G_DEFINE_TYPE (WujiTf, wuji_tf, ACQ_TYPE_SOURCE)

static const AcqOption options[] = {
  { "frames", ACQ_FIELD_STRV (WujiTf, frames),
    .help = "Which glove the library's frames belong to, for example l=left_glove; without it "
            "the only glove of that side" },
  WUJI_LIBRARY_OPTIONS (WujiTf),
};

/* ---- names ---- */

static const char *
from_option (WujiTf *self, char letter)
{
  for (char **entry = self->frames; entry != NULL && *entry != NULL; entry++)
    if ((*entry)[0] == letter)
      return *entry + 2;
  return NULL;
}

/* The only glove of a side among the nodes that have streams; NULL when there is none, or two. */
static char *
only_glove (WujiTf *self, char letter)
{
  AcqSide wanted = letter == 'l' ? ACQ_SIDE_LEFT : ACQ_SIDE_RIGHT;
  g_autoptr (GPtrArray) streams = acq_graph_list_streams (acq_node_get_graph (ACQ_NODE (self)));
  AcqNode *found = NULL;

  for (guint i = 0; i < streams->len; i++) {
    AcqNode *node = acq_stream_get_node (streams->pdata[i]);
    g_autofree char *type = acq_node_get_fact (node, "device_type");
    g_autofree char *side = acq_node_get_fact (node, "side");

    if (node == found || g_strcmp0 (type, "wuji_glove") != 0 ||
        g_strcmp0 (side, acq_side_to_string (wanted)) != 0)
      continue;
    if (found != NULL)
      return NULL;
    found = node;
  }
  return found != NULL ? g_strdup (acq_node_get_id (found)) : NULL;
}

/*
 * The node's id in place of the letter; frames of nobody, such as waist, stay as they are.
 * FALSE: it is a hand's, and nobody knows whose.
 */
static gboolean
own_name (WujiTf *self, const char *vendor, char *ours, gsize size)
{
  gboolean is_a_hands = (vendor[0] == 'l' || vendor[0] == 'r') && vendor[1] == '_';
  const char *node = NULL;
  g_autofree char *only = NULL;

  if (is_a_hands) {
    node = from_option (self, vendor[0]);
    if (node == NULL)
      node = only = only_glove (self, vendor[0]);
  }
  if (node != NULL)
    g_snprintf (ours, size, "%s%s", node, vendor + 1);
  else
    g_strlcpy (ours, vendor, size);
  return node != NULL || !is_a_hands;
}

/* What was worked out once is kept: names of a run do not change, and looking costs. */
typedef struct {
  Name names[64];
  guint n;
  AcqTFMessage last; /* static only: what was pushed */
} Cache;

static Cache *
cache_of (WujiFeed *feed)
{
  if (feed->data == NULL)
    feed->data = g_new0 (Cache, 1);
  return feed->data;
}

static const char *
cached_name (WujiFeed *feed, const char *vendor)
{
  Cache *cache = cache_of (feed);
  Name *name;

  for (guint i = 0; i < cache->n; i++)
    if (strcmp (cache->names[i].vendor, vendor) == 0)
      return cache->names[i].ours;
  if (cache->n == G_N_ELEMENTS (cache->names))
    return vendor;
  name = &cache->names[cache->n];
  g_strlcpy (name->vendor, vendor, sizeof name->vendor);
  if (own_name (feed->session->owner, vendor, name->ours, sizeof name->ours))
    cache->n++;
  return name->ours;
}

/* ---- streams ---- */

static void
fill_transform (WujiFeed *feed, AcqTransformStamped *to, const WujiFrameTransform *from, gint64 ns)
{
  to->header.stamp.sec = (int32_t) (ns / 1000000000);
  to->header.stamp.nanosec = (uint32_t) (ns % 1000000000);
  g_strlcpy (to->header.frame_id, cached_name (feed, from->parent_frame_id),
             sizeof to->header.frame_id);
  g_strlcpy (to->child_frame_id, cached_name (feed, from->child_frame_id),
             sizeof to->child_frame_id);
  to->transform.translation.x = (double) from->translation[0];
  to->transform.translation.y = (double) from->translation[1];
  to->transform.translation.z = (double) from->translation[2];
  to->transform.rotation.x = (double) from->rotation.x;
  to->transform.rotation.y = (double) from->rotation.y;
  to->transform.rotation.z = (double) from->rotation.z;
  to->transform.rotation.w = (double) from->rotation.w;
}

static guint
tf_parts (const void *data)
{
  return (guint) ((const WujiFrameTransforms *) data)->transforms_len;
}

static WujiStamp
tf_stamp (WujiFeed *feed, const void *data)
{
  const WujiFrameTransforms *frame = data;

  return (WujiStamp){ 0, feed->part < frame->transforms_len
                             ? frame->transforms[feed->part].timestamp_us * 1000
                             : ACQ_TIME_NONE };
}

static AcqStream *
declare_tf (WujiFeed *feed, const void *frame)
{
  AcqStreamInfo info = { .topic = "/tf" };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, NULL);

  acq_stream_set_count (stream, "transforms", 1);
  return stream;
}

static AcqStream *
declare_tf_static (WujiFeed *feed, const void *frame)
{
  AcqStreamInfo info = { .topic = "/tf_static", .latched = TRUE };

  return wuji_feed_add_stream (feed, &info, NULL);
}

static AcqFrame *
fill_tf (WujiFeed *feed, const void *data)
{
  const WujiFrameTransforms *frame = data;
  AcqFrame *message;
  AcqTFMessage *tf = acq_tf_message_begin (feed->stream, &message);

  tf->n_transforms = 1;
  fill_transform (feed, &tf->transforms[0], &frame->transforms[feed->part], message->host_ns);
  return message;
}

/* Stamps apart: they say when the library repeated itself. */
static gboolean
is_same (const AcqTFMessage *a, const AcqTFMessage *b)
{
  if (a->n_transforms != b->n_transforms)
    return FALSE;
  for (uint32_t i = 0; i < a->n_transforms; i++)
    if (strcmp (a->transforms[i].header.frame_id, b->transforms[i].header.frame_id) != 0 ||
        strcmp (a->transforms[i].child_frame_id, b->transforms[i].child_frame_id) != 0 ||
        memcmp (&a->transforms[i].transform, &b->transforms[i].transform,
                sizeof a->transforms[i].transform) != 0)
      return FALSE;
  return TRUE;
}

static AcqFrame *
fill_tf_static (WujiFeed *feed, const void *data)
{
  const WujiFrameTransforms *frame = data;
  Cache *cache = cache_of (feed);
  AcqFrame *message;
  AcqTFMessage *tf;

  if (frame->transforms_len == 0)
    return NULL;
  tf = acq_tf_message_begin (feed->stream, &message);
  tf->n_transforms = (uint32_t) frame->transforms_len;
  for (size_t i = 0; i < frame->transforms_len; i++)
    fill_transform (feed, &tf->transforms[i], &frame->transforms[i], message->host_ns);
  if (is_same (tf, &cache->last)) {
    acq_frame_unref (message);
    return NULL;
  }
  cache->last = *tf;
  return message;
}

/* clang-format off */
static const WujiStreamDef defs[] = {
  { .name = "tf", .topic = "tf", .schema = &acq_tf_message_schema, .sub = WUJI_SUB_TF,
    .feature = WUJI_FEATURE_TF, .flags = WUJI_STREAM_GLOBAL | WUJI_STREAM_QUIET,
    .canary = wuji_canary_transforms, .declare = declare_tf,
    .parts = tf_parts, .stamp = tf_stamp, .fill = fill_tf },
  { .name = "tf_static", .topic = "tf_static", .schema = &acq_tf_message_schema,
    .sub = WUJI_SUB_TF_STATIC, .feature = WUJI_FEATURE_TF,
    .flags = WUJI_STREAM_GLOBAL | WUJI_STREAM_QUIET, .canary = wuji_canary_transforms,
    .declare = declare_tf_static, .stamp = tf_stamp, .fill = fill_tf_static },
  { .name = NULL },
};
/* clang-format on */

/* ---- the node ---- */

static gboolean
wuji_tf_check (AcqNode *node, GError **error)
{
  WujiTf *self = WUJI_TF (node);

  for (char **entry = self->frames; entry != NULL && *entry != NULL; entry++)
    if (((*entry)[0] != 'l' && (*entry)[0] != 'r') || (*entry)[1] != '=' || (*entry)[2] == '\0') {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                   "frames: \"%s\" is not l=NODE or r=NODE; write for example l=left_glove",
                   *entry);
      return FALSE;
    }
  return wuji_session_check (&self->session, error);
}

/* Gloves open at the same time as we do, and only then say which hand they are. */
static gboolean
are_gloves_open (AcqNode *self)
{
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (acq_node_get_graph (self));

  for (guint i = 0; i < nodes->len; i++) {
    AcqNode *node = nodes->pdata[i];
    const AcqPlugin *plugin = acq_node_get_plugin (node);
    AcqNodeState state = acq_node_get_state (node);

    if (plugin != NULL && strcmp (plugin->name, "wuji-glove") == 0 &&
        (state == ACQ_NODE_NEW || state == ACQ_NODE_OPENING))
      return FALSE;
  }
  return TRUE;
}

static void
wait_for_gloves (AcqNode *self, GCancellable *cancellable)
{
  gint64 deadline = g_get_monotonic_time () + GLOVES_S * G_USEC_PER_SEC;

  acq_node_step (self, "waiting for the gloves", GLOVES_S + 5);
  while (!are_gloves_open (self) && g_get_monotonic_time () < deadline &&
         !g_cancellable_is_cancelled (cancellable))
    g_usleep (5000);
  acq_node_step (self, NULL, 0);
}

static gboolean
wuji_tf_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  WujiTf *self = WUJI_TF (node);

  acq_node_set_fact (node, "kind", "wuji");
  if (!wuji_session_load (&self->session, error))
    return FALSE;
  wait_for_gloves (node, cancellable);
  return !g_cancellable_set_error_if_cancelled (cancellable, error) &&
         wuji_session_start (&self->session, cancellable, error);
}

static void
wuji_tf_close (AcqNode *node)
{
  wuji_session_close (&WUJI_TF (node)->session);
}

static void
wuji_tf_finalize (GObject *object)
{
  wuji_session_finalize (&WUJI_TF (object)->session);
  G_OBJECT_CLASS (wuji_tf_parent_class)->finalize (object);
}

static void
wuji_tf_class_init (WujiTfClass *klass)
{
  AcqNodeClass *node_class = ACQ_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = wuji_tf_finalize;
  node_class->check = wuji_tf_check;
  node_class->open = wuji_tf_open;
  node_class->close = wuji_tf_close;
  acq_node_class_add_options (node_class, options, G_N_ELEMENTS (options));
}

static void
wuji_tf_init (WujiTf *self)
{
  wuji_session_init (&self->session, self, &self->options, WUJI_CLASS_TF, defs);
}

/* clang-format off */
static const AcqStreamTemplate streams[] = {
  { "tf", &acq_tf_message_schema, .help = "Wrists of the gloves, on /tf" },
  { "tf_static", &acq_tf_message_schema, .help = "What is fixed to the wrists, on /tf_static" },
  { NULL },
};
/* clang-format on */

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "wuji-tf",
  .summary = "Wuji Gloves: where the wrists are",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .streams = streams,
  .get_type = wuji_tf_get_type,
};

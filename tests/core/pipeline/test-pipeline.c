/* SPDX-License-Identifier: Apache-2.0 */
/* Pipeline files: what a right one gives, and every mistake with its place and words. */
#include <string.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "fake-plugins.h"

static AcqRegistry *registry;

#define GLOVES                                                                                     \
  "\"left\": {\"plugin\":\"fake-glove\",\"side\":\"left\"},"                                       \
  "\"right\":{\"plugin\":\"fake-glove\",\"side\":\"right\"}"
#define DISK "\"disk\":{\"plugin\":\"fake-disk\"}"

/* Text with ' for ", so that it reads. */
static char *
unquote (const char *text)
{
  char *copy = g_strdup (text);

  return g_strdelimit (copy, "'", '"');
}

static AcqPipeline *
load_good (const char *text, const char *const *overrides)
{
  g_autofree char *json = unquote (text);
  g_autoptr (GPtrArray) problems = NULL;
  AcqPipeline *pipeline = acq_pipeline_load (registry, "p.json", json, overrides, &problems);

  for (guint i = 0; i < problems->len; i++)
    g_test_message ("%s", (char *) problems->pdata[i]);
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_nonnull (pipeline);
  return pipeline;
}

static char *
load_bad (const char *text, const char *const *overrides)
{
  g_autofree char *json = unquote (text);
  g_autoptr (GPtrArray) problems = NULL;
  g_autoptr (AcqPipeline) pipeline =
      acq_pipeline_load (registry, "p.json", json, overrides, &problems);
  g_autoptr (GString) all = g_string_new (NULL);

  g_assert_null (pipeline);
  for (guint i = 0; i < problems->len; i++)
    g_string_append_printf (all, "%s\n", (char *) problems->pdata[i]);
  return g_strdelimit (g_string_free (g_steal_pointer (&all), FALSE), "\"", '\'');
}

typedef struct {
  const char *text;
  const char *problems;
} Case;

/* One or more mistakes each; texts with ' for ". */
static const Case bad_files[] = {
  { "", "p.json:1:1: /: the text ends, wanted a value\n" },
  { "[]", "p.json:1:1: /: found a list, but a pipeline file is an object { … }\n" },
  { "{}", "p.json:1:1: /: no source is enabled; there is nothing to record\n"
          "p.json:1:1: /: no sink is enabled; nothing would be kept\n" },
  { "{'sorces': {}, 'sinks': 3}",
    "p.json:1:1: /: no source is enabled; there is nothing to record\n"
    "p.json:1:2: /sorces: there is no section 'sorces', allowed is 'recording', 'sources', "
    "'transforms', 'sinks' or 'expect'; did you mean 'sources'?\n"
    "p.json:1:25: /sinks: found the number 3, but a section is an object { … }\n" },
  /* Ids */
  { "{'sources': {\n"
    " 'Left-Glove': {'plugin':'fake-glove','side':'left'},\n"
    " '9': {'plugin':'fake-glove','side':'left'},\n"
    " 'a__b': {'plugin':'fake-glove','side':'left'},\n"
    " 'acq': {'plugin':'fake-glove','side':'left'}},\n"
    "'sinks': {'a': {'plugin':'fake-disk'}},\n"
    "'transforms': {'a': {'plugin':'fake-grid','inputs':['*.hand_skeleton']}}}",
    "p.json:2:2: /sources/Left-Glove: 'Left-Glove' is no node id: allowed are small letters, "
    "digits "
    "and single '_' between them, for example 'left_glove'\n"
    "p.json:3:2: /sources/9: '9' is no node id: allowed are small letters, digits and single '_' "
    "between them, beginning with a letter\n"
    "p.json:4:2: /sources/a__b: 'a__b' is no node id: allowed are small letters, digits and single "
    "'_' between them, for example 'a_b'\n"
    "p.json:5:2: /sources/acq: the node id 'acq' is the engine's own; take another\n"
    "p.json:6:11: /sinks/a: there is already a transform 'a'; ids are shared by all nodes\n" },
  /* Plugins */
  { "{'sources': {" GLOVES ",\n"
    " 'a': {'plugin':'fake-glov','side':'left'},\n"
    " 'b': {'side':'left'},\n"
    " 'c': {'plugin': 7},\n"
    " 'd': {'plugin':'fake-disk'},\n"
    " 'e': 'fake-glove'},\n"
    "'sinks': {" DISK "}}",
    "p.json:2:17: /sources/a/plugin: there is no plugin 'fake-glov'; did you mean 'fake-glove'? "
    "There is 'fake-disk', 'fake-glove', 'fake-grid' or 'fake-replay'\n"
    "p.json:3:2: /sources/b: the key 'plugin' is missing; it says what this is\n"
    "p.json:4:18: /sources/c/plugin: found the number 7, allowed is a text\n"
    "p.json:5:17: /sources/d/plugin: fake-disk is a sink; write 'd' in the section 'sinks'\n"
    "p.json:6:7: /sources/e: found the text 'fake-glove', but a node is an object { … }\n" },
  /* Options */
  { "{'sources': {\n"
    " 'a': {'plugin':'fake-glove','sied':'left'},\n"
    " 'b': {'plugin':'fake-glove','side':'lft','port':0,'timeout':'1h','gain':'x','attach':1},\n"
    " 'c': {'plugin':'fake-glove','side':'left','streams':['tactil']},\n"
    " 'd': {'plugin':'fake-glove','side':'left','stamp':'device','retry-min':0},\n"
    " 'e': {'plugin':'fake-glove','side':'left','attach':true},\n"
    " 'f': {'plugin':'fake-glove','side':'left','name':'x','queue':{},'zzz':1},\n"
    " 'g': {'plugin':'fake-glove','side':'left','enabled':'yes','label':1}},\n"
    "'sinks': {" DISK "}}",
    "p.json:2:2: /sources/a: the option 'side' of fake-glove is missing; it is 'left' or 'right'\n"
    "p.json:2:30: /sources/a/sied: fake-glove has no option 'sied'; did you mean 'side'?\n"
    "p.json:3:37: /sources/b/side: found the text 'lft', allowed is 'left' or 'right'; did you "
    "mean "
    "'left'?\n"
    "p.json:3:50: /sources/b/port: found the number 0, allowed is a whole number from 1 to 65535\n"
    "p.json:3:62: /sources/b/timeout: found the text '1h', allowed is a number of seconds or a "
    "duration such as '250ms' from 10ms to 60s\n"
    "p.json:3:74: /sources/b/gain: found the text 'x', allowed is a number\n"
    "p.json:3:87: /sources/b/attach: found the number 1, allowed is true or false\n"
    "p.json:4:54: /sources/c/streams: found the stream 'tactil', allowed is 'hand_skeleton', "
    "'tactile' or 'imu/palm', or a glob of them; did you mean 'tactile'?\n"
    "p.json:5:52: /sources/d/stamp: found the text 'device', allowed is 'host' or 'auto'\n"
    "p.json:5:73: /sources/d/retry-min: found the number 0, allowed is a number of seconds or a "
    "duration such as '250ms' from 10ms to 60min\n"
    "p.json:6:2: /sources/e: to attach, a serial is needed\n"
    "p.json:7:44: /sources/f/name: the key 'name' is reserved\n"
    "p.json:7:55: /sources/f/queue: a source has no 'queue'; that is a key of what takes its "
    "streams\n"
    "p.json:7:66: /sources/f/zzz: fake-glove has no option 'zzz'; 'acq-inspect fake-glove' lists "
    "them\n"
    "p.json:8:54: /sources/g/enabled: found the text 'yes', allowed is true or false\n"
    "p.json:8:68: /sources/g/label: found the number 1, allowed is a text\n" },
  /* Syntax, duplicates and meaning in one pass; what was wrong before is not wrong twice */
  { "{'sources': {" GLOVES ",},\n"
    "'sinks': {'disk': {'plugin':'fake-disk','chunk-size':0x10,'chunk-size':1,'nams':[]}},\n"
    "'sinks': {}}",
    "p.json:1:106: /sources: a comma before the closing '}' is not allowed\n"
    "p.json:2:54: /sinks/disk/chunk-size: 0x10 is no number in JSON; write 16\n"
    "p.json:2:59: /sinks/disk/chunk-size: this key is given twice, first in line 2, column 41\n"
    "p.json:2:74: /sinks/disk/nams: fake-disk has no option 'nams'; did you mean 'names'?\n"
    "p.json:3:1: /sinks: this key is given twice, first in line 2, column 1\n" },
  /* Inputs: form */
  { "{'sources': {" GLOVES "},\n"
    "'sinks': {\n"
    " 'a': {'plugin':'fake-disk','inputs':'left'},\n"
    " 'b': "
    "{'plugin':'fake-disk','inputs':[1,'','a.b.c','left.',{'queue':{}},{'from':2,'que':1}]},\n"
    " 'c': {'plugin':'fake-disk','queue':{'second':1,'memory':'1kB','when-full':'drop'}}}}",
    "p.json:3:38: /sinks/a/inputs: found the text 'left', allowed is a list such as [ 'node', "
    "'node.stream' ]\n"
    "p.json:4:39: /sinks/b/inputs/0: found the number 1, allowed is a text such as 'node.stream', "
    "or "
    "{ 'from': …, 'queue': … }\n"
    "p.json:4:41: /sinks/b/inputs/1: '' is no input; allowed is 'node', 'node.stream', globs of "
    "both, and '!' in front to leave out\n"
    "p.json:4:44: /sinks/b/inputs/2: 'a.b.c' is no input; allowed is 'node', 'node.stream', globs "
    "of "
    "both, and '!' in front to leave out\n"
    "p.json:4:52: /sinks/b/inputs/3: 'left.' is no input; allowed is 'node', 'node.stream', globs "
    "of "
    "both, and '!' in front to leave out\n"
    "p.json:4:60: /sinks/b/inputs/4: the key 'from' is missing; it names the input\n"
    "p.json:4:81: /sinks/b/inputs/5/from: found the number 2, allowed is a text such as "
    "'node.stream'\n"
    "p.json:4:83: /sinks/b/inputs/5/que: an input has no key 'que', allowed is 'from' or 'queue'; "
    "did you mean 'queue'?\n"
    "p.json:5:38: /sinks/c/queue/second: a queue has no key 'second', allowed is 'seconds', "
    "'memory' "
    "or 'when-full'; did you mean 'seconds'?\n"
    "p.json:5:58: /sinks/c/queue/memory: found the text '1kB', allowed is a number of bytes or a "
    "size such as '64MiB' from 4KiB to 1TiB\n"
    "p.json:5:76: /sinks/c/queue/when-full: found the text 'drop', allowed is 'drop-oldest', "
    "'drop-newest' or 'wait'\n" },
  /* Inputs: what they name */
  { "{'sources': {" GLOVES "},\n"
    "'transforms': {'grid': {'plugin':'fake-grid','inputs':['*.hand_skeleton']}},\n"
    "'sinks': {" DISK ",\n"
    " 'b': "
    "{'plugin':'fake-disk','inputs':['lefft','zzz','disk','*_glove','left.tactil','*.tact*x',\n"
    "  "
    "'left.imu/palm','grid.left_hand_skeleton','grid.left','acq.event',{'from':'righ'},'!lft']},\n"
    " 'c': {'plugin':'fake-disk','inputs':['left','!left']},\n"
    " 'd': {'plugin':'fake-disk','inputs':[]}}}",
    "p.json:4:39: /sinks/b/inputs/0: there is no node 'lefft'; did you mean 'left'?\n"
    "p.json:4:47: /sinks/b/inputs/1: there is no node 'zzz'; there is 'left', 'right' or 'grid'\n"
    "p.json:4:53: /sinks/b/inputs/2: 'disk' is a sink; it has no streams to take\n"
    "p.json:4:60: /sinks/b/inputs/3: '*_glove' matches no node; there is 'left', 'right' or "
    "'grid'\n"
    "p.json:4:70: /sinks/b/inputs/4: left has no stream 'tactil'; it has 'hand_skeleton', "
    "'tactile' "
    "or 'imu/palm'; did you mean 'tactile'?\n"
    "p.json:4:84: /sinks/b/inputs/5: '*.tact*x' matches no stream; left has 'hand_skeleton', "
    "'tactile' or 'imu/palm'\n"
    "p.json:5:3: /sinks/b/inputs/6: left has the stream 'imu/palm', but does not record it: its "
    "option 'streams' must name it\n"
    "p.json:5:45: /sinks/b/inputs/8: grid has no stream 'left'; it has 'left_hand_skeleton' or "
    "'right_hand_skeleton'; did you mean 'left_hand_skeleton'?\n"
    "p.json:5:57: /sinks/b/inputs/9: acq has no stream 'event'; it has 'events', 'clock' or "
    "'ledger'; did you mean 'events'?\n"
    "p.json:5:77: /sinks/b/inputs/10/from: there is no node 'righ'; did you mean 'right'?\n"
    "p.json:5:85: /sinks/b/inputs/11: there is no node 'lft'; did you mean 'left'?\n"
    "p.json:6:2: /sinks/c: it takes nothing: what its inputs name is off or left out again; write "
    "'enabled': false to turn it off too\n"
    "p.json:7:2: /sinks/d: it takes nothing: what its inputs name is off or left out again; write "
    "'enabled': false to turn it off too\n" },
  /* Transforms: missing inputs, cycles, types */
  { "{'sources': {" GLOVES "},\n"
    "'transforms': {\n"
    " 'a': {'plugin':'fake-grid'},\n"
    " 'b': {'plugin':'fake-grid','inputs':['c']},\n"
    " 'c': {'plugin':'fake-grid','inputs':['left.hand_skeleton','d']},\n"
    " 'd': {'plugin':'fake-grid','inputs':['b']},\n"
    " 'e': {'plugin':'fake-grid','inputs':['e','left.hand_skeleton']},\n"
    " 'f': {'plugin':'fake-grid','inputs':['left.tactile']},\n"
    " 'g': {'plugin':'fake-grid','inputs':['*.hand_skeleton'],'merge':true},\n"
    " 'h': {'plugin':'fake-grid','inputs':['f.whatever'],'rate-hz':0}},\n"
    "'sinks': {" DISK "}}",
    "p.json:3:2: /transforms/a: the key 'inputs' is missing; a transform takes what it names\n"
    "p.json:4:2: /transforms/b: a cycle: b takes from c takes from d takes from b\n"
    "p.json:7:2: /transforms/e: a cycle: e takes from e\n"
    "p.json:8:2: /transforms/f: fake-grid cannot take these inputs: left.tactile is "
    "acq_msgs/msg/Raw, which has nothing to resample\n"
    "p.json:9:2: /transforms/g: two of its inputs would both become the stream 'merged'\n"
    "p.json:10:63: /transforms/h/rate-hz: found the number 0, allowed is a number from 1 to 2000 "
    "Hz\n" },
  /* Globs that reach each other's outputs go round; those that do not are no cycle */
  { "{'sources': {" GLOVES "},\n"
    "'transforms': {\n"
    " 'a': {'plugin':'fake-grid','inputs':['*.hand_skeleton']},\n"
    " 'b': {'plugin':'fake-grid','inputs':['*.hand_skeleton']},\n"
    " 'c': {'plugin':'fake-grid','inputs':['*','!*.tactile']},\n"
    " 'd': {'plugin':'fake-grid','inputs':['*','!*.tactile','!c']},\n"
    " 'e': {'plugin':'fake-grid','inputs':['*','!*.tactile','!c']}},\n"
    "'sinks': {" DISK ",'two':{'plugin':'fake-disk','inputs':['b.right_hand_skeleton']}}}",
    "p.json:6:2: /transforms/d: a cycle: d takes from e takes from d\n" },
  /* Waiting */
  { "{'sources': {" GLOVES ",'old':{'plugin':'fake-replay'}},\n"
    "'transforms': {'grid': {'plugin':'fake-grid','inputs':['left.hand_skeleton']}},\n"
    "'sinks': {\n"
    " 'a': {'plugin':'fake-disk','inputs':['old'],'queue':{'when-full':'wait'}},\n"
    " 'b': {'plugin':'fake-disk','inputs':['old','grid'],'queue':{'when-full':'wait'}},\n"
    " 'c': {'plugin':'fake-disk','queue':{'when-full':'wait'}},\n"
    " 'd': {'plugin':'fake-disk','inputs':['left',{'from':'old','queue':{'when-full':'wait'}}]}}}",
    "p.json:5:45: /sinks/b/inputs/1: a queue may 'wait' only behind a source that can, such as a "
    "replay, but left cannot: write 'drop-oldest' or 'drop-newest'\n"
    "p.json:6:2: /sinks/c: a queue may 'wait' only behind a source that can, such as a replay, but "
    "left cannot: write 'drop-oldest' or 'drop-newest'\n" },
  /* Expectations and the recording */
  { "{'recording': {'dirctory':'x','directory':'','task':['a'],'a b':1,'weather':'good'},\n"
    "'sources': {" GLOVES ", 'off': {'plugin':'fake-glove','enabled':false}},\n"
    "'expect': {\n"
    " 'lef.tactile': {'min-rate-hz':1},\n"
    " 'off.tactile': {'min-rate-hz':1},\n"
    " '*.tactil': {},\n"
    " 'left': {'max-loss':2,'min-rate':1,'required':'no','grace-s':-1},\n"
    " 'right': 5},\n"
    "'sinks': {" DISK "}}",
    "p.json:1:16: /recording/dirctory: 'dirctory' looks like a slip; did you mean 'directory'?\n"
    "p.json:1:43: /recording/directory: the directory is empty; '.' is where you are\n"
    "p.json:1:53: /recording/task: found a list, allowed is a text\n"
    "p.json:1:59: /recording/a b: a key of a recording is made of letters, digits, '-' and '_'\n"
    "p.json:4:17: /expect/lef.tactile: there is no node 'lef'; did you mean 'left'?\n"
    "p.json:6:14: /expect/*.tactil: '*.tactil' matches no stream; left has 'hand_skeleton', "
    "'tactile' or 'imu/palm'; did you mean 'tactile'?\n"
    "p.json:7:22: /expect/left/max-loss: found the number 2, allowed is a number from 0 to 1\n"
    "p.json:7:24: /expect/left/min-rate: an expectation has no key 'min-rate', allowed is "
    "'required', 'min-rate-hz', 'max-gap-ms', 'max-loss' or 'grace-s'; did you mean "
    "'min-rate-hz'?\n"
    "p.json:7:48: /expect/left/required: found the text 'no', allowed is true or false\n"
    "p.json:7:63: /expect/left/grace-s: found the number -1, allowed is a number from 0 to 3600 s\n"
    "p.json:8:11: /expect/right: found the number 5, but an expectation is an object { … }\n" },
};

static void
test_bad_files (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bad_files); i++) {
    g_autofree char *problems = load_bad (bad_files[i].text, NULL);

    g_test_message ("case %" G_GSIZE_FORMAT, i);
    g_assert_cmpstr (problems, ==, bad_files[i].problems);
  }
}

#define GOOD                                                                                       \
  "{ // comments are welcome\n"                                                                    \
  "'$schema': 'pipeline.schema.json',\n"                                                           \
  "'recording': {'directory':'~/rec','task':'pour','take':3},\n"                                   \
  "'sources': {" GLOVES ",'off':{'plugin':'fake-glove','enabled':false,'label':'Spare'}},\n"       \
  "'transforms': {'grid': {'plugin':'fake-grid','inputs':['*.hand_skeleton'],'rate-hz':50}},\n"    \
  "'sinks': {'disk':{'plugin':'fake-disk','chunk-size':'4MiB','label':'Disk'},\n"                  \
  "  'two':{'plugin':'fake-disk','inputs':['!left.tactile',\n"                                     \
  "    {'from':'grid','queue':{'seconds':5}}],'queue':{'memory':'1MiB'}}},\n"                      \
  "'expect': {'*':{'required':true},'right':{'required':false}}}"

static double
number_of (AcqNode *node, const char *option)
{
  g_autoptr (JsonNode) options = acq_node_options_to_json (node);

  return json_object_get_double_member (json_node_get_object (options), option);
}

static const char *
text_of (AcqNode *node, const char *option)
{
  g_autoptr (JsonNode) options = acq_node_options_to_json (node);
  const char *text = json_object_get_string_member (json_node_get_object (options), option);

  return g_intern_string (text);
}

static void
test_good_file (void)
{
  g_autoptr (AcqPipeline) pipeline = load_good (GOOD, NULL);
  AcqGraph *graph = acq_pipeline_get_graph (pipeline);
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);
  g_autofree char *home = g_build_filename (g_get_home_dir (), "rec", NULL);
  static const char *const ids[] = { "left", "right", "grid", "disk", "two" };

  g_assert_cmpuint (nodes->len, ==, G_N_ELEMENTS (ids));
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    g_assert_cmpstr (acq_node_get_id (nodes->pdata[i]), ==, ids[i]);
  g_assert_cmpstr (acq_node_get_label (acq_graph_get_node (graph, "disk")), ==, "Disk");
  g_assert_cmpfloat (number_of (acq_graph_get_node (graph, "grid"), "rate-hz"), ==, 50);
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "disk"), "chunk-size"), ==, "4MiB");
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "left"), "stamp"), ==, "host");
  g_assert_cmpstr (acq_pipeline_get_recording (pipeline, "directory"), ==, home);
  g_assert_cmpstr (acq_pipeline_get_recording (pipeline, "task"), ==, "pour");
  g_assert_cmpstr (acq_pipeline_get_recording (pipeline, "take"), ==, "3");
  g_assert_null (acq_pipeline_get_recording (pipeline, "operator"));

  g_autoptr (GPtrArray) attachments = acq_graph_list_attachments (graph, 0);
  g_assert_cmpuint (attachments->len, ==, 1);
  const AcqAttachment *file = attachments->pdata[0];
  g_assert_cmpstr (file->name, ==, "pipeline.json");
  g_assert_cmpint (g_bytes_get_size (file->data), ==, strlen (acq_pipeline_get_text (pipeline)));
}

static void
test_overrides (void)
{
  static const char *const overrides[] = {
    "sources.left.serial=0012",
    "sources.right.serial=34",
    "sources.right.streams=tactile,imu/palm",
    "sources.off.enabled=true",
    "sources.off.side=left",
    "/sinks/disk/chunk-size=8MiB",
    "sinks.two.inputs.0=right",
    "sinks.three.plugin=fake-disk",
    "sinks.three.file=x",
    "sinks.three.queue.seconds=1",
    "transforms.grid.inputs=left.hand_skeleton,off.hand_skeleton",
    "recording.task=1.50",
    "recording.take=null",
    "expect.*.tactile.max-loss=0.5",
    NULL,
  };
  g_autoptr (AcqPipeline) pipeline = load_good (GOOD, overrides);
  AcqGraph *graph = acq_pipeline_get_graph (pipeline);
  g_autofree char *x = g_canonicalize_filename ("x", NULL);

  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "left"), "serial"), ==, "0012");
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "right"), "serial"), ==, "34");
  g_assert_true (acq_source_wants (ACQ_SOURCE (acq_graph_get_node (graph, "right")), "imu/palm"));
  g_assert_false (
      acq_source_wants (ACQ_SOURCE (acq_graph_get_node (graph, "right")), "hand_skeleton"));
  g_assert_nonnull (acq_graph_get_node (graph, "off"));
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "disk"), "chunk-size"), ==, "8MiB");
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "three"), "file"), ==, x);
  g_assert_cmpstr (acq_pipeline_get_recording (pipeline, "task"), ==, "1.50");
  g_assert_null (acq_pipeline_get_recording (pipeline, "take"));

  /* The effective file is a pipeline file, and says the same again. */
  const char *text = acq_pipeline_get_text (pipeline);
  g_assert_nonnull (strstr (text, "\"*.tactile\": {\n      \"max-loss\": 0.5\n"));
  g_assert_nonnull (strstr (text, "\"inputs\": [\"right\", {\n"));
}

static void
test_bad_overrides (void)
{
  static const struct {
    const char *override;
    const char *problem;
  } cases[] = {
    { "sinks.disk.chunk-size", "wanted is path=value, for example sinks.mcap.chunk-size=4MiB" },
    { "=x", "wanted is path=value, for example sinks.mcap.chunk-size=4MiB" },
    { "sink.disk.chunk-size=1",
      "there is no section 'sink', allowed is 'recording', 'sources', 'transforms', 'sinks' or "
      "'expect'; did you mean 'sinks'?" },
    { "sinks=1", "a whole section cannot be set; name a key in it" },
    { "sinks..x=1", "a part of the path is empty" },
    { "sinks.dsk.chunk-size=4MiB", "there is no 'dsk' in sinks; did you mean 'disk'?" },
    { "sinks.zzz.chunk-size=4MiB", "there is no 'zzz' in sinks; a new one begins with its plugin" },
    { "sinks.left.serial=4", "'left' is in sources, not in sinks" },
    { "sinks.disk.chunk-size=4Mib", "/sinks/disk/chunk-size: found the text '4Mib', allowed is a "
                                    "number of bytes or a size such as "
                                    "'64MiB' from 4KiB to 1GiB" },
    { "sinks.disk.chunk=4MiB",
      "/sinks/disk/chunk: fake-disk has no option 'chunk'; did you mean 'chunk-size'?" },
    { "sinks.disk.chunk-size.x=4MiB", "'chunk-size' has nothing in it that could be set" },
    { "sinks.two.inputs.7=left", "the list has no element '7'" },
    { "sinks.two.inputs.1.queue.seconds=0", "/sinks/two/inputs/1/queue/seconds: found the number "
                                            "0, allowed is a number from 0.01 to 3600 "
                                            "s" },
    { "sinks.two.inputs=lft", "/sinks/two/inputs/0: there is no node 'lft'; did you mean 'left'?" },
    { "sources.left.streams=['tactile',", "this is not JSON: column 12: the text ends inside the "
                                          "list that begins in line 1, column 1; a "
                                          "closing ']' is missing" },
    { "sources.left.side=up",
      "/sources/left/side: found the text 'up', allowed is 'left' or 'right'" },
    { "sources.new={'plugin':'fake-glove'}",
      "/sources/new: the option 'side' of fake-glove is missing; it is 'left' or 'right'" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *override = unquote (cases[i].override);
    const char *const overrides[] = { override, NULL };
    g_autofree char *problems = load_bad (GOOD, overrides);
    g_autofree char *wanted =
        g_strdup_printf ("--set %s: %s\n", cases[i].override, cases[i].problem);

    g_test_message ("case %" G_GSIZE_FORMAT, i);
    g_assert_cmpstr (problems, ==, wanted);
  }
}

static void
test_files (void)
{
  g_autoptr (GPtrArray) problems = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  static const char bytes[] = "{\"sources\": {}\0}";

  g_assert_null (acq_pipeline_load_file (registry, "/nowhere/p.json", NULL, &problems));
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "/nowhere/p.json"));
  g_clear_pointer (&problems, g_ptr_array_unref);

  g_close (g_file_open_tmp ("acq-XXXXXX.json", &path, &error), NULL);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, bytes, sizeof bytes - 1, &error));
  g_assert_null (acq_pipeline_load_file (registry, path, NULL, &problems));
  g_autofree char *wanted =
      g_strdup_printf ("%s:1:15: /: found the byte 0x00, which is no UTF-8 text", path);
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_cmpstr (problems->pdata[0], ==, wanted);
  g_assert_cmpint (g_remove (path), ==, 0);
}

/* Whatever becomes of a right file, there is an answer. */
static void
test_mutations (void)
{
  static const char *const words[] = { "'left'",   "'grid'",   "'*'",    "'!'",
                                       "null",     "[]",       "{}",     "-1",
                                       "1e99",     "'disk'",   "true",   "'left.tactile'",
                                       "'plugin'", "'inputs'", "'wait'", "'acq'" };
  g_autofree char *good = unquote (GOOD);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n_bad = 0;

  for (guint round = 0; round < 1500; round++) {
    g_autoptr (GString) text = g_string_new (good);
    g_autoptr (GPtrArray) problems = NULL;

    for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--) {
      /* A quoted word becomes another one. */
      const char *open = strchr (text->str + g_rand_int_range (rand, 0, (gint32) text->len), '"');
      const char *close = open != NULL ? strchr (open + 1, '"') : NULL;

      if (close == NULL)
        continue;
      g_autofree char *word =
          unquote (words[g_rand_int_range (rand, 0, (gint32) G_N_ELEMENTS (words))]);
      gssize at = open - text->str;
      g_string_erase (text, at, close - open + 1);
      g_string_insert (text, at, word);
    }
    g_autoptr (AcqPipeline) pipeline =
        acq_pipeline_load (registry, "p.json", text->str, NULL, &problems);
    g_assert_true ((pipeline == NULL) == (problems->len > 0));
    n_bad += pipeline == NULL;
  }
  g_assert_cmpuint (n_bad, >, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  registry = fake_registry ();
  g_test_add_func ("/pipeline/bad-files", test_bad_files);
  g_test_add_func ("/pipeline/good-file", test_good_file);
  g_test_add_func ("/pipeline/overrides", test_overrides);
  g_test_add_func ("/pipeline/bad-overrides", test_bad_overrides);
  g_test_add_func ("/pipeline/files", test_files);
  g_test_add_func ("/pipeline/mutations", test_mutations);
  int result = g_test_run ();
  g_object_unref (registry);
  return result;
}

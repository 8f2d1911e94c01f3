/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong pipeline files: every mistake with its place and words, in one pass. */
#include <string.h>

#include "fake-plugins.h"

static AcqRegistry *registry;

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
  { "{'sources': {" FAKE_GLOVES ",\n"
    " 'a': {'plugin':'fake-glov','side':'left'},\n"
    " 'b': {'side':'left'},\n"
    " 'c': {'plugin': 7},\n"
    " 'd': {'plugin':'fake-disk'},\n"
    " 'e': 'fake-glove'},\n"
    "'sinks': {" FAKE_DISK "}}",
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
    "'sinks': {" FAKE_DISK "}}",
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
  { "{'sources': {" FAKE_GLOVES ",},\n"
    "'sinks': {'disk': {'plugin':'fake-disk','chunk-size':0x10,'chunk-size':1,'nams':[]}},\n"
    "'sinks': {}}",
    "p.json:1:106: /sources: a comma before the closing '}' is not allowed\n"
    "p.json:2:54: /sinks/disk/chunk-size: 0x10 is no number in JSON; write 16\n"
    "p.json:2:59: /sinks/disk/chunk-size: this key is given twice, first in line 2, column 41\n"
    "p.json:2:74: /sinks/disk/nams: fake-disk has no option 'nams'; did you mean 'names'?\n"
    "p.json:3:1: /sinks: this key is given twice, first in line 2, column 1\n" },
  /* Inputs: form */
  { "{'sources': {" FAKE_GLOVES "},\n"
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
  { "{'sources': {" FAKE_GLOVES "},\n"
    "'transforms': {'grid': {'plugin':'fake-grid','inputs':['*.hand_skeleton']}},\n"
    "'sinks': {" FAKE_DISK ",\n"
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
    "p.json:7:2: /sinks/d: it takes nothing: its list of inputs is empty; without the key a sink "
    "takes "
    "everything\n" },
  /* Transforms: missing inputs, cycles, types */
  { "{'sources': {" FAKE_GLOVES "},\n"
    "'transforms': {\n"
    " 'a': {'plugin':'fake-grid'},\n"
    " 'b': {'plugin':'fake-grid','inputs':['c']},\n"
    " 'c': {'plugin':'fake-grid','inputs':['left.hand_skeleton','d']},\n"
    " 'd': {'plugin':'fake-grid','inputs':['b']},\n"
    " 'e': {'plugin':'fake-grid','inputs':['e','left.hand_skeleton']},\n"
    " 'f': {'plugin':'fake-grid','inputs':['left.tactile']},\n"
    " 'g': {'plugin':'fake-grid','inputs':['*.hand_skeleton'],'merge':true},\n"
    " 'h': {'plugin':'fake-grid','inputs':['f.whatever'],'rate-hz':0}},\n"
    "'sinks': {" FAKE_DISK "}}",
    "p.json:3:2: /transforms/a: the key 'inputs' is missing; a transform takes what it names\n"
    "p.json:4:2: /transforms/b: a cycle: b takes from c takes from d takes from b\n"
    "p.json:7:2: /transforms/e: a cycle: e takes from e\n"
    "p.json:8:2: /transforms/f: fake-grid cannot take these inputs: left.tactile is "
    "acq_msgs/msg/Raw, which has nothing to resample\n"
    "p.json:9:2: /transforms/g: two of its inputs would both become the stream 'merged'\n"
    "p.json:10:63: /transforms/h/rate-hz: found the number 0, allowed is a number from 1 to 2000 "
    "Hz\n" },
  /* Globs that reach each other's outputs go round; those that do not are no cycle */
  { "{'sources': {" FAKE_GLOVES "},\n"
    "'transforms': {\n"
    " 'a': {'plugin':'fake-grid','inputs':['*.hand_skeleton']},\n"
    " 'b': {'plugin':'fake-grid','inputs':['*.hand_skeleton']},\n"
    " 'c': {'plugin':'fake-grid','inputs':['*','!*.tactile']},\n"
    " 'd': {'plugin':'fake-grid','inputs':['*','!*.tactile','!c']},\n"
    " 'e': {'plugin':'fake-grid','inputs':['*','!*.tactile','!c']}},\n"
    "'sinks': {" FAKE_DISK ",'two':{'plugin':'fake-disk','inputs':['b.right_hand_skeleton']}}}",
    "p.json:6:2: /transforms/d: a cycle: d takes from e takes from d\n" },
  /* Waiting */
  { "{'sources': {" FAKE_GLOVES ",'old':{'plugin':'fake-replay'}},\n"
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
    "'sources': {" FAKE_GLOVES ", 'off': {'plugin':'fake-glove','enabled':false}},\n"
    "'expect': {\n"
    " 'lef.tactile': {'min-rate-hz':1},\n"
    " 'off.tactile': {'min-rate-hz':1},\n"
    " '*.tactil': {},\n"
    " 'left': {'max-loss':2,'min-rate':1,'required':'no','grace-s':-1},\n"
    " 'right': 5},\n"
    "'sinks': {" FAKE_DISK "}}",
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
    g_autofree char *problems = fake_problems (registry, bad_files[i].text, NULL);

    g_test_message ("case %" G_GSIZE_FORMAT, i);
    g_assert_cmpstr (problems, ==, bad_files[i].problems);
  }
}

/* Whatever becomes of a right file, there is an answer. */
static void
test_mutations (void)
{
  static const char *const words[] = { "'left'",   "'grid'",   "'*'",    "'!'",
                                       "null",     "[]",       "{}",     "-1",
                                       "1e99",     "'disk'",   "true",   "'left.tactile'",
                                       "'plugin'", "'inputs'", "'wait'", "'acq'" };
  g_autofree char *good = fake_unquote (FAKE_PIPELINE);
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
          fake_unquote (words[g_rand_int_range (rand, 0, (gint32) G_N_ELEMENTS (words))]);
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
  g_test_add_func ("/pipeline-mistakes/bad-files", test_bad_files);
  g_test_add_func ("/pipeline-mistakes/mutations", test_mutations);
  int result = g_test_run ();
  g_object_unref (registry);
  return result;
}

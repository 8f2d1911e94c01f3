/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/* A registry with plugins that are nothing but options and streams. */
AcqRegistry *fake_registry (void);

/* Pipeline files are written with ' for ", so that they read in C. */
char *fake_unquote (const char *text);
/* One that must be right; and the problems, a line each, of one that must not. */
AcqPipeline *fake_load (AcqRegistry *registry, const char *text, const char *const *overrides);
char *fake_problems (AcqRegistry *registry, const char *text, const char *const *overrides);

#define FAKE_GLOVES                                                                                \
  "'left': {'plugin':'fake-glove','side':'left'},'right':{'plugin':'fake-glove','side':'right'}"
#define FAKE_DISK "'disk':{'plugin':'fake-disk'}"

/* A right file with something of everything. */
#define FAKE_PIPELINE                                                                              \
  "{ // comments are welcome\n"                                                                    \
  "'$schema': 'pipeline.schema.json',\n"                                                           \
  "'recording': {'directory':'~/rec','task':'pour','take':3},\n"                                   \
  "'sources': {" FAKE_GLOVES ",'off':{'plugin':'fake-glove','enabled':false,'label':'Spare'}},\n"  \
  "'transforms': {'grid': {'plugin':'fake-grid','inputs':['*.hand_skeleton'],'rate-hz':50}},\n"    \
  "'sinks': {'disk':{'plugin':'fake-disk','chunk-size':'4MiB','label':'Disk'},\n"                  \
  "  'two':{'plugin':'fake-disk','inputs':['!left.tactile',\n"                                     \
  "    {'from':'grid','queue':{'seconds':5}}],'queue':{'memory':'1MiB'}}},\n"                      \
  "'expect': {'*':{'required':true},'right':{'required':false}}}"

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

#define RECOVER_EXIT_OK 0
#define RECOVER_EXIT_FAILED 1
#define RECOVER_EXIT_USAGE 2
#define RECOVER_EXIT_LOSS 3

/**
 * RecoverResult:
 * @RECOVER_WHOLE: the file is valid as it is
 * @RECOVER_DONE: everything that was there is in the new file
 * @RECOVER_LOSS: something was damaged; the counts say what
 * @RECOVER_BEFORE: the new file exists already
 * @RECOVER_EMPTY: the recorder had written nothing yet
 * @RECOVER_FAILED: nothing could be made of it
 */
typedef enum {
  RECOVER_WHOLE,
  RECOVER_DONE,
  RECOVER_LOSS,
  RECOVER_BEFORE,
  RECOVER_EMPTY,
  RECOVER_FAILED,
} RecoverResult;

/**
 * RecoverCount:
 * @name: for reports, for example `lost_chunks`
 * @words: for people, for example `chunks damaged`
 * @is_loss: whether it tells of a loss
 */
typedef struct {
  const char *name;
  const char *words;
  guint64 n;
  gboolean is_loss;
} RecoverCount;

/**
 * RecoverItem:
 * @from: what was left
 * @to: (nullable): the new file
 * @kind: `mcap` or `npz`
 * @problem: (nullable): why it failed
 * @counts: (element-type RecoverCount): by kind
 */
typedef struct {
  char *from;
  char *to;
  const char *kind;
  RecoverResult result;
  char *problem;
  GArray *counts;
} RecoverItem;

/**
 * RecoverOptions:
 * @keep_damaged: keep also what does not match its checksum
 * @remove: remove what was recovered without loss
 * @deflate: compress arrays
 * @output: (nullable): the folder for new files; otherwise they stand beside the originals
 */
typedef struct {
  gboolean keep_damaged;
  gboolean remove;
  gboolean deflate;
  char *output;
} RecoverOptions;

/**
 * recover_find:
 * @path: a file, a spool, a take's folder, or a folder of takes
 * @error: it does not exist, or is nothing that can be recovered
 *
 * Returns: (transfer full) (element-type filename): what can be recovered, sorted; files without
 *   `.part` only when @path is one
 */
GPtrArray *recover_find (const char *path, GError **error);

/**
 * recover_item:
 * @from: of recover_find()
 * @root: what was searched; below `output` the folders are those below it
 * @options: what to do
 *
 * Returns: (transfer full): what became of it. The original stays
 */
RecoverItem *recover_item (const char *from, const char *root, const RecoverOptions *options);
void recover_item_free (RecoverItem *self);

/** recover_exit_code: of all: 1, 3, 0; the larger problem wins */
int recover_exit_code (GPtrArray *items);

/** recover_to_json: Returns: (transfer full): `exit` and `files` */
JsonNode *recover_to_json (GPtrArray *items);

/** recover_item_text: Returns: (transfer full): lines for people */
char *recover_item_text (const RecoverItem *item);

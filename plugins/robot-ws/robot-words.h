/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * The words of the wire and the numbers that the vendor's SDK 0.1.x gives them. Data only:
 * a new firmware's word is a new line here. A word that is listed with 0 is known on the wire
 * but has no number in that SDK; a word that is not listed reads as 0 and is flagged.
 */
typedef struct {
  const char *word;
  guint8 number;
} RobotWord;

/* Ended by an entry without a word. Case matters. */
extern const RobotWord robot_motion_status_words[];
extern const RobotWord robot_sport_mode_words[];
extern const RobotWord robot_speed_level_words[];
extern const RobotWord robot_head_direction_words[];
extern const RobotWord robot_knee_words[];
extern const RobotWord robot_fault_words[];

/* wire level 0..3 -> SDK level */
extern const guint8 robot_fault_levels[4];

/* What a word means; FALSE and 0 for one that is not in the table. */
gboolean robot_word_find (const RobotWord *table, const char *word, guint8 *ret_number);

/* The class of client, as message 1004 reports the owner, of someone who sends with `src`. */
int robot_owner_class (guint32 src);

/* For people: `nobody`, `the APP`, … */
const char *robot_owner_name (int control_source);

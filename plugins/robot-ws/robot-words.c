/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-words.h"

#include <string.h>

#include "robot-protocol.h"

const RobotWord robot_motion_status_words[] = {
  { "stand_up", 1 },  { "lie_down", 2 }, { "crawl", 3 },   { "locked", 4 }, { "sport", 5 },
  { "in_place", 6 },  { "stair", 7 },    { "climb", 8 },   { "slim", 9 },   { "gait_walk", 10 },
  { "dsb", 0 },       { "nav", 0 },      { "new1new", 0 }, { "tuoluo", 0 }, { "jump", 0 },
  { "handstand", 0 }, { "backflip", 0 }, { "follow", 0 },  { "track", 0 },  { "snow", 0 },
  { NULL, 0 },
};

const RobotWord robot_sport_mode_words[] = {
  { "general", 1 }, { "in_place", 2 }, { "stair", 3 }, { "nav", 0 },
  { "follow", 0 },  { "track", 0 },    { NULL, 0 },
};

const RobotWord robot_speed_level_words[] = {
  { "slow", 1 }, { "medium", 2 }, { "high", 3 }, { "nav", 0 }, { NULL, 0 },
};

const RobotWord robot_head_direction_words[] = {
  { "head", 1 },
  { "tail", 2 },
  { NULL, 0 },
};

const RobotWord robot_knee_words[] = {
  { "same", 0 },
  { "medial_facing", 0 },
  { NULL, 0 },
};

const RobotWord robot_fault_words[] = {
  { "Actuator/Disabled", 10 },
  { "Actuator/EncoderError", 11 },
  { "Actuator/Offline", 12 },
  { "Actuator/OverVoltage", 13 },
  { "Actuator/Overheat", 14 },
  { "Actuator/TempWarn", 15 },
  { "Actuator/Timeout", 16 },
  { "Actuator/Undervolt", 17 },
  { "PowerControl/OverTemp", 18 },
  { "PowerControl/PowerEmpty", 19 },
  { "PowerControl/PowerLow", 20 },
  { "PowerControl/Offline", 21 },
  { "CAN/Broken", 22 },
  { "RobotRemote/KeepAliveFailure", 23 },
  { "System/ClockSanityError", 24 },
  { "System/RobotStatusError", 25 },
  { "IMU/ConnectError", 26 },
  { "IMU/DataNotUpdated", 27 },
  { NULL, 0 },
};

const guint8 robot_fault_levels[4] = { 0, 3, 2, 1 };

gboolean
robot_word_find (const RobotWord *table, const char *word, guint8 *ret_number)
{
  for (; table->word != NULL; table++) {
    if (strcmp (table->word, word) == 0) {
      *ret_number = table->number;
      return TRUE;
    }
  }
  *ret_number = 0;
  return FALSE;
}

int
robot_owner_class (guint32 src)
{
  return src >= ROBOT_SRC_APP && src <= ROBOT_SRC_EXTERNAL ? (int) src - 1 : -1;
}

const char *
robot_owner_name (int control_source)
{
  static const char *const names[] = { "nobody", "the APP", "an SDK client", "an external client" };

  if (control_source < 0 || control_source >= (int) G_N_ELEMENTS (names))
    return "an unknown client";
  return names[control_source];
}

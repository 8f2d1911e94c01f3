/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The telemetry decoder of robot-ws beside json-glib, which only parses the same text: the
 * median of several rounds. One line of JSON for each stream.
 */

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "robot-decode.h"
#include "robot/sim-robot-telemetry.h"

#define ROUNDS 9
#define MESSAGES 200

typedef struct {
  guint8 *units[MESSAGES];
  gsize sizes[MESSAGES];
} Set;

static double
now_s (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *values)
{
  qsort (values, ROUNDS, sizeof *values, compare);
  return values[ROUNDS / 2];
}

static void
make_set (const SimRobotModel *model, SimRobotStream stream, Set *set)
{
  g_autoptr (GString) text = g_string_new ("");

  for (guint k = 0; k < MESSAGES; k++) {
    g_string_truncate (text, 0);
    sim_robot_write (model, stream, k, 1, 0, text);
    set->sizes[k] = ROBOT_HEADER_SIZE + text->len;
    set->units[k] = g_malloc (set->sizes[k]);
    robot_unit_header (set->units[k], (guint16) text->len, (guint16) k);
    memcpy (set->units[k] + ROBOT_HEADER_SIZE, text->str, text->len);
  }
}

static double
time_json_glib (const Set *set)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  double begin = now_s ();

  for (guint k = 0; k < MESSAGES; k++)
    if (!json_parser_load_from_data (parser, (const char *) set->units[k] + ROBOT_HEADER_SIZE,
                                     (gssize) (set->sizes[k] - ROBOT_HEADER_SIZE), NULL))
      abort ();
  return MESSAGES / (now_s () - begin);
}

static RobotReject
decode (RobotDecoder *decoder, SimRobotStream stream)
{
  static AcqRobotState state;
  static AcqRobotMotion motion;
  static AcqRobotFaults faults;
  static RobotJoints joints;
  static AcqImu imu;
  static AcqIlluminance lux;
  static AcqTwistStamped twist;

  switch (stream) {
  case SIM_ROBOT_STATE:
    return robot_decode_state (decoder, &state);
  case SIM_ROBOT_FAULTS:
    return robot_decode_faults (decoder, &faults);
  case SIM_ROBOT_IMU:
    return robot_decode_imu (decoder, &imu);
  case SIM_ROBOT_LUX:
    return robot_decode_lux (decoder, &lux);
  case SIM_ROBOT_MOTION:
    return robot_decode_motion (decoder, &motion);
  case SIM_ROBOT_SPEED:
    return robot_decode_speed (decoder, &twist);
  case SIM_ROBOT_JOINTS:
    return robot_decode_joints (decoder, &joints);
  case SIM_ROBOT_N_TELEMETRY:
    break;
  }
  return ROBOT_REJECT_NO_TYPE;
}

static double
time_decoder (RobotDecoder *decoder, SimRobotStream stream, const Set *set)
{
  double begin = now_s ();

  for (guint repeat = 0; repeat < 10; repeat++)
    for (guint k = 0; k < MESSAGES; k++)
      if (robot_decoder_read (decoder, set->units[k], set->sizes[k]) != ROBOT_REJECT_NONE ||
          decode (decoder, stream) != ROBOT_REJECT_NONE)
        abort ();
  return 10 * MESSAGES / (now_s () - begin);
}

int
main (void)
{
  static const char *const names[] = {
    "state", "faults", "imu", "lux", "motion", "speed", "joints"
  };
  RobotDecoder decoder;
  SimRobotModel model;

  sim_robot_model_init (&model);
  model.epoch_ns = G_GUINT64_CONSTANT (1767225600123456789);
  robot_decoder_init (&decoder, 1);
  for (guint stream = 0; stream < SIM_ROBOT_N_TELEMETRY; stream++) {
    double ours[ROUNDS], theirs[ROUNDS], a, b;
    Set set;

    make_set (&model, (SimRobotStream) stream, &set);
    for (guint i = 0; i < ROUNDS; i++) {
      robot_decoder_restart (&decoder);
      ours[i] = time_decoder (&decoder, (SimRobotStream) stream, &set);
      theirs[i] = time_json_glib (&set);
    }
    a = median (ours);
    b = median (theirs);
    printf ("{\"stream\":\"%s\",\"bytes\":%" G_GSIZE_FORMAT
            ",\"decoded_per_s\":%.0f,\"parsed_per_s\":%.0f}\n",
            names[stream], set.sizes[0], a, b);
    for (guint k = 0; k < MESSAGES; k++)
      g_free (set.units[k]);
  }
  robot_decoder_clear (&decoder);
  return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */

/* acq-sim fsnh: the host software of a pair of FSNH gloves. Two solvers, one per hand,
 * beat half a period apart; each beat goes out when it is due. */

#include "sim-fsnh-command.h"
#include "sim-fsnh-net.h"
#include "sim-fsnh-solver.h"
#include "sim-options.h"
#include "sim-pace.h"
#include "sim-report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char description[] =
    "Simulates the host software of FSNH v4 gloves: one UDP packet per hand and beat with the\n"
    "joints of a hand that opens and closes. The motion is a closed form of the frame number, so\n"
    "that every recorded value can be checked; --report says what a receiver must have counted.\n"
    "\n"
    "Examples:\n"
    "  acq-sim fsnh --duration 10s\n"
    "  acq-sim fsnh --hands left --mode forearm --rate 60\n"
    "  acq-sim fsnh -d 10s --faults loss:p=0.01,stall:at=2s:n=60,malformed:every=50 --report -";

typedef struct {
  SimOptions common;
  char *host;
  int port;
  char *hands;
  char *mode;
  double rate;
  gint64 count;
  gint64 start_index;
  char *timestamp;
  gboolean fast;
  char *bind;
  char *wrong;
  char *interface;
  int hops;
  char *magic;
  char *quat_order;

  /* From the above. */
  guint hand_bits;
  SimFsnhMode mode_value;
  guint64 clock_ns;
  guint32 constants[2];
} Options;

static void
options_clear (Options *self)
{
  char *const strings[] = { self->host,  self->hands,     self->mode,  self->timestamp, self->bind,
                            self->wrong, self->interface, self->magic, self->quat_order };

  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    g_free (strings[i]);
  sim_options_clear (&self->common);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

typedef struct {
  const Options *options;
  SimFsnhWriter *writer;
  SimFsnhNet *net;
  SimFsnhLedger ledger;
  SimFsnhSolver solvers[SIM_FSNH_N_HANDS];
  gint64 started_ns;
  gint64 ended_ns;
  GError *error; /* the first one of the network */
} Run;

static gboolean
parse_u64 (const char *name, const char *text, guint base, guint64 max, guint64 *ret_value,
           GError **error)
{
  const char *digits = base == 16 && g_str_has_prefix (text, "0x") ? text + 2 : text;

  if (g_ascii_string_to_unsigned (digits, base, 0, max, ret_value, NULL))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               base == 16 ? "%s is \"%s\"; allowed: a number of 32 bits like 0x464E4853"
                          : "%s is \"%s\"; allowed: nanoseconds",
               name, text);
  return FALSE;
}

static gboolean
check_options (Options *self, GError **error)
{
  static const char *const hands[] = { "both", "left", "right", NULL };
  static const char *const modes[] = { "wrist", "forearm", NULL };
  static const guint bits[] = { 3, 1, 2 };
  guint64 magic = 0x464E4853, quat_order = 0x77787A79;
  int hand = sim_option_choice ("--hands", self->hands, hands, error);
  int mode = hand < 0 ? -1 : sim_option_choice ("--mode", self->mode, modes, error);

  if (mode < 0 || !sim_option_in_range ("--port", self->port, 1, 65535, error) ||
      !sim_option_in_range ("--rate", self->rate, 0.01, 1e6, error) ||
      !sim_option_in_range ("--count", (double) self->count, 0, 1e15, error) ||
      !sim_option_in_range ("--start-index", (double) self->start_index, 0, G_MAXUINT32, error) ||
      !sim_option_in_range ("--hops", self->hops, 0, 255, error))
    return FALSE;
  self->clock_ns = (guint64) sim_now_ns ();
  if (self->timestamp != NULL &&
      !parse_u64 ("--timestamp", self->timestamp, 10, G_MAXINT64, &self->clock_ns, error))
    return FALSE;
  if (self->magic != NULL && !parse_u64 ("--magic", self->magic, 16, G_MAXUINT32, &magic, error))
    return FALSE;
  if (self->quat_order != NULL &&
      !parse_u64 ("--quat-order", self->quat_order, 16, G_MAXUINT32, &quat_order, error))
    return FALSE;
  self->hand_bits = bits[hand];
  self->mode_value = (SimFsnhMode) mode;
  self->constants[0] = (guint32) magic;
  self->constants[1] = (guint32) quat_order;
  return TRUE;
}

static gboolean
parse_options (Options *self, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "host", 'H', 0, G_OPTION_ARG_STRING, &self->host,
      "Where to send: name or address, IPv4, IPv6 or a multicast group (default 127.0.0.1)",
      "HOST" },
    { "port", 'p', 0, G_OPTION_ARG_INT, &self->port, "UDP port (default 15001)", "N" },
    { "hands", 0, 0, G_OPTION_ARG_STRING, &self->hands, "both, left or right (default both)",
      "HANDS" },
    { "mode", 0, 0, G_OPTION_ARG_STRING, &self->mode,
      "wrist (21 joints) or forearm (22 joints) (default wrist)", "MODE" },
    { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &self->rate, "Beats per second and hand (default 120)",
      "HZ" },
    { "count", 'n', 0, G_OPTION_ARG_INT64, &self->count, "Stop after this many beats per hand",
      "N" },
    { "start-index", 0, 0, G_OPTION_ARG_INT64, &self->start_index, "First frame number (default 0)",
      "N" },
    { "timestamp", 0, 0, G_OPTION_ARG_STRING, &self->timestamp,
      "The sender's clock at the start (default: this machine's monotonic clock)", "NS" },
    { "as-fast-as-possible", 0, 0, G_OPTION_ARG_NONE, &self->fast,
      "Do not wait for the beats: for benchmarks", NULL },
    { "bind", 0, 0, G_OPTION_ARG_STRING, &self->bind, "Our own address", "ADDRESS" },
    { "wrong-source", 0, 0, G_OPTION_ARG_STRING, &self->wrong,
      "The address that the fault wrong-source sends from (default 127.0.0.2)", "ADDRESS" },
    { "interface", 0, 0, G_OPTION_ARG_STRING, &self->interface,
      "Network interface, for multicast and link-local addresses", "NAME" },
    { "hops", 0, 0, G_OPTION_ARG_INT, &self->hops, "How far multicast goes (default 1)", "N" },
    { "magic", 0, 0, G_OPTION_ARG_STRING, &self->magic,
      "Number at the head of each packet (default 0x464E4853)", "HEX" },
    { "quat-order", 0, 0, G_OPTION_ARG_STRING, &self->quat_order,
      "Number that names the quaternion order (default 0x77787A79)", "HEX" },
    { NULL },
  };

  self->port = 15001;
  self->rate = 120;
  self->hops = 1;
  if (!sim_options_parse (&self->common, entries, &sim_fsnh_grammar, description, argc, argv,
                          error) ||
      !check_options (self, error))
    return FALSE;
  if (self->host == NULL)
    self->host = g_strdup ("127.0.0.1");
  return TRUE;
}

static void
emit (const SimFsnhDatagram *datagram, gpointer user_data)
{
  Run *run = user_data;

  sim_fsnh_ledger_sent (&run->ledger, datagram);
  sim_fsnh_net_send (run->net, datagram, run->error == NULL ? &run->error : NULL);
}

static gboolean
has_fault (const SimFaultPlan *plan, guint kind)
{
  for (gsize i = 0; i < plan->n_faults; i++)
    if (plan->faults[i].kind == kind)
      return TRUE;
  return FALSE;
}

static gboolean
run_open (Run *run, GError **error)
{
  const Options *o = run->options;
  const SimFsnhTarget target = {
    .host = o->host,
    .port = (guint16) o->port,
    .bind = o->bind,
    .wrong = o->wrong,
    .interface = o->interface,
    .hops = o->hops,
    .needs_wrong = has_fault (o->common.faults, SIM_FSNH_FAULT_WRONG_SOURCE),
  };

  run->net = sim_fsnh_net_open (&target, error);
  if (run->net == NULL)
    return FALSE;
  run->writer = sim_fsnh_writer_new (o->constants[0], o->constants[1]);
  for (guint i = 0; i < SIM_FSNH_N_HANDS; i++) {
    run->solvers[i] = (SimFsnhSolver){
      .hand = i,
      .mode = o->mode_value,
      .rate_hz = o->rate,
      .start_index = (guint32) o->start_index,
      .clock_ns = o->clock_ns,
      .seed = (guint64) o->common.seed,
      .plan = o->common.faults,
      .writer = run->writer,
      .ledger = &run->ledger.hands[i],
      .emit = emit,
      .user_data = run,
    };
    sim_fsnh_solver_begin (&run->solvers[i]);
  }
  return TRUE;
}

static void
run_close (Run *run)
{
  g_clear_pointer (&run->net, sim_fsnh_net_close);
  g_clear_pointer (&run->writer, sim_fsnh_writer_free);
  g_clear_error (&run->error);
}

/* When the next beat of a hand is due, after the start; -1 when it has no more. */
static gint64
next_due (const Run *run, guint hand)
{
  const Options *o = run->options;
  guint64 beat = run->solvers[hand].beat;
  gint64 due = sim_beat_ns (beat, o->rate);

  if ((o->hand_bits >> hand & 1) == 0 || (o->count > 0 && beat >= (guint64) o->count) ||
      (o->common.duration_ns > 0 && due >= o->common.duration_ns))
    return -1;
  /* The hands are solved one after the other. */
  return due + (hand == SIM_FSNH_RIGHT ? (gint64) (5e8 / o->rate) : 0);
}

static void
run_loop (Run *run)
{
  gboolean fast = run->options->fast;

  run->started_ns = sim_now_ns ();
  while (run->error == NULL && !sim_stop_requested ()) {
    gint64 left = next_due (run, SIM_FSNH_LEFT), right = next_due (run, SIM_FSNH_RIGHT);
    SimFsnhHand hand = right < 0 || (left >= 0 && left <= right) ? SIM_FSNH_LEFT : SIM_FSNH_RIGHT;
    gint64 due = hand == SIM_FSNH_LEFT ? left : right;

    if (due < 0)
      break;
    if (!fast && run->started_ns + due > sim_now_ns ()) {
      if (!sim_fsnh_net_flush (run->net, &run->error) || !sim_pace_wait (run->started_ns + due))
        break;
    }
    sim_fsnh_solver_beat (&run->solvers[hand]);
  }
  for (guint i = 0; i < SIM_FSNH_N_HANDS; i++)
    sim_fsnh_solver_end (&run->solvers[i]);
  if (run->error == NULL)
    sim_fsnh_net_flush (run->net, &run->error);
  run->ended_ns = sim_now_ns ();
}

static void
report_head (const Run *run, JsonBuilder *builder)
{
  static const char *const senders[] = { "main", "second", "wrong" };
  const Options *o = run->options;

  json_builder_set_member_name (builder, "program");
  json_builder_add_string_value (builder, "acq-sim fsnh");
  json_builder_set_member_name (builder, "version");
  json_builder_add_string_value (builder, ACQ_VERSION);
  json_builder_set_member_name (builder, "target");
  json_builder_add_string_value (builder, sim_fsnh_net_get_target (run->net));
  json_builder_set_member_name (builder, "senders");
  json_builder_begin_object (builder);
  for (guint i = 0; i < SIM_FSNH_N_SENDERS; i++)
    if (sim_fsnh_net_get_source (run->net, i) != NULL) {
      json_builder_set_member_name (builder, senders[i]);
      json_builder_add_string_value (builder, sim_fsnh_net_get_source (run->net, i));
    }
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "rate_hz");
  json_builder_add_double_value (builder, o->rate);
  json_builder_set_member_name (builder, "seed");
  json_builder_add_int_value (builder, o->common.seed);
  json_builder_set_member_name (builder, "seconds");
  json_builder_add_double_value (builder, (double) (run->ended_ns - run->started_ns) / 1e9);
  sim_report_count (builder, "nobody_listening", sim_fsnh_net_get_refused (run->net));
}

static gboolean
write_report (const Run *run, GError **error)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const char *names[SIM_FSNH_N_FAULTS];
  guint64 struck[SIM_FSNH_N_FAULTS] = { 0 };

  if (run->options->common.report == NULL)
    return TRUE;
  for (guint i = 0; i < SIM_FSNH_N_FAULTS; i++) {
    names[i] = sim_fsnh_grammar.kinds[i].name;
    for (guint hand = 0; hand < SIM_FSNH_N_HANDS; hand++)
      struck[i] += run->solvers[hand].struck[i];
  }
  json_builder_begin_object (builder);
  report_head (run, builder);
  sim_fsnh_ledger_report (&run->ledger, builder);
  sim_report_counts (builder, "faults", names, struck, SIM_FSNH_N_FAULTS);
  json_builder_end_object (builder);
  return sim_report_write (builder, run->options->common.report, error);
}

static void
print_start (const Run *run)
{
  static const char *const hands[] = { "", "the left hand", "the right hand", "both hands" };
  const Options *o = run->options;

  fprintf (stderr, "acq-sim fsnh: sending %s (%s) to udp %s, %s%s\n", hands[o->hand_bits],
           o->mode_value == SIM_FSNH_FOREARM ? "forearm, 22 joints" : "wrist, 21 joints",
           sim_fsnh_net_get_target (run->net),
           o->fast ? "as fast as possible" : "at the glove's pace",
           o->common.duration_ns > 0 || o->count > 0 ? "" : "; Ctrl-C ends it");
}

static void
print_end (const Run *run)
{
  double seconds = (double) (run->ended_ns - run->started_ns) / 1e9;

  fprintf (stderr, "acq-sim fsnh: %" G_GUINT64_FORMAT " datagrams in %.3f s\n",
           run->ledger.datagrams, seconds);
  if (sim_fsnh_net_get_refused (run->net) > 0)
    fprintf (stderr, "acq-sim fsnh: nobody was listening there at least part of the time\n");
}

static int
fsnh_run (int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_autofree Run *run = g_new0 (Run, 1);
  g_autoptr (GError) error = NULL;
  gboolean ok;

  if (!parse_options (&options, argc, argv, &error)) {
    fprintf (stderr, "acq-sim fsnh: %s\n", error->message);
    return SIM_EXIT_USAGE;
  }
  run->options = &options;
  sim_stop_install ();
  if (!run_open (run, &error)) {
    fprintf (stderr, "acq-sim fsnh: %s\n", error->message);
    run_close (run);
    return error->domain == G_OPTION_ERROR ? SIM_EXIT_USAGE : SIM_EXIT_FAILED;
  }
  if (!options.common.quiet)
    print_start (run);
  run_loop (run);
  if (!options.common.quiet)
    print_end (run);
  if (run->error != NULL)
    fprintf (stderr, "acq-sim fsnh: %s\n", run->error->message);
  ok = write_report (run, &error) && run->error == NULL;
  if (error != NULL)
    fprintf (stderr, "acq-sim fsnh: %s\n", error->message);
  run_close (run);
  return ok ? SIM_EXIT_OK : SIM_EXIT_FAILED;
}

const SimCommand sim_fsnh_command = {
  .name = "fsnh",
  .summary = "gloves that send FSNH v4 over UDP",
  .run = fsnh_run,
};

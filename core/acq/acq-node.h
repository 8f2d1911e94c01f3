/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include <acq/acq-msgs.h>
#include <acq/acq-option.h>
#include <acq/acq-stream.h>

/**
 * AcqNodeState:
 *
 * new → opening → running → (lost → opening)* → stopping → closed | stuck | failed
 */
typedef enum {
  ACQ_NODE_NEW,
  ACQ_NODE_OPENING,
  ACQ_NODE_RUNNING,
  ACQ_NODE_LOST,
  ACQ_NODE_STOPPING,
  ACQ_NODE_CLOSED,
  ACQ_NODE_STUCK,
  ACQ_NODE_FAILED,
} AcqNodeState;

ACQ_API const char *acq_node_state_to_string (AcqNodeState state);

#define ACQ_TYPE_NODE (acq_node_get_type ())
ACQ_API GType acq_node_get_type (void);
G_DECLARE_DERIVABLE_TYPE (AcqNode, acq_node, ACQ, NODE, GObject)

/**
 * AcqNodeClass:
 * @check: (nullable): are the options right together? Touches no device. Main thread, before open
 * @open: (nullable): make ready; may block, honours @cancellable. On the node's own thread
 * @close: (nullable): undo open; never fails. On the node's own thread, also after a failed open
 *
 * Base of every plugin. open() starts clean every time; calls on one node never
 * overlap; options do not change between open() and close(), so a plugin needs
 * no lock for them.
 */
struct _AcqNodeClass {
  GObjectClass parent_class;
  gboolean (*check) (AcqNode *self, GError **error);
  gboolean (*open) (AcqNode *self, GCancellable *cancellable, GError **error);
  void (*close) (AcqNode *self);
  /*< private >*/
  const AcqOption *options;
  guint n_options;
  gpointer reserved[8];
};

/**
 * acq_node_class_add_options:
 * @klass: in class_init
 * @options: (array length=n): static table
 * @n: how many
 *
 * Installs the option table: each becomes a GObject property and a JSON key.
 */
ACQ_API void acq_node_class_add_options (AcqNodeClass *klass, const AcqOption *options, guint n);

/* acq_node_class_list_options: Returns: (transfer none): the table, own options only */
ACQ_API const AcqOption *acq_node_class_list_options (AcqNodeClass *klass, guint *ret_n);

/**
 * acq_node_set_option:
 * @self: a node that is not open
 * @name: an option
 * @value: a JSON value
 * @error: what is wrong, what is allowed
 *
 * The one way to set an option: property setters, the pipeline loader and
 * `--set` end here.
 *
 * Returns: %TRUE if the option has the value
 */
ACQ_API gboolean acq_node_set_option (AcqNode *self, const char *name, JsonNode *value,
                                      GError **error);

/** acq_node_set_option_text: the same, the value as JSON text or, failing that, as a bare string */
ACQ_API gboolean acq_node_set_option_text (AcqNode *self, const char *name, const char *text,
                                           GError **error);

/** acq_node_check: required options and the class's own check */
ACQ_API gboolean acq_node_check (AcqNode *self, GError **error);

/** acq_node_options_to_json: Returns: (transfer full): an object with every option in force */
ACQ_API JsonNode *acq_node_options_to_json (AcqNode *self);

/** acq_node_set_id: for nodes that no registry made; before acq_graph_add() */
ACQ_API void acq_node_set_id (AcqNode *self, const char *id);
ACQ_API const char *acq_node_get_id (AcqNode *self);
ACQ_API const char *acq_node_get_label (AcqNode *self);
ACQ_API void acq_node_set_label (AcqNode *self, const char *label);
ACQ_API const AcqPlugin *acq_node_get_plugin (AcqNode *self);
ACQ_API AcqNodeState acq_node_get_state (AcqNode *self);

/** acq_node_ref_graph: Returns: (nullable) (transfer none): the graph it is in */
ACQ_API AcqGraph *acq_node_get_graph (AcqNode *self);

/** acq_node_get_host_clock: Returns: (transfer none): host time of the graph */
ACQ_API AcqHostClock *acq_node_get_host_clock (AcqNode *self);

/** acq_node_now: host time, nanoseconds */
ACQ_API gint64 acq_node_now (AcqNode *self);

/**
 * acq_node_set_fact:
 * @self: a node
 * @key: `section` and `kind` place it in session.json (for example `gloves`, `wuji`); `serial`,
 *   `side`, `firmware` … describe the device
 * @value: (nullable): text
 *
 * What a node declares about itself: it goes to session.json, to the files'
 * metadata and the status. Thread: any.
 */
ACQ_API void acq_node_set_fact (AcqNode *self, const char *key, const char *value);
ACQ_API char *acq_node_get_fact (AcqNode *self, const char *key);
/** acq_node_list_facts: Returns: (transfer full): key, value, key, value, …, %NULL */
ACQ_API char **acq_node_list_facts (AcqNode *self);

/**
 * acq_node_attach:
 * @self: a node
 * @name: file name, unique in the node
 * @media_type: for example `application/json`
 * @data: the bytes
 *
 * Gives something to keep with the recording: a calibration, a format
 * description. Sinks that can, store it; one attached during a take too.
 * Thread: any.
 */
ACQ_API void acq_node_attach (AcqNode *self, const char *name, const char *media_type,
                              GBytes *data);

/**
 * acq_node_event:
 * @self: a node
 * @event: kind, severity, name, message, …; node and header are filled in
 *
 * Tells what happened. It goes to the status, the report and the files.
 * Not for every frame: a change, not a state. Thread: any.
 */
ACQ_API void acq_node_event (AcqNode *self, const AcqEvent *event);

/**
 * acq_node_notice:
 * @self: a node
 * @severity: `ACQ_EVENT_SEVERITY_…`
 * @name: machine-readable word
 * @format: printf style, for people
 *
 * Short form of acq_node_event() with kind notice, or alert from warning up.
 */
ACQ_API void acq_node_notice (AcqNode *self, guint severity, const char *name, const char *format,
                              ...) G_GNUC_PRINTF (4, 5);

/**
 * acq_node_step:
 * @self: a node
 * @what: (nullable): a call that cannot be cancelled, for example `wuji_connect`; %NULL ends it
 * @seconds: how long it may take
 *
 * Puts a deadline on what the node's own thread does next. When it passes, the
 * node is declared stuck by that name, and its thread is abandoned.
 */
ACQ_API void acq_node_step (AcqNode *self, const char *what, double seconds);

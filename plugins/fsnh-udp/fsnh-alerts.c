/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-alerts.h"

#include <string.h>

/* So many packets in a row that only their constants speak against, and none that is right:
 * one alone may as well be damaged. */
#define DOUBTS 3

#define DROPS_INTERVAL_NS G_GINT64_CONSTANT (1000000000)

static void
remember (FsnhRefusal *refusal, const guint8 *bytes, gsize length, const FsnhSource *source)
{
  refusal->source = *source;
  refusal->length = length;
  memcpy (refusal->header, bytes, MIN (length, sizeof refusal->header));
}

static guint32
number_at (const guint8 *bytes)
{
  return bytes[0] | (guint32) bytes[1] << 8 | (guint32) bytes[2] << 16 | (guint32) bytes[3] << 24;
}

static void
look_for_doubt (FsnhAlerts *self, const guint8 *bytes, gsize length, const FsnhSource *source)
{
  FsnhConstants own = { number_at (bytes), number_at (bytes + 20) };
  FsnhPacket packet;

  if (fsnh_packet_parse (bytes, length, &own, &packet) != FSNH_VALID)
    return;
  if (own.magic != self->doubt.magic || own.quat_order != self->doubt.quat_order)
    self->doubts = 0;
  self->doubts++;
  self->doubt = own;
  remember (&self->doubted, bytes, length, source);
}

void
fsnh_alerts_refused (FsnhAlerts *self, FsnhReason reason, const guint8 *bytes, gsize length,
                     const FsnhSource *source)
{
  if ((self->seen & 1u << reason) == 0) {
    self->seen |= 1u << reason;
    remember (&self->refusals[reason], bytes, length, source);
  }
  if (!self->valid_seen && self->doubts < DOUBTS &&
      (reason == FSNH_BAD_MAGIC || reason == FSNH_BAD_QUAT_ORDER))
    look_for_doubt (self, bytes, length, source);
}

void
fsnh_alerts_valid (FsnhAlerts *self)
{
  self->valid_seen = TRUE;
}

void
fsnh_alerts_wrong_source (FsnhAlerts *self, const FsnhSource *source)
{
  if (!self->wrong_source_seen)
    self->wrong_source = *source;
  self->wrong_source_seen = TRUE;
}

void
fsnh_alerts_drops (FsnhAlerts *self, guint64 n)
{
  self->drops += n;
}

static void
header_to_hex (const FsnhRefusal *refusal, char text[2 * FSNH_HEADER_SIZE + 1])
{
  text[0] = '\0';
  for (gsize i = 0; i < MIN (refusal->length, sizeof refusal->header); i++)
    g_snprintf (text + 2 * i, 3, "%02x", refusal->header[i]);
}

static void
tell_refusal (FsnhAlerts *self, FsnhReason reason, AcqNode *node, const char *port)
{
  const FsnhRefusal *refusal = &self->refusals[reason];
  char hex[2 * FSNH_HEADER_SIZE + 1];
  char sender[FSNH_SOURCE_TEXT];

  fsnh_source_to_text (&refusal->source, sender);
  header_to_hex (refusal, hex);
  if (fsnh_reason_is_foreign (reason))
    acq_node_notice (node, ACQ_EVENT_SEVERITY_INFO, fsnh_reason_name (reason),
                     "%s: %s sends another product's packets (%zu bytes) to this port; they are "
                     "counted and not decoded",
                     port, sender, refusal->length);
  else
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, fsnh_reason_name (reason),
                     "%s: a datagram of %s (%zu bytes) was refused: %s; header %s. Others of the "
                     "kind are counted",
                     port, sender, refusal->length, fsnh_reason_name (reason), hex);
}

static void
tell_doubt (FsnhAlerts *self, AcqNode *node, const char *port)
{
  g_autoptr (GString) options = g_string_new (NULL);
  char hex[2 * FSNH_HEADER_SIZE + 1];
  char sender[FSNH_SOURCE_TEXT];

  fsnh_source_to_text (&self->doubted.source, sender);
  header_to_hex (&self->doubted, hex);
  g_string_append_printf (options, "\"magic\": \"0x%08X\", \"quat-order\": \"0x%08X\"",
                          self->doubt.magic, self->doubt.quat_order);
  acq_node_notice (node, ACQ_EVENT_SEVERITY_ERROR, "doubtful_constant",
                   "%s: the packets of %s are refused only for a constant of their header, which "
                   "the protocol's document may have wrong; header %s. To record them set %s, and "
                   "check that the hand on the screen turns as the real one does",
                   port, sender, hex, options->str);
}

static void
tell_drops (FsnhAlerts *self, AcqNode *node, const char *port, gint64 now_ns)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_ALERT, .severity = ACQ_EVENT_SEVERITY_WARNING };

  g_strlcpy (event.name, "kernel_drops", sizeof event.name);
  g_snprintf (event.message, sizeof event.message,
              "%s: the kernel dropped %" G_GUINT64_FORMAT " datagrams; a larger receive buffer "
              "(option \"receive-buffer\", sysctl net.core.rmem_max) or a less busy machine helps",
              port, self->drops);
  event.count = self->drops;
  acq_node_event (node, &event);
  self->drops = 0;
  self->drops_told_ns = now_ns;
}

void
fsnh_alerts_tell (FsnhAlerts *self, AcqNode *node, const char *port, gint64 now_ns)
{
  char sender[FSNH_SOURCE_TEXT];

  for (guint reason = 0; self->seen != self->told && reason < FSNH_N_REASONS; reason++)
    if ((self->seen & ~self->told) >> reason & 1)
      tell_refusal (self, reason, node, port);
  self->told = self->seen;
  if (self->doubts == DOUBTS && !self->doubt_told) {
    tell_doubt (self, node, port);
    self->doubt_told = TRUE;
  }
  if (self->wrong_source_seen && !self->wrong_source_told) {
    fsnh_source_to_text (&self->wrong_source, sender);
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "wrong_source",
                     "%s: %s sends to this port and is not in \"allow\"; its datagrams are counted "
                     "and ignored",
                     port, sender);
  }
  self->wrong_source_told = self->wrong_source_seen;
  if (self->drops > 0 && now_ns - self->drops_told_ns >= DROPS_INTERVAL_NS)
    tell_drops (self, node, port, now_ns);
}

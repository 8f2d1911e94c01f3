/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Verifier and recovery on any bytes. Whatever comes in, recovery makes a file
 * without an error, and it holds as many messages as recovery says.
 */

#include <acq/acq-mcap-recover.h>
#include <acq/acq-mcap-verify.h>

#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
recover (AcqMcapSpan file, AcqMcapRecoverFlags flags)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (AcqMcapReport) report = NULL;
  AcqMcapRecovery recovery;

  if (!acq_mcap_recover (file, acq_mcap_output_new_for_memory (out), flags, &recovery, NULL))
    return;
  report = acq_mcap_verify ((AcqMcapSpan){ out->data, out->len }, ACQ_MCAP_VERIFY_DEFAULT);
  for (guint i = 0; i < report->problems->len; i++) {
    const AcqMcapProblem *problem = report->problems->pdata[i];
    if (problem->is_error)
      g_error ("at %" G_GUINT64_FORMAT ": %s", problem->offset, problem->text);
  }
  g_assert_cmpuint (report->n_messages, ==, recovery.messages);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  /* The magic bytes are given: finding them is not what is tested. */
  g_autofree guint8 *bytes = g_malloc (size + ACQ_MCAP_MAGIC_SIZE);
  AcqMcapSpan file = { bytes, size + ACQ_MCAP_MAGIC_SIZE };

  memcpy (bytes, ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE);
  if (size != 0)
    memcpy (bytes + ACQ_MCAP_MAGIC_SIZE, data, size);
  acq_mcap_report_free (acq_mcap_verify (file, ACQ_MCAP_VERIFY_ORDER));
  recover (file, ACQ_MCAP_RECOVER_DEFAULT);
  recover (file, ACQ_MCAP_RECOVER_KEEP_DAMAGED);
  return 0;
}

/* What the answers of a server have in their fields: every answer of a probe is walked along the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_FIELDS_NOTES_H
#define CONFORMANCE_PROBE_FIELDS_NOTES_H

#include "conformance/probe/run/run.h"

typedef struct probe_notes probe_notes;

/* NULL if out of memory. */
probe_notes *probe_notes_new(void);
void probe_notes_free(probe_notes *notes);

/* Walks the answer of an exchange, and notes it in run->notes. Does nothing with an answer that is not
 * complete, or whose path is none of the endpoints'. What runs out of memory is in run->findings.failed. */
void probe_notes_take(probe_run *run, const probe_exchange *x);

/* Adds a row to the report for each field that breaks its rule, for each form one that counts the fields that
 * hold, and one that names the fields that the table does not have.
 * Returns ASSAY_OK: a group of checks. */
assay_status probe_notes_report(probe_run *run, assay_error *err);

#endif

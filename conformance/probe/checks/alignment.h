/* Whether the log-probabilities of an answer are those of its text: a row for each token, at its place, and
 * no later than its text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_ALIGNMENT_H
#define CONFORMANCE_PROBE_CHECKS_ALIGNMENT_H

#include "conformance/probe/checks/follow.h"
#include "conformance/probe/run/run.h"

/* Answers of one way whose rows are not as expected: the first one of each kind gets a row of the report.
 * n_*: how many were checked. */
typedef struct probe_alignment {
    const char *way;
    probe_endpoint endpoint;
    size_t n_skipped, n_joined, n_lost, n_offsets_wrong, n_late;
    size_t n_offsets, n_paced, n_answers;
} probe_alignment;

/* Checks an answer to a whole prompt, whose rows were followed. Fails with ASSAY_ENOMEM. */
assay_status probe_alignment_check(probe_run *r, probe_alignment *a, const probe_exchange *x,
                                   const probe_answer *answer, const probe_asked *asked,
                                   const probe_follow *f, assay_error *err);

/* Checks the offsets of rows of a prompt. */
void probe_alignment_check_prompt(probe_run *r, probe_alignment *a, const probe_exchange *x,
                                  const probe_rows *rows);

/* Adds the rows numerics/WAY/rows, /offsets and /pace for what holds. */
void probe_alignment_report(probe_run *r, const probe_alignment *a);

#endif

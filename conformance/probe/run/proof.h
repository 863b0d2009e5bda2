/* The exchange that shows a finding which is reported later, when the exchange is gone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_PROOF_H
#define CONFORMANCE_PROBE_RUN_PROOF_H

#include "conformance/probe/run/mark.h"
#include "conformance/probe/run/run.h"

/* Zeroed: of no exchange. label: of the exchange. repro, excerpt: as of probe_finding. */
typedef struct probe_proof {
    char label[PROBE_LABEL_MAX];
    char *repro, *excerpt;
} probe_proof;

/* Keeps an exchange; does nothing if *p already has one. False if out of memory. */
bool probe_proof_keep(const probe_run *r, probe_proof *p, const probe_exchange *x, probe_mark mark);

/* Gives a row that counts the kept exchange; other rows, and f NULL, get nothing. False if out of memory. */
bool probe_proof_give(const probe_proof *p, probe_finding *f);

void probe_proof_free(probe_proof *p);

/* Marks what is wrong in the exchange of a row, which x is. False if out of memory. */
bool probe_proof_mark(probe_finding *f, const probe_exchange *x, probe_mark mark);

#endif

/* What the log-probabilities that a server returned in one way amount to, over all prompts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_TALLY_H
#define CONFORMANCE_PROBE_CHECKS_TALLY_H

#include "conformance/probe/run/proof.h"
#include "conformance/probe/truth/judge.h"

/* way: its name in the checks ("echo"). given: the tokens are those of prompts, which a server does not
 * choose. judge: of all rows; begin it with probe_judge_begin. proofs: for each rule, the exchange in
 * which it was broken first; sum: the first with a row whose probabilities add up to more than 1; any: the
 * first. */
typedef struct probe_tally {
    const char *way;
    bool given;
    probe_judge judge;
    probe_proof proofs[PROBE_N_RULES], sum, any;
} probe_tally;

/* After the rows of x were judged: notes x for the rules that it is the first to break. Sets judge.failed if
 * memory runs out. */
void probe_tally_note(const probe_run *r, probe_tally *t, const probe_exchange *x);

/* Adds the rows numerics/<way>/<rule>, /change, /sum and /served-type to the report. */
void probe_tally_report(probe_run *r, probe_tally *t);

void probe_tally_end(probe_tally *t);

#endif

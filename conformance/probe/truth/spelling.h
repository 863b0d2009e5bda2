/* How a row of log-probabilities is written: the rules count, order, text and rank of judge.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TRUTH_SPELLING_H
#define CONFORMANCE_PROBE_TRUTH_SPELLING_H

#include "conformance/probe/truth/judge.h"

/* Judges a row, after probe_judge_row has judged it: j->scratch and j->sorted hold the truth of its place.
 * Does nothing if that is not recorded. */
void probe_spelling_judge(probe_judge *j, const probe_rows *rows, size_t row, const probe_place *place);

#endif

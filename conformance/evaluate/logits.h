/* The verdict on the logits of a replay.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_LOGITS_H
#define CONFORMANCE_EVALUATE_LOGITS_H

#include "conformance/judge/logits.h"
#include "conformance/judge/noise.h"
#include "conformance/replay/state.h"

/* The basis of a bound, for messages: for a float64 candidate a multiple of the largest logit, otherwise a
 * multiple of `unit`, "the noise". */
typedef struct conf_allowance {
    double relative;
    const char *unit;
} conf_allowance;

/* The bounds of this engine: from the noise of the case, or its float64 bound. All zero without a recorded
 * truth. */
conf_bounds conf_evaluate_bounds(const conf_replay *r);

/* Fills in the verdict on n_rows rows of logits; false if they diverge; the caller then calls
 * conf_evaluate_where with p and col of the first diverging row. */
bool conf_evaluate_measures(conf_verdict *v, const conf_logits_judgement *j, const conf_bounds *bounds,
                            size_t n_rows, const conf_allowance *allowance);
void conf_evaluate_where(conf_verdict *v, const conf_place *p, size_t col, double expected, double found);

/* Judges the rows of the whole evaluation; those that were given, if the verdict is CONF_SKIPPED. */
void conf_evaluate_logits(const conf_replay *r, const conf_bounds *bounds);

/* The number of rows of prefill, which are the first of a case's rows. */
size_t conf_rows_of_prefill(const conf_decoder *d);

/* Replaces the measures of an evaluation that agrees, the notes from byte n_kept on, by one line with its
 * multiple: "WHAT it agrees: 0.2 times the noise". The verdict is no longer measured, so that no report
 * shows them as those of a later evaluation that fails. */
void conf_evaluate_put_aside(conf_verdict *v, size_t n_kept, const char *what);

/* Judges the logits of prompts in a session with earlier contents by the same bounds. Does nothing if another
 * part has failed. n_kept: bytes of the notes that precede the measures. If they diverge, the measures are
 * those of this session. */
void conf_evaluate_again(const conf_replay *r, const conf_bounds *bounds, size_t n_kept);

/* Judges the wanted rows of an evaluation in another manner by the same bounds. If they diverge, the measures
 * are those of this manner; the earlier notes follow them. v->where then ends with the steps of the sample.
 */
void conf_evaluate_manner(conf_replay *r, const conf_bounds *bounds, conf_manner manner);

#endif

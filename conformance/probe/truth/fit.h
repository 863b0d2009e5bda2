/* What was done to log-probabilities before they were returned, and in which type the server computes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TRUTH_FIT_H
#define CONFORMANCE_PROBE_TRUTH_FIT_H

#include "conformance/probe/truth/judge.h"

typedef enum probe_change {
    PROBE_UNCHANGED,
    PROBE_SCALED,     /* found = slope · truth + an offset for each row: a temperature of 1 / slope */
    PROBE_OFFSET,     /* the slope is 1, the offsets are not 0: another normalisation, as after top_p */
    PROBE_PENALISED,  /* only tokens of the context differ: a penalty */
    PROBE_UNEXPLAINED /* none of these */
} probe_change;

/* slope: of the least-squares line through all rows, each with an offset of its own; 1 if there are too few
 * values. residual: the largest distance from the fit, in logits. offset: the largest of a row with slope 1.
 */
typedef struct probe_fit {
    probe_change change;
    double slope, offset, residual;
    size_t n;
} probe_fit;

/* pairs: [n], in the order of their rows. bound: that of a log-probability: a fit explains the values if its
 * residual is at most this, or a hundredth of the error that it explains. */
probe_fit probe_fit_of(const probe_pair *pairs, size_t n, double bound);

/* One sentence: "a temperature of 0.7 was applied", … */
void probe_fit_describe(const probe_fit *fit, char *text, size_t size);

/* The type whose noise explains the errors: of the recorded ones with errors[t] ≤ 4 (CONF_NOISE_MULTIPLE) the
 * one with errors[t] nearest to 1, as a ratio. PROBE_TYPES: none does. noise, errors: [PROBE_TYPES]. */
probe_type probe_served_type(const probe_noise *noise, const double *errors);

/* Lists the types whose noise is of the size of the errors, the nearest first: "0.9 times that of bf16, 0.2
 * times that of 4-bit weights". Beside the nearest, those with errors[t] > 1/8. "" if no type explains them.
 */
void probe_served_types(const probe_noise *noise, const double *errors, char *text, size_t size);

#endif

/* Which compute type would explain the error of logits that diverge.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_FIT_H
#define CONFORMANCE_JUDGE_FIT_H

#include "conformance/judge/noise.h"
#include "conformance/judge/verdict.h"

#define CONF_FIT_FACTOR 8.0 /* a type explains errors from an eighth of its noise on */

/* The best of the types that were considered; compute CONF_COMPUTE_NONE: none explains the errors. Zeroed
 * before the first. */
typedef struct conf_fit {
    conf_compute compute;
    double multiple; /* of its noise */
} conf_fit;

/* Considers a type with this noise: it explains the errors if all three are within its bounds and the largest
 * in units of its noise is at least 1 / CONF_FIT_FACTOR. The best has that nearest to 1, as a ratio. A noise
 * whose bound accepts logits of zero explains nothing. max_abs: of the truth. */
void conf_fit_consider(conf_fit *best, conf_compute compute, const conf_distance *errors,
                       const conf_distance *noise, double max_abs);

/* Writes v->explained: "3.9e+04 times the noise of float32; 0.6 times that of q8_K". Nothing if no type
 * explains the errors, or the engine is one in float64. multiple: of the noise that judges. */
void conf_fit_state(conf_verdict *v, double multiple, const conf_fit *best);

#endif

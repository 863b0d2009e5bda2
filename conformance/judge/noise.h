/* Bounds. A candidate's distance from the truth is bounded by a small multiple of the noise: the distance of
 * a recorded run of the published system, in the type that the candidate computes in, from the same truth.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_NOISE_H
#define CONFORMANCE_JUDGE_NOISE_H

#include "conformance/judge/distance.h"

#define CONF_NOISE_MULTIPLE 4.0  /* sound float32 systems stay below 2.2, broken ones are far above */
#define CONF_FLOOR_ULPS     16.0 /* the least noise that is assumed, in ulps of the largest value */
#define CONF_FLOAT64_BOUND                                                                                   \
    1e-11 /* times the largest value; two independent float64 runs differed by 2e-14                         \
           */
#define CONF_FLOAT64_BOUND_MOST 0x1p-24 /* the loosest that a case may set: the unit roundoff of float32 */

/* CONF_FLOOR_ULPS float32 ulps at max_abs: the resolution of logits, which are float32 for any type of
 * activations. It applies to narrower types, too: 16 ulps of bfloat16 would be a sixteenth of the largest
 * logit or more, above the noise of nearly every recorded run, and would widen its bound. */
double conf_noise_floor(double max_abs);

/* The largest distance from the truth that a recorded run in the type `run` can have (ASSAY_DTYPE_NONE: in
 * float32); max_abs: the largest |truth|. A run that is farther away was not computed from these weights and
 * inputs, or not in this type, and bounds derived from it would hide errors: its case is broken.
 *
 * The limit is a multiple of max_abs times the type's unit roundoff u, the most by which rounding changes a
 * number relative to itself (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 2.2):
 *
 *   float32         1024 u, u = 2^-24: 2^-14 max_abs
 *   bfloat16, int8   224 u, u = 2^-8: 7/8 max_abs; int8 codes -127 ... 127 round by 1/254 of the largest
 *
 * The recorded runs that are bundled lie 2 to 332 u away in float32, 0.5 to 47 u in bfloat16 and 2 to 9 u in
 * int8, those of other seeds up to 173 u, 171 u and 38 u; the recorder refuses float32 runs more than 1e-4
 * away (scripts/record/cases.py), which is 420 u of a largest logit of 4. Beyond the limits are a run that
 * was rounded to float16 (at least 2^-13 max_abs), one of zeros (max_abs), and one of other weights, other
 * inputs or permuted rows (about max_abs).
 *
 * There is no lower limit: a small model with exact sums has no noise at all, and conf_noise_floor is used
 * instead. A run that is closer to the truth than its type allows makes bounds tighter, never wider. */
double conf_noise_most(assay_dtype run, double max_abs);

/* The same for an intermediate tensor, in float32: 2^14 u, 2^-10 max_abs. A tensor may be small compared
 * with the terms of its sum; recorded tensors lie up to 327 u away. */
double conf_noise_most_tensor(double max_abs);

/* The bound of each distance, and the unit in which it is reported: limit·unit = bound. A float32
 * candidate's unit is the noise or the floor, whichever is larger, and its limit 4; a float64 candidate's
 * unit is its bound. */
typedef struct conf_bounds {
    double max_abs, rmse, kl; /* units */
    double limit;
} conf_bounds;

/* The noise of a case: the largest of each distance over all rows. truth, float32: [n_rows, n_cols], n_rows >
 * 0. */
conf_distance conf_noise_of(const double *truth, const double *float32, size_t n_rows, size_t n_cols);
conf_bounds conf_bounds_float32(const double *truth, const double *float32, size_t n_rows, size_t n_cols);

/* The bounds for a known noise. max_abs: of the truth. */
conf_bounds conf_bounds_of_noise(const conf_distance *noise, double max_abs);

/* Whether the bound of the largest error refuses logits of zero. max_abs: of the truth; if it is 0, logits
 * of zero are right. A run in a narrower type may be so far away that its bound accepts even zeros: the run
 * cannot be used to judge then. */
bool conf_bounds_refuse_zeros(const conf_bounds *bounds, double max_abs);

/* relative: CONF_FLOAT64_BOUND, or the value that the case states with a reason. */
conf_bounds conf_bounds_float64(const double *truth, size_t n_rows, size_t n_cols, double relative);
conf_bounds conf_bounds_relative(double relative, double max_abs);

/* The unit of a tensor: noise is 0 if none is recorded. */
double conf_unit_float32(double noise, double max_abs);

#endif

/* Noise and bounds. The bound of a candidate is a small multiple of the noise: the distance from the
 * truth of a recorded run of the published system in the type that the candidate computes in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_NOISE_H
#define CONFORMANCE_JUDGE_NOISE_H

#include <stdbool.h>

#include "conformance/judge/compute.h"
#include "conformance/judge/distance.h"

#define CONF_NOISE_MULTIPLE                                                                                  \
    4.0                      /* docs/judging.md: how often sound engines exceed it, and what it catches      \
                              */
#define CONF_FLOOR_ULPS 16.0 /* the lower limit of the noise, in ulps of the largest value */
#define CONF_FLOAT64_BOUND                                                                                   \
    1e-11 /* times the largest value; two independent float64 runs differed by 2e-14                         \
           */
#define CONF_FLOAT64_BOUND_MAX 0x1p-24 /* the loosest that a case may set: the unit roundoff of float32 */

/* The largest error that agrees, in the unit of a verdict's multiple: the noise, or the bound of a float64
 * engine. */
double conf_noise_limit(bool float64);

/* CONF_FLOOR_ULPS float32 ulps at max_abs: the lower limit of the noise. Logits are float32 for any
 * type of activations, so it applies to narrower types, too: 16 ulps of bfloat16 would be a sixteenth
 * of the largest logit or more, which is above the noise of nearly every recorded run and would widen
 * its bound. */
double conf_noise_floor(double max_abs);

/* The largest distance from the truth that a recorded run in the type `run` may have (CONF_COMPUTE_NONE:
 * float32). max_abs: the largest |truth|. A run that is farther away was not computed from these weights
 * and inputs, or not in this type, and bounds derived from it would hide errors: its case is broken.
 *
 * The limit is a multiple of max_abs times the type's unit roundoff u, the largest relative error of
 * rounding (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 2.2):
 *
 *   float32         1024 u, u = 2^-24: 2^-14 max_abs
 *   bfloat16, int8   224 u, u = 2^-8: 7/8 max_abs; int8 codes -127 ... 127 round by 1/254 of the largest
 *
 * The bundled runs are 2 to 332 u away in float32, 0.5 to 47 u in bfloat16 and 2 to 9 u in int8; runs
 * recorded with other seeds are up to 173 u, 171 u and 38 u away. The recorder refuses float32 runs
 * more than 1e-4 away (scripts/record/case/cases.py), which is 420 u for a largest logit of 4. The limits
 * exclude a run that was rounded to float16 (at least 2^-13 max_abs away), a run of zeros (max_abs),
 * and a run of other weights, other inputs or permuted rows (about max_abs).
 *
 * There is no lower limit: a small model with exact sums has no noise at all, and conf_noise_floor is
 * used instead. A run that is implausibly close to the truth makes bounds tighter, never wider. */
double conf_noise_max(conf_compute run, double max_abs);

/* The same limit for an intermediate tensor in float32: 2^14 u = 2^-10 max_abs. It is larger because a
 * tensor's elements may be small compared with the terms of their sums; recorded tensors are up to 327
 * u away. */
double conf_noise_max_tensor(double max_abs);

/* The bound of each distance, and the unit in which it is reported: limit·unit = bound. A float32
 * candidate's unit is the noise or the floor, whichever is larger, and its limit 4; a float64 candidate's
 * unit is its bound. */
typedef struct conf_bounds {
    double max_abs, rmse, kl; /* the unit of each distance */
    double limit;
} conf_bounds;

/* The noise of a case: the largest of each distance over all rows of a recorded run. truth, float32
 * (the run, also in a narrower type): [n_rows, n_cols], n_rows > 0. conf_bounds_float32 derives the
 * bounds from it. */
conf_distance conf_noise_of(const double *truth, const double *float32, size_t n_rows, size_t n_cols);
conf_bounds conf_bounds_float32(const double *truth, const double *float32, size_t n_rows, size_t n_cols);

/* max_abs of conf_noise_of. */
double conf_noise_largest(const double *truth, const double *float32, size_t n_rows, size_t n_cols);

/* The bounds for a known noise. max_abs: of the truth. */
conf_bounds conf_bounds_of_noise(const conf_distance *noise, double max_abs);

/* Whether the bound of the largest error rejects logits of all zeros; true if the truth is all zeros.
 * max_abs: of the truth. The noise of a run in a narrower type may be so large that its bound accepts
 * zeros: the run must not be used to judge then. */
bool conf_bounds_refuse_zeros(const conf_bounds *bounds, double max_abs);

/* The bounds of a float64 engine: `relative` times the largest |truth|. relative: CONF_FLOAT64_BOUND,
 * or the float64_bound that the case states with a reason. */
conf_bounds conf_bounds_float64(const double *truth, size_t n_rows, size_t n_cols, double relative);
conf_bounds conf_bounds_relative(double relative, double max_abs);

/* The unit of a tensor of a float32 engine: the noise, or conf_noise_floor if that is larger. noise: 0
 * if none was recorded. */
double conf_unit_float32(double noise, double max_abs);

#endif

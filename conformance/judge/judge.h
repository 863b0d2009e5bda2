/* The judge: pure functions on arrays. It knows nothing of engines, files or models.
 *
 * A candidate's distance from the truth is bounded by a small multiple of the noise: the distance of a
 * recorded run of the published system, in the type that the candidate computes in, from the same truth.
 * Masks come first: where one side is NaN or infinite the other must be the same, and nothing there is ever
 * close.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_JUDGE_H
#define CONFORMANCE_JUDGE_JUDGE_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONF_NOISE_MULTIPLE 4.0  /* sound float32 systems stay below 2.2, broken ones are far above */
#define CONF_FLOOR_ULPS     16.0 /* the least noise that is assumed, in ulps of the largest value */
#define CONF_FLOAT64_BOUND                                                                                   \
    1e-11 /* times the largest value; two independent float64 runs differed by 2e-14                         \
           */
#define CONF_FLOAT64_BOUND_MOST 0x1p-24 /* what a case may loosen it to: the unit roundoff of float32 */

/* A row of numbers as it lies in memory. dtype: F64 or F32. */
typedef struct conf_row {
    assay_dtype dtype;
    const void *data;
} conf_row;

double conf_row_at(const conf_row *row, size_t i);

/* Distances of a row of logits from the truth, all in units of logits. */
typedef struct conf_distance {
    bool same_mask; /* if not, the distances mean nothing and worst is where the masks part */
    double max_abs;
    double rmse;
    double kl;    /* sqrt(2·KL(truth ‖ candidate)) */
    size_t worst; /* the element that max_abs stands at */
} conf_distance;

/* truth, found: [n], n > 0. Everything that takes a conf_row judges float32 as the double of the same value.
 */
conf_distance conf_distance_of(const double *truth, const double *found, size_t n);
conf_distance conf_row_distance(const conf_row *truth, const conf_row *found, size_t n);

/* The larger of each distance, into *worst. */
void conf_distance_keep_larger(conf_distance *worst, const conf_distance *d);

/* KL(softmax(truth) ‖ softmax(found)) in nats, accurate however close the two are. Elements that are
 * -infinity on both sides have no part in it. truth, found: [n], of the same mask. */
double conf_kl(const double *truth, const double *found, size_t n);

/* The first element at which the masks of finite, NaN, +infinity and -infinity differ; n if they are the
 * same. */
size_t conf_mask_difference(const double *truth, const double *found, size_t n);
size_t conf_row_mask_difference(const conf_row *truth, const conf_row *found, size_t n);

/* The largest |a| that is finite; 0 if there is none. */
double conf_max_abs(const double *a, size_t n);
double conf_row_max_abs(const conf_row *row, size_t n);

/* The index of the largest element, the first of equals; NaN is never it. */
size_t conf_argmax(const double *a, size_t n);
size_t conf_row_argmax(const conf_row *row, size_t n);

/* CONF_FLOOR_ULPS float32 ulps at max_abs: the grain of logits, which are float32 whatever type the
 * activations have. In narrower types, too: 16 ulps of bfloat16 would be a sixteenth of the largest logit or
 * more, above the noise of nearly every recorded run, and would widen its bound. */
double conf_noise_floor(double max_abs);

/* The largest distance from the truth that a recorded run in the type `run` can have (ASSAY_DTYPE_NONE: in
 * float32); max_abs: the largest |truth|. A run that is farther away was not computed from these weights and
 * inputs, or not in this type, and bounds made of it would hide errors: its case is broken.
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
 * There is no lower limit: a small model with exact sums has no noise at all, and conf_noise_floor stands in
 * for it. A run that is closer to the truth than its type allows makes bounds tighter, never wider. */
double conf_noise_most(assay_dtype run, double max_abs);

/* The same of a tensor on the way, in float32: 2^14 u, 2^-10 max_abs. A tensor may be small beside the terms
 * that it is the sum of; those recorded lie up to 327 u away. */
double conf_noise_most_tensor(double max_abs);

/* What each distance may be, and the unit in which it is reported: limit·unit = bound. A float32 candidate's
 * unit is the noise or the floor, whichever is larger, and its limit 4; a float64 candidate's unit is its
 * bound. */
typedef struct conf_bounds {
    double max_abs, rmse, kl; /* units */
    double limit;
} conf_bounds;

/* The noise of a case: the largest of each distance over all rows. truth, float32: [n_rows, n_cols], n_rows >
 * 0. */
conf_distance conf_noise_of(const double *truth, const double *float32, size_t n_rows, size_t n_cols);

conf_bounds conf_bounds_float32(const double *truth, const double *float32, size_t n_rows, size_t n_cols);

/* The same where the noise is known. max_abs: of the truth. */
conf_bounds conf_bounds_of_noise(const conf_distance *noise, double max_abs);

/* Whether the bound of the largest error refuses logits of zero. max_abs: of the truth; where that is 0, they
 * are right. A run in a narrower type may be so far away that nothing is refused: it judges nothing then. */
bool conf_bounds_refuse_zeros(const conf_bounds *bounds, double max_abs);

/* relative: CONF_FLOAT64_BOUND, or what the case gives reasons for. */
conf_bounds conf_bounds_float64(const double *truth, size_t n_rows, size_t n_cols, double relative);
conf_bounds conf_bounds_relative(double relative, double max_abs);

/* The unit of a tensor: noise 0 where none is recorded. */
double conf_unit_float32(double noise, double max_abs);

typedef enum conf_rule {
    CONF_RULE_NONE,
    CONF_RULE_MASK,
    CONF_RULE_MAX_ABS,
    CONF_RULE_RMSE,
    CONF_RULE_KL
} conf_rule;

/* "largest error", "RMSE", …: for messages. */
const char *conf_rule_name(conf_rule rule);

typedef struct conf_logits_judgement {
    conf_rule rule;  /* that the first diverging row breaks; NONE: all rows agree */
    size_t row, col; /* first diverging row, and its worst element */
    double multiple; /* by which units the broken rule is exceeded in the worst row; of max_abs if none is */
    conf_distance worst; /* the largest of each distance over all rows of the same mask */
    size_t n_top1;       /* rows whose best element is the truth's */
} conf_logits_judgement;

/* What can be said of a row before the bounds are known. */
typedef struct conf_row_measure {
    conf_distance distance;
    bool same_best; /* the largest element stands at the same place; false where the masks differ */
} conf_row_measure;

/* truth, found: [n], n > 0. */
conf_row_measure conf_row_measure_of(const conf_row *truth, const conf_row *found, size_t n);

/* Judges row `row` into *j, which starts as {.worst = {.same_mask = true}}; rows may come in any order. True
 * where it is the first of the diverging rows so far. conf_logits_end is due behind the last. */
bool conf_logits_add(conf_logits_judgement *j, size_t row, const conf_row_measure *m,
                     const conf_bounds *bounds);
void conf_logits_end(conf_logits_judgement *j, const conf_bounds *bounds);

/* truth, found: [n_rows, n_cols]. */
conf_logits_judgement conf_judge_logits(const double *truth, const double *found, size_t n_rows,
                                        size_t n_cols, const conf_bounds *bounds);

/* Whether a candidate that prefers `other` where the truth prefers `best` does so at a near tie: both see the
 * two within 2ε. epsilon is the bound of the case, never the candidate's own error, or every bug would excuse
 * itself. */
bool conf_is_near_tie(const double *truth, const double *found, size_t best, size_t other, double epsilon);

typedef enum conf_token {
    CONF_TOKEN_SAME,
    CONF_TOKEN_TIE,         /* another one, excused */
    CONF_TOKEN_OTHER,       /* another one */
    CONF_TOKEN_STOP_FLIP,   /* another one, and one of the two is a stop id: never excused */
    CONF_TOKEN_STOPS_EARLY, /* the expected stop id, where the truth does not count it as one */
    CONF_TOKEN_GOES_ON,     /* no stop id, where the truth stops */
    CONF_TOKEN_PAST_STOP,   /* the expected stop id, and both streams go on past it */
    CONF_TOKEN_NOT_FINITE   /* a row of logits that decides nothing */
} conf_token;

/* One step of greedy generation.
 * golden: the expected id, or -1: any stop id. ends: the truth ends here with `golden` as its stop id.
 * truth:  [n], or NULL where it was not recorded; found: [n], the candidate's logits.
 * stop_ids: [n_stop_ids]. */
typedef struct conf_token_step {
    int32_t golden;
    bool ends;
    const double *truth, *found;
    size_t n;
    const int32_t *stop_ids;
    size_t n_stop_ids;
    double epsilon;
} conf_token_step;

/* *token: what the candidate generates; -1 with CONF_TOKEN_NOT_FINITE. */
conf_token conf_judge_token(const conf_token_step *step, int32_t *token);

/* The same for a candidate that says which token it takes, instead of what it makes of logits. found: as
 * above, or NULL where it is not known; without it or the truth nothing is excused. */
conf_token conf_judge_choice(const conf_token_step *step, int32_t token);
bool conf_is_stop(int32_t token, const int32_t *stop_ids, size_t n);

/* A tensor against its truth, element by element. multiple: the largest error in units; infinite where the
 * masks differ. at: the element it stands at. */
typedef struct conf_tensor_judgement {
    double multiple;
    size_t at;
} conf_tensor_judgement;

conf_tensor_judgement conf_judge_tensor(const double *truth, const double *found, size_t n, double unit);
conf_tensor_judgement conf_row_judge(const conf_row *truth, const conf_row *found, size_t n, double unit);

/* What one element of a rotated row may be off by. The angle at position p carries p ulps of itself, so an
 * error that grows with p is rounding and no fault. max_abs: largest |x| of the row, or of the table; pos:
 * largest |position| of the row over the axes. */
double conf_rope_bound_float64(double max_abs, double pos, double relative);
double conf_rope_bound_float32(double max_abs, double pos);

#endif

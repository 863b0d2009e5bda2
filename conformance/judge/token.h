/* The verdict on greedy tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_TOKEN_H
#define CONFORMANCE_JUDGE_TOKEN_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether tokens `best`, which the truth prefers, and `other`, which the candidate prefers, are a near
 * tie: their logits differ by at most 2·epsilon in both rows. epsilon is the bound of the case, never
 * the candidate's own error, which would excuse every bug. */
bool conf_is_near_tie(const double *truth, const double *found, size_t best, size_t other, double epsilon);

typedef enum conf_token {
    CONF_TOKEN_SAME,
    CONF_TOKEN_TIE,         /* another token, excused as a near tie */
    CONF_TOKEN_OTHER,       /* another token */
    CONF_TOKEN_STOP_FLIP,   /* another token, and one of the two is a stop id: never excused */
    CONF_TOKEN_STOPS_EARLY, /* the expected token, a stop id of the candidate; the truth continues */
    CONF_TOKEN_GOES_ON,     /* not a stop id, but the truth ends with one */
    CONF_TOKEN_PAST_STOP,   /* the same, and the candidate's stream continues as well */
    CONF_TOKEN_NOT_FINITE   /* a row of logits that determines no token */
} conf_token;

/* One step of greedy generation.
 * golden: the expected id; -1: any stop id is expected.
 * ends: the truth ends here with `golden` as its stop id.
 * truth: [n], or NULL if it was not recorded. found: [n], the candidate's logits.
 * stop_ids: [n_stop_ids], of the candidate. epsilon: the bound of the largest error. */
typedef struct conf_token_step {
    int32_t golden;
    bool ends;
    const double *truth, *found;
    size_t n;
    const int32_t *stop_ids;
    size_t n_stop_ids;
    double epsilon;
} conf_token_step;

/* Judges the largest logit of a step. *token is set to its id; -1 with CONF_TOKEN_NOT_FINITE. */
conf_token conf_token_judge(const conf_token_step *step, int32_t *token);

/* Judges a token that the candidate reports. step->found may be NULL; without found or truth no near
 * tie is excused. */
conf_token conf_token_judge_choice(const conf_token_step *step, int32_t token);

/* Whether `token` is in stop_ids [n]. */
bool conf_is_stop(int32_t token, const int32_t *stop_ids, size_t n);

#endif

/* The verdict on greedy tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_TOKEN_H
#define CONFORMANCE_JUDGE_TOKEN_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a candidate that prefers `other`, while the truth prefers `best`, does so at a near tie: the two
 * logits differ by at most 2ε in both rows. epsilon is the bound of the case, never the candidate's own
 * error, which would excuse every bug. */
bool conf_is_near_tie(const double *truth, const double *found, size_t best, size_t other, double epsilon);

typedef enum conf_token {
    CONF_TOKEN_SAME,
    CONF_TOKEN_TIE,         /* another token, excused as a near tie */
    CONF_TOKEN_OTHER,       /* another token */
    CONF_TOKEN_STOP_FLIP,   /* another token, and one of the two is a stop id: never excused */
    CONF_TOKEN_STOPS_EARLY, /* the expected token, a stop id of the candidate that the truth does not stop at
                             */
    CONF_TOKEN_GOES_ON,     /* no stop id, but the truth stops */
    CONF_TOKEN_PAST_STOP,   /* the expected stop id, and both streams continue after it */
    CONF_TOKEN_NOT_FINITE   /* a row of logits that determines no token */
} conf_token;

/* One step of greedy generation.
 * golden: the expected id, or -1: any stop id. ends: the truth ends here with `golden` as its stop id.
 * truth:  [n], or NULL if it was not recorded; found: [n], the candidate's logits.
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

/* The same for a candidate that reports the token that it chose. found: as above, or NULL if unknown;
 * without found or truth nothing is excused. */
conf_token conf_judge_choice(const conf_token_step *step, int32_t token);
bool conf_is_stop(int32_t token, const int32_t *stop_ids, size_t n);

#endif

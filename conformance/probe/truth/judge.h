/* Judges rows of log-probabilities by float64 logits.
 *
 * With t the truth's log-softmax, ε the bound of a logit for the claimed type, and c the values of an answer:
 *
 *     logprob      |c_v - t_v| ≤ 2ε: the error of a logit, and that of log Z, which is at most the largest
 *                  error of any logit
 *     difference   (max_v (c_v - t_v) - min_v (c_v - t_v)) / 2 ≤ ε: log Z cancels in differences of one row
 *     top          the alternatives are the k largest, save within 2ε of the k-th: a token that is returned
 *                  has t ≥ t_(k) - 2ε, and one that is missing has t ≤ t_(k) + 2ε
 *     token        greedy decoding took a token with t ≥ max t - 2ε; where the text of the answer tells which
 *                  one, the row reports that one
 *     same         the token's own value is that of the alternative of the same id
 *     count        there are as many alternatives as were asked for
 *     order        alternatives in a list come by their values, the largest first
 *     text         the text, the bytes and the id of an entry are those of one token
 *     rank         a rank that an entry reports is its place in the truth, save among values within 2ε
 *
 * Where alternatives are named by their texts, a token is not missing if another of the same text is there.
 *
 * A token is found by its id, else by its bytes, else as the end of a character that the tokens before it
 * begin, else, among alternatives, by its rank among those that are left. A text that several tokens have
 * stands for the one whose truth is nearest to the value.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TRUTH_JUDGE_H
#define CONFORMANCE_PROBE_TRUTH_JUDGE_H

#include "conformance/probe/answer/logprob.h"
#include "conformance/probe/truth/truth.h"

enum {
    PROBE_RULE_LOGPROB,
    PROBE_RULE_DIFFERENCE,
    PROBE_RULE_TOP,
    PROBE_RULE_TOKEN,
    PROBE_RULE_SAME,
    PROBE_RULE_COUNT,
    PROBE_RULE_ORDER,
    PROBE_RULE_TEXT,
    PROBE_RULE_RANK,
    PROBE_N_RULES
};

/* "logprob", … */
extern const char *const probe_rule_names[PROBE_N_RULES];

/* One value and its truth. in_context: the token is in the prompt or in the answer before it. */
typedef struct probe_pair {
    double truth, found;
    size_t row;
    bool in_context;
} probe_pair;

/* What a rule was applied to. multiple: the largest error in units of its bound; first: the first row that
 * breaks it, in words, "" if none does. value: the wrong log-probability of that row, or that of its token;
 * it is known if has_value is set. */
typedef struct probe_rule_result {
    size_t n, n_broken;
    bool has_value;
    double value;
    double multiple;
    char first[320];
} probe_rule_result;

typedef struct probe_judge {
    const probe_truth *truth;
    probe_type type; /* the claim */
    size_t asked;    /* the alternatives that were asked for; 0: unknown */
    probe_rule_result rules[PROBE_N_RULES];
    size_t n_rows;
    size_t n_unknown; /* values of tokens that could not be found */
    size_t n_by_rank;
    bool all_zero;     /* every value so far is 0 */
    bool normalised;   /* no row's probabilities sum to more than 1 + 1e-3 */
    probe_pair *pairs; /* [n_pairs] */
    size_t n_pairs;
    double errors[PROBE_TYPES]; /* the largest half spread, or half error, in units of each type's noise */
    double *scratch;            /* [n_vocab]: log-softmax of a row */
    double *sorted;             /* [n_vocab]: the same, the largest first, of a row with alternatives */
    bool *named;                /* [n_vocab]: tokens that alternatives of a row are */
    bool failed;                /* an allocation failed */
} probe_judge;

/* False if out of memory. */
bool probe_judge_begin(probe_judge *j, const probe_truth *truth, probe_type type);
void probe_judge_end(probe_judge *j);

/* A row of an answer: after the first n_before tokens of a prompt's ids. greedy: its token was taken by
 * greedy decoding; otherwise it is given. taken: the token that the text of the answer has here; -1: unknown.
 */
typedef struct probe_place {
    const probe_prompt *prompt;
    size_t n_before;
    bool greedy;
    int32_t taken;
} probe_place;

/* Judges a row. *id: the token's id; -1: unknown. Does nothing if the truth of the place is not recorded. */
void probe_judge_row(probe_judge *j, const probe_rows *rows, size_t row, const probe_place *place,
                     int32_t *id);

/* Counts an application of a rule, which holds if multiple ≤ 1; describes the first that breaks it. */
void probe_rule_apply(probe_rule_result *r, const probe_place *place, double multiple, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));

/* log Σ exp(logits), of [n]. */
double probe_log_z(const double *logits, size_t n);
/* log softmax(logits [n]) to out. */
void probe_log_softmax(const double *logits, size_t n, double *out);

#endif

/* The verdict on rows of logits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_LOGITS_H
#define CONFORMANCE_JUDGE_LOGITS_H

#include "conformance/judge/noise.h"

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
    conf_rule rule;  /* the rule that the first diverging row breaks; NONE: all rows agree */
    size_t row, col; /* first diverging row, and its worst element */
    double multiple; /* the error of the worst row by the broken rule, in units; that of max_abs if no rule is
                        broken */
    conf_distance worst; /* the largest of each distance over all rows of the same mask */
    size_t n_top1;       /* rows whose best element is the truth's */
} conf_logits_judgement;

/* The measures of a row that do not depend on the bounds. */
typedef struct conf_row_measure {
    conf_distance distance;
    bool same_best; /* the largest element has the same index; false if the masks differ */
} conf_row_measure;

/* truth, found: [n], n > 0. */
conf_row_measure conf_row_measure_of(const conf_row *truth, const conf_row *found, size_t n);

/* Judges row `row` into *j, which starts as {.worst = {.same_mask = true}}; rows may come in any order. True
 * if it is the first of the diverging rows so far. Call conf_logits_end after the last row. */
bool conf_logits_add(conf_logits_judgement *j, size_t row, const conf_row_measure *m,
                     const conf_bounds *bounds);
void conf_logits_end(conf_logits_judgement *j, const conf_bounds *bounds);

/* truth, found: [n_rows, n_cols]. */
conf_logits_judgement conf_judge_logits(const double *truth, const double *found, size_t n_rows,
                                        size_t n_cols, const conf_bounds *bounds);

#endif

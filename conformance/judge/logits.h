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
    conf_rule rule;      /* the rule that the first diverging row breaks; NONE: all rows agree */
    size_t row, col;     /* first diverging row, and its worst element */
    double multiple;     /* the largest error of all diverging rows, each in units of the rule that it
                            breaks; if all rows agree, worst.max_abs in units */
    conf_distance worst; /* the largest of each distance over all rows with the same mask */
    size_t n_top1;       /* number of rows whose largest element has the same index as in the truth */
} conf_logits_judgement;

/* The measures of a row that do not depend on the bounds. */
typedef struct conf_row_measure {
    conf_distance distance;
    bool same_best; /* the largest element has the same index; false if the masks differ */
} conf_row_measure;

/* The largest of a row's distances, each in units of its bound; infinite if the masks differ. The row agrees
 * if it is not above bounds->limit. */
double conf_row_multiple(const conf_distance *row, const conf_bounds *bounds);

/* truth, found: [n], n > 0. */
conf_row_measure conf_row_measure_of(const conf_row *truth, const conf_row *found, size_t n);

/* Adds row `row` to *j, which must be initialised to {.worst = {.same_mask = true}}; rows may be added
 * in any order. Returns true if the row diverges and precedes all diverging rows added before. Call
 * conf_logits_end after the last row. */
bool conf_logits_add(conf_logits_judgement *j, size_t row, const conf_row_measure *m,
                     const conf_bounds *bounds);
void conf_logits_end(conf_logits_judgement *j, const conf_bounds *bounds);

/* truth, found: [n_rows, n_cols]. judged: [n_rows], the rows that count; NULL: all. */
conf_logits_judgement conf_rows_judge(const double *truth, const double *found, const bool *judged,
                                      size_t n_rows, size_t n_cols, const conf_bounds *bounds);

/* The same with all rows. */
conf_logits_judgement conf_logits_judge(const double *truth, const double *found, size_t n_rows,
                                        size_t n_cols, const conf_bounds *bounds);

#endif

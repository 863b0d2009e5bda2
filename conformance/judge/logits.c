/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/logits.h"

#include <float.h>
#include <math.h>

const char *conf_rule_name(conf_rule rule)
{
    static const char *const names[] = {"nothing", "NaN and infinity", "largest error", "RMSE",
                                        "KL divergence"};
    return names[rule];
}

/* The first rule that a row breaks, and its error in units. A different best token needs no rule of its
 * own. Let t be the truth with best token r, c the candidate with best token s, and ε the bound of the
 * largest error: t_r - t_s <= (c_r + ε) - (c_s - ε) <= 2ε, and likewise c_s - c_r <= 2ε, so it is a
 * near tie. */
static conf_rule judge_row(const conf_distance *d, const conf_bounds *bounds, double *multiple)
{
    *multiple = INFINITY;
    if (!d->same_mask) return CONF_RULE_MASK;
    *multiple = d->max_abs / bounds->max_abs;
    if (!(*multiple <= bounds->limit)) return CONF_RULE_MAX_ABS;
    *multiple = d->rmse / bounds->rmse;
    if (!(*multiple <= bounds->limit)) return CONF_RULE_RMSE;
    *multiple = d->kl / bounds->kl;
    if (!(*multiple <= bounds->limit)) return CONF_RULE_KL;
    return CONF_RULE_NONE;
}

double conf_row_multiple(const conf_distance *row, const conf_bounds *bounds)
{
    if (!row->same_mask) return INFINITY;
    return fmax(row->max_abs / bounds->max_abs, fmax(row->rmse / bounds->rmse, row->kl / bounds->kl));
}

conf_row_measure conf_row_measure_of(const conf_row *truth, const conf_row *found, size_t n)
{
    conf_row_measure m = {.distance = conf_row_distance(truth, found, n)};
    if (m.distance.same_mask)
        m.same_best = m.distance.max_abs == 0 || conf_row_argmax(truth, n) == conf_row_argmax(found, n);
    return m;
}

bool conf_logits_add(conf_logits_judgement *j, size_t row, const conf_row_measure *m,
                     const conf_bounds *bounds)
{
    double multiple;
    conf_rule rule = judge_row(&m->distance, bounds, &multiple);
    if (m->distance.same_mask) conf_distance_keep_larger(&j->worst, &m->distance);
    else j->worst.same_mask = false;
    j->n_top1 += m->same_best;
    if (rule == CONF_RULE_NONE) return false;
    j->multiple = fmax(j->multiple, multiple);
    if (j->rule != CONF_RULE_NONE && j->row < row) return false;
    j->rule = rule;
    j->row = row;
    j->col = m->distance.worst;
    return true;
}

void conf_logits_end(conf_logits_judgement *j, const conf_bounds *bounds)
{
    if (j->rule == CONF_RULE_NONE) j->multiple = j->worst.max_abs / bounds->max_abs;
}

conf_logits_judgement conf_rows_judge(const double *truth, const double *found, const bool *judged,
                                      size_t n_rows, size_t n_cols, const conf_bounds *bounds)
{
    conf_logits_judgement j = {.worst = {.same_mask = true}};
    for (size_t r = 0; r < n_rows; r++) {
        if (judged && !judged[r]) continue;
        conf_row t = conf_row_of_double(truth + r * n_cols), c = conf_row_of_double(found + r * n_cols);
        conf_row_measure m = conf_row_measure_of(&t, &c, n_cols);
        (void)conf_logits_add(&j, r, &m, bounds);
    }
    conf_logits_end(&j, bounds);
    return j;
}

conf_logits_judgement conf_logits_judge(const double *truth, const double *found, size_t n_rows,
                                        size_t n_cols, const conf_bounds *bounds)
{
    return conf_rows_judge(truth, found, NULL, n_rows, n_cols, bounds);
}

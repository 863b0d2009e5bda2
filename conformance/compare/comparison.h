/* Two runs, compared case by case and engine by engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_COMPARISON_H
#define CONFORMANCE_COMPARE_COMPARISON_H

#include "conformance/compare/change.h"
#include "conformance/compare/pairs.h"
#include "conformance/support/strings.h"

/* A run, and how messages name it: its file, or "this run". Borrowed. */
typedef struct conf_compared_run {
    const char *name;
    const conf_results *results;
} conf_compared_run;

/* One case with one pair of engines. before or after is NULL where a run does not have the case. */
typedef struct conf_compared_case {
    const conf_result *before, *after;
    size_t pair;
    conf_change change;
} conf_compared_case;

/* Seconds of the processes of a pair's cases that both runs ran. */
typedef struct conf_compared_time {
    double before, after;
    size_t n_cases;
} conf_compared_time;

typedef struct conf_comparison {
    conf_compared_run before, after;
    conf_engine_pair *pairs; /* [n_pairs] */
    size_t n_pairs;
    conf_compared_time *times; /* [n_pairs] */
    conf_compared_case *at;    /* by case, then by pair */
    size_t n, n_of[CONF_N_CHANGES];
    conf_strings remarks; /* what makes the runs hard to compare, one sentence each */
} conf_comparison;

/* Frees what the comparison owns. */
void conf_comparison_free(conf_comparison *comparison);

/* The verdict of a case in one of the runs, or NULL. */
const conf_verdict *conf_compared_before(const conf_comparison *c, const conf_compared_case *one);
const conf_verdict *conf_compared_after(const conf_comparison *c, const conf_compared_case *one);

#endif

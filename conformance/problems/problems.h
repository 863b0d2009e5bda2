/* What failed, for the formats of code review: each problem stands alone, whatever command found it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBLEMS_PROBLEMS_H
#define CONFORMANCE_PROBLEMS_PROBLEMS_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct conf_problem {
    const char *rule;     /* what is violated: the class of a failure, an operation, a check; never empty */
    const char *title;    /* one line */
    const char *path;     /* the file to which it belongs; NULL: none */
    const char *text;     /* lines; may be empty */
    const char *repro;    /* the command that shows it again; NULL: none */
    const char *severity; /* how severe it is, in a few words; NULL: not known */
} conf_problem;

typedef struct conf_problems {
    conf_problem *at; /* [n]; their texts are owned */
    size_t n;
    const char *command; /* of assay, that found them: "run"; a constant */
    size_t n_passed, n_skipped, n_expected;
} conf_problems;

/* Appends a copy of `one`, whose lines are brought into the form of base/shown. Fails with
 * ASSAY_ENOMEM; the list is unchanged then. */
assay_status conf_problems_add(conf_problems *list, const conf_problem *one, assay_error *err);

void conf_problems_free(conf_problems *list);

#endif

/* A page of checks: the rows of a command whose results are not those of cases with engines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_CHECKS_H
#define CONFORMANCE_REPORT_CHECKS_H

#include <assay/status.h>

#include "conformance/judge/verdict.h"

/* The rows in their order. Zeroed: none. */
typedef struct conf_checks {
    struct conf_check *at; /* [n] */
    size_t n;
} conf_checks;

/* Adds a row; texts are copied.
 * group: what rows are searched by besides their name: an engine, a kind of change; may be "".
 * error: in multiples of the bound; NaN: there is none.
 * text: what was found, may have several lines. repro: the command that shows it again; NULL: none.
 * Fails with ASSAY_ENOMEM. */
assay_status conf_checks_add(conf_checks *list, const char *name, const char *group, conf_outcome outcome,
                             double error, const char *text, const char *repro, assay_error *err);

/* Adds a folded text to the latest row, which must not have one: its summary, and lines. Both are copied.
 * Fails with ASSAY_ENOMEM. */
assay_status conf_checks_fold(conf_checks *list, const char *summary, const char *text, assay_error *err);

/* Sets the error of the latest row in an earlier run, in multiples of the bound; NaN: there is none. */
void conf_checks_set_before(conf_checks *list, double error);

void conf_checks_free(conf_checks *list);

/* Writes the page: counts, a picture of the largest errors, a table of the rows, failures first, with a box
 * that searches it, and the machine. group: the head of that column; NULL: there are no groups. summary: a
 * line below the title. figures: HTML with further pictures; NULL: none. */
void conf_checks_print_html(FILE *out, const conf_checks *list, const char *title, const char *group,
                            const char *summary, const char *figures);

#endif

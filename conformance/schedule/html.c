/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/report/checks.h"
#include "conformance/schedule/timeline.h"

#define TIMELINES_MAX 8

/* The report of one row as text; NULL if out of memory. The caller frees it. */
static char *describe(const conf_trial_rows *rows, const conf_trial_row *row)
{
    const conf_context plain = {.program = "assay"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    (void)fprintf(out, "%zu programs, %zu runs\n", row->n_programs, row->n_runs);
    if (row->verdict.outcome != CONF_PASSED) conf_trial_report(out, "", &plain, rows, row);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

/* The number of the step at which a program differs, which the verdict names first; 0: it names none. */
static size_t wrong_step(const conf_verdict *v)
{
    static const char prefix[] = "step ";
    const size_t n = sizeof prefix - 1;
    return strncmp(v->where, prefix, n) == 0 ? strtoul(v->where + n, NULL, 10) : 0;
}

/* The timelines of the programs that fail, as HTML; NULL if out of memory. The caller frees it. */
static char *draw_failures(const conf_trial_rows *rows)
{
    char *text = NULL, title[256];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    for (size_t i = 0, n = 0; i < rows->n && n < TIMELINES_MAX; i++) {
        const conf_trial_row *row = &rows->at[i];
        if (row->verdict.outcome != CONF_FAILED) continue;
        (void)snprintf(title, sizeof title, "Program that fails: %.120s, %.60s", row->id, row->label);
        conf_timeline_print(out, title, &row->result->schedule, wrong_step(&row->verdict));
        n++;
    }
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

assay_status conf_trials_print_html(FILE *out, const conf_trial_rows *rows, assay_error *err)
{
    conf_checks list = {0};
    char *figures = draw_failures(rows);
    assay_status rc = figures ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < rows->n && rc == ASSAY_OK; i++) {
        const conf_trial_row *row = &rows->at[i];
        if (row->passed_over) continue;
        char *text = describe(rows, row);
        rc = text ? conf_checks_add(&list, row->id, row->label, row->verdict.outcome, (double)NAN, text, NULL,
                                    err)
                  : assay_fail(err, ASSAY_ENOMEM, "out of memory");
        free(text);
    }
    if (rc == ASSAY_OK)
        conf_checks_print_html(out, &list, "Assay: programs of engine calls on threads", "engine",
                               "Every row of logits must have the bits of a serial run.", figures);
    free(figures);
    conf_checks_free(&list);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/problems.h"

#include <stdlib.h>

#include "base/error.h"
#include "conformance/judge/severity.h"
#include "conformance/report/failures.h"
#include "conformance/report/report.h"

/* What the report says of a case, without colours; the caller frees it. NULL if out of memory. */
static char *report_of(const conf_results *results, size_t result, size_t engine)
{
    const conf_context plain = {.program = results->program};
    char *text = NULL;
    size_t n;
    FILE *page = open_memstream(&text, &n);
    if (!page) return NULL;
    conf_report_verdict(page, "", &plain, &results->at[result].verdicts[engine], results->at[result].path,
                        results->engines[engine].name, true);
    if (fclose(page) != 0) {
        free(text);
        return NULL;
    }
    while (n > 0 && text[n - 1] == '\n') text[--n] = '\0';
    return text;
}

static assay_status add(conf_problems *list, const conf_results *results, size_t result, size_t engine,
                        assay_error *err)
{
    const conf_verdict *v = &results->at[result].verdicts[engine];
    const char *rule = v->outcome == CONF_FAILED ? conf_class_name(v->class) : "broken";
    char *text = report_of(results, result, engine), *repro = conf_report_repro(results, result, engine),
         *title = NULL, severity[CONF_SEVERITY_MAX];
    assay_status rc = ASSAY_ENOMEM;
    if (text && repro &&
        asprintf(&title, "%s with %s: %s", results->at[result].id, results->engines[engine].label, rule) >= 0)
        rc = conf_problems_add(list,
                               &(conf_problem){rule, title, results->at[result].path, text, repro,
                                               conf_severity_print(v, severity)},
                               err);
    else (void)assay_fail(err, rc, "out of memory");
    free(text);
    free(repro);
    free(title);
    return rc;
}

assay_status conf_results_problems(const conf_results *results, conf_problems *out, assay_error *err)
{
    conf_failure *failures = NULL;
    size_t n = 0;
    *out = (conf_problems){.command = "run",
                           .n_passed = conf_results_count(results, SIZE_MAX, CONF_PASSED),
                           .n_skipped = conf_results_count(results, SIZE_MAX, CONF_SKIPPED),
                           .n_expected = conf_results_count(results, SIZE_MAX, CONF_EXPECTED)};
    assay_status rc = conf_failures_list(results, SIZE_MAX, &failures, &n, err);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        rc = add(out, results, failures[i].result, failures[i].engine, err);
    free(failures);
    return rc;
}

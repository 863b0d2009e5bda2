/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/baseline.h"

#include <stdlib.h>

#include "conformance/compare/compare.h"
#include "conformance/compare/print.h"
#include "conformance/report/read.h"

assay_status conf_baseline_read(conf_baseline *baseline, assay_error *err)
{
    return baseline->path ? conf_results_read(baseline->path, &baseline->results, err) : ASSAY_OK;
}

assay_status conf_baseline_check(const conf_baseline *baseline, const conf_results *run, assay_error *err)
{
    conf_engine_pair *pairs = NULL;
    size_t n;
    if (!baseline->path) return ASSAY_OK;
    const assay_status rc =
        conf_engines_pair(&baseline->results, run, baseline->pairs, baseline->n_pairs, &pairs, &n, err);
    free(pairs);
    return rc;
}

assay_status conf_baseline_print(const conf_baseline *baseline, FILE *out, const char *prefix,
                                 const conf_context *context, const conf_results *run, conf_exit code,
                                 assay_error *err)
{
    const conf_compared_run before = {baseline->path, &baseline->results}, after = {"this run", run};
    conf_comparison c;
    if (!baseline->path) return ASSAY_OK;
    const assay_status rc = conf_compare(&before, &after, baseline->pairs, baseline->n_pairs, &c, err);
    if (rc != ASSAY_OK) return rc;
    (void)fprintf(out, "%s\n", prefix);
    conf_comparison_print(out, prefix, context, &c);
    const size_t new = c.n_of[CONF_CHANGE_FAILS], old = c.n_of[CONF_CHANGE_STILL];
    if (new || old)
        (void)fprintf(out,
                      "%sexit status %d: %zu newly failing, %zu still failing; a baseline excuses none\n",
                      prefix, (int)code, new, old);
    conf_comparison_free(&c);
    return ASSAY_OK;
}

void conf_baseline_free(conf_baseline *baseline)
{
    conf_results_free(&baseline->results);
}

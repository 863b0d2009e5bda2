/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/failures.h"

#include <stdlib.h>

#include "base/error.h"
#include "conformance/judge/severity.h"

static int compare_failures(const void *a, const void *b)
{
    const conf_failure *x = a, *y = b;
    const int severity = conf_severity_compare(x->verdict, y->verdict);
    if (severity) return severity;
    if (x->result != y->result) return x->result < y->result ? -1 : 1;
    return x->engine < y->engine ? -1 : x->engine > y->engine;
}

assay_status conf_failures_list(const conf_results *results, size_t engine, conf_failure **out, size_t *n,
                                assay_error *err)
{
    const size_t most =
        conf_results_count(results, engine, CONF_FAILED) + conf_results_count(results, engine, CONF_BROKEN);
    conf_failure *list = calloc(most + 1, sizeof *list);
    if (!list) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    *n = 0;
    for (size_t i = 0; i < results->n; i++)
        for (size_t e = 0; e < results->n_engines; e++) {
            const conf_verdict *v = &results->at[i].verdicts[e];
            if ((engine == SIZE_MAX || engine == e) && conf_outcome_fails(v->outcome))
                list[(*n)++] = (conf_failure){i, e, v};
        }
    qsort(list, *n, sizeof *list, compare_failures);
    *out = list;
    return ASSAY_OK;
}

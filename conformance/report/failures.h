/* The failures of a run, the most severe first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_FAILURES_H
#define CONFORMANCE_REPORT_FAILURES_H

#include "conformance/report/results.h"

/* verdict: borrowed, of that result and engine. */
typedef struct conf_failure {
    size_t result, engine;
    const conf_verdict *verdict;
} conf_failure;

/* Lists what diverges or is broken, of one engine or of all (SIZE_MAX), in the order of
 * conf_severity_compare, then of the results. The caller frees *out, [*n]. Fails with ASSAY_ENOMEM. */
assay_status conf_failures_list(const conf_results *results, size_t engine, conf_failure **out, size_t *n,
                                assay_error *err);

#endif

/* The earlier run with which assay run compares its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_BASELINE_H
#define CONFORMANCE_COMPARE_BASELINE_H

#include "conformance/report/results.h"

typedef struct conf_baseline {
    const char *path;         /* borrowed; NULL: there is none, and the functions below do nothing */
    const char *const *pairs; /* [n_pairs], borrowed: see conf_engines_pair */
    size_t n_pairs;
    conf_results results;
} conf_baseline;

/* Reads the results at baseline->path. Fails as conf_results_read does. conf_baseline_free frees them. */
assay_status conf_baseline_read(conf_baseline *baseline, assay_error *err);

/* Checks before a run that its engines can be paired. Fails as conf_engines_pair does. */
assay_status conf_baseline_check(const conf_baseline *baseline, const conf_results *run, assay_error *err);

/* Prints the comparison, and if the run has failures, why it ends with `code`: a baseline excuses none. Each
 * line starts with `prefix`. Fails as conf_compare does. */
assay_status conf_baseline_print(const conf_baseline *baseline, FILE *out, const char *prefix,
                                 const conf_context *context, const conf_results *run, conf_exit code,
                                 assay_error *err);

void conf_baseline_free(conf_baseline *baseline);

#endif

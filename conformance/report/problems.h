/* The failures of a run as problems.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_PROBLEMS_H
#define CONFORMANCE_REPORT_PROBLEMS_H

#include "conformance/problems/problems.h"
#include "conformance/report/results.h"

/* A problem for each case that diverges or is broken, the most severe first; its rule is the class of the
 * failure, or "broken". The caller frees *out, in both cases. Fails with ASSAY_ENOMEM. */
assay_status conf_results_problems(const conf_results *results, conf_problems *out, assay_error *err);

#endif

/* Compares two runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_COMPARE_H
#define CONFORMANCE_COMPARE_COMPARE_H

#include "conformance/compare/comparison.h"

/* Joins the runs by conf_engines_pair, and by the ids of cases; those of the same id are paired in their
 * order, and those that are left by the digests of their files. An engine that only `after` has counts by its
 * failures alone, which are new; one that only `before` has is a remark. Fails as conf_engines_pair does, and
 * with ASSAY_EFORMAT if the runs have no case with a pair of engines in common. The runs must outlive *out,
 * which conf_comparison_free frees. */
assay_status conf_compare(const conf_compared_run *before, const conf_compared_run *after,
                          const char *const *asked, size_t n_asked, conf_comparison *out, assay_error *err);

#endif

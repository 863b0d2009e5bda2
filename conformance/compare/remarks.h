/* What makes two runs hard to compare.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_REMARKS_H
#define CONFORMANCE_COMPARE_REMARKS_H

#include "conformance/compare/comparison.h"

/* Appends a sentence for each setting that differs (version, seed, manner, compute type, kernels, limits,
 * shard), for pairs of engines that are judged in different units or whose module is the same file, for
 * engines without a partner, for cases whose file has changed, and for a run that was interrupted. Reports do
 * not name the machine. Fails with ASSAY_ENOMEM. */
assay_status conf_compare_remarks(const conf_comparison *c, conf_strings *out, assay_error *err);

#endif

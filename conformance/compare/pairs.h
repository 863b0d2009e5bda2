/* Which engine of one run is compared with which of another.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_PAIRS_H
#define CONFORMANCE_COMPARE_PAIRS_H

#include "conformance/report/results.h"

/* Indices of engines; before or after is SIZE_MAX where an engine has no partner. */
typedef struct conf_engine_pair {
    size_t before, after;
} conf_engine_pair;

/* Pairs the engines in four steps, each of those that are left: as `asked` says, [n_asked], each
 * "BEFORE=AFTER" of names or labels; by the same name; by the same label (the last part of a module's path);
 * the only one of a run with the only one of the other. A name may have "=" in it. The caller frees *out,
 * [*n]: the engines of `after` in their order, then those of `before` without a partner. Fails with
 * ASSAY_EUNSUPPORTED if a text of `asked` names no engines, or one that has a partner, and with ASSAY_ENOMEM.
 */
assay_status conf_engines_pair(const conf_results *before, const conf_results *after,
                               const char *const *asked, size_t n_asked, conf_engine_pair **out, size_t *n,
                               assay_error *err);

#endif

/* Sessions whose caches hold no more than a case says.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_CACHE_LIMIT_H
#define CONFORMANCE_ABI_CACHE_LIMIT_H

#include <assay/engine.h>

/* What the caches of a session are to hold, as assay_session_options says it; limit 0: everything. */
typedef struct conf_cache_limit {
    size_t limit, kept;
} conf_cache_limit;

/* Opens a session whose caches hold what `caches` says. Fails as the engine does, and with
 * ASSAY_EUNSUPPORTED where it has no such choice to offer: nothing is evaluated without a limit in silence.
 */
assay_status conf_cache_limit_open(const assay_engine *engine, assay_model *model, conf_cache_limit caches,
                                   assay_session **out, assay_error *err);

#endif

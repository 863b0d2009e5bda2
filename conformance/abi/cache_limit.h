/* Opens sessions with the cache limit of a case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_CACHE_LIMIT_H
#define CONFORMANCE_ABI_CACHE_LIMIT_H

#include <assay/engine.h>

/* The cache limit of a session, as in assay_session_options; limit 0: no limit. */
typedef struct conf_cache_limit {
    size_t limit, sink_tokens;
} conf_cache_limit;

/* Opens a session with this cache limit. Returns the engine's error if that fails, and
 * ASSAY_EUNSUPPORTED if the engine has no session_open_with: a limit is never silently ignored. */
assay_status conf_cache_limit_open(const assay_engine *engine, assay_model *model, conf_cache_limit caches,
                                   assay_session **out, assay_error *err);

#endif

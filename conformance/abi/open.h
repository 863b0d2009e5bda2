/* Opens sessions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_OPEN_H
#define CONFORMANCE_ABI_OPEN_H

#include <assay/engine.h>

/* The cache limit of a session, as in assay_session_options; limit 0: no limit. */
typedef struct conf_cache_limit {
    size_t limit, sink_tokens;
} conf_cache_limit;

/* Opens a session with n_samples samples of up to max_tokens tokens (0: not known) and this cache limit.
 * Returns the engine's error if that fails. */
assay_status conf_open_session(const assay_engine *engine, assay_model *model, size_t n_samples,
                               size_t max_tokens, conf_cache_limit caches, assay_session **out,
                               assay_error *err);

#endif

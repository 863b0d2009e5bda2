/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/open.h"

assay_status conf_open_session(const assay_engine *engine, assay_model *model, size_t n_samples,
                               size_t max_tokens, conf_cache_limit caches, assay_session **out,
                               assay_error *err)
{
    const assay_session_options options = {.size = sizeof options,
                                           .n_samples = n_samples,
                                           .limit = caches.limit,
                                           .sink_tokens = caches.sink_tokens,
                                           .max_tokens = max_tokens};
    return engine->session_open(model, &options, out, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/cache_limit.h"

#include "base/error.h"

assay_status conf_cache_limit_open(const assay_engine *engine, assay_model *model, conf_cache_limit caches,
                                   assay_session **out, assay_error *err)
{
    const assay_session_options options = {
        .size = sizeof options, .limit = caches.limit, .sink_tokens = caches.sink_tokens};
    if (caches.limit == 0) return engine->session_open(model, out, err);
    if (engine->session_open_with) return engine->session_open_with(model, &options, out, err);
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "it cannot limit the capacity of its caches: its table lacks session_open_with");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cache_limit.h"

#include "base/error.h"

assay_status cache_limit_check(size_t limit, size_t sink_tokens, assay_error *err)
{
    if (limit == 0 && sink_tokens == 0) return ASSAY_OK;
    if (sink_tokens >= limit)
        return assay_fail(err, ASSAY_EINVAL,
                          "session: found %zu sink tokens, expected fewer than the limit, %zu", sink_tokens,
                          limit);
    return ASSAY_OK;
}

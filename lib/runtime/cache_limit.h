/* Checks the cache capacity of a session, in positions per sample.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_CACHE_LIMIT_H
#define RUNTIME_CACHE_LIMIT_H

#include <assay/status.h>

#include <stddef.h>

/* limit: capacity, sink_tokens: number of attention sink tokens, as in assay_session_options. Fails with
 * ASSAY_EINVAL unless sink_tokens < limit or both are 0, which is no limit. */
assay_status cache_limit_check(size_t limit, size_t sink_tokens, assay_error *err);

#endif

/* How many positions of a sample the caches of a session hold.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_CACHE_LIMIT_H
#define RUNTIME_CACHE_LIMIT_H

#include <assay/status.h>

#include <stddef.h>

/* limit, kept: as assay_session_options says them. Fails with ASSAY_EINVAL unless kept < limit. */
assay_status cache_limit_check(size_t limit, size_t kept, assay_error *err);

#endif

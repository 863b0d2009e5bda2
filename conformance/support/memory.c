/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/memory.h"

#include <sys/resource.h>

/* Not RLIMIT_AS: a mapped checkpoint takes address space, but only memory that the system can reclaim. */
void conf_memory_limit(size_t mib)
{
    struct rlimit limit;
    if (!CONF_LIMITS_MEMORY || getrlimit(RLIMIT_DATA, &limit) != 0) return;
    rlim_t bytes = (rlim_t)mib << 20;
    if (limit.rlim_max != RLIM_INFINITY && bytes > limit.rlim_max) bytes = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = bytes;
    (void)setrlimit(RLIMIT_DATA, &limit);
}

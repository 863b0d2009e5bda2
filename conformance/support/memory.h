/* The limit on the memory of this process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_MEMORY_H
#define CONFORMANCE_SUPPORT_MEMORY_H

#include <stddef.h>

/* Sanitizers reserve terabytes of memory and cannot run under any memory limit. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define CONF_LIMITS_MEMORY 0
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CONF_LIMITS_MEMORY 0
#endif
#endif
#ifndef CONF_LIMITS_MEMORY
#define CONF_LIMITS_MEMORY 1
#endif

/* Limits the private memory that this process, and the programs that it executes, can write to; without
 * effect where CONF_LIMITS_MEMORY is 0. */
void conf_memory_limit(size_t mib);

#endif

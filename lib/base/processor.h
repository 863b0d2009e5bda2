/* Processor features that the operating system must enable and that no compiler builtin reports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROCESSOR_H
#define BASE_PROCESSOR_H

#include <stdbool.h>

/* Whether this process may use AMX tiles for bfloat16 and int8. Requests permission from the kernel; threads
 * that start afterwards inherit it. */
bool processor_runs_tiles(void);

#endif

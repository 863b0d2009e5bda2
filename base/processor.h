/* What this processor can do, as the system has set it up, where compilers have no word for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROCESSOR_H
#define BASE_PROCESSOR_H

#include <stdbool.h>

/* Whether this process may use the tiles of AMX for bfloat16 and bytes. Asks the kernel for permission, which
 * threads that begin afterwards inherit. */
bool processor_runs_tiles(void);

#endif

/* Room for OpenBLAS, which waits without end for memory that it does not get.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_BLAS_H
#define REF_BLAS_H

#include <stdbool.h>

/* Before a product of OpenBLAS, on any thread: waits while other threads use all working buffers that there
 * is memory for. False where there is not memory for one. */
bool ref_blas_enter(void);

/* Behind it. */
void ref_blas_leave(void);

#endif

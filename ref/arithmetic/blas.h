/* Makes sure of memory for OpenBLAS, which retries forever when an allocation fails.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_ARITHMETIC_BLAS_H
#define REF_ARITHMETIC_BLAS_H

#include <stdbool.h>

/* Must be called before a product of OpenBLAS, on any thread. Waits while other threads use all working
 * buffers that memory allows. False if there is no memory for a single buffer. */
bool ref_blas_enter(void);

/* Must be called after the product. */
void ref_blas_leave(void);

#endif

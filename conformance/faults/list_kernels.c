/* Prints the table of faults of kernels, one to a line: its name, the operations that it is caught by, what
 * is said of them, and what it breaks, apart by tabs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/faults/kernels.h"

int main(void)
{
    for (size_t i = 0; i < N_KERNEL_FAULTS; i++)
        printf("%s\t%s\t%s\t%s\n", KERNEL_FAULTS[i].name, KERNEL_FAULTS[i].caught, KERNEL_FAULTS[i].says,
               KERNEL_FAULTS[i].breaks);
    return 0;
}

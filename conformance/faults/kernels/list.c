/* Prints the table of kernel faults, one per line, in fields separated by tabs: name, operations that
 * catch it, part of the message, description.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/faults/kernels/fault.h"

int main(void)
{
    for (size_t i = 0; i < N_KERNEL_FAULTS; i++)
        printf("%s\t%s\t%s\t%s\n", KERNEL_FAULTS[i].name, KERNEL_FAULTS[i].caught, KERNEL_FAULTS[i].says,
               KERNEL_FAULTS[i].breaks);
    return 0;
}

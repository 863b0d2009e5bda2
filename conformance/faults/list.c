/* Prints the table of faults, one to a line: its name, the cases that it is caught by, those that it spares,
 * and what it breaks, apart by tabs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/faults/fault.h"

int main(void)
{
    for (size_t i = 0; i < N_FAULTS; i++)
        printf("%s\t%s\t%s\t%s\n", FAULTS[i].name, FAULTS[i].caught, FAULTS[i].spared, FAULTS[i].breaks);
    return 0;
}

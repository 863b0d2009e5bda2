/* Prints the table of faults, one to a line: its name, the cases that it is caught by, the one that it
 * spares, what it breaks, what notices it, and what that says, apart by tabs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/faults/fault.h"

int main(void)
{
    static const char *const WITNESSES[] = {"cases", "vectors", "schedules"};
    for (size_t i = 0; i < N_FAULTS; i++) {
        const fault *f = &FAULTS[i];
        printf("%s\t%s\t%s\t%s\t%s\t%s\n", f->name, f->caught, f->spared, f->breaks, WITNESSES[f->witness],
               f->said ? f->said : "-");
    }
    return 0;
}

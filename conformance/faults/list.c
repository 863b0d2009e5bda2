/* Prints the table of faults, one per line, in fields separated by tabs: name, cases that catch it,
 * case that still passes, description, what catches it (cases, vectors, schedules), part of the
 * message, manner in which the case still passes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/faults/fault.h"

int main(void)
{
    static const char *const WITNESSES[] = {"cases", "vectors", "schedules"};
    const fault *f;
    for (size_t i = 0; (f = fault_at(i)); i++)
        printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f->name, f->caught, f->spared, f->breaks,
               WITNESSES[f->witness], f->said ? f->said : "-", f->spared_manner ? f->spared_manner : "-");
    return 0;
}

/* Prints the table of faults, one per line, in fields separated by tabs: name, description, directory of
 * the truth, group, check, verdict, grade, part of the text, fault of the engine or "-", set or "-".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/faults/serve/fault.h"

int main(void)
{
    const served_fault *f;
    for (size_t i = 0; (f = served_fault_at(i)); i++)
        printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f->name, f->breaks, f->row.truth, f->row.group,
               f->row.check, f->row.verdict, f->row.grade, f->row.text, f->engine ? f->engine : "-",
               f->set ? f->set : "-");
    return 0;
}

/* Prints the table of faults, one per line, in fields separated by tabs: name, description, family of the
 * bundle, group, check, verdict, grade, part of the text, fault of the engine or "-", set or "-".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/faults/serve/fault.h"

int main(void)
{
    for (size_t i = 0; i < N_SERVED_FAULTS; i++) {
        const served_fault *f = &SERVED_FAULTS[i];
        printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f->name, f->breaks, f->row.family, f->row.group,
               f->row.check, f->row.verdict, f->row.grade, f->row.text, f->engine ? f->engine : "-",
               f->set ? f->set : "-");
    }
    return 0;
}

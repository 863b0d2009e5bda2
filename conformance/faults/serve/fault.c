/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/serve/fault.h"

#include <stdlib.h>
#include <string.h>

const served_fault *served_fault_at(size_t i)
{
    static const served_fault_list *const lists[] = {&served_faults, &served_call_faults};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; i -= lists[k++]->n)
        if (i < lists[k]->n) return &lists[k]->at[i];
    return NULL;
}

enum { PLANTED_MOST = 32 };

const served_fault *served_planted(size_t i)
{
    static const served_fault *planted[PLANTED_MOST + 1];
    static bool read;
    const served_fault *f;
    const char *names = getenv("ASSAY_FAULT");
    for (size_t n = 0; names && *names && !read && n < PLANTED_MOST;) {
        const size_t length = strcspn(names, ",");
        for (size_t k = 0; (f = served_fault_at(k)); k++)
            if (strlen(f->name) == length && strncmp(f->name, names, length) == 0) planted[n++] = f;
        names += length + (names[length] == ',');
    }
    read = true;
    return i < PLANTED_MOST ? planted[i] : NULL;
}

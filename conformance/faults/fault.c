/* All faults, and which of them is planted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const struct {
    const fault *fault;
    const size_t *n;
} TABLES[] = {
    {MODEL_FAULTS, &N_MODEL_FAULTS},   {INPUT_FAULTS, &N_INPUT_FAULTS}, {PART_FAULTS, &N_PART_FAULTS},
    {STORED_FAULTS, &N_STORED_FAULTS}, {TEXT_FAULTS, &N_TEXT_FAULTS},
};

const fault *fault_at(size_t i)
{
    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++) {
        if (i < *TABLES[t].n) return &TABLES[t].fault[i];
        i -= *TABLES[t].n;
    }
    return NULL;
}

static const fault NOTHING = {.name = "none"};
static const fault *planted = &NOTHING;

const fault *fault_planted(void)
{
    return planted;
}

void fault_plant_this(const fault *f)
{
    planted = f;
}

assay_status fault_plant(assay_error *err)
{
    const char *name = getenv("ASSAY_FAULT");
    const fault *f;
    planted = &NOTHING;
    if (!name || !*name) return ASSAY_OK;
    for (size_t i = 0; (f = fault_at(i)); i++)
        if (strcmp(name, f->name) == 0) planted = f;
    if (planted != &NOTHING) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL,
                      "ASSAY_FAULT: found \"%s\", expected a fault that conformance/faults/list prints",
                      name);
}

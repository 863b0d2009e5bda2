/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/compute.h"

#include <string.h>

#include "conformance/support/text.h"

typedef struct compute_info {
    assay_dtype compute;
    const char *run, *unit;
} compute_info;

const char *const conf_compute_names[] = {"f32", "bf16", "int8", NULL};

/* In the order of conf_compute_names. */
static const compute_info infos[] = {
    {ASSAY_F32, "float32", "the noise"},
    {ASSAY_BF16, "bfloat16", "the noise in bfloat16"},
    {ASSAY_I8, "int8", "the noise in int8"},
};
#define N_INFOS (sizeof infos / sizeof *infos)

/* The index in infos; that of float32 for ASSAY_DTYPE_NONE. */
static size_t index_of(assay_dtype compute)
{
    for (size_t i = 0; i < N_INFOS; i++)
        if (infos[i].compute == compute) return i;
    return 0;
}

const char *conf_compute_name(assay_dtype compute)
{
    return compute == ASSAY_DTYPE_NONE ? "" : conf_compute_names[index_of(compute)];
}

assay_dtype conf_compute_of(const char *name)
{
    for (size_t i = 0; i < N_INFOS; i++)
        if (strcmp(conf_compute_names[i], name) == 0) return infos[i].compute;
    return ASSAY_DTYPE_NONE;
}

const char *conf_compute_run(assay_dtype compute)
{
    return infos[index_of(compute)].run;
}

bool conf_compute_is_narrow(assay_dtype compute)
{
    return compute == ASSAY_BF16 || compute == ASSAY_I8;
}

const char *conf_compute_unit(assay_dtype compute)
{
    return infos[index_of(compute)].unit;
}

void conf_compute_print_allowed(FILE *out, const char *const *allowed)
{
    for (size_t i = 0; allowed && allowed[i]; i++) {
        (void)fputs(" --allow-unknown ", out);
        conf_text_print_quoted(out, allowed[i]);
    }
}

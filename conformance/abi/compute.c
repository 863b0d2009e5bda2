/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/compute.h"

#include <string.h>

#include "base/error.h"
#include "conformance/support/text.h"

typedef struct compute_info {
    assay_dtype compute;
    const char *run, *unit;
} compute_info;

const char *const conf_compute_names[] = {"f32", "bf16", "int8", NULL};

const char *const conf_compute_refusal =
    "it cannot be requested to compute in a given type: its table lacks model_open_with";

const char *const conf_kernels_refusal = "it takes no external kernels: its table lacks model_open_with";

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

assay_status conf_compute_open(const assay_engine *engine, const assay_model_options *requested,
                               const char *dir, assay_model **out, assay_error *err)
{
    assay_model_options options = *requested;
    options.size = sizeof options;
    const bool chooses = requested->compute != ASSAY_DTYPE_NONE || requested->kernels;
    const bool allows = requested->allow_unknown && requested->allow_unknown[0] && engine->model_open_with;
    if (!chooses && !allows) return engine->model_open(dir, out, err);
    if (engine->model_open_with) return engine->model_open_with(dir, &options, out, err);
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s",
                      requested->kernels ? conf_kernels_refusal : conf_compute_refusal);
}

void conf_compute_print_allowed(FILE *out, const char *const *allowed)
{
    for (size_t i = 0; allowed && allowed[i]; i++) {
        (void)fputs(" --allow-unknown ", out);
        conf_text_print_quoted(out, allowed[i]);
    }
}

const char *conf_kernels_refused_option(const char *reason)
{
    return strcmp(reason, conf_compute_refusal) == 0 ? "--compute" : "--kernels";
}

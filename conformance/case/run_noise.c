/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/run_noise.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "conformance/case/members.h"

/* The name of the dataset. */
static const char *print_name(char *name, size_t size, conf_compute compute)
{
    (void)snprintf(name, size, "/expect/%s/noise", conf_compute_run(compute));
    return name;
}

bool conf_run_noise_has(const conf_h5 *file, conf_compute compute)
{
    char name[64];
    return conf_compute_is_narrow(compute) && conf_h5_has(file, print_name(name, sizeof name, compute));
}

assay_status conf_run_noise_read(const conf_h5 *file, conf_compute compute, conf_distance *out,
                                 assay_error *err)
{
    char name[64];
    conf_array found = {0};
    assay_status rc = conf_array_read(file, print_name(name, sizeof name, compute), ASSAY_F64, 1,
                                      (size_t[]){3}, &found, err);
    if (rc == ASSAY_OK) {
        const double *value = found.data;
        for (size_t i = 0; rc == ASSAY_OK && i < 3; i++)
            if (!isfinite(value[i]) || value[i] <= 0)
                rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s: element %zu is %g, expected a positive number",
                                conf_h5_path(file), name, i, value[i]);
        if (rc == ASSAY_OK)
            *out = (conf_distance){.same_mask = true, .max_abs = value[0], .rmse = value[1], .kl = value[2]};
    }
    conf_array_free(&found);
    return rc;
}

const conf_run *conf_run_find(const conf_rows *rows, conf_compute compute)
{
    if (compute == CONF_COMPUTE_NONE) compute = CONF_COMPUTE_F32;
    for (size_t i = 0; i < rows->n_runs; i++)
        if (rows->runs[i].compute == compute) return &rows->runs[i];
    return NULL;
}

conf_distance conf_run_noise(const conf_rows *rows, const conf_run *run)
{
    return run->rows ? conf_noise_of(rows->truth, run->rows, rows->n_rows, rows->n_cols) : run->noise;
}

conf_bounds conf_run_bounds(const conf_rows *rows, conf_compute compute)
{
    const conf_distance noise = conf_run_noise(rows, conf_run_find(rows, compute));
    return conf_bounds_of_noise(&noise, conf_max_abs(rows->truth, rows->n_rows * rows->n_cols));
}

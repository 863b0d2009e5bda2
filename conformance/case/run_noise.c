/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/run_noise.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "conformance/case/members.h"

static const char *const names[CONF_N_MEASURED] = {"float16", "affine8", "affine4"};

static assay_status read_one(const conf_h5 *file, const char *group, conf_run_noise *out, assay_error *err)
{
    char name[64];
    conf_array found = {0};
    (void)snprintf(name, sizeof name, "%s/noise", group);
    assay_status rc = conf_array_read(file, name, ASSAY_F64, 1, (size_t[]){3}, &found, err);
    if (rc == ASSAY_OK) {
        const double *value = found.data;
        for (size_t i = 0; rc == ASSAY_OK && i < 3; i++)
            if (!isfinite(value[i]) || value[i] <= 0)
                rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s: element %zu is %g, expected a positive number",
                                conf_h5_path(file), name, i, value[i]);
        if (rc == ASSAY_OK) *out = (conf_run_noise){.max_abs = value[0], .rmse = value[1], .kl = value[2]};
    }
    conf_array_free(&found);
    return rc;
}

assay_status conf_run_noise_read(const conf_h5 *file, conf_case *c, assay_error *err)
{
    static const char *const members[] = {"noise", NULL};
    assay_status rc = ASSAY_OK;
    for (conf_measured run = 0; rc == ASSAY_OK && run < CONF_N_MEASURED; run++) {
        char group[32];
        (void)snprintf(group, sizeof group, "/expect/%s", names[run]);
        if (!conf_h5_has(file, group)) continue;
        rc = conf_members_note(file, group, members, &c->unknown, err);
        if (rc == ASSAY_OK) rc = read_one(file, group, &c->decoder.run_noise[run], err);
    }
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/traces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/text.h"
#include "conformance/case/members.h"
#include "conformance/case/prompt.h"
#include "conformance/hdf5/text.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/noise.h"

bool conf_trace_is_of_tower(const char *name)
{
    return string_begins_with(name, "vision.") || string_begins_with(name, "audio.");
}

assay_status conf_trace_outline_read(const conf_h5 *file, const conf_decoder *d, const char *path,
                                     conf_trace *trace, assay_error *err)
{
    conf_array *value = &trace->value;
    const bool of_tower = conf_trace_is_of_tower(path + strlen("/trace/"));
    const size_t n_rows = conf_prompt_length(d, 0);
    assay_status rc = conf_h5_shape(file, path, value, err);
    if (rc != ASSAY_OK) return rc;
    if (value->dtype != ASSAY_F64)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has type %s, expected F64", conf_h5_path(file), path,
                          dtype_name(value->dtype));
    if (value->rank != 2 || (!of_tower && value->shape[0] != n_rows)) {
        char found[128], expected[32] = "*";
        conf_shape_print(found, sizeof found, value->shape, value->rank);
        if (!of_tower) (void)snprintf(expected, sizeof expected, "%zu", n_rows);
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has shape %s, expected [%s,*]", conf_h5_path(file),
                          path, found, expected);
    }
    rc = conf_h5_attribute_number(file, path, "noise", &trace->has_noise, &trace->noise, err);
    if (rc == ASSAY_OK && trace->has_noise && !(trace->noise >= 0 && isfinite(trace->noise)))
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: the attribute noise of %s is %g, expected a distance",
                        conf_h5_path(file), path, trace->noise);
    return rc;
}

assay_status conf_trace_read(const conf_h5 *file, const conf_trace *trace, conf_array *out, assay_error *err)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/trace/%s", trace->name);
    conf_array a;
    assay_status rc = conf_array_read(file, path, ASSAY_F64, trace->value.rank, trace->value.shape, &a, err);
    if (rc != ASSAY_OK) return rc;
    const double *value = a.data;
    for (size_t i = 0; rc == ASSAY_OK && i < a.n; i++)
        if (!isfinite(value[i]))
            rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s: element %zu is %g", conf_h5_path(file), path, i,
                            value[i]);
    if (rc == ASSAY_OK && trace->has_noise) {
        const double largest = conf_max_abs(value, a.n);
        rc = conf_noise_check(conf_h5_path(file), path, trace->noise, largest, conf_noise_max_tensor(largest),
                              err);
    }
    if (rc == ASSAY_OK) *out = a;
    else conf_array_free(&a);
    return rc;
}

assay_status conf_traces_read(const conf_h5 *file, conf_decoder *d, bool outline, assay_error *err)
{
    conf_strings names;
    assay_status rc = conf_h5_members(file, "/trace", &names, err);
    if (rc != ASSAY_OK) return rc;
    d->traces = calloc(names.n + 1, sizeof *d->traces);
    if (!d->traces) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
    for (size_t i = 0; i < names.n && rc == ASSAY_OK; i++) {
        d->n_traces = i + 1;
        d->traces[i].name = names.at[i];
        names.at[i] = NULL;
        char path[256];
        (void)snprintf(path, sizeof path, "/trace/%s", d->traces[i].name);
        rc = conf_trace_outline_read(file, d, path, &d->traces[i], err);
        if (rc == ASSAY_OK && !outline) rc = conf_trace_read(file, &d->traces[i], &d->traces[i].value, err);
    }
    conf_strings_free(&names);
    return rc;
}

/* Shared readers of numeric cases: typed arrays, and members that this version does not know.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"

assay_status conf_members_note(const conf_h5 *file, const char *group, const char *const *known,
                               conf_strings *unknown, assay_error *err)
{
    conf_strings names;
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "%s%s", group, strcmp(group, "/") == 0 ? "" : "/");
    assay_status rc = conf_h5_members(file, group, &names, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_strings_note(&names, prefix, known, unknown, err);
    conf_strings_free(&names);
    return rc;
}

static bool shape_fits(const conf_array *a, size_t rank, const size_t *shape)
{
    bool fits = a->rank == rank;
    for (size_t i = 0; i < rank && fits; i++) fits = shape[i] == SIZE_MAX || shape[i] == a->shape[i];
    return fits;
}

static assay_status widen_array(conf_array *a, const char *name, assay_error *err)
{
    double *wide = malloc((a->n ? a->n : 1) * sizeof *wide);
    if (!wide) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    dtype_to_f64(wide, a->data, a->dtype, a->n);
    free(a->data);
    a->data = wide;
    a->dtype = ASSAY_F64;
    return ASSAY_OK;
}

/* widens: accept F32 as well and convert it to F64 (dtype is F64 then). */
static assay_status read_array(const conf_h5 *file, const char *name, assay_dtype dtype, bool widens,
                               size_t rank, const size_t *shape, conf_array *out, assay_error *err)
{
    conf_array a;
    const conf_h5_types types = CONF_H5_CASE_TYPES | (widens ? CONF_H5_FLOATS : 0);
    assay_status rc = conf_h5_read_types(file, name, types, &a, err);
    if (rc != ASSAY_OK) return rc;
    widens = widens && a.dtype == ASSAY_F32;
    if (a.dtype != dtype && !widens) {
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s has type %s, expected %s", conf_h5_path(file), name,
                        dtype_name(a.dtype), dtype_name(dtype));
    } else if (!shape_fits(&a, rank, shape)) {
        char found[128], expected[128];
        conf_shape_print(found, sizeof found, a.shape, a.rank);
        conf_shape_print(expected, sizeof expected, shape, rank);
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s has shape %s, expected %s", conf_h5_path(file), name,
                        found, expected);
    } else if (widens) {
        rc = widen_array(&a, name, err);
    }
    if (rc != ASSAY_OK) conf_array_free(&a);
    else *out = a;
    return rc;
}

assay_status conf_array_read(const conf_h5 *file, const char *name, assay_dtype dtype, size_t rank,
                             const size_t *shape, conf_array *out, assay_error *err)
{
    return read_array(file, name, dtype, false, rank, shape, out, err);
}

assay_status conf_array_read_wide(const conf_h5 *file, const char *name, size_t rank, const size_t *shape,
                                  conf_array *out, assay_error *err)
{
    return read_array(file, name, ASSAY_F64, true, rank, shape, out, err);
}

assay_status conf_noise_check(const char *path, const char *what, double noise, double max_abs, double most,
                              assay_error *err)
{
    if (noise <= most) return ASSAY_OK;
    return assay_fail(
        err, ASSAY_EFORMAT,
        "%s: %s is %.3g away from the truth, whose largest value is %.3g: expected at most %.3g, "
        "since no run of these weights and inputs in its type is farther away",
        path, what, noise, max_abs, most);
}

assay_status conf_truth_check(const char *path, double max_abs, assay_error *err)
{
    if (max_abs > 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: /expect/truth has no logit but 0: an engine that writes zeros would pass", path);
}

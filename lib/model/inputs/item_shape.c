/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/item_shape.h"

#include <stdio.h>

#include "base/dtype.h"
#include "base/error.h"

assay_status item_expect_integers(const assay_tensor *t, assay_error *err)
{
    if (t->dtype == ASSAY_I32 || t->dtype == ASSAY_I64) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED, "tensor '%s': found type %s, expected I32 or I64", t->name,
                      dtype_name(t->dtype));
}

assay_status item_shape_fail(const assay_tensor *t, const char *expected, assay_error *err)
{
    char shape[ASSAY_TENSOR_RANK_MAX * 22 + 3] = "[";
    size_t n = 1;
    for (size_t d = 0; d < t->rank; d++)
        n += (size_t)snprintf(shape + n, sizeof shape - n, "%s%zu", d ? ", " : "", t->shape[d]);
    return assay_fail(err, ASSAY_EINVAL, "tensor '%s': found shape %s], expected %s", t->name, shape,
                      expected);
}

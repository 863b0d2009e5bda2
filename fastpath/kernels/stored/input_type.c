/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/stored/input_type.h"

#include "fastpath/kernels/matmul/panels.h"
#include "model/formats/inputs.h"
#include "model/numerics/stored.h"

const fp_coded *fp_input_type(const char *compute, const assay_stored *s)
{
    const char *type = NULL;
    if (!compute || !format_inputs(compute, s, &type)) return NULL;
    return fp_coded_find(type);
}

bool fp_input_is_codes(const fp_coded *type, const assay_matrix *m, bool is_outside)
{
    if (!type || !type->convert || fp_has_table(m->dtype) || m->bits == 0) return false;
    return type->block % m->group == 0 && !(type->has_lowest && is_outside);
}

size_t fp_input_minimums(const fp_coded *type, const assay_stored *s)
{
    return type && type->has_sum && s->min.layout ? s->n_in / type->block : 0;
}

void fp_input_take_minimums(const fp_coded *type, const assay_stored *s, float *out)
{
    for (size_t g = 0; g < s->n_in / type->block; g++)
        for (size_t o = 0; o < s->n_out; o++) {
            double min = 0, min2 = 1;
            stored_field(s, &s->min, o, 1, g * type->block, 1, &min, 1);
            if (s->min2.layout) stored_field(s, &s->min2, o, 1, g * type->block, 1, &min2, 1);
            out[g * s->n_out + o] = (float)-(min * min2);
        }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/stored/input_type.h"

#include "fastpath/kernels/matmul/panels.h"
#include "model/formats/inputs.h"
#include "model/numerics/stored.h"

enum { ROWS = 256 }; /* that are read at once */

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
    double min[ROWS], min2[ROWS];
    for (size_t g = 0; g < s->n_in / type->block; g++, out += s->n_out)
        for (size_t first = 0; first < s->n_out; first += ROWS) {
            const size_t n = s->n_out - first < ROWS ? s->n_out - first : ROWS;
            stored_field_or(s, &s->min, 0, first, n, g * type->block, 1, min, 1);
            stored_field_or(s, &s->min2, 1, first, n, g * type->block, 1, min2, 1);
            for (size_t r = 0; r < n; r++) out[first + r] = (float)-(min[r] * min2[r]);
        }
}

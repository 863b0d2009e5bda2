/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/item_finite.h"

#include <math.h>

#include "base/dtype.h"

/* The first of n numbers from `first` on that is not finite; n: all are. */
static size_t find_in(const item_content *c, size_t first, size_t n, double *value)
{
    enum { PART = 512 };
    double values[PART];
    for (size_t i = 0; i < n; i += PART) {
        const size_t some = n - i < PART ? n - i : PART;
        dtype_to_f64(values, (const char *)c->pixels + (first + i) * dtype_size(c->dtype), c->dtype, some);
        for (size_t k = 0; k < some; k++) {
            if (isfinite(values[k])) continue;
            *value = values[k];
            return i + k;
        }
    }
    return n;
}

bool item_find_infinite(const item_content *content, size_t n_rows, size_t width, size_t pitch,
                        item_infinite *found)
{
    const size_t n_runs = pitch == width ? 1 : n_rows, length = pitch == width ? n_rows * width : width;
    for (size_t r = 0; r < n_runs; r++) {
        const size_t at = find_in(content, r * pitch, length, &found->value);
        if (at == length) continue;
        found->row = r + at / width;
        found->column = at % width;
        return true;
    }
    return false;
}

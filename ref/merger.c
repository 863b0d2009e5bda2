/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/merger.h"

#include "ref/weight.h"
#include <stdlib.h>
#include <string.h>

/* The first element of the row of a patch. */
static const ref_real *patch_row(const ref_real *x, const ref_patches *patches, plan_patch_order order,
                                 size_t merge, size_t width, const ref_patch *patch)
{
    const size_t index = ref_patches_index(order, merge, patches->grids[patch->medium], patch->frame,
                                           patch->row, patch->column);
    return x + (patches->first[patch->medium] + index) * width;
}

/* The numbers of a vector [n], or n times `absent`. NULL if out of memory. */
static ref_real *read_vector(const plan_weight *vector, size_t n, double absent)
{
    ref_real *out = ref_alloc(1, n);
    for (size_t i = 0; out && i < n; i++) out[i] = (ref_real)absent;
    if (out && vector->data) ref_weight_rows(vector, 0, 1, out);
    return out;
}

assay_status ref_pool(ref_real *y, const ref_patches *to, const ref_real *x, const ref_patches *from,
                      plan_patch_order order, size_t merge, size_t width, const plan_pooling *pooling)
{
    const size_t side = pooling->side;
    ref_real *bias = read_vector(&pooling->bias, width, 0), *scale = read_vector(&pooling->scale, width, 1);
    double *sum = calloc(width, sizeof *sum);
    const assay_status rc = bias && scale && sum ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t p = 0; rc == ASSAY_OK && p < to->n; p++) {
        const ref_patch *out = &to->patch[p];
        memset(sum, 0, width * sizeof *sum);
        for (size_t j = 0; j < side; j++)
            for (size_t i = 0; i < side; i++) {
                const ref_patch in = {out->medium, out->frame, out->row * side + j, out->column * side + i};
                const ref_real *row = patch_row(x, from, order, merge, width, &in);
                for (size_t d = 0; d < width; d++) sum[d] += (double)row[d];
            }
        for (size_t d = 0; d < width; d++) {
            const double mean = sum[d] / (double)(side * side);
            y[p * width + d] = (ref_real)((mean * pooling->factor - (double)bias[d]) * (double)scale[d]);
        }
    }
    free(bias);
    free(scale);
    free(sum);
    return rc;
}

/* out: [P / m², m², width], the rows of each block. */
static void concatenate_blocks(ref_real *out, const ref_real *x, const ref_patches *patches,
                               plan_patch_order order, size_t merge, size_t width)
{
    for (size_t medium = 0; medium < patches->n_media; medium++) {
        const size_t *grid = patches->grids[medium];
        for (size_t t = 0; t < grid[0]; t++)
            for (size_t y = 0; y < grid[1]; y += merge)
                for (size_t column = 0; column < grid[2]; column += merge)
                    for (size_t j = 0; j < merge; j++)
                        for (size_t i = 0; i < merge; i++) {
                            const ref_patch patch = {medium, t, y + j, column + i};
                            memcpy(out, patch_row(x, patches, order, merge, width, &patch),
                                   width * sizeof *out);
                            out += width;
                        }
    }
}

assay_status ref_merge(ref_real *y, const ref_real *x, const ref_patches *patches, plan_patch_order order,
                       size_t merge, size_t width, const plan_merger *merger)
{
    const size_t n = patches->n, n_blocks = n / (merge * merge), joined = merge * merge * width;
    const bool has_first = merger->first.weight.data != NULL;
    const size_t inner = has_first ? merger->first.weight.rows : 0;
    ref_real *normed = ref_alloc(n, width), *blocks = ref_alloc(n_blocks, joined),
             *hidden = ref_alloc(n_blocks, inner);
    assay_status rc = normed && blocks && hidden ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) memcpy(normed, x, n * width * sizeof *x);
    if (rc == ASSAY_OK && !merger->norm_is_last) rc = ref_norm(normed, x, n, width, &merger->norm);
    if (rc == ASSAY_OK) concatenate_blocks(blocks, normed, patches, order, merge, width);
    if (rc == ASSAY_OK && merger->norm_is_last)
        rc = ref_norm(blocks, blocks, n_blocks, joined, &merger->norm);
    if (rc == ASSAY_OK && has_first) {
        rc = ref_linear(hidden, blocks, n_blocks, &merger->first);
        if (rc == ASSAY_OK) ref_activate(hidden, n_blocks * inner, merger->activation);
    }
    if (rc == ASSAY_OK) rc = ref_linear(y, has_first ? hidden : blocks, n_blocks, &merger->second);
    free(normed);
    free(blocks);
    free(hidden);
    return rc;
}

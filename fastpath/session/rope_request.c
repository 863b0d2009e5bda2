/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/rope_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/checkpoint/rope_request.h"

/* Spreads half-width tables over all rotating elements of each position. */
static void spread_pairs(const rope *r, const float *half, size_t n_positions, float *out)
{
    size_t n = r->dim / 2;
    bool adjacent = r->pairing == ROPE_PAIRS_ADJACENT;
    for (size_t p = 0; p < n_positions; p++)
        for (size_t i = 0; i < n; i++) {
            float *row = out + p * r->dim;
            row[adjacent ? 2 * i : i] = row[adjacent ? 2 * i + 1 : i + n] = half[p * n + i];
        }
}

/* Computes the tables of the request as float. wide: scratch, [2, n_positions, dim / 2] and dim / 2
 * more. */
static void make_tables(const assay_rope_request *request, const rope *r, double *wide, float *cosine,
                        float *sine)
{
    size_t n = r->dim / 2, rows = request->n_positions;
    double *c = wide, *s = c + rows * n, *frequency = s + rows * n;
    rope_frequencies(r, rope_request_length(request), frequency);
    rope_tables(r, frequency, request->position, request->n_axes, rows, c, s);
    for (size_t i = 0; i < rows * n; i++) {
        cosine[i] = (float)c[i];
        sine[i] = (float)s[i];
    }
}

static assay_status rotate_request(assay_rope_fn *kernel, const assay_rope_request *request, const rope *r,
                                   float *out, float *cosine, float *sine, assay_error *err)
{
    size_t n = r->dim / 2, rows = request->n_positions, row = request->n_heads * request->head_dim;
    double *wide = calloc((2 * rows + 1) * n, sizeof *wide);
    float *half = calloc(2 * rows * n + 1, sizeof *half);
    if (!wide || !half) {
        free(wide);
        free(half);
        return assay_fail(err, ASSAY_ENOMEM, "rope: out of memory");
    }
    float *c = half, *s = half + rows * n;
    make_tables(request, r, wide, c, s);
    memcpy(out, request->x, rows * row * sizeof *out);
    for (size_t p = 0; p < rows; p++)
        kernel(out + p * row, request->n_heads, request->head_dim, r->dim, r->pairing == ROPE_PAIRS_ADJACENT,
               c + p * n, s + p * n);
    spread_pairs(r, c, rows, cosine);
    spread_pairs(r, s, rows, sine);
    free(wide);
    free(half);
    return ASSAY_OK;
}

assay_status fp_rope_request(assay_rope_fn *kernel, const assay_rope_request *request, float *out,
                             float *cosine, float *sine, size_t *dim, assay_error *err)
{
    rope r;
    assay_status rc = rope_request_read(request, &r, err);
    if (rc == ASSAY_OK) rc = rotate_request(kernel, request, &r, out, cosine, sine, err);
    if (rc == ASSAY_OK) *dim = r.dim;
    rope_free(&r);
    return rc;
}

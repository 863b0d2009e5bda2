/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/rope_request.h"

#include <stdlib.h>
#include <string.h>

#include "model/config.h"
#include "model/error.h"
#include "model/json.h"

/* The largest position decides the length of the sequence. */
static size_t sequence_length(const assay_rope_request *request)
{
    int32_t last = 0;
    for (size_t i = 0; i < request->n_axes * request->n_positions; i++)
        if (request->position[i] > last) last = request->position[i];
    return (size_t)last + 1;
}

/* Spreads half-width tables over all rotating elements of each position. */
static void spread(const rope *r, const float *half, size_t n_positions, float *out)
{
    size_t n = r->dim / 2;
    bool adjacent = r->pairing == ROPE_PAIRS_ADJACENT;
    for (size_t p = 0; p < n_positions; p++)
        for (size_t i = 0; i < n; i++) {
            float *row = out + p * r->dim;
            row[adjacent ? 2 * i : i] = row[adjacent ? 2 * i + 1 : i + n] = half[p * n + i];
        }
}

/* Tables of the request as float. wide: scratch, [2, n_positions, dim / 2] and dim / 2 more. */
static void make_tables(const assay_rope_request *request, const rope *r, double *wide, float *cosine,
                        float *sine)
{
    size_t n = r->dim / 2, rows = request->n_positions;
    double *c = wide, *s = c + rows * n, *frequency = s + rows * n;
    rope_frequencies(r, sequence_length(request), frequency);
    rope_tables(r, frequency, request->position, request->n_axes, rows, c, s);
    for (size_t i = 0; i < rows * n; i++) {
        cosine[i] = (float)c[i];
        sine[i] = (float)s[i];
    }
}

static assay_status rotate(fp_rope_fn *kernel, const assay_rope_request *request, const rope *r, float *out,
                           float *cosine, float *sine, assay_error *err)
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
    spread(r, c, rows, cosine);
    spread(r, s, rows, sine);
    free(wide);
    free(half);
    return ASSAY_OK;
}

assay_status fp_rope_request(fp_rope_fn *kernel, const assay_rope_request *request, float *out, float *cosine,
                             float *sine, size_t *dim, assay_error *err)
{
    json_object *document = NULL;
    config_notes notes = {0};
    config c;
    rope r = {0};
    if (request->n_axes != 1 && request->n_axes != ROPE_AXES_MAX)
        return assay_fail(err, ASSAY_EINVAL, "rope: found %zu axes, expected 1 or 3", request->n_axes);
    assay_status rc = json_parse("config", request->config, strlen(request->config), &document, err);
    if (rc != ASSAY_OK) return rc;
    config_begin(&c, "config", "", document, &notes, err);
    config_rope_alone(&c, request->head_dim, &r);
    rc = c.status;
    config_end(&c);
    if (rc == ASSAY_OK) rc = rotate(kernel, request, &r, out, cosine, sine, err);
    if (rc == ASSAY_OK) *dim = r.dim;
    rope_free(&r);
    config_notes_free(&notes);
    json_object_put(document);
    return rc;
}

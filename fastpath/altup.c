/* Alternating updates over several residual streams (Baykal et al. 2023), as Gemma 3n has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/altup.h"
#include "fastpath/ops.h"

#include <math.h>
#include <string.h>

/* tanh(router(norm(x) * factor)). x: [R, D], out: [R, S]. */
static assay_status route_modalities(fp_pass *pass, size_t i, float *out, const float *x)
{
    const plan *p = pass->plan;
    const fp_altup *w = &pass->model->layers[i].altup;
    size_t n = pass->n_rows * p->hidden, mark = pass->scratch->n;
    float *normed = fp_scratch_floats(pass->scratch, 1, n);
    if (!normed) return ASSAY_ENOMEM;
    fp_norm_run(pass, normed, x, pass->n_rows, p->hidden, &w->router_norm);
    fp_scale(normed, n, p->layers[i].altup.router_factor);
    fp_product(pass, out, normed, pass->n_rows, &w->router);
    pass->model->kernels.op.cap.f32(out, pass->n_rows * p->streams.n, 1);
    pass->scratch->n = mark;
    return ASSAY_OK;
}

assay_status fp_altup_predict(fp_pass *pass, size_t i, float *predicted, const float *streams)
{
    const plan *p = pass->plan;
    size_t s = p->streams.n, d = p->hidden, n = pass->n_rows * d, mark = pass->scratch->n;
    float *routed = fp_scratch_floats(pass->scratch, pass->n_rows, s);
    float *coefficient = routed ? fp_scratch_floats(pass->scratch, pass->n_rows, s * s) : NULL;
    assay_status rc =
        coefficient ? route_modalities(pass, i, routed, streams + p->streams.active * n) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK)
        fp_product(pass, coefficient, routed, pass->n_rows, &pass->model->layers[i].altup.prediction);
    for (size_t j = 0; rc == ASSAY_OK && j < s; j++)
        for (size_t at = 0; at < n; at++) {
            double sum = (double)streams[j * n + at];
            for (size_t k = 0; k < s; k++)
                sum += (double)streams[k * n + at] * (double)coefficient[at / d * s * s + j * s + k];
            predicted[j * n + at] = (float)sum;
        }
    pass->scratch->n = mark;
    return rc;
}

assay_status fp_altup_correct(fp_pass *pass, size_t i, float *predicted, const float *activated)
{
    const plan *p = pass->plan;
    size_t s = p->streams.n, d = p->hidden, n = pass->n_rows * d, mark = pass->scratch->n;
    float *routed = fp_scratch_floats(pass->scratch, pass->n_rows, s);
    float *coefficient = routed ? fp_scratch_floats(pass->scratch, pass->n_rows, s) : NULL;
    float *innovation = coefficient ? fp_scratch_floats(pass->scratch, 1, n) : NULL;
    assay_status rc = innovation ? route_modalities(pass, i, routed, activated) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        const float *active = predicted + p->streams.active * n;
        fp_product(pass, coefficient, routed, pass->n_rows, &pass->model->layers[i].altup.correction);
        for (size_t at = 0; at < n; at++) innovation[at] = activated[at] - active[at];
        for (size_t j = 0; j < s; j++)
            for (size_t at = 0; at < n; at++)
                predicted[j * n + at] += innovation[at] * (coefficient[at / d * s + j] + 1);
    }
    pass->scratch->n = mark;
    return rc;
}

static double mean_square(const float *row, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)row[i] * (double)row[i];
    return sum / (double)n;
}

/* Scales every row of y to the root mean square of the same row of x. */
static void match_magnitude(float *y, const float *x, size_t n_rows, size_t d)
{
    const double floor = 1e-5; /* lower limit of the mean square, as published */
    for (size_t r = 0; r < n_rows; r++)
        fp_scale(y + r * d, d,
                 sqrt(mean_square(x + r * d, d)) / sqrt(fmax(mean_square(y + r * d, d), floor)));
}

void fp_altup_open(fp_pass *pass, float *streams, const float *x)
{
    const plan *p = pass->plan;
    size_t n = pass->n_rows * p->hidden;
    memcpy(streams, x, n * sizeof *streams);
    for (size_t s = 1; s < p->streams.n; s++) {
        fp_product(pass, streams + s * n, x, pass->n_rows, &pass->model->projection[s - 1]);
        match_magnitude(streams + s * n, x, pass->n_rows, p->hidden);
    }
}

assay_status fp_altup_close(fp_pass *pass, float *x, const float *streams)
{
    const plan *p = pass->plan;
    size_t n = pass->n_rows * p->hidden, mark = pass->scratch->n;
    float *back = fp_scratch_floats(pass->scratch, 1, n);
    if (!back) return ASSAY_ENOMEM;
    memcpy(x, streams, n * sizeof *x);
    for (size_t s = 1; s < p->streams.n; s++) {
        fp_product(pass, back, streams + s * n, pass->n_rows, &pass->model->unprojection[s - 1]);
        match_magnitude(back, streams, pass->n_rows, p->hidden);
        fp_add(x, back, n);
    }
    fp_scale(x, n, 1 / (double)p->streams.n);
    pass->scratch->n = mark;
    return ASSAY_OK;
}

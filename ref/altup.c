/* Alternating updates over several residual streams (Baykal et al. 2023), as Gemma 3n has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/altup.h"

#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/product.h"

/* modalities = tanh(router(norm(x) * factor)). x: [T, D], modalities: [T, S]. */
static assay_status route_modalities(ref_real *out, const ref_real *x, size_t n_tokens, const plan *p,
                                     const plan_altup *a)
{
    ref_real *normed = ref_alloc(n_tokens, p->hidden);
    assay_status rc = normed ? ref_norm(normed, x, n_tokens, p->hidden, &a->router_norm) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        ref_scale(normed, n_tokens * p->hidden, a->router_factor);
        rc = ref_matrix(out, normed, n_tokens, &a->router);
    }
    for (size_t i = 0; rc == ASSAY_OK && i < n_tokens * p->streams.n; i++)
        out[i] = (ref_real)tanh((double)out[i]);
    free(normed);
    return rc;
}

assay_status ref_altup_predict(ref_real *predicted, const ref_real *streams, size_t n_tokens, const plan *p,
                               const plan_altup *a)
{
    size_t s = p->streams.n, d = p->hidden, n = n_tokens * d;
    ref_real *routed = ref_alloc(n_tokens, s), *coefficient = ref_alloc(n_tokens, s * s);
    assay_status rc = routed && coefficient
                          ? route_modalities(routed, streams + p->streams.active * n, n_tokens, p, a)
                          : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = ref_matrix(coefficient, routed, n_tokens, &a->prediction);
    for (size_t j = 0; rc == ASSAY_OK && j < s; j++)
        for (size_t t = 0; t < n_tokens; t++)
            for (size_t k = 0; k < d; k++) {
                double sum = (double)streams[j * n + t * d + k];
                for (size_t i = 0; i < s; i++)
                    sum += (double)streams[i * n + t * d + k] * (double)coefficient[t * s * s + j * s + i];
                predicted[j * n + t * d + k] = (ref_real)sum;
            }
    free(routed);
    free(coefficient);
    return rc;
}

assay_status ref_altup_correct(ref_real *predicted, const ref_real *activated, size_t n_tokens, const plan *p,
                               const plan_altup *a)
{
    size_t s = p->streams.n, d = p->hidden, n = n_tokens * d;
    ref_real *routed = ref_alloc(n_tokens, s), *coefficient = ref_alloc(n_tokens, s),
             *innovation = ref_alloc(1, n);
    assay_status rc = routed && coefficient && innovation
                          ? route_modalities(routed, activated, n_tokens, p, a)
                          : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = ref_matrix(coefficient, routed, n_tokens, &a->correction);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        innovation[i] = activated[i] - predicted[p->streams.active * n + i];
    for (size_t j = 0; rc == ASSAY_OK && j < s; j++)
        for (size_t t = 0; t < n_tokens; t++)
            for (size_t k = 0; k < d; k++)
                predicted[j * n + t * d + k] += innovation[t * d + k] * (coefficient[t * s + j] + 1);
    free(routed);
    free(coefficient);
    free(innovation);
    return rc;
}

static double mean_square(const ref_real *row, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)row[i] * (double)row[i];
    return sum / (double)n;
}

/* Scales every row of y to the root mean square of the same row of x. */
static void match_magnitude(ref_real *y, const ref_real *x, size_t n_tokens, size_t d)
{
    const double floor = 1e-5; /* lower limit of the mean square, as published */
    for (size_t t = 0; t < n_tokens; t++)
        ref_scale(y + t * d, d,
                  sqrt(mean_square(x + t * d, d)) / sqrt(fmax(mean_square(y + t * d, d), floor)));
}

assay_status ref_altup_open(ref_real *streams, const ref_real *x, size_t n_tokens, const plan *p)
{
    size_t n = n_tokens * p->hidden;
    assay_status rc = ASSAY_OK;
    memcpy(streams, x, n * sizeof *streams);
    for (size_t s = 1; rc == ASSAY_OK && s < p->streams.n; s++) {
        rc = ref_matrix(streams + s * n, x, n_tokens, &p->streams.projection[s - 1]);
        if (rc == ASSAY_OK) match_magnitude(streams + s * n, x, n_tokens, p->hidden);
    }
    return rc;
}

assay_status ref_altup_close(ref_real *x, const ref_real *streams, size_t n_tokens, const plan *p)
{
    size_t n = n_tokens * p->hidden;
    ref_real *back = ref_alloc(1, n);
    assay_status rc = back ? ASSAY_OK : ASSAY_ENOMEM;
    memcpy(x, streams, n * sizeof *x);
    for (size_t s = 1; rc == ASSAY_OK && s < p->streams.n; s++) {
        rc = ref_matrix(back, streams + s * n, n_tokens, &p->streams.unprojection[s - 1]);
        if (rc != ASSAY_OK) break;
        match_magnitude(back, streams, n_tokens, p->hidden);
        ref_add(x, back, n);
    }
    ref_scale(x, n, 1 / (double)p->streams.n);
    free(back);
    return rc;
}

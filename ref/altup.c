/* Written from Gemma3nTextAltUp and Gemma3nTextModel.forward of transformers (modeling_gemma3n.py), in their
 * order; names in quotes are theirs. The method: Baykal et al. 2023, Alternating Updates for Efficient
 * Transformers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/altup.h"

#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/product.h"

/* "compute_router_modalities", then the linear layer that reads them: "prediction_coefs" or
 * "correction_coefs". x: [T, D], coefs: [T, rows of linear]. */
static assay_status compute_coefs(ref_real *coefs, const ref_real *x, size_t n_tokens, const plan_altup *a,
                                  const plan_weight *linear)
{
    const size_t width = a->router.cols, n_streams = a->router.rows;
    ref_real *inputs = ref_alloc(n_tokens, width), *routed = ref_alloc(n_tokens, n_streams);
    assay_status rc = inputs && routed ? ref_norm(inputs, x, n_tokens, width, &a->router_norm) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        ref_scale(inputs, n_tokens * width, a->router_factor);
        rc = ref_matrix(routed, inputs, n_tokens, &a->router);
    }
    if (rc == ASSAY_OK) {
        for (ref_real *r = routed; r < routed + n_tokens * n_streams; r++) *r = (ref_real)tanh((double)*r);
        rc = ref_matrix(coefs, routed, n_tokens, linear);
    }
    free(inputs);
    free(routed);
    return rc;
}

assay_status ref_altup_predict(ref_real *predicted, const ref_real *streams, size_t n_tokens, const plan *p,
                               const plan_altup *a)
{
    const size_t n_streams = p->streams.n, width = p->hidden, n_each = n_tokens * width;
    ref_real *coefs = ref_alloc(n_tokens, n_streams * n_streams);
    const assay_status rc =
        coefs ? compute_coefs(coefs, streams + p->streams.active * n_each, n_tokens, a, &a->prediction)
              : ASSAY_ENOMEM;
    for (size_t at = 0; rc == ASSAY_OK && at < n_each; at++) {
        /* Reshaped to [S, S] and permuted, so "all_coefs"[from][to] is row `to`, column `from`. */
        const ref_real *all_coefs = coefs + at / width * n_streams * n_streams;
        for (size_t to = 0; to < n_streams; to++) {
            double prediction = 0;
            for (size_t from = 0; from < n_streams; from++)
                prediction += (double)all_coefs[to * n_streams + from] * (double)streams[from * n_each + at];
            predicted[to * n_each + at] = (ref_real)(prediction + (double)streams[to * n_each + at]);
        }
    }
    free(coefs);
    return rc;
}

assay_status ref_altup_correct(ref_real *predicted, const ref_real *activated, size_t n_tokens, const plan *p,
                               const plan_altup *a)
{
    const size_t n_streams = p->streams.n, width = p->hidden, n_each = n_tokens * width;
    ref_real *coefs = ref_alloc(n_tokens, n_streams);
    const assay_status rc =
        coefs ? compute_coefs(coefs, activated, n_tokens, a, &a->correction) : ASSAY_ENOMEM;
    for (size_t at = 0; rc == ASSAY_OK && at < n_each; at++) {
        const double innovation = (double)activated[at] - (double)predicted[p->streams.active * n_each + at];
        for (size_t s = 0; s < n_streams; s++) {
            const double coef = (double)coefs[at / width * n_streams + s] + 1;
            ref_real *corrected = &predicted[s * n_each + at];
            *corrected = (ref_real)((double)*corrected + innovation * coef);
        }
    }
    free(coefs);
    return rc;
}

/* The square root of the mean of the squares of a row, which is at least `least`. */
static double magnitude(const ref_real *row, size_t width, double least)
{
    double squares = 0;
    for (const ref_real *x = row; x < row + width; x++) squares += (double)*x * (double)*x;
    return sqrt(fmax(squares / (double)width, least));
}

/* "current_hidden_state" · "target_magnitude" / "new_magnitude" of every token; the target is that of x. */
static void match_magnitudes(ref_real *current, const ref_real *x, size_t n_tokens, size_t width)
{
    for (size_t t = 0; t < n_tokens; t++, current += width, x += width)
        ref_scale(current, width, magnitude(x, width, 0) / magnitude(current, width, 1e-5));
}

assay_status ref_altup_open(ref_real *streams, const ref_real *x, size_t n_tokens, const plan *p)
{
    const size_t n_each = n_tokens * p->hidden;
    assay_status rc = ASSAY_OK;
    memcpy(streams, x, n_each * sizeof *x);
    for (size_t i = 1; rc == ASSAY_OK && i < p->streams.n; i++) {
        rc = ref_matrix(streams + i * n_each, x, n_tokens, &p->streams.projection[i - 1]);
        if (rc == ASSAY_OK) match_magnitudes(streams + i * n_each, x, n_tokens, p->hidden);
    }
    return rc;
}

assay_status ref_altup_close(ref_real *x, const ref_real *streams, size_t n_tokens, const plan *p)
{
    const size_t n_each = n_tokens * p->hidden;
    ref_real *unembedded = ref_alloc(p->streams.n, n_each);
    assay_status rc = unembedded ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) memcpy(unembedded, streams, n_each * sizeof *x);
    for (size_t i = 1; rc == ASSAY_OK && i < p->streams.n; i++) {
        rc = ref_matrix(unembedded + i * n_each, streams + i * n_each, n_tokens,
                        &p->streams.unprojection[i - 1]);
        if (rc == ASSAY_OK) match_magnitudes(unembedded + i * n_each, streams, n_tokens, p->hidden);
    }
    for (size_t at = 0; rc == ASSAY_OK && at < n_each; at++) {
        double sum = 0;
        for (size_t i = 0; i < p->streams.n; i++) sum += (double)unembedded[i * n_each + at];
        x[at] = (ref_real)(sum / (double)p->streams.n);
    }
    free(unembedded);
    return rc;
}

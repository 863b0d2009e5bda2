/* One forward pass over one sample, from nothing: no cache, no batch, no padding.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_FORWARD_H
#define REF_FORWARD_H

#include "ref/ops.h"
#include "ref/trace.h"

/* What a pass carries from layer to layer. */
typedef struct ref_pass {
    const plan *plan;
    size_t n_tokens;       /* T */
    const int32_t *tokens; /* [T], checked: embeddable */
    ref_limit limit;
    ref_tracer tracer;
    double **cosine, **sine; /* [n_ropes] of [T, dim / 2] */
    ref_real **k, **v;      /* [n_layers] of [T, n_kv_heads, head_dim], kept for the layers that share them */
    ref_real *layer_inputs; /* [T, n_layers, P], or NULL */
} ref_pass;

/* logits: [T - first_row, vocab], of the rows from first_row on.
 * tokens: [n_tokens], each of which plan_embeds_as accepts. Fails with ASSAY_ENOMEM only. */
assay_status ref_forward(const plan *p, const int32_t *tokens, size_t n_tokens, size_t first_row,
                         ref_limit limit, ref_tracer tracer, ref_real *logits, assay_error *err);

/* Layer i in place. x: [T, D]; with streams, [S, T, D]. */
assay_status ref_layer(ref_pass *pass, size_t i, ref_real *x);

/* The layer proper, without alternating updates and per-layer input. x: [T, D], in place. */
assay_status ref_block(ref_pass *pass, size_t i, ref_real *x);

/* Alternating updates (Baykal et al. 2023; Gemma3nTextAltUp): streams, predicted: [S, T, D].
 * Predicts all streams from all; corrects the predictions by what the layer made of the active one. */
assay_status ref_altup_predict(ref_real *predicted, const ref_real *streams, size_t n_tokens, const plan *p,
                               const plan_altup *a);
assay_status ref_altup_correct(ref_real *predicted, const ref_real *activated, size_t n_tokens, const plan *p,
                               const plan_altup *a);

/* The streams from the embedding (stream 0), and back into one. x: [T, D], streams: [S, T, D]. */
assay_status ref_streams_open(ref_real *streams, const ref_real *x, size_t n_tokens, const plan *p);
assay_status ref_streams_close(ref_real *x, const ref_real *streams, size_t n_tokens, const plan *p);

#endif

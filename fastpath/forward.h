/* One pass through the layers, over rows of any number of samples.
 *
 * R: rows of the pass. Every operation treats each row by itself, so that no bit of a row depends on the
 * others; attention alone looks beyond it, into the caches of its own sample.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_FORWARD_H
#define FASTPATH_FORWARD_H

#include "fastpath/model.h"
#include "fastpath/scratch.h"
#include "fastpath/trace.h"

/* Rows of the pass that follow each other in one sample. Row first_row + i is at position
 * state->n_tokens + i (fp_run_position). */
typedef struct fp_run {
    fp_state *state;       /* advanced by the caller, after the pass */
    const int32_t *tokens; /* [n_rows], checked: embeddable */
    size_t first_row, n_rows;
    size_t length;   /* of the whole sequence that is being evaluated: decides frequencies */
    size_t n_logits; /* of the last rows */
    float *logits;   /* [n_logits, vocab], owned by the caller */
} fp_run;

typedef struct fp_pass {
    const fp_model *model;
    const plan *plan;
    fp_scratch *scratch;
    fp_tracer tracer; /* asks only where the pass is one whole sample */
    fp_run *runs;
    size_t n_runs, n_rows;
    float **cosine, **sine; /* [n_ropes] of [R, dim / 2] */
    float *layer_inputs;    /* [R, n_layers, P], or NULL */
    void *narrow;           /* room for R rows of any matrix in a narrower type */
} fp_pass;

static inline size_t fp_run_position(const fp_run *run, size_t row)
{
    return run->state->n_tokens + (row - run->first_row);
}

/* Evaluates the runs: writes their positions into the caches and their logits to where they want them.
 * scratch is as it was found afterwards. Fails with ASSAY_ENOMEM; states then count what they counted. */
assay_status fp_forward(const fp_model *m, fp_scratch *scratch, const fp_tracer *tracer, fp_run *runs,
                        size_t n_runs);

/* Layer i in place. x: [R, D]; with streams, [S, R, D]. */
assay_status fp_layer_run(fp_pass *pass, size_t i, float *x);

/* y = attention of layer i over x: [R, D], its normed input; writes the layer's keys. y: [R, D]. */
assay_status fp_attend(fp_pass *pass, size_t i, const float *x, float *y);

/* Alternating updates; streams, predicted: [S, R, D], activated: [R, D] (see model/plan/plan.h). */
assay_status fp_altup_predict(fp_pass *pass, size_t i, float *predicted, const float *streams);
assay_status fp_altup_correct(fp_pass *pass, size_t i, float *predicted, const float *activated);

/* The streams from the embedding (stream 0), and back into one. x: [R, D], streams: [S, R, D]. */
void fp_streams_open(fp_pass *pass, float *streams, const float *x);
assay_status fp_streams_close(fp_pass *pass, float *x, const float *streams);

/* The gated MLP and the mixture of experts of layer i. x, routed (what the router sees), y: [R, D]. */
assay_status fp_mlp_run(fp_pass *pass, size_t i, float *y, const float *x);
assay_status fp_experts_run(fp_pass *pass, size_t i, float *y, const float *x, const float *routed);

/* Operations on rows; n_rows is the caller's, since experts see fewer than R. */

/* Takes pass->narrow out of its scratch, if the model multiplies anything narrower than float32; false where
 * memory is short. */
bool fp_narrow_room(fp_pass *pass);

/* y = x Wᵀ. x: [n_rows, n_in], y: [n_rows, n_out]. */
void fp_product(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_matrix *w);
/* The same of several matrices, which the workers share as one. */
typedef struct fp_target {
    float *y;
    const fp_matrix *w;
} fp_target;

void fp_products(const fp_pass *pass, const float *x, size_t n_rows, const fp_target *targets, size_t n);
/* y += b, if there is one. */
void fp_bias_run(float *y, size_t n_rows, const fp_linear *linear);
/* y = x Wᵀ + b. */
void fp_linear_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_linear *linear);
/* x: [n_rows, width]; y may be x. The identity where norm is not present. */
void fp_norm_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                 const fp_norm *norm);
/* y = activation(gate) * up; y may be gate. gate, y: [n_rows, width]; up: likewise, ld_up elements from row
 * to row. */
void fp_gate_run(const fp_pass *pass, float *y, const float *gate, const float *up, size_t ld_up,
                 size_t n_rows, size_t width, assay_activation activation);
/* x: [n_rows, width], to the nearest numbers of bfloat16, in place. */
void fp_round_run(const fp_pass *pass, float *x, size_t n_rows, size_t width);
void fp_add(float *y, const float *x, size_t n);
/* y += x, of all rows of the pass: [R, width]. */
void fp_add_run(const fp_pass *pass, float *y, const float *x, size_t width);
void fp_scale(float *y, size_t n, double factor);
/* Every row of x [n_rows, width] times factors [width]. */
void fp_scale_columns(float *x, size_t n_rows, size_t width, const float *factors);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/forward.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/plan/arrays.h"
#include "ref/altup.h"
#include "ref/arithmetic/product.h"
#include "ref/arithmetic/weight.h"
#include "ref/layer.h"
#include "ref/pass.h"

/* The embedding of an id that has one of its own: norms and products of a row. */
static assay_status embed_own(const plan_id_table *table, size_t row, ref_real *out)
{
    size_t width = table->table.cols;
    ref_real *x = ref_alloc(1, width);
    if (!x) return ASSAY_ENOMEM;
    ref_weight_rows(&table->table, row, 1, x);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < table->merger.n_steps; i++) {
        const plan_merger_step *step = &table->merger.steps[i];
        const size_t next = plan_merger_step_width(step, width, 1);
        ref_real *y = ref_alloc(1, next);
        if (!y) rc = ASSAY_ENOMEM;
        else if (step->kind == PLAN_MERGER_NORM) rc = ref_norm(y, x, 1, width, &step->norm);
        else rc = ref_linear(y, x, 1, &step->linear);
        free(x);
        x = y;
        width = next;
    }
    if (rc == ASSAY_OK) memcpy(out, x, width * sizeof *out);
    free(x);
    return rc;
}

static assay_status embed_tokens(const ref_pass *pass, ref_real *x)
{
    const plan *p = pass->plan;
    assay_status rc = ASSAY_OK;
    for (size_t t = 0; t < pass->n_tokens; t++)
        ref_weight_rows(&p->embedding, (size_t)plan_embeds_as(p, pass->tokens[t]), 1, x + t * p->hidden);
    if (p->embedding_scale != 1) ref_scale(x, pass->n_tokens * p->hidden, p->embedding_scale);
    for (size_t t = 0; rc == ASSAY_OK && t < pass->n_tokens; t++) {
        const size_t row = plan_id_table_row(p, pass->tokens[t]);
        if (row != SIZE_MAX) rc = embed_own(&p->id_table, row, x + t * p->hidden);
    }
    ref_features_replace(&pass->features, pass->n_tokens, p->hidden, x);
    return rc;
}

/* (norm(projection(e) * factor) + table[token] * scale) * 2^-1/2, for all layers in one call. */
static assay_status make_layer_inputs(ref_pass *pass, const ref_real *embedded)
{
    const plan *p = pass->plan;
    const plan_layer_inputs *in = &p->layer_inputs;
    size_t width = in->width * p->n_layers;
    pass->layer_inputs = ref_alloc(pass->n_tokens, width);
    ref_real *row = ref_alloc(1, width);
    assay_status rc = pass->layer_inputs && row
                          ? ref_linear(pass->layer_inputs, embedded, pass->n_tokens, &in->projection)
                          : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        ref_scale(pass->layer_inputs, pass->n_tokens * width, in->projection_factor);
        rc = ref_norm(pass->layer_inputs, pass->layer_inputs, pass->n_tokens * p->n_layers, in->width,
                      &in->norm);
    }
    for (size_t t = 0; rc == ASSAY_OK && t < pass->n_tokens; t++) {
        size_t id = (size_t)plan_embeds_as(p, pass->tokens[t]);
        ref_weight_rows(&in->table, id < in->table.rows ? id : 0, 1, row);
        ref_scale(row, width, in->table_scale);
        ref_add(pass->layer_inputs + t * width, row, width);
        ref_scale(pass->layer_inputs + t * width, width, 0.70710678118654752440);
    }
    free(row);
    return rc;
}

/* Fills position [ROPE_AXES_MAX, T]. Returns the largest + 1, the length that frequencies depend on (as
 * transformers' dynamic_rope_update). */
static size_t spread_positions(const ref_pass *pass, int32_t *position)
{
    size_t length = 0;
    for (size_t a = 0; a < ROPE_AXES_MAX; a++)
        for (size_t t = 0; t < pass->n_tokens; t++) {
            const int32_t own = pass->positions ? pass->positions[t * ROPE_AXES_MAX + a] : (int32_t)t;
            position[a * pass->n_tokens + t] = own;
            if ((size_t)own + 1 > length) length = (size_t)own + 1;
        }
    return length;
}

/* Computes cosines and sines of the tokens' positions for every RoPE of the plan. */
static assay_status make_ropes(ref_pass *pass)
{
    const plan *p = pass->plan;
    int32_t *position = malloc(ROPE_AXES_MAX * pass->n_tokens * sizeof *position);
    assay_status rc = position ? ASSAY_OK : ASSAY_ENOMEM;
    const size_t length = position ? spread_positions(pass, position) : 0;
    for (size_t r = 0; rc == ASSAY_OK && r < p->n_ropes; r++) {
        const size_t n = rope_n_angles(&p->ropes[r]);
        double *scratch = calloc(n, sizeof *scratch);
        pass->cosine[r] = calloc(pass->n_tokens * n, sizeof(double));
        pass->sine[r] = calloc(pass->n_tokens * n, sizeof(double));
        if (!scratch || !pass->cosine[r] || !pass->sine[r]) {
            rc = ASSAY_ENOMEM;
        } else {
            rope_tables(&p->ropes[r], plan_frequencies(p, r, length, scratch), position, ROPE_AXES_MAX,
                        pass->n_tokens, pass->cosine[r], pass->sine[r]);
        }
        free(scratch);
    }
    free(position);
    return rc;
}

/* x: [T, D], the embedding; replaced by the last layer's output, with the streams merged. */
static assay_status run_layers(ref_pass *pass, ref_real *x)
{
    const plan *p = pass->plan;
    if (p->streams.n == 0) {
        assay_status rc = ASSAY_OK;
        for (size_t i = 0; rc == ASSAY_OK && i < p->n_layers; i++) rc = ref_layer(pass, i, x);
        return rc;
    }
    ref_real *streams = ref_alloc(p->streams.n, pass->n_tokens * p->hidden);
    assay_status rc = streams ? ref_altup_open(streams, x, pass->n_tokens, p) : ASSAY_ENOMEM;
    for (size_t i = 0; rc == ASSAY_OK && i < p->n_layers; i++) rc = ref_layer(pass, i, streams);
    if (rc == ASSAY_OK) rc = ref_altup_close(x, streams, pass->n_tokens, p);
    free(streams);
    return rc;
}

static assay_status run_model(ref_pass *pass, size_t first_row, ref_real *x, ref_real *logits)
{
    const plan *p = pass->plan;
    size_t n_rows = pass->n_tokens - first_row;
    assay_status rc = make_ropes(pass);
    if (rc != ASSAY_OK) return rc;
    rc = embed_tokens(pass, x);
    if (rc == ASSAY_OK) rc = ref_trace(&pass->tracer, x, pass->n_tokens, p->hidden, "embed");
    if (rc == ASSAY_OK && p->layer_inputs.present) rc = make_layer_inputs(pass, x);
    if (rc == ASSAY_OK) rc = run_layers(pass, x);
    if (rc == ASSAY_OK) rc = ref_norm(x, x, pass->n_tokens, p->hidden, &p->norm);
    if (rc == ASSAY_OK) rc = ref_trace(&pass->tracer, x, pass->n_tokens, p->hidden, "norm");
    if (rc != ASSAY_OK || n_rows == 0) return rc;
    const plan_linear head = {.weight = p->head, .bias = p->head_bias};
    rc = ref_linear(logits, x + first_row * p->hidden, n_rows, &head);
    if (rc == ASSAY_OK && p->logit_factor != 1) ref_scale(logits, n_rows * p->vocab, p->logit_factor);
    if (rc == ASSAY_OK && p->soft_cap > 0) ref_soft_cap(logits, n_rows * p->vocab, p->soft_cap);
    return rc;
}

static void report_failure(const plan *p, const ref_sample *sample, size_t number, assay_status rc,
                           assay_error *err)
{
    if (rc == ASSAY_ESTOPPED) (void)assay_fail(err, rc, "step: sample %zu: the tap stopped the step", number);
    else if (sample->media.n == 0)
        (void)assay_fail(err, rc, "%s: out of memory for %zu tokens", p->dir, sample->n_tokens);
    else
        (void)assay_fail(err, rc, "%s: sample %zu: out of memory for %zu tokens with %zu images or videos",
                         p->dir, number, sample->n_tokens, sample->media.n);
}

static void free_each(void **list, size_t n)
{
    for (size_t i = 0; list && i < n; i++) free(list[i]);
    free(list);
}

assay_status ref_forward(const plan *p, const ref_sample *sample, size_t first_row, ref_limit limit,
                         ref_tracer tracer, ref_real *logits, assay_error *err)
{
    const size_t n_tokens = sample->n_tokens;
    ref_pass pass = {.plan = p,
                     .n_tokens = n_tokens,
                     .tokens = sample->tokens,
                     .positions = sample->positions,
                     .media = &sample->media,
                     .limit = limit,
                     .tracer = tracer};
    pass.cosine = calloc(p->n_ropes + 1, sizeof *pass.cosine);
    pass.sine = calloc(p->n_ropes + 1, sizeof *pass.sine);
    pass.k = calloc(p->n_layers, sizeof *pass.k);
    pass.v = calloc(p->n_layers, sizeof *pass.v);
    pass.block_end = calloc(n_tokens, sizeof *pass.block_end);
    ref_real *x = ref_alloc(n_tokens, p->hidden);
    assay_status rc = ASSAY_ENOMEM;
    if (pass.cosine && pass.sine && pass.k && pass.v && pass.block_end && x) {
        const plan_sequence all = media_list_sequence(&sample->media, p, sample->tokens, n_tokens);
        plan_block_ends(&all, 0, pass.block_end);
        rc = ref_features_make(p, sample, tracer, &pass.features);
        if (rc == ASSAY_OK) rc = ref_features_angles(p, sample, &pass.plane_angle);
        if (rc == ASSAY_OK) rc = run_model(&pass, first_row, x, logits);
    }
    if (rc != ASSAY_OK) report_failure(p, sample, tracer.sample, rc, err);
    free_each((void **)pass.cosine, p->n_ropes);
    free_each((void **)pass.sine, p->n_ropes);
    free_each((void **)pass.k, p->n_layers);
    free_each((void **)pass.v, p->n_layers);
    free(pass.plane_angle);
    free(pass.block_end);
    free(pass.layer_inputs);
    ref_features_free(&pass.features);
    free(x);
    return rc;
}

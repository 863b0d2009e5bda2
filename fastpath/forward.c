/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/forward.h"

#include "fastpath/altup.h"
#include "fastpath/layer.h"
#include "fastpath/ops.h"
#include "fastpath/pack_matrix.h"
#include "fastpath/pass_trace.h"
#include "fastpath/plane_rope.h"
#include "model/plan/arrays.h"
#include "model/plan/mask.h"

#include <assert.h>
#include <string.h>

/* Features replace the scaled embeddings of their tokens. */
static void place_features(const fp_run *run, size_t hidden, float *x)
{
    for (size_t t = 0; run->placed && t < run->n_rows; t++)
        if (run->placed[t].features)
            memcpy(x + (run->first_row + t) * hidden,
                   fp_features_row(run->placed[t].features, 0, run->placed[t].row), hidden * sizeof *x);
}

/* out = the embedding of row `row` of the ids with one of their own. out: [D]. */
static assay_status embed_row(const fp_pass *pass, size_t row, float *out)
{
    const plan_merger *merger = &pass->plan->id_table.merger;
    const fp_id_table *packed = &pass->model->id_table;
    const size_t mark = pass->scratch->n;
    size_t width = packed->table.packed.n_in;
    float *x = fp_scratch_floats(pass->scratch, 1, width);
    if (x) fp_matrix_unpack(&packed->table, row, x);
    for (size_t i = 0; x && i < merger->n_steps; i++) {
        const plan_merger_step *step = &merger->steps[i];
        const size_t next = plan_merger_step_width(step, width, 1);
        float *y = fp_scratch_floats(pass->scratch, 1, next);
        if (y && step->kind == PLAN_MERGER_NORM) fp_norm_run(pass, y, x, 1, width, &packed->steps[i].norm);
        else if (y) fp_linear_run(pass, y, x, 1, &packed->steps[i].linear);
        x = y;
        width = next;
    }
    if (x) memcpy(out, x, width * sizeof *out);
    pass->scratch->n = mark;
    return x ? ASSAY_OK : ASSAY_ENOMEM;
}

/* Ids with an embedding of their own. */
static assay_status embed_own(const fp_pass *pass, const fp_run *run, float *x)
{
    const plan *p = pass->plan;
    assay_status rc = ASSAY_OK;
    for (size_t t = 0; rc == ASSAY_OK && p->id_table.n && t < run->n_rows; t++) {
        const size_t row = plan_id_table_row(p, run->tokens[t]);
        if (row != SIZE_MAX) rc = embed_row(pass, row, x + (run->first_row + t) * p->hidden);
    }
    return rc;
}

static assay_status embed_tokens(const fp_pass *pass, float *x)
{
    const plan *p = pass->plan;
    assay_status rc = ASSAY_OK;
    for (size_t j = 0; j < pass->n_runs; j++)
        for (size_t t = 0; t < pass->runs[j].n_rows; t++)
            fp_matrix_unpack(&pass->model->embedding, (size_t)plan_embeds_as(p, pass->runs[j].tokens[t]),
                             x + (pass->runs[j].first_row + t) * p->hidden);
    if (p->embedding_scale != 1) fp_scale(x, pass->n_rows * p->hidden, p->embedding_scale);
    for (size_t j = 0; rc == ASSAY_OK && j < pass->n_runs; j++) rc = embed_own(pass, &pass->runs[j], x);
    for (size_t j = 0; j < pass->n_runs; j++) place_features(&pass->runs[j], p->hidden, x);
    return rc;
}

/* Adds table[token] * scale for one run to in [R, width]. row: scratch, [width]. */
static void add_table(const fp_pass *pass, const fp_run *run, float *row)
{
    const plan *p = pass->plan;
    const fp_matrix *table = &pass->model->table;
    const size_t n = table->packed.n_in;
    for (size_t t = 0; t < run->n_rows; t++) {
        size_t id = (size_t)plan_embeds_as(p, run->tokens[t]);
        fp_matrix_unpack(table, id < table->packed.n_out ? id : 0, row);
        fp_scale(row, n, p->layer_inputs.table_scale);
        fp_add(pass->layer_inputs + (run->first_row + t) * n, row, n);
    }
}

/* (norm(projection(e) * factor) + table[token] * scale) * 2^-1/2, for all layers in one call. */
static assay_status make_layer_inputs(fp_pass *pass, const float *embedded)
{
    const plan *p = pass->plan;
    const plan_layer_inputs *in = &p->layer_inputs;
    size_t width = in->width * p->n_layers, n = pass->n_rows * width;
    float *row = fp_scratch_floats(pass->scratch, 1, width);
    pass->layer_inputs = row ? fp_scratch_floats(pass->scratch, pass->n_rows, width) : NULL;
    if (!pass->layer_inputs) return ASSAY_ENOMEM;
    fp_linear_run(pass, pass->layer_inputs, embedded, pass->n_rows, &pass->model->input_projection);
    fp_scale(pass->layer_inputs, n, in->projection_factor);
    fp_norm_run(pass, pass->layer_inputs, pass->layer_inputs, pass->n_rows * p->n_layers, in->width,
                &pass->model->input_norm);
    for (size_t j = 0; j < pass->n_runs; j++) add_table(pass, &pass->runs[j], row);
    fp_scale(pass->layer_inputs, n, 0.70710678118654752440);
    return ASSAY_OK;
}

/* Fills position with those of a run, [n_axes, n_rows]. Returns n_axes: ROPE_AXES_MAX or 1. */
static size_t fill_positions(const fp_run *run, int32_t *position)
{
    const size_t n_axes = run->positions ? ROPE_AXES_MAX : 1;
    for (size_t a = 0; a < n_axes; a++)
        for (size_t t = 0; t < run->n_rows; t++)
            position[a * run->n_rows + t] = run->positions
                                                ? run->positions[t * ROPE_AXES_MAX + a]
                                                : (int32_t)fp_run_position(run, run->first_row + t);
    return n_axes;
}

/* Computes cosines and sines of one RoPE at the positions of one run. position: scratch,
 * [ROPE_AXES_MAX, n_rows]; wide: scratch, [3, n_rows, rope_n_angles]. */
static void make_tables(const fp_pass *pass, size_t index, const fp_run *run, int32_t *position, double *wide)
{
    const rope *r = &pass->plan->ropes[index];
    size_t n = rope_n_angles(r), at = run->first_row * n, count = run->n_rows * n;
    double *cosine = wide, *sine = wide + count, *own = sine + count;
    const double *frequency = plan_frequencies(pass->plan, index, run->length, own);
    const size_t n_axes = fill_positions(run, position);
    rope_tables(r, frequency, position, n_axes, run->n_rows, cosine, sine);
    for (size_t k = 0; k < count; k++) {
        pass->cosine[index][at + k] = (float)cosine[k];
        pass->sine[index][at + k] = (float)sine[k];
    }
}

static assay_status make_ropes(fp_pass *pass)
{
    const plan *p = pass->plan;
    size_t widest = 1;
    for (size_t i = 0; i < p->n_ropes; i++)
        widest = rope_n_angles(&p->ropes[i]) > widest ? rope_n_angles(&p->ropes[i]) : widest;
    pass->cosine = fp_scratch_alloc(pass->scratch, p->n_ropes, 2, sizeof *pass->cosine);
    float *tables = fp_scratch_floats(pass->scratch, pass->n_rows * widest, 2 * p->n_ropes);
    if (!pass->cosine || !tables) return ASSAY_ENOMEM;
    pass->sine = pass->cosine + p->n_ropes;
    size_t mark = pass->scratch->n;
    int32_t *position = fp_scratch_alloc(pass->scratch, pass->n_rows, ROPE_AXES_MAX, sizeof *position);
    double *wide = fp_scratch_alloc(pass->scratch, pass->n_rows * widest, 3, sizeof *wide);
    for (size_t i = 0; position && wide && i < p->n_ropes; i++) {
        pass->cosine[i] = tables + 2 * i * pass->n_rows * widest;
        pass->sine[i] = pass->cosine[i] + pass->n_rows * widest;
        for (size_t j = 0; j < pass->n_runs; j++) make_tables(pass, i, &pass->runs[j], position, wide);
    }
    pass->scratch->n = mark;
    return position && wide ? ASSAY_OK : ASSAY_ENOMEM;
}

static assay_status find_blocks(fp_pass *pass)
{
    const plan *p = pass->plan;
    if (p->blocks.n == 0 && !p->blocks.of_image) return ASSAY_OK;
    pass->block_last = fp_scratch_alloc(pass->scratch, pass->n_rows, 1, sizeof *pass->block_last);
    if (!pass->block_last) return ASSAY_ENOMEM;
    for (size_t j = 0; j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        const size_t from = run->state->n_tokens;
        const plan_sequence all = {p, run->tokens - from, from + run->n_rows, run->n_image};
        size_t *last = pass->block_last + run->first_row;
        plan_block_ends(&all, from, last);
        for (size_t t = 0; t < run->n_rows; t++) last[t]--;
    }
    return ASSAY_OK;
}

static assay_status find_own_experts(fp_pass *pass)
{
    const plan *p = pass->plan;
    if (p->expert_tokens.n == 0) return ASSAY_OK;
    pass->has_own = fp_scratch_alloc(pass->scratch, pass->n_rows, 1, sizeof *pass->has_own);
    for (size_t j = 0; pass->has_own && j < pass->n_runs; j++)
        for (size_t t = 0; t < pass->runs[j].n_rows; t++)
            pass->has_own[pass->runs[j].first_row + t] = plan_has_own_experts(p, pass->runs[j].tokens[t]);
    return pass->has_own ? ASSAY_OK : ASSAY_ENOMEM;
}

/* x: [R, D], the embedding; replaced by the last layer's output, with the streams merged. */
static assay_status run_layers(fp_pass *pass, float *x)
{
    const plan *p = pass->plan;
    size_t mark = pass->scratch->n;
    float *streams = x;
    if (p->streams.n > 0) {
        streams = fp_scratch_floats(pass->scratch, p->streams.n, pass->n_rows * p->hidden);
        if (!streams) return ASSAY_ENOMEM;
        fp_altup_open(pass, streams, x);
    }
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < p->n_layers; i++) rc = fp_layer_run(pass, i, streams);
    if (rc == ASSAY_OK && p->streams.n > 0) rc = fp_altup_close(pass, x, streams);
    pass->scratch->n = mark;
    return rc;
}

enum { LOGIT_ROWS = 32 };

/* A block of rows whose logits are wanted: one product for all runs reads the LM head once. */
typedef struct wanted {
    const fp_pass *pass;
    float *rows, *results; /* [LOGIT_ROWS, D], [LOGIT_ROWS, vocab] */
    float *to[LOGIT_ROWS];
    size_t n;
} wanted;

static void compute_logits(wanted *w)
{
    const plan *p = w->pass->plan;
    fp_product(w->pass, w->results, w->rows, w->n, w->pass->model->head);
    for (size_t r = 0; r < w->n; r++) {
        memcpy(w->to[r], w->results + r * p->vocab, p->vocab * sizeof *w->results);
        if (w->pass->model->head_bias) fp_add(w->to[r], w->pass->model->head_bias, p->vocab);
        if (p->logit_factor != 1) fp_scale(w->to[r], p->vocab, p->logit_factor);
        if (p->soft_cap > 0) w->pass->model->kernels.op.cap.f32(w->to[r], p->vocab, (float)p->soft_cap);
    }
    w->n = 0;
}

static assay_status make_logits(fp_pass *pass, const float *x)
{
    const plan *p = pass->plan;
    size_t mark = pass->scratch->n;
    wanted w = {.pass = pass};
    w.rows = fp_scratch_floats(pass->scratch, LOGIT_ROWS, p->hidden);
    w.results = w.rows ? fp_scratch_floats(pass->scratch, LOGIT_ROWS, p->vocab) : NULL;
    for (size_t j = 0; w.results && j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        for (size_t k = 0; k < run->n_logits; k++) {
            size_t row = run->first_row + run->n_rows - run->n_logits + k;
            memcpy(w.rows + w.n * p->hidden, x + row * p->hidden, p->hidden * sizeof *x);
            w.to[w.n++] = run->logits + k * p->vocab;
            if (w.n == LOGIT_ROWS) compute_logits(&w);
        }
    }
    if (w.results && w.n) compute_logits(&w);
    pass->scratch->n = mark;
    return w.results ? ASSAY_OK : ASSAY_ENOMEM;
}

static assay_status run_pass(fp_pass *pass)
{
    const plan *p = pass->plan;
    float *x = fp_scratch_floats(pass->scratch, pass->n_rows, p->hidden);
    assay_status rc = x && fp_narrow_alloc(pass) ? make_ropes(pass) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = fp_plane_rope_make(pass);
    if (rc == ASSAY_OK) rc = find_blocks(pass);
    if (rc == ASSAY_OK) rc = find_own_experts(pass);
    if (rc != ASSAY_OK) return rc;
    rc = embed_tokens(pass, x);
    if (rc == ASSAY_OK) rc = fp_pass_trace(pass, x, "embed");
    if (rc == ASSAY_OK && p->layer_inputs.present) rc = make_layer_inputs(pass, x);
    if (rc == ASSAY_OK) rc = run_layers(pass, x);
    if (rc != ASSAY_OK) return rc;
    fp_norm_run(pass, x, x, pass->n_rows, p->hidden, &pass->model->norm);
    rc = fp_pass_trace(pass, x, "norm");
    return rc == ASSAY_OK ? make_logits(pass, x) : rc;
}

assay_status fp_forward(const fp_model *m, fp_scratch *scratch, const fp_tracer *tracer, fp_run *runs,
                        size_t n_runs)
{
    fp_pass pass = {.model = m, .plan = m->plan, .scratch = scratch, .runs = runs, .n_runs = n_runs};
    size_t mark = scratch->n;
    pass.tracer = *tracer;
    for (size_t j = 0; j < n_runs; j++) {
        assert(runs[j].first_row == pass.n_rows && runs[j].n_logits <= runs[j].n_rows);
        pass.n_rows += runs[j].n_rows;
    }
    assay_status rc = ASSAY_OK;
    for (size_t j = 0; rc == ASSAY_OK && j < n_runs; j++)
        rc = fp_state_reserve(runs[j].state, runs[j].n_rows);
    if (rc == ASSAY_OK) rc = run_pass(&pass);
    scratch->n = mark;
    return rc;
}

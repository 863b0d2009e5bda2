/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/merge.h"

#include <string.h>

#include "fastpath/ops.h"
#include "fastpath/tower/crops.h"
#include "fastpath/tower/linear.h"
#include "fastpath/tower/mlp.h"
#include "fastpath/tower/tiles.h"

/* The width of the rows that a merger gets. ends: it is the one behind the last layer. */
static size_t state_width(const fp_tower_pass *v, bool ends)
{
    return ends ? plan_tower_state(v->tower) : v->tower->hidden;
}

/* Copies the rows of tokens first … first + n - 1, token by token. rows: [n, n_members, D]. */
static void gather_rows(const fp_tower_pass *v, const float *x, size_t first, size_t n, float *rows)
{
    const fp_layout *l = &v->layout;
    const size_t hidden = v->tower->hidden, width = plan_tower_state(v->tower);
    for (size_t i = 0; v->collected && i < n; i++)
        fp_tiles_join(v, x, l->member[first + i], rows + i * width);
    for (size_t i = 0; !v->collected && i < n * l->n_members; i++)
        memcpy(rows + i * hidden, x + l->member[first * l->n_members + i] * hidden, hidden * sizeof *x);
}

/* (mean · factor - bias) · scale of every side² rows, in place: n rows of [n, side², D] become [n, D]. The
 * sums are in double, in the order of the rows. */
static void pool_rows(const fp_tower_pass *v, size_t n, float *rows)
{
    const plan_pooling *p = &v->tower->pooling;
    const size_t hidden = v->tower->hidden, n_each = p->side * p->side;
    const float *bias = v->packed->pool_bias, *scale = v->packed->pool_scale;
    if (p->side == 1 && p->factor == 1 && !bias && !scale) return;
    for (size_t t = 0; t < n; t++)
        for (size_t d = 0; d < hidden; d++) {
            double sum = 0;
            for (size_t i = 0; i < n_each; i++) sum += (double)rows[(t * n_each + i) * hidden + d];
            sum = sum / (double)n_each * p->factor;
            if (bias) sum -= (double)bias[d];
            if (scale) sum *= (double)scale[d];
            rows[t * hidden + d] = (float)sum;
        }
}

/* Of each row [m², width]: the m² values of each channel, one channel after the other. */
static void order_by_channel(float *y, const float *x, size_t n_rows, size_t n_members, size_t width)
{
    for (size_t r = 0; r < n_rows; r++, x += n_members * width, y += n_members * width)
        for (size_t k = 0; k < n_members; k++)
            for (size_t d = 0; d < width; d++) y[d * n_members + k] = x[k * width + d];
}

static void repeat_rows(float *y, const float *x, size_t n_rows, size_t width)
{
    for (size_t i = 0; i < 2 * n_rows; i++) memcpy(y + i * width, x + i / 2 * width, width * sizeof *x);
}

/* Rows on their way through a merger: [n, width]. */
typedef struct merging {
    float *x;
    size_t n, width;
} merging;

/* y: the rows after the step; those of a block follow each other. */
static assay_status run_step(fp_tower_pass *v, const plan_merger_step *step, const fp_merger_step *w,
                             const merging *job, float *y)
{
    const size_t n_members = v->tower->merge * v->tower->merge;
    switch (step->kind) {
    case PLAN_MERGER_LINEAR:
        return fp_tower_linear_run(&v->pass, y, job->x, job->n,
                                   (fp_tower_linear){&w->linear, &step->linear.clamp});
    case PLAN_MERGER_MLP: return fp_tower_mlp_run(&v->pass, &step->mlp, &w->mlp, job->n, job->x, y);
    case PLAN_MERGER_REPEAT: repeat_rows(y, job->x, job->n, job->width); break;
    case PLAN_MERGER_CONCATENATE:
        order_by_channel(y, job->x, job->n / n_members, n_members, job->width);
        break;
    case PLAN_MERGER_NORM: fp_norm_run(&v->pass, y, job->x, job->n, job->width, &w->norm); break;
    case PLAN_MERGER_ROW_ENDS:
    case PLAN_MERGER_ENDS: break;
    case PLAN_MERGER_ACTIVATION: fp_tower_activate(&v->pass, y, job->n, job->width, step->activation); break;
    }
    return ASSAY_OK;
}

/* Whether a step leaves its result where its input is. */
static bool is_in_place(const plan_merger_step *step)
{
    return step->kind == PLAN_MERGER_NORM || step->kind == PLAN_MERGER_ACTIVATION ||
           (step->kind == PLAN_MERGER_CONCATENATE && !step->channels_first);
}

static assay_status advance(fp_tower_pass *v, const plan_merger_step *step, const fp_merger_step *w,
                            merging *job)
{
    const size_t merge = v->tower->merge, width = plan_merger_step_width(step, job->width, merge);
    const bool joins = step->kind == PLAN_MERGER_CONCATENATE;
    const size_t n = joins ? job->n / (merge * merge) : job->n;
    float *y = is_in_place(step) ? job->x : fp_scratch_floats(v->pass.scratch, n, width);
    assay_status rc = y ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && !(joins && y == job->x)) rc = run_step(v, step, w, job, y);
    *job = (merging){y, n, width};
    return rc;
}

/* The steps from `first` on, without those that add rows. */
static assay_status run_steps(fp_tower_pass *v, const plan_merger *m, const fp_merger *w, size_t first,
                              merging *job)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = first; rc == ASSAY_OK && i < m->n_steps; i++)
        if (!plan_merger_adds_rows(&m->steps[i])) rc = advance(v, &m->steps[i], &w->steps[i], job);
    return rc;
}

/* rows: [n, merge², width], of tokens first … first + n - 1, overwritten. out: [n_features, H]. */
static assay_status run_merger(fp_tower_pass *v, const plan_merger *m, const fp_merger *w, size_t first,
                               size_t n, size_t width, float *rows, float *out)
{
    const size_t mark = v->pass.scratch->n, merge = v->tower->merge;
    const size_t *feature = v->layout.feature + first;
    merging job = {rows, n * merge * merge, width};
    const assay_status rc = run_steps(v, m, w, 0, &job);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        memcpy(out + feature[i] * job.width, job.x + i * job.width, job.width * sizeof *out);
    v->pass.scratch->n = mark;
    return rc;
}

/* A vector that step i adds, [width], through the steps after it. out: [H]. */
static assay_status run_vector(fp_tower_pass *v, const plan_merger *m, const fp_merger *w, size_t i,
                               const float *vector, size_t width, float *out)
{
    const size_t mark = v->pass.scratch->n;
    merging job = {fp_scratch_floats(v->pass.scratch, 1, width), 1, width};
    assay_status rc = job.x ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        memcpy(job.x, vector, width * sizeof *vector);
        rc = run_steps(v, m, w, i + 1, &job);
    }
    if (rc == ASSAY_OK) memcpy(out, job.x, job.width * sizeof *out);
    v->pass.scratch->n = mark;
    return rc;
}

/* Copies the row of a vector to its places: after each row of tokens, or, of an image's ends, to its first
 * row (end 0) or its last. row: [H]; out: [n_features, H]. */
static void place_vector(const fp_tower_pass *v, bool ends_rows, size_t end, const float *row, float *out)
{
    const size_t side = plan_tower_block(v->tower), hidden = v->pass.plan->hidden;
    const plan_merger_extra extra = plan_merger_extra_rows(&v->tower->merger);
    for (size_t f = 0; f < v->layout.n_frames; f++) {
        const fp_frame *frame = &v->layout.frames[f];
        const size_t n_rows = frame->height / side, n_each = frame->width / side + extra.row_end;
        const size_t n_all = n_rows * n_each + 2 * extra.begin;
        if (!ends_rows) memcpy(out + (end ? n_all - 1 : 0) * hidden, row, hidden * sizeof *row);
        for (size_t y = 0; ends_rows && y < n_rows; y++)
            memcpy(out + (extra.begin + (y + 1) * n_each - 1) * hidden, row, hidden * sizeof *row);
        out += n_all * hidden;
    }
}

/* The rows that the merger adds. out: [n_features, H]. */
static assay_status add_rows(fp_tower_pass *v, const plan_merger *m, const fp_merger *w, float *out)
{
    const size_t mark = v->pass.scratch->n;
    if (v->layout.n_features == v->layout.n_tokens) return ASSAY_OK;
    float *row = fp_scratch_floats(v->pass.scratch, 1, v->pass.plan->hidden);
    size_t width = v->tower->hidden;
    assay_status rc = row ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t i = 0; rc == ASSAY_OK && i < m->n_steps; i++) {
        const plan_merger_step *step = &m->steps[i];
        const size_t n = step->kind == PLAN_MERGER_ENDS ? 2 : step->kind == PLAN_MERGER_ROW_ENDS ? 1 : 0;
        for (size_t e = 0; rc == ASSAY_OK && e < n; e++) {
            rc = run_vector(v, m, w, i, w->steps[i].vector[e], width, row);
            if (rc == ASSAY_OK) place_vector(v, n == 1, e, row, out);
        }
        width = plan_merger_step_width(step, width, v->tower->merge);
    }
    v->pass.scratch->n = mark;
    return rc;
}

/* The number of tokens whose patches are a block of rows; at least 1. */
static size_t tokens_of_block(const fp_tower_pass *v)
{
    return v->layout.n_members < FP_TOWER_ROWS ? FP_TOWER_ROWS / v->layout.n_members : 1;
}

/* All tokens, through out_norm and pooling if `ends`, and a merger. */
static assay_status merge_tokens(fp_tower_pass *v, const plan_merger *m, const fp_merger *w, bool ends,
                                 const float *x, float *out)
{
    const fp_layout *l = &v->layout;
    const size_t mark = v->pass.scratch->n, hidden = v->tower->hidden, n_each = tokens_of_block(v),
                 width = state_width(v, ends);
    const size_t n_most = l->n_tokens < n_each ? l->n_tokens : n_each;
    float *rows = fp_scratch_floats(v->pass.scratch, n_most * l->n_members, width);
    assay_status rc = rows ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t first = 0, n; rc == ASSAY_OK && first < l->n_tokens; first += n) {
        n = l->n_tokens - first < n_each ? l->n_tokens - first : n_each;
        gather_rows(v, x, first, n, rows);
        if (ends && v->packed->out_norm.present)
            fp_norm_run(&v->pass, rows, rows, n * l->n_members, hidden, &v->packed->out_norm);
        if (ends) pool_rows(v, n * v->tower->merge * v->tower->merge, rows);
        rc = run_merger(v, m, w, first, n, width, rows, out);
    }
    if (rc == ASSAY_OK) rc = add_rows(v, m, w, out);
    v->pass.scratch->n = mark;
    return rc;
}

assay_status fp_tower_merge(fp_tower_pass *v, const float *x, float *out)
{
    return merge_tokens(v, &v->tower->merger, &v->packed->merger, true, x, out);
}

/* The features of one image, whose rows begin at x. out: [n_tokens, H]. */
static assay_status merge_image(fp_tower_pass *v, const fp_frame *frame, const float *x, float *out)
{
    const size_t mark = v->pass.scratch->n, width = plan_tower_state(v->tower),
                 n_tokens = frame->height * frame->width,
                 n_most = n_tokens < FP_TOWER_ROWS ? n_tokens : FP_TOWER_ROWS;
    fp_crops crops;
    float *rows = fp_scratch_floats(v->pass.scratch, n_most, width);
    const bool ok = rows && fp_crops_open(&crops, v->pass.scratch, x, frame->height, v->tower->hidden,
                                          medium_layout(frame->medium), v->tower->crops.margin);
    assay_status rc = ok ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t first = 0, n; rc == ASSAY_OK && first < n_tokens; first += n) {
        const size_t inner = v->pass.scratch->n;
        n = n_tokens - first < n_most ? n_tokens - first : n_most;
        for (size_t t = 0; t < n; t++) fp_crops_row(&crops, first + t, rows + t * width);
        merging job = {rows, n, width};
        rc = run_steps(v, &v->tower->merger, &v->packed->merger, 0, &job);
        if (rc == ASSAY_OK) memcpy(out + first * job.width, job.x, n * job.width * sizeof *out);
        v->pass.scratch->n = inner;
    }
    v->pass.scratch->n = mark;
    return rc;
}

assay_status fp_tower_merge_crops(fp_tower_pass *v, float *x, float *out)
{
    const fp_layout *l = &v->layout;
    const size_t hidden = v->tower->hidden;
    assay_status rc = ASSAY_OK;
    fp_norm_run(&v->pass, x, x, l->n_rows, hidden, &v->packed->out_norm);
    for (size_t i = 0; rc == ASSAY_OK && i < l->n_frames; i++) {
        if (l->frames[i].index != 0) continue;
        rc = merge_image(v, &l->frames[i], x + l->frames[i].first_row * hidden, out);
        out += medium_rows(l->frames[i].medium) * v->pass.plan->hidden;
    }
    return rc;
}

assay_status fp_tower_deepstack(fp_tower_pass *v, size_t k, const float *x, float *out)
{
    return merge_tokens(v, &v->tower->deepstack[k].merger, &v->packed->deepstack[k], false, x, out);
}

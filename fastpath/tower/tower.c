/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/tower.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "fastpath/ops.h"
#include "fastpath/tower/audio.h"
#include "fastpath/tower/conv_tower.h"
#include "fastpath/tower/layer.h"
#include "fastpath/tower/merge.h"
#include "fastpath/tower/patches.h"
#include "fastpath/tower/rope.h"
#include "fastpath/tower/tiles.h"

/* The beginning of the names of a tower's tensors. */
static const char *start_of(const fp_tower_pass *v)
{
    return v->tower->kind == PLAN_TOWER_AUDIO ? "audio" : "vision";
}

/* Sends rows to the tracer in the order of the input. x: [P, D]. */
static assay_status trace_rows(fp_tower_pass *v, float *x, const char *name)
{
    const fp_layout *l = &v->layout;
    const size_t hidden = v->tower->hidden, mark = v->pass.scratch->n;
    if (!fp_trace_is_on(&v->pass.tracer)) return ASSAY_OK;
    if (!l->is_reordered) return fp_trace(&v->pass.tracer, x, l->n_rows, hidden, "%s.%s", start_of(v), name);
    float *rows = fp_scratch_floats(v->pass.scratch, l->n_rows, hidden);
    if (!rows) return ASSAY_ENOMEM;
    for (size_t r = 0; r < l->n_rows; r++)
        memcpy(rows + l->patch[r].input * hidden, x + r * hidden, hidden * sizeof *x);
    const assay_status rc = fp_trace(&v->pass.tracer, rows, l->n_rows, hidden, "%s.%s", start_of(v), name);
    for (size_t r = 0; r < l->n_rows; r++)
        memcpy(x + r * hidden, rows + l->patch[r].input * hidden, hidden * sizeof *x);
    v->pass.scratch->n = mark;
    return rc;
}

static assay_status embed_patches(fp_tower_pass *v, float *x)
{
    const size_t n_rows = v->layout.n_rows, hidden = v->tower->hidden;
    assay_status rc = ASSAY_OK;
    for (size_t first = 0, n; rc == ASSAY_OK && first < n_rows; first += n) {
        n = fp_tower_block(v, first);
        rc = fp_patches_embed(v, first, n, x + first * hidden);
    }
    if (rc == ASSAY_OK) rc = trace_rows(v, x, "patch");
    for (size_t first = 0, n; rc == ASSAY_OK && first < n_rows; first += n) {
        n = fp_tower_block(v, first);
        rc = fp_patches_place(v, first, n, x + first * hidden);
    }
    return rc;
}

/* The features of layer i that deepstack entries want. levels: [1 + n_deepstack]. */
static assay_status merge_layer(fp_tower_pass *v, size_t i, const float *x, float *const *levels)
{
    const plan_tower *t = v->tower;
    assay_status rc = ASSAY_OK;
    for (size_t k = 0; rc == ASSAY_OK && k < t->n_deepstack; k++) {
        if (t->deepstack[k].tower_layer != i) continue;
        rc = fp_tower_deepstack(v, k, x, levels[k + 1]);
        if (rc == ASSAY_OK)
            rc = fp_trace(&v->pass.tracer, levels[k + 1], v->layout.n_features, v->pass.plan->hidden,
                          "%s.deepstack.%zu", start_of(v), k);
    }
    return rc;
}

/* What towers for tiles do before a layer, or after the last one. */
static assay_status begin_layer(fp_tower_pass *v, size_t i, float *x)
{
    const plan_tiles *tiles = &v->tower->tiles;
    if (v->tower->kind != PLAN_TOWER_TILES) return ASSAY_OK;
    fp_tiles_collect(v, i, x);
    return i == tiles->second && i < v->tower->n_layers ? fp_tiles_second(v, x) : ASSAY_OK;
}

static assay_status run_layers(fp_tower_pass *v, float *x, float *const *levels)
{
    assay_status rc = begin_layer(v, 0, x);
    for (size_t i = 0; rc == ASSAY_OK && i < v->tower->n_layers; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%02zu.out", i);
        rc = fp_tower_layer_run(v, i, x);
        if (rc == ASSAY_OK) rc = trace_rows(v, x, name);
        if (rc == ASSAY_OK) rc = merge_layer(v, i, x, levels);
        if (rc == ASSAY_OK) rc = begin_layer(v, i + 1, x);
    }
    return rc;
}

/* The rows of all audio clips of the pass. */
static assay_status make_rows(fp_tower_pass *v)
{
    const fp_layout *l = &v->layout;
    const size_t width = plan_patches_width(&v->tower->patches);
    assay_status rc = ASSAY_OK;
    assert(!l->is_reordered);
    v->rows = fp_scratch_floats(v->pass.scratch, l->n_rows, width);
    if (!v->rows) return ASSAY_ENOMEM;
    for (size_t i = 0; rc == ASSAY_OK && i < l->n_frames; i++)
        rc = fp_audio_rows(v, l->frames[i].medium, v->rows + l->frames[i].first_row * width);
    return rc;
}

/* The rows before layer 0 of a tower for tiles; sets the layout. NULL if out of memory. */
static assay_status embed_tiles(fp_tower_pass *v, float **out)
{
    const plan_tiles *tiles = &v->tower->tiles;
    const size_t hidden = v->tower->hidden;
    fp_scratch *scratch = v->pass.scratch;
    if (!fp_tiles_patches(&v->layout, v->tower, scratch)) return ASSAY_ENOMEM;
    const size_t n = v->layout.n_rows;
    float *patches = fp_scratch_floats(scratch, n, hidden);
    v->pass.n_rows = FP_TOWER_ROWS;
    assay_status rc = patches && fp_narrow_alloc(&v->pass) ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t first = 0, count; rc == ASSAY_OK && first < n; first += count) {
        count = fp_tower_block(v, first);
        rc = fp_patches_embed(v, first, count, patches + first * hidden);
    }
    if (rc == ASSAY_OK) rc = trace_rows(v, patches, "patch");
    if (rc == ASSAY_OK && !fp_tiles_rows(&v->layout, v->tower, scratch)) rc = ASSAY_ENOMEM;
    if (rc != ASSAY_OK) return rc;
    *out = fp_scratch_floats(scratch, v->layout.n_rows, hidden);
    v->collected = fp_scratch_floats(scratch, v->layout.n_rows * hidden, tiles->n_collected + 1);
    return *out && v->collected ? fp_tiles_place(v, patches, *out) : ASSAY_ENOMEM;
}

/* Evaluates the images of v->layout. levels: [1] of [n_tokens, H]. */
static assay_status run_tiles(fp_tower_pass *v, float *const *levels)
{
    float *x = NULL;
    assay_status rc = embed_tiles(v, &x);
    if (rc == ASSAY_OK) rc = run_layers(v, x, levels);
    if (rc == ASSAY_OK) rc = fp_tower_merge(v, x, levels[0]);
    if (rc != ASSAY_OK) return rc;
    return fp_trace(&v->pass.tracer, levels[0], v->layout.n_tokens, v->pass.plan->hidden, "vision.merged");
}

/* Everything before the tower's last norm. *x: [n_rows, D], from the scratch. */
static assay_status run_body(fp_tower_pass *v, float *const *levels, float **x)
{
    if (v->tower->kind == PLAN_TOWER_CONV) return fp_conv_tower_run(v, x);
    if (!fp_layout_make(&v->layout, v->tower, v->pass.scratch)) return ASSAY_ENOMEM;
    v->pass.n_rows = v->tower->kind == PLAN_TOWER_AUDIO ? FP_TOWER_ROWS : fp_tower_block(v, 0);
    *x = fp_scratch_floats(v->pass.scratch, v->layout.n_rows, v->tower->hidden);
    assay_status rc = *x && fp_narrow_alloc(&v->pass) ? fp_tower_ropes(v) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && v->tower->kind == PLAN_TOWER_AUDIO) rc = make_rows(v);
    if (rc == ASSAY_OK) rc = embed_patches(v, *x);
    return rc == ASSAY_OK ? run_layers(v, *x, levels) : rc;
}

/* Evaluates the frames of v->layout. levels: [1 + n_deepstack] of [n_features, H]. */
static assay_status run_frames(fp_tower_pass *v, float *const *levels)
{
    if (v->tower->kind == PLAN_TOWER_TILES) return run_tiles(v, levels);
    float *x = NULL;
    assay_status rc = run_body(v, levels, &x);
    if (rc == ASSAY_OK)
        rc = v->tower->kind == PLAN_TOWER_CROPS ? fp_tower_merge_crops(v, x, levels[0])
                                                : fp_tower_merge(v, x, levels[0]);
    if (rc != ASSAY_OK) return rc;
    return fp_trace(&v->pass.tracer, levels[0], v->layout.n_features, v->pass.plan->hidden, "%s.merged",
                    start_of(v));
}

static fp_tower_pass begin(const fp_model *m, fp_scratch *scratch, const medium *input)
{
    const plan_tower *tower = medium_tower(input);
    return (fp_tower_pass){.pass = {.model = m, .plan = m->plan, .scratch = scratch},
                           .tower = tower,
                           .packed = tower == &m->plan->audio ? &m->audio : &m->vision};
}

/* Evaluates n frames of a medium from `index` on. */
static assay_status run_part(const fp_model *m, fp_scratch *scratch, const medium *input, size_t index,
                             size_t n, fp_features *out)
{
    const size_t n_levels = 1 + medium_tower(input)->n_deepstack,
                 n_each = medium_rows(input) / *medium_grid(input);
    fp_tower_pass v = begin(m, scratch, input);
    float **levels = fp_scratch_alloc(scratch, n_levels, 1, sizeof *levels);
    fp_frame *frames = levels ? fp_scratch_alloc(scratch, n, 1, sizeof *frames) : NULL;
    for (size_t k = 0; frames && k < n_levels; k++)
        levels[k] = fp_features_rows(out, k) + index * n_each * m->plan->hidden;
    for (size_t i = 0; frames && i < n; i++) frames[i] = (fp_frame){.medium = input, .index = index + i};
    v.layout.frames = frames;
    v.layout.n_frames = n;
    const assay_status rc = frames ? run_frames(&v, levels) : ASSAY_ENOMEM;
    scratch->n = 0;
    return rc;
}

/* The frames of a medium that can be evaluated apart: tiles cannot. */
static size_t frames_of(const medium *input)
{
    return medium_tower(input)->kind == PLAN_TOWER_TILES ? 1 : *medium_grid(input);
}

assay_status fp_tower_run(const fp_model *m, const medium *input, fp_features **out)
{
    const size_t *grid = medium_grid(input), n_fit = FP_TOWER_PASS / (grid[1] * grid[2]),
                 n_frames = frames_of(input);
    fp_scratch scratch = {0};
    fp_features *made = fp_features_make(input, 1 + medium_tower(input)->n_deepstack, m->plan->hidden, false);
    assay_status rc = made ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t first = 0, n; rc == ASSAY_OK && first < n_frames; first += n) {
        n = medium_tower(input)->kind == PLAN_TOWER_CROPS ? n_frames
            : n_fit > 1                                   ? n_fit
                                                          : 1; /* crops are joined */
        if (n > n_frames - first) n = n_frames - first;
        rc = run_part(m, &scratch, input, first, n, made);
    }
    fp_scratch_free(&scratch);
    if (rc == ASSAY_OK) *out = made;
    else fp_features_release(made);
    return rc;
}

bool fp_tower_is_traced(const fp_model *m, const fp_tracer *tracer)
{
    if ((!m->plan->vision.present && !m->plan->audio.present) || !fp_trace_is_on(tracer)) return false;
    for (size_t i = 0; i < tracer->n_names; i++)
        if (strncmp(tracer->names[i], "vision.", 7) == 0 || strncmp(tracer->names[i], "audio.", 6) == 0)
            return true;
    return tracer->n_names == 0;
}

/* Media that are evaluated together. */
typedef struct together {
    const medium *const *list; /* [n] */
    size_t n;
    fp_frame *frames;
    float **levels; /* [1 + n_deepstack] of [n_tokens, H] */
} together;

static bool alloc_together(const fp_model *m, fp_scratch *scratch, together *job, size_t *n_frames)
{
    const size_t n_levels = 1 + medium_tower(*job->list)->n_deepstack;
    size_t n_tokens = 0, at = 0;
    *n_frames = 0;
    for (size_t i = 0; i < job->n; i++) {
        *n_frames += frames_of(job->list[i]);
        n_tokens += medium_rows(job->list[i]);
    }
    job->frames = fp_scratch_alloc(scratch, *n_frames, 1, sizeof *job->frames);
    job->levels = job->frames ? fp_scratch_alloc(scratch, n_levels, 1, sizeof *job->levels) : NULL;
    float *rows = job->levels ? fp_scratch_floats(scratch, n_levels * n_tokens, m->plan->hidden) : NULL;
    if (!rows) return false;
    for (size_t l = 0; l < n_levels; l++) job->levels[l] = rows + l * n_tokens * m->plan->hidden;
    for (size_t i = 0; i < job->n; i++)
        for (size_t f = 0; f < frames_of(job->list[i]); f++)
            job->frames[at++] = (fp_frame){.medium = job->list[i], .index = f};
    return true;
}

/* Divides the rows of all media among their features. */
static assay_status divide_rows(const fp_model *m, const together *job, fp_features **out)
{
    const size_t n_levels = 1 + medium_tower(*job->list)->n_deepstack, hidden = m->plan->hidden;
    size_t first = 0;
    for (size_t i = 0; i < job->n; i++) {
        const size_t n = medium_rows(job->list[i]);
        out[i] = fp_features_make(job->list[i], n_levels, hidden, true);
        if (!out[i]) {
            while (i-- > 0) {
                fp_features_release(out[i]);
                out[i] = NULL;
            }
            return ASSAY_ENOMEM;
        }
        for (size_t l = 0; l < n_levels; l++)
            memcpy(fp_features_rows(out[i], l), job->levels[l] + first * hidden,
                   n * hidden * sizeof *job->levels[l]);
        first += n;
    }
    return ASSAY_OK;
}

assay_status fp_tower_trace(const fp_model *m, const fp_tracer *tracer, const medium *const *list, size_t n,
                            fp_features **out)
{
    fp_scratch scratch = {0};
    fp_tower_pass v = begin(m, &scratch, *list);
    together job = {.list = list, .n = n};
    v.pass.tracer = *tracer;
    assay_status rc = alloc_together(m, &scratch, &job, &v.layout.n_frames) ? ASSAY_OK : ASSAY_ENOMEM;
    v.layout.frames = job.frames;
    if (rc == ASSAY_OK) rc = run_frames(&v, job.levels);
    if (rc == ASSAY_OK) rc = divide_rows(m, &job, out);
    scratch.n = 0;
    fp_scratch_free(&scratch);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/cross.h"

#include <string.h>

#include "fastpath/cross_keys.h"
#include "fastpath/ops.h"

bool fp_cross_has_images(const fp_pass *pass)
{
    for (size_t j = 0; j < pass->n_runs; j++)
        if (pass->runs[j].cross) return true;
    return false;
}

/* The rows of a run that a kernel takes together. */
enum { CHUNK_ROWS = 32 };

/* Rows of one run with images; first_row: of the pass. */
typedef struct query_chunk {
    const fp_run *run;
    const void **k, **v; /* [n_kv_heads, n_pages] */
    size_t n_pages, first_row, n_rows;
} query_chunk;

typedef struct attending {
    const fp_pass *pass;
    const plan_attention *a;
    const query_chunk *list; /* [n] */
    size_t n;
    assay_attention_fn *kernel;
    const float *q;
    float *out;
} attending;

/* Computes one chunk with one key/value head. */
static void attend_item(void *context, size_t item)
{
    const attending *job = context;
    const plan_attention *a = job->a;
    const query_chunk *chunk = &job->list[item % job->n];
    const size_t head = item / job->n, group = a->n_heads / a->n_kv_heads;
    const size_t at = (chunk->first_row * a->n_heads + head * group) * a->head_dim;
    const fp_sight *sight = chunk->run->sight + (chunk->first_row - chunk->run->first_row);
    size_t first[CHUNK_ROWS], last[CHUNK_ROWS], lowest = SIZE_MAX;
    for (size_t r = 0; r < chunk->n_rows; r++) lowest = sight[r].first < lowest ? sight[r].first : lowest;
    const size_t skipped = lowest / ASSAY_PAGE;
    for (size_t r = 0; r < chunk->n_rows; r++) {
        first[r] = sight[r].first - skipped * ASSAY_PAGE;
        last[r] = sight[r].end - 1 - skipped * ASSAY_PAGE;
    }
    job->kernel(&(assay_attention_call){
        .out = job->out + at,
        .q = job->q + at,
        .ld_out = a->n_heads * a->head_dim,
        .ld_q = a->n_heads * a->head_dim,
        .n_rows = chunk->n_rows,
        .n_heads = group,
        .head_dim = a->head_dim,
        .k = chunk->k + head * chunk->n_pages + skipped,
        .v = chunk->v + head * chunk->n_pages + skipped,
        .first = first,
        .last = last,
        .scale = (float)a->scale,
        .cap = (float)a->score_cap,
    });
}

/* Lists the chunks of the runs with images, with the pages of layer i. NULL if out of memory. */
static query_chunk *cut_chunks(fp_pass *pass, size_t i, size_t *n)
{
    const size_t n_heads = plan_layer_attention(&pass->plan->layers[i])->n_kv_heads;
    query_chunk *list =
        fp_scratch_alloc(pass->scratch, pass->n_runs + pass->n_rows / CHUNK_ROWS, 1, sizeof *list);
    size_t n_pages = 0;
    *n = 0;
    for (size_t j = 0; j < pass->n_runs; j++)
        if (pass->runs[j].cross) n_pages += fp_cross_keys_pages(pass->runs[j].cross);
    const void **pages = list ? fp_scratch_alloc(pass->scratch, n_pages, 2 * n_heads, sizeof *pages) : NULL;
    for (size_t j = 0; pages && j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        if (!run->cross) continue;
        const size_t n_own = fp_cross_keys_pages(run->cross);
        const void **k = pages, **v = pages + n_own * n_heads;
        pages = v + n_own * n_heads;
        for (size_t h = 0; h < n_heads; h++)
            fp_cross_keys_list(run->cross, i, h, k + h * n_own, v + h * n_own);
        for (size_t at = 0; at < run->n_rows; at += CHUNK_ROWS)
            list[(*n)++] = (query_chunk){run,
                                         k,
                                         v,
                                         n_own,
                                         run->first_row + at,
                                         run->n_rows - at < CHUNK_ROWS ? run->n_rows - at : CHUNK_ROWS};
    }
    return pages ? list : NULL;
}

/* The rows of samples without images become 0. x: [R, width]. */
static void clear_others(const fp_pass *pass, float *x, size_t width)
{
    for (size_t j = 0; j < pass->n_runs; j++)
        if (!pass->runs[j].cross)
            memset(x + pass->runs[j].first_row * width, 0, pass->runs[j].n_rows * width * sizeof *x);
}

assay_status fp_cross_attend(fp_pass *pass, size_t i, const float *x, float *y)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const fp_attention *w = &pass->model->layers[i].attention;
    const size_t mark = pass->scratch->n, width = a->n_heads * a->head_dim;
    float *q = fp_scratch_floats(pass->scratch, pass->n_rows, 2 * width);
    size_t n = 0;
    const query_chunk *list = q ? cut_chunks(pass, i, &n) : NULL;
    if (list) {
        float *attn_out = q + pass->n_rows * width;
        fp_linear_run(pass, q, x, pass->n_rows, &w->q);
        if (w->q_norm.present)
            fp_norm_run(pass, q, q, pass->n_rows * width / w->q_norm.width, w->q_norm.width, &w->q_norm);
        if (pass->model->caches[i].narrow) fp_round_run(pass, q, pass->n_rows, width);
        clear_others(pass, attn_out, width);
        attending job = {.pass = pass,
                         .a = a,
                         .list = list,
                         .n = n,
                         .kernel =
                             fp_attention_of(&pass->model->kernels.op, pass->model->caches[i].narrow != NULL),
                         .q = q,
                         .out = attn_out};
        fp_pool_run(pass->model->pool, n * a->n_kv_heads,
                    list->n_pages * ASSAY_PAGE * 2 * a->n_heads / a->n_kv_heads * a->head_dim * CHUNK_ROWS,
                    attend_item, &job);
        fp_linear_run(pass, y, attn_out, pass->n_rows, &w->o);
        clear_others(pass, y, pass->plan->hidden);
    }
    pass->scratch->n = mark;
    return list ? ASSAY_OK : ASSAY_ENOMEM;
}

void fp_cross_leave_out(const fp_pass *pass, float *y)
{
    const size_t hidden = pass->plan->hidden;
    clear_others(pass, y, hidden);
    for (size_t j = 0; j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        for (size_t t = 0; run->cross && t < run->n_rows; t++)
            if (!run->sight[t].has_image) memset(y + (run->first_row + t) * hidden, 0, hidden * sizeof *y);
    }
}

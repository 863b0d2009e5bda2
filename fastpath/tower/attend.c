/* Work is split into chunks, rows of one segment, and heads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/attend.h"

#include "fastpath/ops.h"
#include "fastpath/tower/linear.h"
#include "fastpath/tower/rope.h"

#include <assert.h>

assay_status fp_tower_keys_alloc(fp_tower_pass *v, size_t i, fp_tower_keys *keys)
{
    const plan_tower_layer *layer = &v->tower->layers[i];
    const plan_attention *a = &layer->attention;
    const fp_model *m = v->pass.model;
    *keys =
        (fp_tower_keys){.shape = {.n_kv_heads = a->n_kv_heads,
                                  .head_dim = a->head_dim,
                                  .narrow = m->packer.compute != ASSAY_F32 ? m->kernels.narrow_bf16 : NULL},
                        .segments = layer->in_windows ? &v->layout.windows : &v->layout.whole};
    const size_t n_pages = keys->segments->n_pages, bytes = fp_keys_bytes(&keys->shape);
    keys->page_bytes = 2 * a->n_kv_heads * bytes;
    keys->pages = fp_scratch_alloc(v->pass.scratch, n_pages, keys->page_bytes, 1);
    keys->k =
        keys->pages ? fp_scratch_alloc(v->pass.scratch, n_pages, 2 * a->n_kv_heads, sizeof *keys->k) : NULL;
    if (!keys->k) return ASSAY_ENOMEM;
    keys->v = keys->k + n_pages * a->n_kv_heads;
    for (size_t h = 0; h < a->n_kv_heads; h++)
        for (size_t p = 0; p < n_pages; p++) {
            keys->k[h * n_pages + p] = keys->pages + p * keys->page_bytes + 2 * h * bytes;
            keys->v[h * n_pages + p] = keys->pages + p * keys->page_bytes + (2 * h + 1) * bytes;
        }
    return ASSAY_OK;
}

/* Rows of one segment; first_row: of the pass. */
typedef struct query_chunk {
    const fp_segment *segment;
    size_t first_row, n_rows;
} query_chunk;

/* The segment of a row. */
static size_t find_segment(const fp_segments *s, size_t row)
{
    size_t low = 0, high = s->n;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (s->list[middle].first_row <= row) low = middle;
        else high = middle;
    }
    return low;
}

/* Divides rows first … first + n - 1 at multiples of n_each from the beginning of each segment. list: [n].
 * Returns the number of chunks. */
static size_t cut_chunks(const fp_segments *s, size_t first, size_t n, size_t n_each, query_chunk *list)
{
    size_t n_chunks = 0, at = find_segment(s, first);
    for (size_t row = first; row < first + n; at++) {
        const fp_segment *segment = &s->list[at];
        const size_t segment_end = segment->first_row + segment->n_rows,
                     end = segment_end < first + n ? segment_end : first + n;
        while (row < end) {
            const size_t left = n_each - (row - segment->first_row) % n_each;
            list[n_chunks] = (query_chunk){segment, row, left < end - row ? left : end - row};
            row += list[n_chunks++].n_rows;
        }
    }
    return n_chunks;
}

/* Normalises and rotates the heads of a projection. x: [n, n_heads, head_dim]. */
static void make_heads(const fp_tower_pass *v, const plan_attention *a, const fp_norm *norm, size_t first,
                       size_t n, size_t n_heads, bool rotates, float *x)
{
    if (norm->present)
        fp_norm_run(&v->pass, x, x, n * n_heads * a->head_dim / norm->width, norm->width, norm);
    if (rotates && a->rope != PLAN_NONE) fp_tower_rotate(v, first, n, n_heads, a->head_dim, x);
}

typedef struct caching {
    const fp_tower_keys *keys;
    const query_chunk *list;
    size_t first, width;
    const float *k, *v; /* [n, width] */
} caching;

static void cache_item(void *context, size_t item)
{
    const caching *job = context;
    const query_chunk *chunk = &job->list[item];
    const size_t at = chunk->first_row - chunk->segment->first_row, row = chunk->first_row - job->first;
    const size_t page = chunk->segment->first_page + at / ASSAY_PAGE;
    fp_keys_put(&job->keys->shape, job->keys->pages + page * job->keys->page_bytes, at % ASSAY_PAGE,
                chunk->n_rows, job->k + row * job->width, job->v + row * job->width);
}

assay_status fp_tower_keys_put(fp_tower_pass *v, size_t i, fp_tower_keys *keys, size_t first, size_t n,
                               const float *x)
{
    const plan_attention *a = &v->tower->layers[i].attention;
    const fp_tower_layer *w = &v->packed->layers[i];
    const size_t mark = v->pass.scratch->n, width = a->n_kv_heads * a->head_dim;
    const fp_tower_linear key = {&w->k, &a->k.clamp}, value = {&w->v, &a->v.clamp};
    query_chunk *list = fp_scratch_alloc(v->pass.scratch, n, 1, sizeof *list);
    float *k = list ? fp_scratch_floats(v->pass.scratch, n, 2 * width) : NULL;
    assay_status rc = k ? fp_tower_linear_run(&v->pass, k, x, n, key) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = fp_tower_linear_run(&v->pass, k + n * width, x, n, value);
    if (rc == ASSAY_OK) {
        make_heads(v, a, &w->k_norm, first, n, a->n_kv_heads, true, k);
        make_heads(v, a, &w->v_norm, first, n, a->n_kv_heads, false, k + n * width);
        const size_t n_chunks = cut_chunks(keys->segments, first, n, ASSAY_PAGE, list);
        caching c = {keys, list, first, width, k, k + n * width};
        fp_pool_run(v->pass.model->pool, n_chunks, n * 2 * width / n_chunks, cache_item, &c);
    }
    v->pass.scratch->n = mark;
    return rc;
}

/* The number of queries that a kernel takes through the pages together. */
enum { QUERIES = 96, CHUNK_ROWS_MAX = QUERIES };

typedef struct attending {
    const plan_attention *a;
    const fp_tower_keys *keys;
    const query_chunk *list;
    size_t n_chunks, first;
    assay_attention_fn *kernel;
    const float *q;
    float *out;
} attending;

/* Computes one chunk with one key/value head. Consecutive items are chunks of the same head, which read
 * mostly the same pages. */
static void attend_item(void *context, size_t item)
{
    const attending *job = context;
    const plan_attention *a = job->a;
    const query_chunk *chunk = &job->list[item % job->n_chunks];
    const size_t head = item / job->n_chunks, group = a->n_heads / a->n_kv_heads;
    const size_t page = head * job->keys->segments->n_pages + chunk->segment->first_page,
                 at = ((chunk->first_row - job->first) * a->n_heads + head * group) * a->head_dim;
    size_t first[CHUNK_ROWS_MAX], last[CHUNK_ROWS_MAX];
    for (size_t r = 0; r < chunk->n_rows; r++) {
        first[r] = 0;
        const bool is_open = chunk->first_row + r - chunk->segment->first_row < chunk->segment->n_open;
        last[r] = (is_open ? chunk->segment->n_rows : chunk->segment->n_open) - 1;
    }
    job->kernel(&(assay_attention_call){
        .out = job->out + at,
        .q = job->q + at,
        .ld_out = a->n_heads * a->head_dim,
        .ld_q = a->n_heads * a->head_dim,
        .n_rows = chunk->n_rows,
        .n_heads = group,
        .head_dim = a->head_dim,
        .k = job->keys->k + page,
        .v = job->keys->v + page,
        .first = first,
        .last = last,
        .scale = (float)a->scale,
        .cap = (float)a->score_cap,
    });
}

/* q, out: [n, n_heads, head_dim]. list: scratch, [n]. */
static void attend_rows(const fp_tower_pass *v, const plan_attention *a, const fp_tower_keys *keys,
                        size_t first, size_t n, query_chunk *list, const float *q, float *out)
{
    const fp_operations *op = &v->pass.model->kernels.op;
    const size_t group = a->n_heads / a->n_kv_heads, n_each = group < QUERIES ? QUERIES / group : 1;
    attending job = {.a = a,
                     .keys = keys,
                     .list = list,
                     .n_chunks = cut_chunks(keys->segments, first, n, n_each, list),
                     .first = first,
                     .kernel = fp_attention_of(op, keys->shape.narrow != NULL),
                     .q = q,
                     .out = out};
    size_t n_keys = 0;
    for (size_t c = 0; c < job.n_chunks; c++) n_keys += list[c].segment->n_rows;
    fp_pool_run(v->pass.model->pool, job.n_chunks * a->n_kv_heads,
                n_keys / job.n_chunks * 2 * group * a->head_dim * (n / job.n_chunks), attend_item, &job);
}

assay_status fp_tower_attend(fp_tower_pass *v, size_t i, const fp_tower_keys *keys, size_t first, size_t n,
                             const float *x, float *y)
{
    const plan_attention *a = &v->tower->layers[i].attention;
    const fp_tower_layer *w = &v->packed->layers[i];
    const size_t mark = v->pass.scratch->n, width = a->n_heads * a->head_dim;
    assert(a->mask == PLAN_MASK_NONE && a->window == 0 && !a->is_gated);
    query_chunk *list = fp_scratch_alloc(v->pass.scratch, n, 1, sizeof *list);
    float *q = list ? fp_scratch_floats(v->pass.scratch, n, 2 * width) : NULL;
    assay_status rc =
        q ? fp_tower_linear_run(&v->pass, q, x, n, (fp_tower_linear){&w->q, &a->q.clamp}) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        float *attn_out = q + n * width;
        make_heads(v, a, &w->q_norm, first, n, a->n_heads, true, q);
        if (keys->shape.narrow) fp_round_run(&v->pass, q, n, width);
        attend_rows(v, a, keys, first, n, list, q, attn_out);
        rc = fp_tower_linear_run(&v->pass, y, attn_out, n, (fp_tower_linear){&w->o, &a->o.clamp});
    }
    v->pass.scratch->n = mark;
    return rc;
}

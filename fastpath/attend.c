/* Attention of one layer: projections, caches, and each row's attention over the cache of its sample.
 *
 * Work is split into chunks, rows of one run that read pages together, so that a prefill reads a page
 * once for all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/attend.h"
#include "fastpath/cache/keys.h"
#include "fastpath/head_scale.h"
#include "fastpath/ops.h"
#include "fastpath/plane_rope.h"

#include <string.h>

typedef struct rotating {
    const fp_pass *pass;
    const rope *rope;
    const float *cosine, *sine; /* [R, rope_n_angles] */
    float *out;
    size_t n_heads, head_dim;
} rotating;

static void rotate_item(void *context, size_t row)
{
    const rotating *job = context;
    const size_t n = rope_n_angles(job->rope);
    if (job->rope->sections == ROPE_SECTIONS_DOUBLED) {
        fp_rope_doubled(job->out + row * job->n_heads * job->head_dim, job->n_heads, job->rope,
                        job->cosine + row * n, job->sine + row * n);
        return;
    }
    job->pass->model->kernels.op.rope.f32(
        job->out + row * job->n_heads * job->head_dim, job->n_heads, job->head_dim, job->rope->dim,
        job->rope->pairing == ROPE_PAIRS_ADJACENT, job->cosine + row * n, job->sine + row * n);
}

static void normalise_heads(fp_pass *pass, const plan_attention *a, const fp_norm *norm, size_t n_heads,
                            float *out)
{
    if (norm->present)
        fp_norm_run(pass, out, out, pass->n_rows * n_heads * a->head_dim / norm->width, norm->width, norm);
}

static void rotate_heads(const fp_pass *pass, const plan_attention *a, size_t n_heads, float *out)
{
    enum { COST = 8 }; /* cost of an element, in multiplications */
    fp_plane_rope_run(pass, n_heads, a->head_dim, out);
    if (a->rope == PLAN_NONE) return;
    rotating job = {
        pass,       &pass->plan->ropes[a->rope], pass->cosine[a->rope], pass->sine[a->rope], out, n_heads,
        a->head_dim};
    fp_pool_run(pass->model->pool, pass->n_rows, n_heads * a->head_dim * COST, rotate_item, &job);
}

/* Turns a projection into heads: normalises each or all together, and rotates them. out: [R, n_heads,
 * head_dim]. */
static void make_heads(fp_pass *pass, const plan_attention *a, const fp_norm *norm, size_t n_heads,
                       bool rotates, float *out)
{
    if (rotates && a->norms_after_rope) rotate_heads(pass, a, n_heads, out);
    normalise_heads(pass, a, norm, n_heads, out);
    if (rotates && !a->norms_after_rope) rotate_heads(pass, a, n_heads, out);
}

/* Makes of each of a projection's heads kv_repeats heads that follow each other, in place.
 * heads: [R, n_kv_heads, head_dim], the leading part of which holds the projection. */
static void repeat_heads(const fp_pass *pass, const plan_attention *a, float *heads)
{
    const size_t d = a->head_dim;
    if (a->kv_repeats < 2) return;
    for (size_t h = pass->n_rows * a->n_kv_heads; h-- > 0;)
        memmove(heads + h * d, heads + h / a->kv_repeats * d, d * sizeof *heads);
}

/* With a few heads for each key/value head, this is the number of queries that a kernel processes at
 * once. */
enum { CHUNK_ROWS = 32 };

/* Rows of one run; first_row is an index in the pass. */
typedef struct query_chunk {
    size_t run, first_row, n_rows;
} query_chunk;

typedef struct chunks {
    query_chunk *list; /* [n] */
    size_t n;
} chunks;

static bool cut_chunks(fp_pass *pass, chunks *c)
{
    c->list = fp_scratch_alloc(pass->scratch, pass->n_runs + pass->n_rows / CHUNK_ROWS, 1, sizeof *c->list);
    c->n = 0;
    for (size_t j = 0; c->list && j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        for (size_t at = 0; at < run->n_rows; at += CHUNK_ROWS)
            c->list[c->n++] = (query_chunk){j, run->first_row + at,
                                            run->n_rows - at < CHUNK_ROWS ? run->n_rows - at : CHUNK_ROWS};
    }
    return c->list != NULL;
}

typedef struct caching {
    const fp_pass *pass;
    const query_chunk *list;
    size_t layer, width;
    const float *k, *v; /* [R, width] */
} caching;

static void cache_item(void *context, size_t item)
{
    const caching *job = context;
    const query_chunk *chunk = &job->list[item];
    const fp_run *run = &job->pass->runs[chunk->run];
    fp_state_put(run->state, job->layer, fp_run_position(run, chunk->first_row), chunk->n_rows,
                 job->k + chunk->first_row * job->width, job->v + chunk->first_row * job->width);
}

/* Queries of a layer, its keys and values if it does not share another layer's, and the gates of its heads.
 */
typedef struct heads {
    float *q, *k, *v;  /* [R, n_heads, head_dim], [R, n_kv_heads, head_dim] twice, or NULL */
    float *q_and_gate; /* [R, n_heads, 2, head_dim]: queries and gates as the projection has them; or NULL */
    fp_head_scratch scale; /* of heads that are scaled */
} heads;

static bool allocate_heads(fp_pass *pass, const plan_attention *a, bool has_keys, heads *h)
{
    const size_t n_rows = pass->n_rows, width = a->n_kv_heads * a->head_dim;
    *h = (heads){.q = fp_scratch_floats(pass->scratch, n_rows, a->n_heads * a->head_dim)};
    if (h->q && a->is_gated)
        h->q_and_gate = fp_scratch_floats(pass->scratch, n_rows, 2 * a->n_heads * a->head_dim);
    if (a->is_gated && !h->q_and_gate) return false;
    if (h->q && has_keys) h->k = fp_scratch_floats(pass->scratch, n_rows, width);
    if (h->k) h->v = fp_scratch_floats(pass->scratch, n_rows, width);
    if (h->v && a->head_scale.present) return fp_head_scale_alloc(pass, a, &h->scale);
    return has_keys ? h->v != NULL : h->q != NULL;
}

/* Takes the queries out of the projection of queries and gates, whose bias it adds. */
static void take_queries(const fp_pass *pass, const plan_attention *a, const fp_linear *q, const heads *h)
{
    const size_t d = a->head_dim;
    fp_bias_run(h->q_and_gate, pass->n_rows, q);
    for (size_t k = 0; k < pass->n_rows * a->n_heads; k++)
        memcpy(h->q + k * d, h->q_and_gate + 2 * k * d, d * sizeof *h->q);
}

typedef struct gating {
    const fp_pass *pass;
    const plan_attention *a;
    float *out;              /* [R, n_heads, head_dim] */
    const float *q_and_gate; /* as in heads */
} gating;

static void gate_item(void *context, size_t row)
{
    const gating *job = context;
    const size_t d = job->a->head_dim;
    for (size_t h = row * job->a->n_heads; h < (row + 1) * job->a->n_heads; h++)
        job->pass->model->kernels.sigmoid_gate(job->out + h * d, job->out + h * d,
                                               job->q_and_gate + (2 * h + 1) * d, d);
}

/* Multiplies the output of each head by the sigmoid of its gate. out: [R, n_heads, head_dim]. */
static void gate_heads(const fp_pass *pass, const plan_attention *a, const heads *h, float *out)
{
    enum { COST = 16 }; /* of an element, in multiplications */
    gating job = {pass, a, out, h->q_and_gate};
    fp_pool_run(pass->model->pool, pass->n_rows, a->n_heads * a->head_dim * COST, gate_item, &job);
}

/* Computes all projections in one call. x: [R, D]. */
static void project_heads(fp_pass *pass, size_t i, const float *x, heads *h)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const fp_attention *w = &pass->model->layers[i].attention;
    const fp_linear *value = a->value_is_key ? &w->k : &w->v;
    const fp_target targets[] = {
        {h->q_and_gate ? h->q_and_gate : h->q, &w->q.weight}, {h->k, &w->k.weight}, {h->v, &value->weight}};
    fp_products(pass, x, pass->n_rows, targets, h->k ? 3 : 1);
    if (h->q_and_gate) take_queries(pass, a, &w->q, h);
    else fp_bias_run(h->q, pass->n_rows, &w->q);
    if (h->k) fp_bias_run(h->k, pass->n_rows, &w->k);
    if (h->k) fp_bias_run(h->v, pass->n_rows, value);
    if (a->head_scale.present) fp_head_scale_run(pass, i, &h->scale, h->q, h->k, h->v);
    make_heads(pass, a, &w->q_norm, a->n_heads, true, h->q);
    fp_query_factor_run(pass, a, h->q);
    if (pass->model->caches[i].narrow) fp_round_run(pass, h->q, pass->n_rows, a->n_heads * a->head_dim);
    if (!h->k) return;
    repeat_heads(pass, a, h->k);
    repeat_heads(pass, a, h->v);
    make_heads(pass, a, &w->k_norm, a->n_kv_heads, true, h->k);
    make_heads(pass, a, &w->v_norm, a->n_kv_heads, false, h->v);
}

/* Writes layer i's keys and values of all rows into the caches. */
static void cache_keys(const fp_pass *pass, size_t i, const chunks *cut, const heads *h)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    caching c = {pass, cut->list, i, a->n_kv_heads * a->head_dim, h->k, h->v};
    fp_pool_run(pass->model->pool, cut->n, pass->n_rows * 2 * c.width / cut->n, cache_item, &c);
}

/* The pages with the positions to which the rows of one run attend. For each head n pointers: the
 * n_sink_pages pages of the attention sink tokens, if unread pages follow them, then the pages from that of
 * position `first` on. */
typedef struct run_pages {
    fp_view view;
    size_t n_sink_pages, first, n;
    const void **k, **v; /* [n_kv_heads, n] */
} run_pages;

/* Fills in all members but the pages. */
static run_pages pages_read(const fp_run *run, size_t i)
{
    run_pages p = {.view = run->state->spec[i].view};
    const size_t last = fp_run_position(run, run->first_row + run->n_rows - 1);
    const size_t n_sink_pages = (p.view.sink_tokens + ASSAY_PAGE - 1) / ASSAY_PAGE;
    p.first = fp_view_key_range(p.view, fp_run_position(run, run->first_row)).first / ASSAY_PAGE * ASSAY_PAGE;
    if (p.first > n_sink_pages * ASSAY_PAGE) p.n_sink_pages = n_sink_pages;
    else if (n_sink_pages) p.first = 0;
    p.n = p.n_sink_pages + last / ASSAY_PAGE - p.first / ASSAY_PAGE + 1;
    return p;
}

/* list: [n_runs]. */
static bool list_pages(fp_pass *pass, size_t i, run_pages *list)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    size_t n_pages = 0, n_heads = a->n_kv_heads;
    for (size_t j = 0; j < pass->n_runs; j++) {
        list[j] = pages_read(&pass->runs[j], i);
        n_pages += list[j].n;
    }
    const void **k = fp_scratch_alloc(pass->scratch, n_pages, 2 * n_heads, sizeof *k);
    for (size_t j = 0; k && j < pass->n_runs; j++) {
        run_pages *p = &list[j];
        p->k = k;
        p->v = k + p->n * n_heads;
        k = p->v + p->n * n_heads;
        for (size_t h = 0; h < n_heads; h++) {
            const void **own_k = p->k + h * p->n, **own_v = p->v + h * p->n;
            if (p->n_sink_pages) fp_state_pages(pass->runs[j].state, i, h, 0, p->n_sink_pages, own_k, own_v);
            fp_state_pages(pass->runs[j].state, i, h, p->first, p->n - p->n_sink_pages,
                           own_k + p->n_sink_pages, own_v + p->n_sink_pages);
        }
    }
    return k != NULL;
}

static void widen_item(void *context, size_t item)
{
    fp_keys_widen((const fp_widening *)context + item);
}

/* Replaces the pages of caches in a narrower type by copies in float32. */
static bool widen_pages(const fp_pass *pass, size_t i, run_pages *list)
{
    const fp_cache_spec *spec = &pass->model->caches[i];
    const fp_keys keys = {spec->n_kv_heads, spec->head_dim, NULL, spec->type};
    const size_t n_heads = spec->n_kv_heads, size = ASSAY_PAGE * spec->head_dim;
    size_t n = 0, at = 0;
    if (!spec->type) return true;
    for (size_t j = 0; j < pass->n_runs; j++) n += 2 * n_heads * list[j].n;
    fp_widening *jobs = fp_scratch_alloc(pass->scratch, n, 1, sizeof *jobs);
    const void **wide = jobs ? fp_scratch_alloc(pass->scratch, n, 1, sizeof *wide) : NULL;
    float *numbers = wide ? fp_scratch_floats(pass->scratch, n, size) : NULL;
    for (size_t j = 0; numbers && j < pass->n_runs; j++) {
        const void **k = wide + at, **v = k + n_heads * list[j].n;
        for (size_t h = 0; h < 2 * n_heads; h++)
            for (size_t page = 0; page < list[j].n; page++, at++) {
                const void *const *of =
                    h < n_heads ? list[j].k + h * list[j].n : list[j].v + (h - n_heads) * list[j].n;
                jobs[at] = (fp_widening){&keys, of, page, h >= n_heads, numbers + at * size};
                wide[at] = jobs[at].out;
            }
        list[j].k = k;
        list[j].v = v;
    }
    if (numbers) fp_pool_run(pass->model->pool, n, 4 * size, widen_item, jobs);
    return numbers != NULL;
}

/* The index of the last token to which a row attends. */
static size_t last_key(const fp_pass *pass, const plan_attention *a, const fp_run *run, size_t row)
{
    if (a->mask == PLAN_MASK_BLOCKS && pass->block_last) return pass->block_last[row];
    return fp_run_position(run, row);
}

typedef struct attending {
    const fp_pass *pass;
    const plan_attention *a;
    const run_pages *pages; /* [n_runs] */
    const chunks *chunks;
    assay_attention_fn *kernel;
    const float *q, *sinks;
    float *out;
} attending;

/* The number of leading pages of a run that no row of the chunk reads. */
static size_t skipped_pages(const run_pages *pages, const fp_run *run, const query_chunk *chunk)
{
    if (pages->view.sink_tokens) return 0;
    return fp_view_key_range(pages->view, fp_run_position(run, chunk->first_row)).first / ASSAY_PAGE -
           pages->first / ASSAY_PAGE;
}

/* Computes one chunk with one key/value head. Consecutive items are chunks of the same head, which read
 * mostly the same pages. */
static void attend_item(void *context, size_t item)
{
    const attending *job = context;
    const plan_attention *a = job->a;
    const query_chunk *chunk = &job->chunks->list[item % job->chunks->n];
    const size_t head = item / job->chunks->n, group = a->n_heads / a->n_kv_heads;
    const size_t at = (chunk->first_row * a->n_heads + head * group) * a->head_dim;
    const fp_run *run = &job->pass->runs[chunk->run];
    const run_pages *pages = &job->pages[chunk->run];
    const size_t skipped = skipped_pages(pages, run, chunk);
    /* subtracted from a position to get its index in the pages passed to the kernel */
    const size_t shift = pages->first + skipped * ASSAY_PAGE - pages->n_sink_pages * ASSAY_PAGE;
    size_t first[CHUNK_ROWS], last[CHUNK_ROWS];
    for (size_t r = 0; r < chunk->n_rows; r++) {
        const size_t position = fp_run_position(run, chunk->first_row + r);
        first[r] = fp_view_key_range(pages->view, position).first - shift;
        last[r] = last_key(job->pass, a, run, chunk->first_row + r) - shift;
    }
    job->kernel(&(assay_attention_call){
        .out = job->out + at,
        .q = job->q + at,
        .ld_out = a->n_heads * a->head_dim,
        .ld_q = a->n_heads * a->head_dim,
        .n_rows = chunk->n_rows,
        .n_heads = group,
        .head_dim = a->head_dim,
        .k = pages->k + head * pages->n + skipped,
        .v = pages->v + head * pages->n + skipped,
        .first = first,
        .last = last,
        .scale = (float)a->scale,
        .cap = (float)a->score_cap,
        .sinks = job->sinks ? job->sinks + head * group : NULL,
        .sink_tokens = pages->view.sink_tokens,
    });
}

/* Computes attention of every row. q, out: [R, n_heads, head_dim]. */
static void attend_rows(const fp_pass *pass, size_t i, const run_pages *pages, const chunks *cut,
                        const float *q, float *out)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const fp_operations *op = &pass->model->kernels.op;
    size_t longest = 0;
    for (size_t j = 0; j < pass->n_runs; j++) longest = pages[j].n > longest ? pages[j].n : longest;
    attending job = {.pass = pass,
                     .a = a,
                     .pages = pages,
                     .chunks = cut,
                     .kernel = fp_attention_of(op, pass->model->caches[i].narrow != NULL),
                     .q = q,
                     .sinks = pass->model->layers[i].attention.sinks,
                     .out = out};
    fp_pool_run(pass->model->pool, cut->n * a->n_kv_heads,
                longest * ASSAY_PAGE * 2 * a->n_heads / a->n_kv_heads * a->head_dim * pass->n_rows / cut->n,
                attend_item, &job);
}

assay_status fp_attend(fp_pass *pass, size_t i, const float *x, float *y)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const fp_attention *w = &pass->model->layers[i].attention;
    const size_t mark = pass->scratch->n;
    chunks cut;
    heads h;
    bool ok = allocate_heads(pass, a, a->cache_layer == i, &h) && cut_chunks(pass, &cut);
    float *attn_out = ok ? fp_scratch_floats(pass->scratch, pass->n_rows, a->n_heads * a->head_dim) : NULL;
    run_pages *pages = attn_out ? fp_scratch_alloc(pass->scratch, pass->n_runs, 1, sizeof *pages) : NULL;
    ok = pages && list_pages(pass, i, pages);
    if (ok) {
        project_heads(pass, i, x, &h);
        if (h.k) cache_keys(pass, i, &cut, &h);
        ok = widen_pages(pass, i, pages);
    }
    if (ok) {
        attend_rows(pass, i, pages, &cut, h.q, attn_out);
        if (h.q_and_gate) gate_heads(pass, a, &h, attn_out);
        fp_linear_run(pass, y, attn_out, pass->n_rows, &w->o);
    }
    pass->scratch->n = mark;
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

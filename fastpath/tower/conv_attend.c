/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/conv_attend.h"

#include <assert.h>

#include "fastpath/cache/keys.h"
#include "fastpath/ops.h"
#include "fastpath/tower/linear.h"

/* The keys and values of an image: one head. */
typedef struct pixel_keys {
    fp_keys shape;
    size_t n, n_pages;   /* pixels */
    const void **k, **v; /* [n_pages] */
} pixel_keys;

/* A projection of the image's pixels, or of those that the unit makes of them. out: [out->height·width,
 * head_dim], from the scratch. */
static assay_status project(fp_tower_pass *v, const fp_image *normed, const plan_conv_unit *unit,
                            const fp_conv_unit *w, const plan_linear *linear, const fp_linear *packed,
                            fp_image *out)
{
    fp_image from = *normed;
    assay_status rc = ASSAY_OK;
    if (unit) {
        from.x = NULL;
        rc = fp_conv_unit_run(v, unit, w, normed, &from);
    }
    if (rc != ASSAY_OK) return rc;
    const size_t n = fp_image_pixels(&from), width = linear->weight.rows;
    *out = (fp_image){from.height, from.width, width, fp_scratch_floats(v->pass.scratch, n, width)};
    if (!out->x) return ASSAY_ENOMEM;
    for (size_t first = 0, some; rc == ASSAY_OK && first < n; first += some) {
        some = n - first < FP_TOWER_ROWS ? n - first : FP_TOWER_ROWS;
        rc = fp_tower_linear_run(&v->pass, out->x + first * width, from.x + first * from.channels, some,
                                 (fp_tower_linear){packed, &linear->clamp});
    }
    return rc;
}

/* Lays k and v, [n, head_dim] each, out for the kernel. */
static assay_status make_keys(fp_tower_pass *v, size_t head_dim, const fp_image *k, const fp_image *values,
                              pixel_keys *keys)
{
    const fp_model *m = v->pass.model;
    *keys = (pixel_keys){.shape = {.n_kv_heads = 1,
                                   .head_dim = head_dim,
                                   .narrow = m->packer.compute != ASSAY_F32 ? m->kernels.narrow_bf16 : NULL},
                         .n = fp_image_pixels(k)};
    keys->n_pages = (keys->n + ASSAY_PAGE - 1) / ASSAY_PAGE;
    const size_t bytes = fp_keys_bytes(&keys->shape);
    unsigned char *pages = fp_scratch_alloc(v->pass.scratch, keys->n_pages, 2 * bytes, 1);
    keys->k = pages ? fp_scratch_alloc(v->pass.scratch, keys->n_pages, 2, sizeof *keys->k) : NULL;
    if (!keys->k) return ASSAY_ENOMEM;
    keys->v = keys->k + keys->n_pages;
    for (size_t p = 0; p < keys->n_pages; p++) {
        const size_t first = p * ASSAY_PAGE, n = keys->n - first < ASSAY_PAGE ? keys->n - first : ASSAY_PAGE;
        unsigned char *page = pages + p * 2 * bytes;
        keys->k[p] = page;
        keys->v[p] = page + bytes;
        fp_keys_put(&keys->shape, page, 0, n, k->x + first * head_dim, values->x + first * head_dim);
    }
    return ASSAY_OK;
}

/* The number of queries that a kernel takes through the pages together. */
enum { QUERIES = 96 };

typedef struct attending {
    const plan_attention *a;
    const pixel_keys *keys;
    assay_attention_fn *kernel;
    size_t n, n_each; /* pixels; those of an item */
    float *q;         /* [n, n_heads, head_dim], replaced by the output */
    float *out;
} attending;

static void attend_item(void *context, size_t item)
{
    const attending *job = context;
    const plan_attention *a = job->a;
    const size_t from = item * job->n_each, n = job->n - from < job->n_each ? job->n - from : job->n_each;
    const size_t width = a->n_heads * a->head_dim;
    size_t first[QUERIES], last[QUERIES];
    for (size_t i = 0; i < n; i++) {
        first[i] = 0;
        last[i] = job->keys->n - 1;
    }
    job->kernel(&(assay_attention_call){.out = job->out + from * width,
                                        .q = job->q + from * width,
                                        .ld_out = width,
                                        .ld_q = width,
                                        .n_rows = n,
                                        .n_heads = a->n_heads,
                                        .head_dim = a->head_dim,
                                        .k = job->keys->k,
                                        .v = job->keys->v,
                                        .first = first,
                                        .last = last,
                                        .scale = (float)a->scale,
                                        .cap = (float)a->score_cap});
}

/* attn_out: [n, n_heads, head_dim] */
static void attend_pixels(fp_tower_pass *v, const plan_attention *a, const pixel_keys *keys, fp_image *q,
                          float *attn_out)
{
    const fp_operations *op = &v->pass.model->kernels.op;
    const size_t n = fp_image_pixels(q), n_each = a->n_heads < QUERIES ? QUERIES / a->n_heads : 1;
    attending job = {.a = a,
                     .keys = keys,
                     .kernel = fp_attention_of(op, keys->shape.narrow != NULL),
                     .n = n,
                     .n_each = n_each,
                     .q = q->x,
                     .out = attn_out};
    if (keys->shape.narrow) fp_round_run(&v->pass, q->x, n, q->channels);
    fp_pool_run(v->pass.model->pool, (n + n_each - 1) / n_each, n_each * q->channels * 2 * keys->n,
                attend_item, &job);
}

assay_status fp_conv_attend(fp_tower_pass *v, const plan_conv_block *b, const fp_conv_block *w,
                            const fp_image *in, fp_image *out)
{
    const plan_attention *a = &b->attention;
    const size_t n = fp_image_pixels(in), width = a->n_heads * a->head_dim;
    fp_image normed = *in, q, k, values;
    pixel_keys keys;
    assert(a->n_kv_heads == 1);
    normed.x = fp_scratch_floats(v->pass.scratch, n, in->channels);
    float *attn_out = normed.x ? fp_scratch_floats(v->pass.scratch, n, width) : NULL;
    if (!attn_out) return ASSAY_ENOMEM;
    fp_norm_run(&v->pass, normed.x, in->x, n, in->channels, &w->norm);
    assay_status rc = project(v, &normed, NULL, NULL, &a->q, &w->q, &q);
    if (rc == ASSAY_OK)
        rc = project(v, &normed, b->has_key_units ? &b->key : NULL, &w->key, &a->k, &w->k, &k);
    if (rc == ASSAY_OK)
        rc = project(v, &normed, b->has_key_units ? &b->value : NULL, &w->value, &a->v, &w->v, &values);
    if (rc == ASSAY_OK) rc = make_keys(v, a->head_dim, &k, &values, &keys);
    if (rc != ASSAY_OK) return rc;
    attend_pixels(v, a, &keys, &q, attn_out);
    *out = (fp_image){in->height, in->width, a->o.weight.rows, out->x};
    for (size_t first = 0, some; rc == ASSAY_OK && first < n; first += some) {
        some = n - first < FP_TOWER_ROWS ? n - first : FP_TOWER_ROWS;
        rc = fp_tower_linear_run(&v->pass, out->x + first * out->channels, attn_out + first * width, some,
                                 (fp_tower_linear){&w->o, &a->o.clamp});
    }
    return rc;
}

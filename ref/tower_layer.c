/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tower_layer.h"

#include <stdlib.h>
#include <string.h>

#include "ref/heads.h"
#include "ref/mlp.h"

/* Queries, keys and values, and the result of attention: [n, heads, head_dim] each, of n patches. */
typedef struct heads {
    ref_real *q, *k, *v, *out;
} heads;

static void free_heads(heads *h)
{
    free(h->q);
    free(h->k);
    free(h->v);
    free(h->out);
}

static assay_status alloc_heads(heads *h, size_t n, const plan_attention *a)
{
    const size_t q_width = a->n_heads * a->head_dim, kv_width = a->n_kv_heads * a->head_dim;
    *h =
        (heads){ref_alloc(n, q_width), ref_alloc(n, kv_width), ref_alloc(n, kv_width), ref_alloc(n, q_width)};
    return h->q && h->k && h->v && h->out ? ASSAY_OK : ASSAY_ENOMEM;
}

static void copy_row(ref_real *to, size_t to_row, const ref_real *from, size_t from_row, size_t width)
{
    memcpy(to + to_row * width, from + from_row * width, width * sizeof *to);
}

/* Attention within one segment of n patches. member: [n], their indices. all: heads of all patches. */
static assay_status attend_members(heads *all, const size_t *member, size_t n, const plan_attention *a)
{
    const size_t q_width = a->n_heads * a->head_dim, kv_width = a->n_kv_heads * a->head_dim;
    heads own;
    assay_status rc = alloc_heads(&own, n, a);
    plan_keys *keys = calloc(n, sizeof *keys);
    if (!keys) rc = ASSAY_ENOMEM;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        copy_row(own.q, i, all->q, member[i], q_width);
        copy_row(own.k, i, all->k, member[i], kv_width);
        copy_row(own.v, i, all->v, member[i], kv_width);
        keys[i].end = n; /* no mask */
    }
    if (rc == ASSAY_OK) rc = ref_attention(own.out, own.q, own.k, own.v, n, a, keys);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) copy_row(all->out, member[i], own.out, i, q_width);
    free_heads(&own);
    free(keys);
    return rc;
}

/* Attention in each segment: a frame, or a window of window × window patches of one. */
static assay_status attend_segments(heads *all, const ref_patches *patches, size_t window,
                                    const plan_attention *a)
{
    size_t *member = calloc(patches->n + 1, sizeof *member);
    assay_status rc = member ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t m = 0; rc == ASSAY_OK && m < patches->n_media; m++) {
        const size_t *grid = patches->grids[m], n_segments = ref_patches_segments(grid, window);
        for (size_t s = 0; rc == ASSAY_OK && s < n_segments; s++) {
            size_t n = 0;
            for (size_t p = patches->first[m]; p < patches->first[m + 1]; p++)
                if (ref_patches_segment(&patches->patch[p], grid, window) == s) member[n++] = p;
            rc = attend_members(all, member, n, a);
        }
    }
    free(member);
    return rc;
}

/* y = o(attention(q(x), k(x), v(x))). x, y: [P, D]. */
static assay_status attend_layer(const ref_tower_pass *pass, const plan_tower_layer *layer, const ref_real *x,
                                 ref_real *y)
{
    const plan_tower *tower = pass->tower;
    const plan_attention *a = &layer->attention;
    const size_t n = pass->patches->n, d = a->head_dim,
                 window = layer->in_windows ? tower->window * tower->merge : 0;
    const ref_rotation none = {0}, turned = {&tower->rope, pass->cosine, pass->sine, false},
                       rotation = tower->has_rope && a->rope != PLAN_NONE ? turned : none;
    heads all;
    assay_status rc = alloc_heads(&all, n, a);
    if (rc == ASSAY_OK) rc = ref_heads_project(all.q, x, n, a->n_heads, d, &a->q, &a->q_norm, rotation);
    if (rc == ASSAY_OK) rc = ref_heads_project(all.k, x, n, a->n_kv_heads, d, &a->k, &a->k_norm, rotation);
    if (rc == ASSAY_OK) rc = ref_heads_project(all.v, x, n, a->n_kv_heads, d, &a->v, &a->v_norm, none);
    if (rc == ASSAY_OK) rc = attend_segments(&all, pass->patches, window, a);
    if (rc == ASSAY_OK) rc = ref_linear(y, all.out, n, &a->o);
    free_heads(&all);
    return rc;
}

assay_status ref_tower_layer(const ref_tower_pass *pass, const plan_tower_layer *layer, ref_real *x)
{
    const size_t n = pass->patches->n, width = pass->tower->hidden;
    ref_real *normed = ref_alloc(n, width), *y = ref_alloc(n, width);
    assay_status rc = normed && y ? ref_norm(normed, x, n, width, &layer->mixer_in) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = attend_layer(pass, layer, normed, y);
    if (rc == ASSAY_OK) rc = ref_norm(y, y, n, width, &layer->mixer_out);
    if (rc == ASSAY_OK) {
        ref_add(x, y, n * width);
        rc = ref_norm(normed, x, n, width, &layer->mlp_in);
    }
    if (rc == ASSAY_OK) rc = ref_mlp(y, normed, n, &layer->mlp);
    if (rc == ASSAY_OK) rc = ref_norm(y, y, n, width, &layer->mlp_out);
    if (rc == ASSAY_OK) ref_add(x, y, n * width);
    free(normed);
    free(y);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tower_layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/weight.h"
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

/* Some of the rows of a tower, by their indices. */
typedef struct row_set {
    size_t *row; /* [n] */
    size_t n;
} row_set;

/* The rows `queries` attend to the rows `seen`, without a mask. all: heads of all rows; the result goes to
 * all->out. */
static assay_status attend_rows(heads *all, const row_set *queries, const row_set *seen,
                                const plan_attention *a)
{
    const size_t q_width = a->n_heads * a->head_dim, kv_width = a->n_kv_heads * a->head_dim, n = queries->n;
    heads own;
    assay_status rc = alloc_heads(&own, n > seen->n ? n : seen->n, a);
    plan_keys *keys = calloc(n + 1, sizeof *keys);
    if (!keys) rc = ASSAY_ENOMEM;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        copy_row(own.q, i, all->q, queries->row[i], q_width);
        keys[i].end = seen->n;
    }
    for (size_t i = 0; rc == ASSAY_OK && i < seen->n; i++) {
        copy_row(own.k, i, all->k, seen->row[i], kv_width);
        copy_row(own.v, i, all->v, seen->row[i], kv_width);
    }
    if (rc == ASSAY_OK) rc = ref_attention(own.out, own.q, own.k, own.v, n, seen->n, a, keys);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) copy_row(all->out, queries->row[i], own.out, i, q_width);
    free_heads(&own);
    free(keys);
    return rc;
}

/* Attention in each segment: a frame, or a square of window × window patches of a frame. */
static assay_status attend_segments(heads *all, const ref_patches *patches, size_t window,
                                    const plan_attention *a)
{
    row_set own = {.row = calloc(patches->n + 1, sizeof *own.row)};
    assay_status rc = own.row ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t m = 0; rc == ASSAY_OK && m < patches->n_media; m++) {
        const size_t *grid = patches->grids[m], n_segments = ref_patches_segments(grid, window);
        for (size_t s = 0; rc == ASSAY_OK && s < n_segments; s++) {
            own.n = 0;
            for (size_t p = patches->first[m]; p < patches->first[m + 1]; p++)
                if (ref_patches_segment(&patches->patch[p], grid, window) == s) own.row[own.n++] = p;
            rc = attend_rows(all, &own, &own, a);
        }
    }
    free(own.row);
    return rc;
}

/* Attention within each image. Rows that are not padding attend to all rows, padding to those that are not.
 */
static assay_status attend_tiles(heads *all, const ref_tile_rows *tiles, const plan_attention *a)
{
    const size_t n_each = tiles->n_each;
    row_set every = {.row = calloc(n_each + 1, sizeof *every.row)},
            real = {.row = calloc(n_each + 1, sizeof *real.row)},
            padding = {.row = calloc(n_each + 1, sizeof *padding.row)};
    assay_status rc = every.row && real.row && padding.row ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t image = 0; rc == ASSAY_OK && image < tiles->n_images; image++) {
        every.n = real.n = padding.n = 0;
        for (size_t i = image * n_each; i < (image + 1) * n_each; i++) {
            row_set *kind = tiles->is_padding[i] ? &padding : &real;
            every.row[every.n++] = i;
            kind->row[kind->n++] = i;
        }
        rc = attend_rows(all, &real, &every, a);
        if (rc == ASSAY_OK && padding.n) rc = attend_rows(all, &padding, &real, a);
    }
    free(every.row);
    free(real.row);
    free(padding.row);
    return rc;
}

static size_t count_rows(const ref_tower_pass *pass)
{
    return pass->tiles ? pass->tiles->n_images * pass->tiles->n_each : pass->patches->n;
}

/* x += tanh(gate) y, or x += y if there is no gate. y is overwritten. */
static void add_gated(ref_real *x, ref_real *y, size_t n, const plan_weight *gate)
{
    if (gate->data) {
        ref_real value;
        ref_weight_rows(gate, 0, 1, &value);
        ref_scale(y, n, tanh((double)value));
    }
    ref_add(x, y, n);
}

/* y = o(attention(q(x), k(x), v(x))). x, y: [rows, hidden]. */
static assay_status attend_layer(const ref_tower_pass *pass, const plan_tower_layer *layer, const ref_real *x,
                                 ref_real *y)
{
    const plan_tower *tower = pass->tower;
    const plan_attention *a = &layer->attention;
    const size_t n = count_rows(pass), d = a->head_dim,
                 window = layer->in_windows ? tower->window * tower->merge : 0;
    const ref_rotation none = {0}, turned = {&tower->rope, pass->cosine, pass->sine, false},
                       rotation = tower->has_rope && a->rope != PLAN_NONE ? turned : none;
    heads all;
    assay_status rc = alloc_heads(&all, n, a);
    if (rc == ASSAY_OK) rc = ref_heads_project(all.q, x, n, a->n_heads, d, &a->q, &a->q_norm, rotation);
    if (rc == ASSAY_OK) rc = ref_heads_project(all.k, x, n, a->n_kv_heads, d, &a->k, &a->k_norm, rotation);
    if (rc == ASSAY_OK) rc = ref_heads_project(all.v, x, n, a->n_kv_heads, d, &a->v, &a->v_norm, none);
    if (rc == ASSAY_OK)
        rc = pass->tiles ? attend_tiles(&all, pass->tiles, a)
                         : attend_segments(&all, pass->patches, window, a);
    if (rc == ASSAY_OK) rc = ref_linear(y, all.out, n, &a->o);
    free_heads(&all);
    return rc;
}

assay_status ref_tower_layer(const ref_tower_pass *pass, const plan_tower_layer *layer, ref_real *x)
{
    const size_t n = count_rows(pass), width = pass->tower->hidden;
    ref_real *normed = ref_alloc(n, width), *y = ref_alloc(n, width);
    assay_status rc = normed && y ? ref_norm(normed, x, n, width, &layer->mixer_in) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = attend_layer(pass, layer, normed, y);
    if (rc == ASSAY_OK) rc = ref_norm(y, y, n, width, &layer->mixer_out);
    if (rc == ASSAY_OK) {
        add_gated(x, y, n * width, &layer->mixer_gate);
        rc = ref_norm(normed, x, n, width, &layer->mlp_in);
    }
    if (rc == ASSAY_OK) rc = ref_mlp(y, normed, n, &layer->mlp);
    if (rc == ASSAY_OK) rc = ref_norm(y, y, n, width, &layer->mlp_out);
    if (rc == ASSAY_OK) add_gated(x, y, n * width, &layer->mlp_gate);
    free(normed);
    free(y);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/cross_keys.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/cache/keys.h"
#include "fastpath/ops.h"

struct fp_cross_keys {
    atomic_size_t n_users;
    size_t n_layers, n_rows, n_pages;
    fp_page **pages; /* [n_layers], of all heads; NULL in other layers */
    fp_keys *shape;  /* [n_layers] */
    size_t first[];  /* [n_images + 1] */
};

fp_cross_keys *fp_cross_keys_share(fp_cross_keys *keys)
{
    if (keys) (void)atomic_fetch_add_explicit(&keys->n_users, 1, memory_order_relaxed);
    return keys;
}

void fp_cross_keys_release(fp_cross_keys *keys)
{
    if (!keys || atomic_fetch_sub_explicit(&keys->n_users, 1, memory_order_acq_rel) != 1) return;
    for (size_t i = 0; keys->pages && i < keys->n_layers; i++) fp_page_release(keys->pages[i]);
    free(keys->pages);
    free(keys->shape);
    free(keys);
}

size_t fp_cross_keys_first(const fp_cross_keys *keys, size_t image)
{
    return keys->first[image];
}

size_t fp_cross_keys_rows(const fp_cross_keys *keys)
{
    return keys->n_rows;
}

size_t fp_cross_keys_pages(const fp_cross_keys *keys)
{
    return keys->n_pages;
}

void fp_cross_keys_list(const fp_cross_keys *keys, size_t layer, size_t kv_head, const void **k,
                        const void **v)
{
    const fp_keys *shape = &keys->shape[layer];
    const size_t bytes = fp_keys_bytes(shape), page_bytes = 2 * shape->n_kv_heads * bytes;
    const unsigned char *pages = fp_page_numbers(keys->pages[layer]);
    for (size_t p = 0; p < keys->n_pages; p++) {
        k[p] = pages + p * page_bytes + 2 * kv_head * bytes;
        v[p] = pages + p * page_bytes + (2 * kv_head + 1) * bytes;
    }
}

/* The number of rows of an image's tiles. */
static size_t rows_of_tiles(const fp_model *m, const fp_features *f)
{
    const plan_tiles *tiles = &m->plan->vision.tiles;
    return plan_tiles_of(tiles, medium_ratio(fp_features_medium(f))) * plan_tiles_rows(tiles);
}

/* Lists the rows of features, [H] each, in their order, and fills in first. list: [n_rows]. */
static void list_rows(const fp_model *m, fp_features *const *features, size_t n_images, fp_cross_keys *keys,
                      const float **list)
{
    size_t n = 0;
    for (size_t i = 0; i < n_images; i++) {
        const size_t n_own = rows_of_tiles(m, features[i]);
        for (size_t r = 0; r < n_own; r++) list[n++] = fp_features_row(features[i], 0, r);
        keys->first[i + 1] = n;
    }
    for (size_t i = 0; n < keys->n_rows && i < n_images; i++) {
        const size_t n_all = medium_rows(fp_features_medium(features[i]));
        for (size_t r = rows_of_tiles(m, features[i]); r < n_all; r++)
            list[n++] = fp_features_row(features[i], 0, r);
    }
}

/* Rows that go through the products together: whole pages. */
enum { BLOCK = 4 * ASSAY_PAGE };

/* Writes the keys and values of n rows from `first` on, a multiple of BLOCK, into the pages of layer i. */
static assay_status put_block(fp_pass *pass, size_t i, const float *const *list, size_t first, size_t n,
                              fp_cross_keys *keys)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const fp_attention *w = &pass->model->layers[i].attention;
    const fp_keys *shape = &keys->shape[i];
    const size_t hidden = pass->plan->hidden, width = a->n_kv_heads * a->head_dim, mark = pass->scratch->n,
                 page_bytes = 2 * shape->n_kv_heads * fp_keys_bytes(shape);
    unsigned char *pages = fp_page_numbers(keys->pages[i]);
    float *x = fp_scratch_floats(pass->scratch, n, hidden);
    float *k = x ? fp_scratch_floats(pass->scratch, n, 2 * width) : NULL;
    if (!k) return ASSAY_ENOMEM;
    for (size_t r = 0; r < n; r++) memcpy(x + r * hidden, list[first + r], hidden * sizeof *x);
    fp_linear_run(pass, k, x, n, &w->k);
    fp_linear_run(pass, k + n * width, x, n, &w->v);
    if (w->k_norm.present) fp_norm_run(pass, k, k, n * width / w->k_norm.width, w->k_norm.width, &w->k_norm);
    if (w->v_norm.present)
        fp_norm_run(pass, k + n * width, k + n * width, n * width / w->v_norm.width, w->v_norm.width,
                    &w->v_norm);
    for (size_t r = 0; r < n; r += ASSAY_PAGE)
        fp_keys_put(shape, pages + (first + r) / ASSAY_PAGE * page_bytes, 0,
                    n - r < ASSAY_PAGE ? n - r : ASSAY_PAGE, k + r * width, k + (n + r) * width);
    pass->scratch->n = mark;
    return ASSAY_OK;
}

static assay_status fill_layers(const fp_model *m, const float *const *list, fp_cross_keys *keys)
{
    fp_scratch scratch = {0};
    fp_pass pass = {.model = m, .plan = m->plan, .scratch = &scratch, .n_rows = BLOCK};
    assay_status rc = fp_narrow_alloc(&pass) ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t i = 0; rc == ASSAY_OK && i < keys->n_layers; i++) {
        if (m->plan->layers[i].mixer.kind != PLAN_MIXER_CROSS) continue;
        const fp_keys shape = {m->caches[i].n_kv_heads, m->caches[i].head_dim, m->caches[i].narrow, NULL};
        keys->shape[i] = shape;
        keys->pages[i] =
            fp_page_make(keys->n_pages * 2 * shape.n_kv_heads * fp_keys_bytes(&shape), FP_PAGE_NAN);
        if (!keys->pages[i]) rc = ASSAY_ENOMEM;
        for (size_t first = 0; rc == ASSAY_OK && first < keys->n_rows; first += BLOCK)
            rc = put_block(&pass, i, list, first, keys->n_rows - first < BLOCK ? keys->n_rows - first : BLOCK,
                           keys);
    }
    scratch.n = 0;
    fp_scratch_free(&scratch);
    return rc;
}

assay_status fp_cross_keys_make(const fp_model *m, fp_features *const *features, size_t n_images,
                                bool is_seen_before, fp_cross_keys **out)
{
    const size_t n_layers = m->plan->n_layers;
    fp_cross_keys *keys = calloc(1, sizeof *keys + (n_images + 1) * sizeof *keys->first);
    if (!keys) return ASSAY_ENOMEM;
    atomic_init(&keys->n_users, 1);
    keys->n_layers = n_layers;
    for (size_t i = 0; i < n_images; i++)
        keys->n_rows +=
            is_seen_before ? medium_rows(fp_features_medium(features[i])) : rows_of_tiles(m, features[i]);
    keys->n_pages = (keys->n_rows + ASSAY_PAGE - 1) / ASSAY_PAGE;
    keys->pages = calloc(n_layers, sizeof *keys->pages);
    keys->shape = calloc(n_layers, sizeof *keys->shape);
    const float **list = calloc(keys->n_rows, sizeof *list);
    assay_status rc = keys->pages && keys->shape && list ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        list_rows(m, features, n_images, keys, list);
        rc = fill_layers(m, list, keys);
    }
    free((void *)list);
    if (rc == ASSAY_OK) *out = keys;
    else fp_cross_keys_release(keys);
    return rc;
}

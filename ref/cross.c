/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/cross.h"

#include <stdlib.h>
#include <string.h>

#include "model/inputs/seen.h"
#include "ref/heads.h"

/* Rows of features: those that the tokens of a part attend to. */
typedef struct rows {
    size_t *row; /* [n] */
    size_t n;
} rows;

/* The rows of the tiles of the images that the tokens see; of tokens that see none all rows of all images. */
static void list_rows(const ref_pass *pass, media_seen seen, rows *out)
{
    const plan_tiles *tiles = &pass->plan->vision.tiles;
    const size_t *first = pass->features.tower.out.first;
    const bool sees_none = seen.first == seen.end;
    out->n = 0;
    if (sees_none) seen = (media_seen){0, pass->media->n};
    for (size_t m = seen.first; m < seen.end; m++) {
        const size_t ratio = medium_ratio(pass->media->place[m].medium);
        const size_t n =
            sees_none ? first[m + 1] - first[m] : plan_tiles_of(tiles, ratio) * plan_tiles_rows(tiles);
        for (size_t r = 0; r < n; r++) out->row[out->n++] = first[m] + r;
    }
}

static ref_real *gather(const ref_real *x, const rows *of, size_t width)
{
    ref_real *out = ref_alloc(of->n, width);
    for (size_t i = 0; out && i < of->n; i++)
        memcpy(out + i * width, x + of->row[i] * width, width * sizeof *x);
    return out;
}

/* Heads of queries of all tokens, and of keys and values of all rows of features. */
typedef struct heads {
    ref_real *q, *k, *v, *out; /* out: as q */
} heads;

/* Attention of n tokens from `first` on to the same rows. */
static assay_status attend_part(const plan_attention *a, const heads *h, const rows *seen, size_t first,
                                size_t n)
{
    const size_t q_width = a->n_heads * a->head_dim, kv_width = a->n_kv_heads * a->head_dim;
    ref_real *k = gather(h->k, seen, kv_width), *v = gather(h->v, seen, kv_width);
    plan_keys *keys = calloc(n, sizeof *keys);
    assay_status rc = k && v && keys ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t t = 0; rc == ASSAY_OK && t < n; t++) keys[t].end = seen->n;
    if (rc == ASSAY_OK)
        rc = ref_attention(h->out + first * q_width, h->q + first * q_width, k, v, n, seen->n, a, keys);
    free(k);
    free(v);
    free(keys);
    return rc;
}

/* Tokens that see the same images follow each other. */
static assay_status attend(const ref_pass *pass, const plan_attention *a, const heads *h)
{
    rows seen = {.row = calloc(pass->features.tower.out.n_rows + 1, sizeof *seen.row)};
    assay_status rc = seen.row ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t t = 0, n; rc == ASSAY_OK && t < pass->n_tokens; t += n) {
        const media_seen own = media_list_seen(pass->media, t);
        for (n = 1; t + n < pass->n_tokens; n++) {
            const media_seen next = media_list_seen(pass->media, t + n);
            if (next.first != own.first || next.end != own.end) break;
        }
        list_rows(pass, own, &seen);
        rc = attend_part(a, h, &seen, t, n);
    }
    free(seen.row);
    return rc;
}

assay_status ref_cross(const ref_pass *pass, size_t i, const ref_real *x, ref_real *y)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const size_t n = pass->n_tokens, n_rows = pass->features.tower.out.n_rows, d = a->head_dim;
    const ref_real *features = pass->features.tower.out.merged;
    const ref_rotation none = {0};
    heads h = {ref_alloc(n, a->n_heads * d), ref_alloc(n_rows, a->n_kv_heads * d),
               ref_alloc(n_rows, a->n_kv_heads * d), ref_alloc(n, a->n_heads * d)};
    assay_status rc = h.q && h.k && h.v && h.out ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = ref_heads_project(h.q, x, n, a->n_heads, d, &a->q, &a->q_norm, none);
    if (rc == ASSAY_OK)
        rc = ref_heads_project(h.k, features, n_rows, a->n_kv_heads, d, &a->k, &a->k_norm, none);
    if (rc == ASSAY_OK)
        rc = ref_heads_project(h.v, features, n_rows, a->n_kv_heads, d, &a->v, &a->v_norm, none);
    if (rc == ASSAY_OK) rc = attend(pass, a, &h);
    if (rc == ASSAY_OK) rc = ref_linear(y, h.out, n, &a->o);
    free(h.q);
    free(h.k);
    free(h.v);
    free(h.out);
    return rc;
}

void ref_cross_leave_out(const ref_pass *pass, ref_real *y)
{
    const size_t first = pass->media->n ? pass->media->place[0].first : pass->n_tokens;
    memset(y, 0, (first < pass->n_tokens ? first : pass->n_tokens) * pass->plan->hidden * sizeof *y);
}

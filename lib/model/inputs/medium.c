/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/medium.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "model/inputs/item_tiles.h"

struct media {
    atomic_size_t n_owners;
    item_content content; /* its pixels are this medium's own, [n_bytes] */
    size_t width, n_bytes;
    unsigned char pixels[];
};

void media_retain(const media *m)
{
    atomic_fetch_add_explicit(&((media *)m)->n_owners, 1, memory_order_relaxed);
}

void media_release(const media *m)
{
    if (m && atomic_fetch_sub_explicit(&((media *)m)->n_owners, 1, memory_order_acq_rel) == 1)
        free((media *)m);
}

media *media_make(const item_content *content)
{
    const bool is_audio = content->tower->kind == PLAN_TOWER_AUDIO;
    const size_t width = is_audio ? content->n_frames : plan_patches_width(&content->tower->patches),
                 n_rows = is_audio ? content->tower->audio.n_bins : content->n_patches,
                 row_bytes = width * dtype_size(content->dtype),
                 pitch = is_audio ? content->pitch * dtype_size(content->dtype) : row_bytes,
                 n_bytes = content->pixels ? n_rows * row_bytes : 0;
    media *m = malloc(sizeof *m + n_bytes);
    if (!m) return NULL;
    atomic_init(&m->n_owners, 1);
    m->content = *content;
    m->width = width;
    m->n_bytes = n_bytes;
    if (n_bytes && content->tower->kind == PLAN_TOWER_TILES) item_tiles_copy(content, m->pixels);
    for (size_t r = 0; n_bytes && content->tower->kind != PLAN_TOWER_TILES && r < n_rows; r++)
        memcpy(m->pixels + r * row_bytes, (const char *)content->pixels + r * pitch, row_bytes);
    m->content.pixels = n_bytes ? m->pixels : NULL;
    return m;
}

const plan_tower *media_tower(const media *m)
{
    return m->content.tower;
}

size_t media_frames(const media *m)
{
    return m->content.n_frames;
}

const size_t *media_grid(const media *m)
{
    return m->content.grid;
}

size_t media_patches(const media *m)
{
    return m->content.n_patches;
}

size_t media_tokens(const media *m)
{
    return m->content.n_tokens;
}

size_t media_rows(const media *m)
{
    return m->content.n_rows;
}

size_t media_ratio(const media *m)
{
    return m->content.ratio;
}

const size_t *media_layout(const media *m)
{
    return m->content.layout;
}

size_t media_bytes(const media *m)
{
    return m->n_bytes;
}

bool media_equal(const media *m, const media *other)
{
    const item_content *a = &m->content, *b = &other->content;
    return a->tower == b->tower && a->n_frames == b->n_frames && a->ratio == b->ratio &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->layout, b->layout, sizeof a->layout) == 0 && a->dtype == b->dtype &&
           m->width == other->width && m->n_bytes == other->n_bytes &&
           memcmp(m->pixels, other->pixels, m->n_bytes) == 0;
}

double media_interval(const media *m)
{
    return m->content.interval;
}

int32_t media_time(const media *m, size_t frame)
{
    const item_content *c = &m->content;
    if (c->interval_is_double) return (int32_t)((double)frame * c->interval);
    const float product = (float)frame * (float)c->interval;
    return (int32_t)product;
}

void media_pixels(const media *m, size_t first, size_t n, double *out)
{
    const size_t skipped = first * m->width * dtype_size(m->content.dtype);
    dtype_to_f64(out, m->pixels + skipped, m->content.dtype, n * m->width);
}

void media_spectrogram(const media *m, double *out)
{
    dtype_to_f64(out, m->pixels, m->content.dtype, m->content.tower->audio.n_bins * m->width);
}

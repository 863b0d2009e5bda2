/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/medium.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "model/inputs/item_tiles.h"

struct medium {
    atomic_size_t n_owners;
    item_content content; /* its pixels are this medium's own, [n_bytes] */
    size_t width, n_bytes;
    unsigned char pixels[];
};

void medium_retain(const medium *m)
{
    atomic_fetch_add_explicit(&((medium *)m)->n_owners, 1, memory_order_relaxed);
}

void medium_release(const medium *m)
{
    if (m && atomic_fetch_sub_explicit(&((medium *)m)->n_owners, 1, memory_order_acq_rel) == 1)
        free((medium *)m);
}

medium *medium_make(const item_content *content)
{
    const bool is_audio = content->tower->kind == PLAN_TOWER_AUDIO;
    const size_t width = is_audio ? content->n_frames : plan_patches_width(&content->tower->patches),
                 n_rows = is_audio ? content->tower->audio.n_bins : content->n_patches,
                 row_bytes = width * dtype_size(content->dtype),
                 pitch = is_audio ? content->pitch * dtype_size(content->dtype) : row_bytes,
                 n_bytes = content->pixels ? n_rows * row_bytes : 0;
    medium *m = malloc(sizeof *m + n_bytes);
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

const plan_tower *medium_tower(const medium *m)
{
    return m->content.tower;
}

size_t medium_frames(const medium *m)
{
    return m->content.n_frames;
}

const size_t *medium_grid(const medium *m)
{
    return m->content.grid;
}

size_t medium_patches(const medium *m)
{
    return m->content.n_patches;
}

size_t medium_tokens(const medium *m)
{
    return m->content.n_tokens;
}

size_t medium_rows(const medium *m)
{
    return m->content.n_rows;
}

size_t medium_ratio(const medium *m)
{
    return m->content.ratio;
}

const size_t *medium_layout(const medium *m)
{
    return m->content.layout;
}

size_t medium_bytes(const medium *m)
{
    return m->n_bytes;
}

bool medium_equal(const medium *m, const medium *other)
{
    const item_content *a = &m->content, *b = &other->content;
    return a->tower == b->tower && a->n_frames == b->n_frames && a->ratio == b->ratio &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->layout, b->layout, sizeof a->layout) == 0 && a->dtype == b->dtype &&
           m->width == other->width && m->n_bytes == other->n_bytes &&
           memcmp(m->pixels, other->pixels, m->n_bytes) == 0;
}

double medium_interval(const medium *m)
{
    return m->content.interval;
}

int32_t medium_time(const medium *m, size_t frame)
{
    const item_content *c = &m->content;
    if (c->interval_is_double) return (int32_t)((double)frame * c->interval);
    const float product = (float)frame * (float)c->interval;
    return (int32_t)product;
}

void medium_pixels(const medium *m, size_t first, size_t n, double *out)
{
    const size_t skipped = first * m->width * dtype_size(m->content.dtype);
    dtype_to_f64(out, m->pixels + skipped, m->content.dtype, n * m->width);
}

void medium_spectrogram(const medium *m, double *out)
{
    dtype_to_f64(out, m->pixels, m->content.dtype, m->content.tower->audio.n_bins * m->width);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/pictures.h"

#include <stdlib.h>

#include "base/error.h"
#include "conformance/support/draw.h"

conf_bench_tower conf_bench_tower_of(const plan *p)
{
    const plan_tower *t = &p->vision;
    if (!t->present || t->takes_places || t->kind == PLAN_TOWER_TILES || t->kind == PLAN_TOWER_CONV)
        return (conf_bench_tower){0};
    const plan_merger_extra extra = plan_merger_extra_rows(&t->merger);
    return (conf_bench_tower){.patch = t->patches.size,
                              .block = plan_tower_block(t),
                              .width = t->patches.embed.weight.cols,
                              .crop = t->kind == PLAN_TOWER_CROPS ? t->table.side : 0,
                              .row_end = extra.row_end,
                              .ends = 2 * extra.begin + t->n_leading,
                              .image_token = t->image_token,
                              .video_token = t->video_token,
                              .audio_token = p->audio.present ? p->audio.audio_token : -1};
}

/* Of a size of which the width and the height of an image are multiples. */
static size_t unit_of(const conf_bench_tower *tower)
{
    return tower->patch * (tower->crop ? tower->crop : tower->block);
}

/* Placeholder tokens of one image. */
static size_t tokens_of(const conf_pictures *p, const conf_bench_tower *tower)
{
    const size_t side = unit_of(tower);
    if (tower->crop) return tower->crop * tower->crop + tower->ends;
    return (p->width / side + tower->row_end) * (p->height / side) + tower->ends;
}

/* Tokens of text before each image. */
static size_t text_before(const conf_bench_tower *tower)
{
    return tower->crop ? 0 : 1;
}

assay_status conf_bench_pictures_tokens(const conf_pictures *p, const conf_bench_tower *tower, size_t *n,
                                        assay_error *err)
{
    if (tower->patch == 0)
        return assay_fail(err, ASSAY_EINVAL,
                          "option --prompt: the model takes no images as pixel_values with a grid");
    if (tower->crop && p->n > 1)
        return assay_fail(err, ASSAY_EINVAL,
                          "option --prompt: found %zu images, expected 1: the model takes one, before all "
                          "other tokens",
                          p->n);
    const size_t side = unit_of(tower);
    if (p->width % side || p->height % side)
        return assay_fail(err, ASSAY_EINVAL,
                          "option --prompt: found images of %zu x %zu pixels, expected multiples of %zu",
                          p->width, p->height, side);
    *n = p->n * (text_before(tower) + tokens_of(p, tower)) + CONF_BENCH_PICTURE_TEXT;
    return ASSAY_OK;
}

/* The whole image is the first frame, and each crop one more. */
static void set_grid(const conf_pictures *p, const conf_bench_tower *tower, conf_bench_items *items)
{
    const int32_t rows = (int32_t)(p->height / unit_of(tower)),
                  columns = (int32_t)(p->width / unit_of(tower)), block = (int32_t)tower->block,
                  crop = (int32_t)tower->crop;
    items->layout[0] = rows;
    items->layout[1] = columns;
    items->grid[0] = crop ? 1 + rows * columns : 1;
    items->grid[1] = crop ? crop : rows * block;
    items->grid[2] = crop ? crop : columns * block;
}

bool conf_bench_items_draw(const conf_pictures *p, const conf_bench_tower *tower, uint64_t *state,
                           conf_bench_items *out)
{
    enum { STEPS = 2001 };
    *out = (conf_bench_items){.n = p->n,
                              .items = calloc(p->n, sizeof *out->items),
                              .tensors = calloc(p->n, 3 * sizeof *out->tensors)};
    set_grid(p, tower, out);
    const size_t n_rows = (size_t)out->grid[0] * (size_t)out->grid[1] * (size_t)out->grid[2],
                 n = n_rows * tower->width;
    out->pixels = calloc(p->n, n * sizeof *out->pixels);
    if (!out->items || !out->tensors || !out->pixels) {
        conf_bench_items_free(out);
        return false;
    }
    for (size_t i = 0; i < p->n * n; i++)
        out->pixels[i] = (float)conf_draw_below(state, STEPS) / (STEPS / 2) - 1;
    for (size_t i = 0; i < p->n; i++) {
        assay_tensor *tensors = out->tensors + 3 * i;
        tensors[0] = (assay_tensor){.name = "pixel_values",
                                    .dtype = ASSAY_F32,
                                    .rank = 2,
                                    .shape = {n_rows, tower->width},
                                    .data = out->pixels + i * n};
        tensors[1] = (assay_tensor){
            .name = "image_grid_thw", .dtype = ASSAY_I32, .rank = 2, .shape = {1, 3}, .data = out->grid};
        tensors[2] = (assay_tensor){
            .name = "crop_layouts", .dtype = ASSAY_I32, .rank = 2, .shape = {1, 2}, .data = out->layout};
        out->items[i] =
            (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = tensors, .n_tensors = tower->crop ? 3 : 2};
    }
    return true;
}

void conf_bench_items_free(conf_bench_items *items)
{
    free(items->items);
    free(items->tensors);
    free(items->pixels);
    *items = (conf_bench_items){0};
}

void conf_bench_pictures_place(const conf_pictures *p, const conf_bench_tower *tower, int32_t *tokens)
{
    const size_t before = text_before(tower), n = before + tokens_of(p, tower),
                 n_all = p->n * n + CONF_BENCH_PICTURE_TEXT;
    for (size_t t = 0; t < n_all; t++) {
        if (t < p->n * n && t % n >= before) tokens[t] = tower->image_token;
        else if (tokens[t] == tower->image_token || tokens[t] == tower->video_token ||
                 tokens[t] == tower->audio_token)
            tokens[t] = tower->image_token == 0;
    }
}

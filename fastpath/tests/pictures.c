/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/pictures.h"

#include "base/tests/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a side of an image, for each of its blocks, where the number of its tokens does not depend on them. */
enum { PIXELS = 3 };

static const float SECONDS = 2; /* of each frame of a video */

/* Spread over -1 … 1. */
static float pixel(unsigned seed, size_t i)
{
    uint64_t x = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + i * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 31)) * UINT64_C(0x94d049bb133111eb);
    return (float)(x >> 40) / (float)(1U << 23) - 1;
}

static bool is_special(const plan *p, int32_t token)
{
    bool found = token == p->vision.image_token || token == p->vision.video_token ||
                 (p->audio.present && token == p->audio.audio_token);
    for (size_t i = 0; i < p->placeholders.n; i++) found |= p->placeholders.id[i] == token;
    for (size_t i = 0; i < p->blocks.n; i++) found |= p->blocks.id[i] == token;
    return found;
}

static void add_token(picture_text *t, int32_t token)
{
    t->tokens = realloc(t->tokens, (t->n + 1) * sizeof *t->tokens);
    ck_assert_ptr_nonnull(t->tokens);
    t->tokens[t->n++] = token;
}

static void add_texts(picture_text *t, const plan *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        int32_t token = (int32_t)((seed * 37 + t->n * t->n * 5 + t->n * 11 + 1) % p->n_token_ids);
        while (is_special(p, token)) token = (token + 1) % (int32_t)p->n_token_ids;
        add_token(t, token);
    }
}

/* Places of patches, or a grid; nothing of an image whose size says where its pixels are. */
static void add_places(const plan *p, picture *one, const size_t grid[3])
{
    const size_t n = grid[0] * grid[1] * grid[2];
    if (p->vision.kind == PLAN_TOWER_CONV) {
        one->n_tensors = 1;
        one->tensors[0].rank = 4;
        memcpy(one->tensors[0].shape, (size_t[]){1, p->vision.patches.channels, grid[1], grid[2]},
               4 * sizeof(size_t));
        return;
    }
    int64_t *values = one->places = malloc((n < 2 ? 4 : 2 * n) * sizeof *values);
    ck_assert_ptr_nonnull(values);
    if (p->vision.takes_places) {
        for (size_t i = 0; i < n; i++) {
            values[2 * i] = (int64_t)(i % grid[2]);
            values[2 * i + 1] = (int64_t)(i / grid[2]);
        }
        one->tensors[1] = (assay_tensor){"image_position_ids", ASSAY_I64, 2, {n, 2}, values};
        return;
    }
    for (size_t d = 0; d < 3; d++) values[d] = (int64_t)grid[d];
    one->tensors[1] = (assay_tensor){
        one->kind == ASSAY_ITEM_VIDEO ? "video_grid_thw" : "image_grid_thw", ASSAY_I64, 2, {1, 3}, values};
}

/* The most tokens along a side: learned positions of each axis end with their table. */
static size_t fit(const plan *p, size_t blocks)
{
    const size_t most = p->vision.table.kind == PLAN_TABLE_AXES
                            ? p->vision.table.side / (p->vision.merge * p->vision.pooling.side)
                            : SIZE_MAX;
    return blocks < most ? blocks : most;
}

/* An image of tiles, with a ratio that depends on its rows and columns. */
static void add_tiles(picture_text *t, const plan *p, const size_t blocks[3], unsigned seed)
{
    const plan_tiles *tiles = &p->vision.tiles;
    const size_t side = tiles->side * p->vision.patches.size, channels = p->vision.patches.channels,
                 n = tiles->n * channels * side * side;
    ck_assert_uint_lt(t->n_pictures, PICTURES_MAX);
    picture *one = &t->pictures[t->n_pictures++];
    *one = (picture){.kind = ASSAY_ITEM_IMAGE, .first = t->n, .end = t->n + 1, .n_tensors = 2};
    float *pixels = one->pixels = malloc(n * sizeof *pixels);
    int64_t *ratio = one->places = malloc(sizeof *ratio);
    ck_assert(pixels && ratio);
    for (size_t i = 0; i < n; i++) pixels[i] = pixel(seed, i);
    *ratio = (int64_t)(1 + (blocks[1] * 3 + blocks[2]) % tiles->n_ratios);
    one->tensors[0] = (assay_tensor){"pixel_values", ASSAY_F32, 4, {tiles->n, channels, side, side}, pixels};
    one->tensors[1] = (assay_tensor){"aspect_ratio_ids", ASSAY_I64, 1, {1}, ratio};
    add_token(t, p->vision.image_token);
}

/* blocks: frames, rows and columns of tokens. */
static void add_picture(picture_text *t, const plan *p, assay_item_kind kind, const size_t blocks[3],
                        unsigned seed)
{
    const plan_patches *patches = &p->vision.patches;
    if (p->vision.kind == PLAN_TOWER_TILES) {
        add_tiles(t, p, blocks, seed);
        return;
    }
    const size_t side = p->vision.kind == PLAN_TOWER_CONV ? PIXELS : p->vision.merge * p->vision.pooling.side,
                 high = fit(p, blocks[1]), wide = fit(p, blocks[2]),
                 grid[3] = {blocks[0], high * side, wide * side};
    const size_t n = grid[0] * grid[1] * grid[2],
                 n_frame = plan_tower_tokens(&p->vision, (const size_t[]){1, grid[1], grid[2]}),
                 width = patches->channels * patches->frames * patches->size * patches->size;
    ck_assert_uint_lt(t->n_pictures, PICTURES_MAX);
    picture *one = &t->pictures[t->n_pictures++];
    *one = (picture){.kind = kind, .first = t->n, .n_tensors = 2};
    float *pixels = one->pixels = malloc(n * width * sizeof *pixels);
    ck_assert_ptr_nonnull(pixels);
    for (size_t i = 0; i < n * width; i++) pixels[i] = pixel(seed, i);
    one->tensors[0] = (assay_tensor){
        kind == ASSAY_ITEM_VIDEO ? "pixel_values_videos" : "pixel_values", ASSAY_F32, 2, {n, width}, pixels};
    add_places(p, one, grid);
    if (kind == ASSAY_ITEM_VIDEO && p->vision.spans_time)
        one->tensors[one->n_tensors++] = (assay_tensor){"video_second_per_grid", ASSAY_F32, 1, {1}, &SECONDS};
    for (size_t f = 0; f < blocks[0]; f++) {
        if (f > 0 && p->vision.frames_apart) add_texts(t, p, 1, seed);
        for (size_t i = 0; i < n_frame; i++)
            add_token(t, kind == ASSAY_ITEM_VIDEO ? p->vision.video_token : p->vision.image_token);
    }
    one->end = t->n;
}

/* An image with rows x columns of crops. */
static void add_crops(picture_text *t, const plan *p, size_t rows, size_t columns, unsigned seed)
{
    const plan_tower *tower = &p->vision;
    const size_t side = tower->table.side, n = (1 + rows * columns) * side * side,
                 width = plan_patches_width(&tower->patches);
    picture *one = &t->pictures[t->n_pictures++];
    *one = (picture){.kind = ASSAY_ITEM_IMAGE, .first = t->n, .n_tensors = 3};
    float *pixels = one->pixels = malloc(n * width * sizeof *pixels);
    int64_t *places = one->places = malloc(5 * sizeof *places);
    ck_assert(pixels && places);
    for (size_t i = 0; i < n * width; i++) pixels[i] = pixel(seed, i);
    places[0] = (int64_t)(1 + rows * columns);
    places[1] = places[2] = (int64_t)side;
    places[3] = (int64_t)rows;
    places[4] = (int64_t)columns;
    one->tensors[0] = (assay_tensor){"pixel_values", ASSAY_F32, 2, {n, width}, pixels};
    one->tensors[1] = (assay_tensor){"image_grid_thw", ASSAY_I64, 2, {1, 3}, places};
    one->tensors[2] = (assay_tensor){"crop_layouts", ASSAY_I64, 2, {1, 2}, places + 3};
    for (size_t i = 0; i < tower->n_leading + side * side; i++) add_token(t, tower->image_token);
    one->end = t->n;
}

/* The first image of a description, before all text. */
static void add_first_crops(picture_text *t, const plan *p, const char *description)
{
    size_t rows, columns;
    char letter;
    for (const char *at = description; *at; at += strcspn(at, " "), at += *at == ' ')
        if (sscanf(at, "i%zux%zu%c", &rows, &columns, &letter) == 3) {
            add_crops(t, p, rows, columns, (unsigned char)letter);
            return;
        }
}

/* Twenty frames for each token that a video of these blocks would have. */
static void add_audio(picture_text *t, const plan *p, const size_t blocks[3], unsigned seed)
{
    const plan_audio *s = &p->audio.audio;
    const size_t n = 20 * blocks[0] * blocks[1] * blocks[2];
    ck_assert_uint_lt(t->n_pictures, PICTURES_MAX);
    picture *one = &t->pictures[t->n_pictures++];
    *one = (picture){.kind = ASSAY_ITEM_AUDIO, .first = t->n, .n_tensors = 2};
    float *features = one->pixels = malloc(n * s->n_bins * sizeof *features);
    int64_t *mask = one->places = malloc(n * sizeof *mask);
    ck_assert(features && mask);
    for (size_t i = 0; i < n * s->n_bins; i++) features[i] = pixel(seed, i);
    for (size_t i = 0; i < n; i++) mask[i] = 1;
    one->tensors[0] = (assay_tensor){"input_features", ASSAY_F32, 2, {s->n_bins, n}, features};
    one->tensors[1] = (assay_tensor){"feature_attention_mask", ASSAY_I64, 1, {n}, mask};
    for (size_t i = 0; i < plan_audio_rows(s, n); i++) add_token(t, p->audio.audio_token);
    one->end = t->n;
}

static void add_video(picture_text *t, const plan *p, const size_t blocks[3], unsigned seed)
{
    const size_t one[3] = {1, blocks[1], blocks[2]};
    if (p->vision.video_token < 0 && p->audio.present) add_audio(t, p, blocks, seed);
    else if (p->vision.video_token < 0) add_picture(t, p, ASSAY_ITEM_IMAGE, one, seed);
    else add_picture(t, p, ASSAY_ITEM_VIDEO, blocks, seed);
}

picture_text pictures_make(const plan *p, const char *description, unsigned seed)
{
    picture_text t = {0};
    const bool has_crops = p->vision.present && p->vision.kind == PLAN_TOWER_CROPS;
    if (has_crops) add_first_crops(&t, p, description);
    for (const char *at = description; *at; at += strcspn(at, " "), at += *at == ' ') {
        size_t b[3] = {1, 1, 1};
        char letter;
        if (has_crops && (*at == 'i' || *at == 'v')) add_texts(&t, p, 2, seed);
        else if (sscanf(at, "i%zux%zu%c", &b[1], &b[2], &letter) == 3)
            add_picture(&t, p, ASSAY_ITEM_IMAGE, b, (unsigned char)letter);
        else if (sscanf(at, "v%zux%zux%zu%c", &b[0], &b[1], &b[2], &letter) == 4)
            add_video(&t, p, b, (unsigned char)letter);
        else add_texts(&t, p, strtoul(at, NULL, 10), seed);
    }
    return t;
}

void pictures_free(picture_text *t)
{
    for (size_t i = 0; i < t->n_pictures; i++) {
        free(t->pictures[i].pixels);
        free(t->pictures[i].places);
    }
    free(t->tokens);
    *t = (picture_text){0};
}

size_t pictures_items(const picture_text *t, size_t from, size_t end, assay_item *items)
{
    static const assay_item_kind KINDS[] = {ASSAY_ITEM_IMAGE, ASSAY_ITEM_VIDEO, ASSAY_ITEM_AUDIO};
    size_t n = 0;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
        for (size_t i = 0; i < t->n_pictures; i++) {
            const picture *one = &t->pictures[i];
            if (one->kind == KINDS[k] && one->first >= from && one->first < end)
                items[n++] =
                    (assay_item){.kind = one->kind, .tensors = one->tensors, .n_tensors = one->n_tensors};
        }
    return n;
}

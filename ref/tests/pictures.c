/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tests/pictures.h"

enum { N_PATCHES = 24 + 12, I = PICTURES_TOKEN };

const int32_t PICTURES_PROMPT[PICTURES_TOKENS] = {37, 82, I, I, I, I, I, I, 36, 8, I, I, I, 65, 11};
const int32_t PICTURES_POSITIONS[3 * PICTURES_TOKENS] = {
    0, 1, 2, 2, 2, 2, 2, 2, 5, 6, 7, 7, 7, 10, 11, /* temporal */
    0, 1, 2, 2, 2, 3, 3, 3, 5, 6, 7, 8, 9, 10, 11, /* height */
    0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 7, 7, 7, 10, 11  /* width */
};

static const int32_t GRIDS[PICTURES_N][3] = {{1, 4, 6}, {1, 6, 2}};
static float pixels[N_PATCHES * PICTURES_WIDTH];

static assay_tensor pixel_tensor(size_t first, size_t n)
{
    return (assay_tensor){.name = "pixel_values",
                          .dtype = ASSAY_F32,
                          .rank = 2,
                          .shape = {n, PICTURES_WIDTH},
                          .data = pixels + first * PICTURES_WIDTH};
}

static assay_tensor grid_tensor(size_t i)
{
    return (assay_tensor){
        .name = "image_grid_thw", .dtype = ASSAY_I32, .rank = 2, .shape = {1, 3}, .data = GRIDS[i]};
}

const assay_item *pictures_items(void)
{
    static assay_tensor tensors[PICTURES_N][2];
    static assay_item items[PICTURES_N];
    for (size_t i = 0; i < N_PATCHES * PICTURES_WIDTH; i++) pixels[i] = (float)(i * i % 257) / 128 - 1;
    for (size_t i = 0; i < PICTURES_N; i++) {
        tensors[i][0] = i == 0 ? pixel_tensor(0, 24) : pixel_tensor(24, 12);
        tensors[i][1] = grid_tensor(i);
        items[i] = (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = tensors[i], .n_tensors = 2};
    }
    return items;
}

const assay_item *pictures_grids(void)
{
    static assay_tensor tensors[PICTURES_N];
    static assay_item items[PICTURES_N];
    for (size_t i = 0; i < PICTURES_N; i++) {
        tensors[i] = grid_tensor(i);
        items[i] = (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = &tensors[i], .n_tensors = 1};
    }
    return items;
}

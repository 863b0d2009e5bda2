/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/tests/sample.h"

#include <string.h>

const plan_tower sample_tower = {
    .present = true,
    .patches = {.size = 1, .channels = 3, .frames = 1, .order = PLAN_PATCHES_BLOCKS},
    .pooling = {.side = 1},
    .merge = 2,
    .image_token = SAMPLE_IMAGE,
    .video_token = SAMPLE_VIDEO};

size_t sample_tokens(const char *letters, int32_t tokens[SAMPLE_MOST])
{
    const size_t n = strlen(letters);
    for (size_t t = 0; t < n; t++)
        tokens[t] = letters[t] == 'i' ? SAMPLE_IMAGE : letters[t] == 'v' ? SAMPLE_VIDEO : 1;
    return n;
}

assay_item sample_item(sample_medium *m, assay_item_kind kind)
{
    const bool is_video = kind == ASSAY_ITEM_VIDEO;
    m->tensors[0] = (assay_tensor){.name = is_video ? "video_grid_thw" : "image_grid_thw",
                                   .dtype = ASSAY_I32,
                                   .rank = 2,
                                   .shape = {1, 3},
                                   .data = m->grid};
    m->tensors[1] = (assay_tensor){
        .name = "second_per_grid_ts", .dtype = ASSAY_F32, .rank = 1, .shape = {1}, .data = &m->seconds};
    return (assay_item){.kind = kind, .tensors = m->tensors, .n_tensors = is_video && m->seconds > 0 ? 2 : 1};
}

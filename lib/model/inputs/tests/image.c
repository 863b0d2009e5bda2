/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/tests/image.h"

#include "base/tests/support.h"

void set_tokens(image *m, const char *letters)
{
    m->step.n_tokens = sample_tokens(letters, m->tokens);
    m->step.tokens = m->tokens;
}

void make_image(image *m)
{
    *m = (image){.plan = {.vision = sample_tower, .positions = PLAN_POSITIONS_GRID}, .grid = {1, 2, 4}};
    for (int i = 0; i <= PATCHES; i++) {
        m->places[i][0] = i < PATCHES ? i % 4 : -1;
        m->places[i][1] = i < PATCHES ? i / 4 : -1;
    }
    m->tensors[0] = (assay_tensor){
        .name = "pixel_values", .dtype = ASSAY_F32, .rank = 2, .shape = {PATCHES, WIDTH}, .data = m->pixels};
    m->tensors[1] = (assay_tensor){
        .name = "image_grid_thw", .dtype = ASSAY_I32, .rank = 2, .shape = {1, 3}, .data = m->grid};
    m->items[0] = (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = m->tensors, .n_tensors = 2};
    m->step = (assay_step){.sample = 7, .items = m->items, .n_items = 1};
    set_tokens(m, "aiib");
}

/* The same image as places, of a tower that takes them. */
void use_places(image *m)
{
    m->plan.vision.takes_places = true;
    m->tensors[1] = (assay_tensor){.name = "image_position_ids",
                                   .dtype = ASSAY_I32,
                                   .rank = 2,
                                   .shape = {PATCHES, 2},
                                   .data = m->places};
}

void use_video(image *m)
{
    m->items[0].kind = ASSAY_ITEM_VIDEO;
    m->tensors[0].name = "pixel_values_videos";
    m->tensors[1].name = "video_grid_thw";
    m->plan.vision.tokens_per_second = 2;
    m->tensors[2] = (assay_tensor){
        .name = "second_per_grid_ts", .dtype = ASSAY_F32, .rank = 1, .shape = {1}, .data = m->pixels};
    m->items[0].n_tensors = 3;
    set_tokens(m, "avvb");
}

void expect_refused(const image_change *of)
{
    static image m;
    media_list list = {0};
    make_image(&m);
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, true, &m.err), ASSAY_OK);
    ck_assert_uint_eq(list.n, 1);
    media_list_free(&list);
    of->change(&m);
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, true, &m.err), of->status);
    support_expect_error(&m.err, of->status, "step: sample 7: ", of->texts[0], of->texts[1], NULL);
    ck_assert_uint_eq(list.n, 0);
}

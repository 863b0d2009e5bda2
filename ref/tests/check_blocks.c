/* Blocks of tokens that attend to each other, in both reference engines: a block comes in one step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "ref/tests/engines.h"

#include <stdlib.h>
#include <string.h>

/* Ids of gemma4/blocks: those of images and videos form blocks, audio does not. */
enum { IMAGE = 3, AUDIO = 7, VIDEO = 12, A = 1, B = 5 };

static void expect_refusal(size_t sample, int32_t token, const char *index)
{
    const int32_t tokens[] = {token, A};
    ck_assert_int_eq(engines_step(session, sample, tokens, 2, 0, NULL), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, sample ? "sample 1" : "sample 0", index,
                         "continues a block of tokens that attend to each other", NULL);
}

/* Expects the last row of a step with one token to be that of a new sample with all tokens, [n]. */
static void expect_last(size_t sample, const int32_t *tokens, size_t n)
{
    char *found = engines_last(session, sample, tokens + n - 1, 1);
    ck_assert_int_eq(engine->rewind(session, 1, 0, &err), ASSAY_OK);
    char *expected = engines_last(session, 1, tokens, n);
    engines_expect_alike(found, expected, 1);
    free(found);
    free(expected);
}

START_TEST(a_step_that_continues_a_block_is_refused_and_text_goes_on)
{
    static const int32_t TOKENS[] = {A, IMAGE, VIDEO, B};
    engines_open_model(_i, "gemma4/blocks");
    ck_assert_int_eq(engines_step(session, 0, TOKENS, 3, 0, NULL), ASSAY_OK);
    expect_refusal(0, IMAGE, "index 3");
    expect_refusal(0, VIDEO, "index 3");
    expect_last(0, TOKENS, 4);
    engines_close();
}
END_TEST

START_TEST(a_refused_step_changes_no_other_sample)
{
    static const int32_t IMAGES[] = {IMAGE, IMAGE}, TOKENS[] = {A, B, A};
    engines_open_model(_i, "gemma4/blocks");
    ck_assert_int_eq(engines_step(session, 0, TOKENS, 2, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, IMAGES, 2, 0, NULL), ASSAY_OK);
    const assay_step steps[] = {{.sample = 0, .tokens = TOKENS, .n_tokens = 1},
                                {.sample = 1, .tokens = IMAGES, .n_tokens = 1}};
    ck_assert_int_eq(engine->step(session, steps, 2, NULL, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "sample 1", "index 2", NULL);
    expect_last(0, TOKENS, 3);
    engines_close();
}
END_TEST

START_TEST(a_block_after_text_and_audio_after_anything_are_no_continuation)
{
    static const int32_t TOKENS[] = {A, IMAGE, IMAGE, AUDIO, AUDIO, IMAGE, IMAGE, A};
    engines_open_model(_i, "gemma4/blocks");
    ck_assert_int_eq(engines_step(session, 0, TOKENS, 3, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, TOKENS + 3, 1, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, TOKENS + 4, 1, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, TOKENS + 5, 2, 0, NULL), ASSAY_OK);
    expect_last(0, TOKENS, 8);
    engines_close();
}
END_TEST

/* A rewind to the beginning of a block, into it, and to its end. */
START_TEST(a_sample_rewound_into_a_block_goes_on_with_text_alone)
{
    static const int32_t TOKENS[] = {A, IMAGE, IMAGE, IMAGE, B}, SHORT[] = {A, IMAGE, IMAGE, B};
    engines_open_model(_i, "gemma4/blocks");
    ck_assert_int_eq(engines_step(session, 0, TOKENS, 5, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engine->rewind(session, 0, 4, &err), ASSAY_OK);
    expect_refusal(0, IMAGE, "index 4");
    expect_last(0, TOKENS, 5);
    ck_assert_int_eq(engine->rewind(session, 0, 3, &err), ASSAY_OK);
    expect_refusal(0, IMAGE, "index 3");
    expect_last(0, SHORT, 4);
    ck_assert_int_eq(engine->rewind(session, 0, 1, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, TOKENS + 1, 3, 0, NULL), ASSAY_OK);
    expect_last(0, TOKENS, 5);
    engines_close();
}
END_TEST

/* Of gemma4/tower-blocks: an image of 2 × 4 patches, averaged to two placeholder tokens, which are a block.
 */
enum { PLACEHOLDER = 49, N_PATCHES = 8, PIXELS = 48 };

static const assay_item *picture(void)
{
    static float pixels[N_PATCHES * PIXELS];
    static int32_t places[N_PATCHES * 2];
    static assay_tensor tensors[2];
    static assay_item item;
    for (size_t i = 0; i < N_PATCHES * PIXELS; i++) pixels[i] = (float)(i * i % 251) / 250;
    for (size_t i = 0; i < N_PATCHES; i++) {
        places[2 * i] = (int32_t)(i % 4);
        places[2 * i + 1] = (int32_t)(i / 4);
    }
    tensors[0] = (assay_tensor){
        .name = "pixel_values", .dtype = ASSAY_F32, .rank = 2, .shape = {N_PATCHES, PIXELS}, .data = pixels};
    tensors[1] = (assay_tensor){
        .name = "image_position_ids", .dtype = ASSAY_I32, .rank = 2, .shape = {N_PATCHES, 2}, .data = places};
    item = (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = tensors, .n_tensors = 2};
    return &item;
}

static const int32_t WITH_PICTURE[] = {A, PLACEHOLDER, PLACEHOLDER, B, A};

/* Tokens from … end - 1 of WITH_PICTURE, with the image if it begins there. logits: of the last token. */
static assay_status step_picture(size_t sample, size_t from, size_t end, char *logits)
{
    const assay_output output = {.name = "logits", .n_last = 1, .data = logits};
    const assay_step step = {.sample = sample,
                             .tokens = WITH_PICTURE + from,
                             .n_tokens = end - from,
                             .items = from <= 1 && end > 1 ? picture() : NULL,
                             .n_items = from <= 1 && end > 1,
                             .outputs = &output,
                             .n_outputs = 1};
    return engine->step(session, &step, 1, NULL, &err);
}

START_TEST(a_step_that_continues_the_block_of_an_image_is_refused_and_the_image_can_come_again)
{
    engines_open_model(_i, "gemma4/tower-blocks");
    char *whole = engines_blank(1), *parts = engines_blank(1);
    ck_assert_msg(step_picture(0, 0, 5, whole) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(step_picture(1, 0, 2, parts), ASSAY_OK);
    ck_assert_int_eq(step_picture(1, 2, 5, parts), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "sample 1", "index 2", NULL);
    ck_assert_int_eq(engine->rewind(session, 1, 1, &err), ASSAY_OK);
    ck_assert_int_eq(step_picture(1, 1, 3, parts), ASSAY_OK);
    ck_assert_int_eq(step_picture(1, 3, 5, parts), ASSAY_OK);
    engines_expect_alike(parts, whole, 1);
    free(whole);
    free(parts);
    engines_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/blocks");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_step_that_continues_a_block_is_refused_and_text_goes_on, 0, N_ENGINES);
    tcase_add_loop_test(all, a_refused_step_changes_no_other_sample, 0, N_ENGINES);
    tcase_add_loop_test(all, a_block_after_text_and_audio_after_anything_are_no_continuation, 0, N_ENGINES);
    tcase_add_loop_test(all, a_sample_rewound_into_a_block_goes_on_with_text_alone, 0, N_ENGINES);
    tcase_add_loop_test(all,
                        a_step_that_continues_the_block_of_an_image_is_refused_and_the_image_can_come_again,
                        0, N_ENGINES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

/* Positions of samples with images: derived, given, and of placeholder tokens that have no image.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/session/steps.h"
#include "fastpath/tests/pictures.h"

enum { MOST = 64, AXES = 3 };

static fp_model *model;
static fp_session *session;
static fp_steps kept;
static size_t vocab;
static assay_error err;
static picture_text text;
static assay_item items[PICTURES_MAX];
static float *logits[2]; /* [MOST, vocab] each */

static void open_all(void)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    const fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0};
    (void)snprintf(path, sizeof path, "%s/fixtures/qwen3_vl/base/model", top ? top : ".");
    ck_assert_msg(fp_model_open(path, &options, &model, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
    vocab = model->plan->vocab;
    text = pictures_make(model->plan, "3 i2x4a 2 i3x1b 5", 1);
    ck_assert_uint_lt(text.n, MOST);
    for (size_t i = 0; i < 2; i++) {
        logits[i] = calloc(MOST * vocab, sizeof *logits[i]);
        ck_assert_ptr_nonnull(logits[i]);
    }
}

static void close_all(void)
{
    for (size_t i = 0; i < 2; i++) free(logits[i]);
    pictures_free(&text);
    fp_session_free(session);
    fp_steps_free(&kept);
    fp_model_free(model);
}

/* Tokens from … end - 1 of a sample. positions: [AXES, end - from], or NULL. Their logits go to `out`. */
static void take(size_t sample, size_t from, size_t end, bool shows, const int32_t *positions, float *out)
{
    const assay_output output = {"logits", end - from, out + from * vocab};
    const assay_step step = {.sample = sample,
                             .tokens = text.tokens + from,
                             .n_tokens = end - from,
                             .positions = positions,
                             .n_axes = AXES,
                             .items = items,
                             .n_items = shows ? pictures_items(&text, from, end, items) : 0,
                             .outputs = &output,
                             .n_outputs = 1};
    ck_assert_msg(fp_steps_run(&kept, session, &step, 1, 0, NULL, &err) == ASSAY_OK, "%s", err.text);
}

static size_t join(void)
{
    size_t slot;
    ck_assert_int_eq(fp_session_join(session, &slot, &err), ASSAY_OK);
    return slot;
}

/* The derived positions of the first n tokens: [AXES, n]. Items have no pixels. */
static int32_t derive(size_t n, size_t n_axes, int32_t *out)
{
    int32_t delta;
    assay_item grids[PICTURES_MAX];
    const size_t n_items = pictures_items(&text, 0, n, grids);
    for (size_t i = 0; i < n_items; i++) {
        grids[i].tensors++;
        grids[i].n_tensors = 1;
    }
    const assay_step step = {
        .tokens = text.tokens, .n_tokens = n, .n_axes = n_axes, .items = grids, .n_items = n_items};
    ck_assert_msg(fp_steps_positions(model->plan, &step, out, &delta, &err) == ASSAY_OK, "%s", err.text);
    return delta;
}

static void expect_same(bool same, size_t from)
{
    const int order = memcmp(logits[0] + from * vocab, logits[1] + from * vocab,
                             (text.n - from) * vocab * sizeof *logits[0]);
    ck_assert(same == (order == 0));
}

START_TEST(given_positions_replace_those_of_the_images)
{
    int32_t positions[AXES * MOST];
    open_all();
    (void)derive(text.n, AXES, positions);
    take(join(), 0, text.n, true, NULL, logits[0]);
    take(join(), 0, text.n, true, positions, logits[1]);
    expect_same(true, 0);
    positions[2 * text.n + text.pictures[0].first + 1]++; /* the column of a token of the first image */
    take(join(), 0, text.n, true, positions, logits[1]);
    expect_same(false, text.pictures[0].first + 1);
    close_all();
}
END_TEST

/* Also if the images had other positions than their own. */
START_TEST(tokens_after_given_positions_go_on_behind_the_largest)
{
    enum { SHIFT = 7 };
    int32_t positions[AXES * MOST], rest[AXES * MOST];
    open_all();
    const size_t n = text.pictures[1].end, left = text.n - n, a = join(), b = join();
    (void)derive(n, AXES, positions);
    for (size_t i = 0; i < AXES * n; i++) positions[i] += SHIFT;
    int32_t largest = 0;
    for (size_t x = 0; x < AXES; x++)
        if (positions[x * n + n - 1] > largest) largest = positions[x * n + n - 1];
    for (size_t i = 0; i < AXES * left; i++) rest[i] = largest + 1 + (int32_t)(i % left);
    take(a, 0, n, true, positions, logits[0]);
    take(a, n, text.n, true, NULL, logits[0]);
    take(b, 0, n, true, positions, logits[1]);
    take(b, n, text.n, true, rest, logits[1]);
    expect_same(true, 0);
    close_all();
}
END_TEST

START_TEST(the_delta_is_that_of_the_next_token)
{
    int32_t positions[AXES * MOST], part[AXES * MOST];
    open_all();
    const int32_t end = derive(text.n, AXES, positions);
    ck_assert_int_lt(end, 0);
    for (size_t i = 0; i < 2; i++) {
        const size_t n = text.pictures[i].end;
        ck_assert_int_eq(positions[n], (int32_t)n + derive(n, AXES, part));
    }
    ck_assert_int_eq(positions[text.n - 1] + 1, (int32_t)text.n + end);
    ck_assert_int_eq(derive(text.n, 1, part), end);
    ck_assert_mem_eq(part, positions, text.n * sizeof *part);
    close_all();
}
END_TEST

START_TEST(placeholder_tokens_without_an_item_are_ordinary_tokens)
{
    int32_t positions[AXES * MOST];
    open_all();
    for (size_t i = 0; i < AXES * text.n; i++) positions[i] = (int32_t)(i % text.n);
    take(join(), 0, text.n, false, NULL, logits[0]);
    take(join(), 0, text.n, false, positions, logits[1]);
    expect_same(true, 0);
    take(join(), 0, text.n, true, positions, logits[1]);
    expect_same(false, text.pictures[0].first);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/image_positions");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, given_positions_replace_those_of_the_images);
    tcase_add_test(tc, tokens_after_given_positions_go_on_behind_the_largest);
    tcase_add_test(tc, the_delta_is_that_of_the_next_token);
    tcase_add_test(tc, placeholder_tokens_without_an_item_are_ordinary_tokens);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}

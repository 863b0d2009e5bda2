/* Samples with images in both reference engines: steps, rewinds, forks, positions and refusals.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "ref/tests/engines.h"
#include "ref/tests/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void open_engine(int number)
{
    engines_open_model(number, "qwen3_vl/base");
}

/* Tokens from … end - 1 of the prompt; the images that begin there come with them unless without_items. */
static assay_step part_of(size_t sample, size_t from, size_t end, bool without_items)
{
    static const size_t BEGIN[PICTURES_N] = {PICTURES_FIRST, PICTURES_SECOND};
    assay_step step = {.sample = sample, .tokens = PICTURES_PROMPT + from, .n_tokens = end - from};
    size_t first = 0;
    while (first < PICTURES_N && BEGIN[first] < from) first++;
    for (size_t i = first; i < PICTURES_N && BEGIN[i] < end; i++) step.n_items++;
    step.items = step.n_items ? pictures_items() + first : NULL;
    if (without_items) step.n_items = 0;
    return step;
}

/* Takes a step, which succeeds, and returns the logits of its tokens; the caller frees them. */
static char *take(assay_step step)
{
    char *logits = engines_blank(step.n_tokens);
    const assay_output output = {.name = "logits", .n_last = step.n_tokens, .data = logits};
    step.outputs = &output;
    step.n_outputs = 1;
    ck_assert_msg(engine->step(session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
    return logits;
}

static void take_quietly(assay_step step)
{
    ck_assert_msg(engine->step(session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
}

static void rewind_to(size_t sample, size_t n_tokens)
{
    ck_assert_int_eq(engine->rewind(session, sample, n_tokens, &err), ASSAY_OK);
}

/* Logits of the whole prompt, [PICTURES_TOKENS, vocab]; sample 0 is empty again afterwards. */
static char *whole_prompt(void)
{
    char *logits = take(part_of(0, 0, PICTURES_TOKENS, false));
    rewind_to(0, 0);
    return logits;
}

static const char *row_of(const char *logits, size_t row)
{
    return logits + row * engines_row_bytes();
}

/* Whether two rows of logits differ by more than rounding. */
static bool differ(const char *a, const char *b)
{
    double most = 0;
    for (size_t i = 0; i < vocab; i++) most = fmax(most, fabs(engines_logit(a, i) - engines_logit(b, i)));
    return most > 1e-2;
}

START_TEST(images_change_the_logits_of_their_tokens_and_of_later_ones_alone)
{
    open_engine(_i);
    char *with = whole_prompt(), *without = take(part_of(0, 0, PICTURES_TOKENS, true));
    engines_expect_alike(with, without, PICTURES_FIRST);
    for (size_t t = PICTURES_FIRST; t < PICTURES_TOKENS; t++)
        ck_assert(differ(row_of(with, t), row_of(without, t)));
    free(with);
    free(without);
    engines_close();
}
END_TEST

START_TEST(steps_of_any_size_give_the_logits_of_the_whole_prompt)
{
    static const size_t SIZES[] = {1, 2, 3, 4, 5, 7, 11};
    open_engine(_i);
    char *whole = whole_prompt();
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        for (size_t t = 0, end; t < PICTURES_TOKENS; t = end) {
            end = t + SIZES[i] < PICTURES_TOKENS ? t + SIZES[i] : PICTURES_TOKENS;
            char *logits = take(part_of(1, t, end, false));
            engines_expect_alike(logits, row_of(whole, t), end - t);
            free(logits);
        }
        rewind_to(1, 0);
    }
    free(whole);
    engines_close();
}
END_TEST

START_TEST(an_item_stays_while_one_of_its_placeholder_tokens_does)
{
    open_engine(_i);
    char *whole = whole_prompt();
    for (size_t n = PICTURES_FIRST + 1; n < PICTURES_TOKENS; n++) {
        take_quietly(part_of(0, 0, PICTURES_TOKENS, false));
        rewind_to(0, n);
        char *logits = take(part_of(0, n, PICTURES_TOKENS, false));
        engines_expect_alike(logits, row_of(whole, n), PICTURES_TOKENS - n);
        free(logits);
        rewind_to(0, 0);
    }
    free(whole);
    engines_close();
}
END_TEST

START_TEST(an_item_without_placeholder_tokens_is_dropped)
{
    open_engine(_i);
    char *whole = whole_prompt(), *text = take(part_of(1, 0, PICTURES_TOKENS, true));
    take_quietly(part_of(0, 0, PICTURES_TOKENS, false));
    rewind_to(0, PICTURES_FIRST);
    char *again = take(part_of(0, PICTURES_FIRST, PICTURES_TOKENS, true));
    engines_expect_alike(again, row_of(text, PICTURES_FIRST), PICTURES_TOKENS - PICTURES_FIRST);
    free(again);
    rewind_to(0, PICTURES_FIRST);
    again = take(part_of(0, PICTURES_FIRST, PICTURES_TOKENS, false));
    engines_expect_alike(again, row_of(whole, PICTURES_FIRST), PICTURES_TOKENS - PICTURES_FIRST);
    free(whole);
    free(text);
    free(again);
    engines_close();
}
END_TEST

/* The copy and its origin both have the first tokens of an image; the origin leaves. */
START_TEST(a_copy_keeps_its_images_when_its_origin_leaves)
{
    const size_t cut = PICTURES_FIRST + 2;
    size_t copy = 0;
    open_engine(_i);
    char *whole = whole_prompt();
    take_quietly(part_of(0, 0, cut, false));
    ck_assert_int_eq(engine->fork(session, 0, session, &copy, &err), ASSAY_OK);
    rewind_to(0, 1);
    ck_assert_int_eq(engine->leave(session, 0, &err), ASSAY_OK);
    char *logits = take(part_of(copy, cut, PICTURES_TOKENS, false));
    engines_expect_alike(logits, row_of(whole, cut), PICTURES_TOKENS - cut);
    free(whole);
    free(logits);
    engines_close();
}
END_TEST

START_TEST(positions_of_a_prompt_follow_its_grids)
{
    int32_t found[3 * PICTURES_TOKENS], one[PICTURES_TOKENS], delta = 77;
    assay_step step = {.tokens = PICTURES_PROMPT,
                       .n_tokens = PICTURES_TOKENS,
                       .n_axes = 3,
                       .items = pictures_grids(),
                       .n_items = PICTURES_N};
    open_engine(_i);
    ck_assert_msg(engine->positions(model, &step, found, &delta, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_mem_eq(found, PICTURES_POSITIONS, sizeof found);
    ck_assert_int_eq(delta, 12 - PICTURES_TOKENS);
    step.n_axes = 1;
    ck_assert_int_eq(engine->positions(model, &step, one, &delta, &err), ASSAY_OK);
    ck_assert_mem_eq(one, PICTURES_POSITIONS, sizeof one);
    step.n_items = 1;
    ck_assert_int_eq(engine->positions(model, &step, one, &delta, &err), ASSAY_EINVAL);
    engines_close();
}
END_TEST

START_TEST(positions_that_a_step_gives_replace_those_of_the_grids)
{
    int32_t moved[3 * PICTURES_TOKENS];
    open_engine(_i);
    char *whole = whole_prompt();
    assay_step step = part_of(0, 0, PICTURES_TOKENS, false);
    step.positions = PICTURES_POSITIONS;
    step.n_axes = 3;
    char *same = take(step);
    engines_expect_alike(same, whole, PICTURES_TOKENS);
    rewind_to(0, 0);
    for (size_t i = 0; i < 3 * PICTURES_TOKENS; i++) moved[i] = (int32_t)(i % PICTURES_TOKENS);
    step.positions = moved;
    char *other = take(step);
    engines_expect_alike(other, whole, PICTURES_FIRST + 1);
    ck_assert(differ(row_of(other, PICTURES_TOKENS - 1), row_of(whole, PICTURES_TOKENS - 1)));
    free(whole);
    free(same);
    free(other);
    engines_close();
}
END_TEST

/* An item that is refused in the second step of a call: the first is not evaluated, and no sample changes. */
START_TEST(a_refused_item_is_named_and_changes_no_sample)
{
    assay_tensor narrow[2];
    assay_item item;
    open_engine(_i);
    char *logits = engines_blank(1), *blank = engines_blank(1), *whole = whole_prompt();
    const assay_output output = {.name = "logits", .n_last = 1, .data = logits};
    memcpy(narrow, pictures_items()[0].tensors, sizeof narrow);
    narrow[0].shape[1]--;
    item = (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = narrow, .n_tensors = 2};
    take_quietly(part_of(1, 0, PICTURES_FIRST, false));
    assay_step steps[2] = {part_of(0, 0, PICTURES_FIRST, false),
                           part_of(1, PICTURES_FIRST, PICTURES_FIRST_END, false)};
    steps[0].outputs = &output;
    steps[0].n_outputs = 1;
    steps[1].items = &item;
    ck_assert_int_eq(engine->step(session, steps, 2, NULL, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "sample 1: item 0: tensor 'pixel_values'", NULL);
    ck_assert_mem_eq(logits, blank, engines_row_bytes());
    char *after = take(part_of(1, PICTURES_FIRST, PICTURES_TOKENS, false));
    engines_expect_alike(after, row_of(whole, PICTURES_FIRST), PICTURES_TOKENS - PICTURES_FIRST);
    free(logits);
    free(blank);
    free(whole);
    free(after);
    engines_close();
}
END_TEST

/* The names that begin with "vision.", and the rows of the last one. */
typedef struct record {
    char names[256];
    size_t n_rows;
} record;

static bool receive(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    record *r = context;
    (void)sample;
    (void)data;
    if (strncmp(tensor->name, "vision.", 7) != 0) return true;
    ck_assert_uint_lt(strlen(r->names) + strlen(tensor->name) + 2, sizeof r->names);
    strcat(strcat(r->names, tensor->name + 7), " ");
    r->n_rows = tensor->shape[0];
    return true;
}

static void expect_taps(size_t from, size_t end, const char *names, size_t n_rows)
{
    record r = {0};
    const assay_tap tap = {.size = sizeof tap, .fn = receive, .context = &r};
    ck_assert_int_eq(engine->tap(session, &tap, &err), ASSAY_OK);
    take_quietly(part_of(0, from, end, false));
    ck_assert_str_eq(r.names, names);
    ck_assert_uint_eq(r.n_rows, n_rows);
    ck_assert_int_eq(engine->tap(session, NULL, &err), ASSAY_OK);
}

START_TEST(taps_receive_the_images_that_came_with_the_step)
{
    static const char ALL[] = "patch 00.out deepstack.0 01.out 02.out deepstack.1 merged ";
    open_engine(_i);
    expect_taps(0, PICTURES_TOKENS, ALL, 9);
    rewind_to(0, 0);
    expect_taps(0, PICTURES_FIRST, "", 0);
    expect_taps(PICTURES_FIRST, PICTURES_FIRST + 1, ALL, 6);
    expect_taps(PICTURES_FIRST + 1, PICTURES_SECOND, "", 0);
    expect_taps(PICTURES_SECOND, PICTURES_TOKENS, ALL, 3);
    engines_close();
}
END_TEST

/* The embedding of a step's tokens, [n_tokens, hidden], as double. */
typedef struct embedding {
    double rows[PICTURES_TOKENS * 30];
    size_t hidden;
} embedding;

static bool keep_embedding(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    embedding *e = context;
    const size_t n = tensor->shape[0] * tensor->shape[1];
    (void)sample;
    ck_assert_str_eq(tensor->name, "embed");
    ck_assert_uint_le(n, sizeof e->rows / sizeof *e->rows);
    for (size_t i = 0; i < n; i++) e->rows[i] = engines_logit(data, i);
    e->hidden = tensor->shape[1];
    return true;
}

static void take_embedding(assay_step step, embedding *e)
{
    static const char *const NAMES[] = {"embed"};
    const assay_tap tap = {
        .size = sizeof tap, .fn = keep_embedding, .context = e, .names = NAMES, .n_names = 1};
    ck_assert_int_eq(engine->tap(session, &tap, &err), ASSAY_OK);
    take_quietly(step);
    ck_assert_int_eq(engine->tap(session, NULL, &err), ASSAY_OK);
}

/* The rows of each image in the embedding of the prompt are those of the image in a sample of its own. */
START_TEST(each_image_takes_its_own_placeholder_tokens)
{
    static const size_t FIRST[PICTURES_N] = {PICTURES_FIRST, PICTURES_SECOND},
                        END[PICTURES_N] = {PICTURES_FIRST_END, PICTURES_SECOND_END};
    static embedding all, alone;
    open_engine(_i);
    const double bound = engine->logits_dtype == ASSAY_F64 ? 1e-12 : 1e-5;
    take_embedding(part_of(0, 0, PICTURES_TOKENS, false), &all);
    for (size_t i = 0; i < PICTURES_N; i++) {
        rewind_to(1, 0);
        take_embedding(part_of(1, FIRST[i], END[i], false), &alone);
        for (size_t k = 0; k < (END[i] - FIRST[i]) * all.hidden; k++)
            ck_assert_double_eq_tol(alone.rows[k], all.rows[FIRST[i] * all.hidden + k], bound);
    }
    engines_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/images");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, images_change_the_logits_of_their_tokens_and_of_later_ones_alone, 0, N_ENGINES);
    tcase_add_loop_test(all, steps_of_any_size_give_the_logits_of_the_whole_prompt, 0, N_ENGINES);
    tcase_add_loop_test(all, an_item_stays_while_one_of_its_placeholder_tokens_does, 0, N_ENGINES);
    tcase_add_loop_test(all, an_item_without_placeholder_tokens_is_dropped, 0, N_ENGINES);
    tcase_add_loop_test(all, a_copy_keeps_its_images_when_its_origin_leaves, 0, N_ENGINES);
    tcase_add_loop_test(all, positions_of_a_prompt_follow_its_grids, 0, N_ENGINES);
    tcase_add_loop_test(all, positions_that_a_step_gives_replace_those_of_the_grids, 0, N_ENGINES);
    tcase_add_loop_test(all, a_refused_item_is_named_and_changes_no_sample, 0, N_ENGINES);
    tcase_add_loop_test(all, taps_receive_the_images_that_came_with_the_step, 0, N_ENGINES);
    tcase_add_loop_test(all, each_image_takes_its_own_placeholder_tokens, 0, N_ENGINES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

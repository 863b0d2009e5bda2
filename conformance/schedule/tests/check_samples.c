/* The tokens of the samples of programs whose case has items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/samples.h"

#include <string.h>

#include "conformance/schedule/tests/helpers.h"

/* Two prompts of 3 tokens and forced tokens; sample 0 has an image, whose placeholder is 11. */
static int32_t image_prompts[] = {10, 11, 12, 0, 2, 12}, image_lengths[] = {3, 3};
static int32_t image_forced[] = {11, 5, 6, 7}, image_of[] = {0};
static const float pixels[4];
static assay_tensor image = {
    .name = "pixel_values", .dtype = ASSAY_F32, .rank = 2, .shape = {1, 4}, .data = pixels};

static conf_case image_case(conf_items *items)
{
    const conf_case c = {
        .decoder = {.n_samples = 2,
                    .n_tokens = 3,
                    .n_decode = 2,
                    .tokens = {.data = image_prompts, .n = 6},
                    .length = {.data = image_lengths, .n = 2},
                    .decode = {.data = image_forced, .n = 4},
                    .inputs = &image,
                    .n_inputs = 1,
                    .image_sample = {.dtype = ASSAY_I32, .rank = 1, .shape = {1}, .n = 1, .data = image_of}}};
    ck_assert_int_eq(conf_items_divide("a", &c.decoder, items, NULL), ASSAY_OK);
    return c;
}

/* How many tokens both samples have after the steps from index 2 on. */
enum { N_STEPS = 8 };

static void assert_tokens(const conf_case *c, const conf_items *items, const size_t (*n_tokens)[2],
                          size_t n_rows)
{
    static conf_schedule s;
    static conf_schedule_samples samples;
    static const conf_step steps[N_STEPS] = {
        {.op = CONF_OP_OPEN},
        {.op = CONF_OP_SESSION},
        {.op = CONF_OP_STEP, .samples = 3, .n_tokens = 2, .all_rows = true},
        {.op = CONF_OP_STEP, .samples = 3, .n_tokens = 1},
        {.op = CONF_OP_REWIND, .n_tokens = 3},
        {.op = CONF_OP_REWIND, .n_tokens = 2},
        {.op = CONF_OP_REWIND, .sample = 1, .n_tokens = 2},
        {.op = CONF_OP_STEP, .samples = 3, .n_tokens = 5},
    };
    s = (conf_schedule){.n_steps = N_STEPS};
    s.sessions[0] = (conf_schedule_session){.prompts = {0, 1}, .n_samples = 2};
    memcpy(s.steps, steps, sizeof steps);
    for (size_t i = 0; i < s.n_steps; i++) {
        if (i == 2) ck_assert_uint_eq(conf_schedule_samples_rows(&samples, &s, c, items, i), n_rows);
        conf_schedule_samples_apply(&samples, &s, c, items, i);
        for (size_t k = 0; i >= 2 && k < 2; k++)
            ck_assert_uint_eq(samples.of[0][k].n_tokens, n_tokens[i - 2][k]);
    }
}

START_TEST(steps_and_rewinds_do_not_divide_a_prompt_whose_spans_are_unknown)
{
    static const size_t n_tokens[][2] = {{3, 2}, {4, 3}, {3, 3}, {0, 3}, {0, 2}, {5, 7}};
    conf_items items;
    const conf_case c = image_case(&items);
    assert_tokens(&c, &items, n_tokens, 5);
    conf_items_free(&items);
}
END_TEST

START_TEST(steps_and_rewinds_divide_a_prompt_with_items)
{
    static const size_t n_tokens[][2] = {{2, 2}, {3, 3}, {3, 3}, {2, 3}, {2, 2}, {7, 7}};
    conf_items items;
    const conf_case c = image_case(&items);
    items.spans[0] = (conf_span){1, 2};
    assert_tokens(&c, &items, n_tokens, 4);
    conf_items_free(&items);
}
END_TEST

/* Any token of a prompt with items may be a placeholder. */
START_TEST(no_token_after_a_prompt_is_a_placeholder)
{
    conf_items items;
    const conf_case c = image_case(&items);
    for (size_t prompt = 0; prompt < 2; prompt++)
        for (size_t n_forks = 0; n_forks < 3; n_forks++) {
            const conf_schedule_sample sample = {.prompt = prompt, .n_forks = n_forks};
            for (size_t p = 3; p < 20; p++) {
                const int32_t token = conf_schedule_sample_token(&sample, p, &c, &items);
                ck_assert(token >= 0 && (token < 10 || token > 12));
            }
        }
    const conf_schedule_sample first = {0}, second = {.prompt = 1};
    ck_assert_int_eq(conf_schedule_sample_token(&first, 4, &c, &items), 5);  /* forced */
    ck_assert_int_eq(conf_schedule_sample_token(&second, 3, &c, &items), 6); /* forced */
    ck_assert_int_eq(conf_schedule_sample_token(&second, 7, &c, &items), 2); /* of its prompt */
    conf_items_free(&items);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/schedule/samples");
    TCase *all = tcase_create("all");
    tcase_add_test(all, steps_and_rewinds_do_not_divide_a_prompt_whose_spans_are_unknown);
    tcase_add_test(all, steps_and_rewinds_divide_a_prompt_with_items);
    tcase_add_test(all, no_token_after_a_prompt_is_a_placeholder);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

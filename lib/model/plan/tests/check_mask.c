/* The blocks of a token sequence, and the keys of each query.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/mask.h"

#include "base/tests/support.h"

#include <stdio.h>
#include <string.h>

enum { IMAGE = 3, VIDEO = 5, MOST = 16 };
static const plan PLAN = {.blocks = {.n = 2, .id = {IMAGE, VIDEO}}}, PLAIN = {0};

/* Tokens as letters: i IMAGE, v VIDEO, others text. */
static size_t tokens_of(const char *letters, int32_t *tokens)
{
    const size_t n = strlen(letters);
    for (size_t t = 0; t < n; t++) tokens[t] = letters[t] == 'i' ? IMAGE : letters[t] == 'v' ? VIDEO : 1;
    return n;
}

static const struct {
    const char *tokens;
    size_t end[MOST];
} ENDS[] = {
    {"a", {1}},
    {"aaa", {1, 2, 3}},
    {"i", {1}},
    {"iii", {3, 3, 3}},
    {"aii", {1, 3, 3}},
    {"iia", {2, 2, 3}},
    {"iiaiiia", {2, 2, 3, 6, 6, 6, 7}},
    {"aivva", {1, 4, 4, 4, 5}}, /* one block of both ids */
};

static plan_sequence sequence_of(const plan *p, const int32_t *tokens, size_t n)
{
    return (plan_sequence){.plan = p, .tokens = tokens, .n = n};
}

START_TEST(a_block_is_a_maximal_run_of_block_tokens)
{
    int32_t tokens[MOST] = {0};
    size_t end[MOST];
    const size_t n = tokens_of(ENDS[_i].tokens, tokens);
    const plan_sequence all = sequence_of(&PLAN, tokens, n), plain = sequence_of(&PLAIN, tokens, n);
    plan_block_ends(&all, 0, end);
    for (size_t t = 0; t < n; t++)
        ck_assert_msg(end[t] == ENDS[_i].end[t], "%s: [%zu]: found %zu, expected %zu", ENDS[_i].tokens, t,
                      end[t], ENDS[_i].end[t]);
    plan_block_ends(&plain, 0, end);
    for (size_t t = 0; t < n; t++) ck_assert_uint_eq(end[t], t + 1);
}
END_TEST

START_TEST(a_block_is_divided_only_between_two_of_its_tokens)
{
    int32_t tokens[MOST] = {0};
    const size_t n = tokens_of("iaiva", tokens);
    const plan_sequence all = sequence_of(&PLAN, tokens, n), plain = sequence_of(&PLAIN, tokens, n);
    for (size_t t = 0; t <= n; t++) {
        ck_assert_int_eq(plan_divides_block(&all, t), t == 3);
        ck_assert(!plan_divides_block(&plain, t));
    }
}
END_TEST

START_TEST(an_image_at_the_beginning_is_a_block_whatever_its_ids)
{
    static const size_t ENDS_OF_IMAGE[] = {3, 3, 3, 4, 5, 6};
    int32_t tokens[MOST] = {0};
    size_t end[MOST];
    const size_t n = tokens_of("aaaaaa", tokens);
    plan_sequence all = {.plan = &PLAIN, .tokens = tokens, .n = n, .n_image = 3};
    plan_block_ends(&all, 0, end);
    for (size_t t = 0; t < n; t++) {
        ck_assert_uint_eq(end[t], ENDS_OF_IMAGE[t]);
        ck_assert_int_eq(plan_is_in_block(&all, t), t < 3);
        ck_assert_int_eq(plan_divides_block(&all, t), t == 1 || t == 2);
    }
    plan_block_ends(&all, 4, end);
    ck_assert(end[0] == 5 && end[1] == 6);
    for (all.n = 0; all.n < n; all.n++) /* also a part of the image, which the next token continues */
        ck_assert_int_eq(plan_joins_block(&all, tokens[all.n]), all.n == 1 || all.n == 2);
}
END_TEST

typedef struct range {
    size_t sink_tokens, first, end;
} range;

/* Tokens, the mask, the window, the limit of the caches, and the keys of each token. */
static const struct {
    const char *tokens;
    plan_mask mask;
    size_t window, limit, sink_tokens;
    range keys[MOST];
} KEYS[] = {
    {"aiia", PLAN_MASK_CAUSAL, 0, SIZE_MAX, 0, {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}}},
    {"aiia", PLAN_MASK_BLOCKS, 0, SIZE_MAX, 0, {{0, 0, 1}, {0, 0, 3}, {0, 0, 3}, {0, 0, 4}}},
    {"aiia", PLAN_MASK_CAUSAL, 2, SIZE_MAX, 0, {{0, 0, 1}, {0, 0, 2}, {0, 1, 3}, {0, 2, 4}}},
    /* A block longer than the window, which cuts it at the lower end only. */
    {"aiiiia",
     PLAN_MASK_BLOCKS,
     2,
     SIZE_MAX,
     0,
     {{0, 0, 1}, {0, 0, 5}, {0, 1, 5}, {0, 2, 5}, {0, 3, 5}, {0, 4, 6}}},
    /* A limit counts in layers without a window alone: attention sink tokens, then the latest others. */
    {"aaiia", PLAN_MASK_BLOCKS, 0, 3, 1, {{0, 0, 1}, {0, 0, 2}, {1, 1, 4}, {1, 2, 4}, {1, 3, 5}}},
    {"aaiia", PLAN_MASK_CAUSAL, 0, 3, 1, {{0, 0, 1}, {0, 0, 2}, {1, 1, 3}, {1, 2, 4}, {1, 3, 5}}},
    {"aaa", PLAN_MASK_CAUSAL, 0, 4, 2, {{0, 0, 1}, {0, 0, 2}, {1, 1, 3}}},
    {"aaiia", PLAN_MASK_BLOCKS, 2, 3, 1, {{0, 0, 1}, {0, 0, 2}, {0, 1, 4}, {0, 2, 4}, {0, 3, 5}}},
};

START_TEST(the_keys_of_a_query_are_cut_by_mask_window_and_limit)
{
    int32_t tokens[MOST] = {0};
    size_t end[MOST];
    plan_keys keys[MOST];
    const plan_attention a = {.mask = KEYS[_i].mask, .window = KEYS[_i].window};
    const size_t n = tokens_of(KEYS[_i].tokens, tokens);
    const plan_sequence all = sequence_of(&PLAN, tokens, n);
    plan_block_ends(&all, 0, end);
    plan_mask_keys(&a, KEYS[_i].limit, KEYS[_i].sink_tokens, end, n, keys);
    for (size_t t = 0; t < n; t++) {
        const range *expected = &KEYS[_i].keys[t];
        ck_assert_msg(keys[t].sink_tokens == expected->sink_tokens && keys[t].first == expected->first &&
                          keys[t].end == expected->end,
                      "row %d, query %zu: found %zu and [%zu, %zu), expected %zu and [%zu, %zu)", _i, t,
                      keys[t].sink_tokens, keys[t].first, keys[t].end, expected->sink_tokens, expected->first,
                      expected->end);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/mask");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_block_is_a_maximal_run_of_block_tokens, 0, sizeof ENDS / sizeof *ENDS);
    tcase_add_test(all, a_block_is_divided_only_between_two_of_its_tokens);
    tcase_add_test(all, an_image_at_the_beginning_is_a_block_whatever_its_ids);
    tcase_add_loop_test(all, the_keys_of_a_query_are_cut_by_mask_window_and_limit, 0,
                        sizeof KEYS / sizeof *KEYS);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

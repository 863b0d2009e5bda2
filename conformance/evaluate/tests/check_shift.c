/* Which tokens a context shift leaves, and of which models and cases it has a truth.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/evaluate/shift.h"
#include "conformance/evaluate/shift_kept.h"
#include "conformance/evaluate/shift_tokens.h"
#include "conformance/tests/support.h"

/* The tokens 0, 1, 2, … of a sequence, those that are left when token `at` is evaluated, and how many. */
static const struct {
    size_t limit, sink_tokens, n_dropped, at;
    int32_t left[8];
    size_t n;
} rows[] = {
    {5, 2, 1, 4, {0, 1, 2, 3, 4}, 5}, /* the cache is full, and nothing has been dropped */
    {5, 2, 1, 5, {0, 1, 3, 4, 5}, 5}, {5, 2, 1, 9, {0, 1, 7, 8, 9}, 5},    {5, 0, 1, 6, {2, 3, 4, 5, 6}, 5},
    {6, 2, 2, 6, {0, 1, 4, 5, 6}, 5}, {6, 2, 2, 7, {0, 1, 4, 5, 6, 7}, 6}, /* full again */
    {6, 2, 2, 8, {0, 1, 6, 7, 8}, 5}, {6, 2, 4, 6, {0, 1, 6}, 3},
};

START_TEST(the_oldest_tokens_after_the_sinks_are_dropped_when_the_cache_is_full)
{
    int32_t tokens[16], left[8];
    for (int32_t i = 0; i < 16; i++) tokens[i] = i;
    const conf_cache_limit caches = {.limit = rows[_i].limit, .sink_tokens = rows[_i].sink_tokens};
    ck_assert_uint_eq(conf_shift_tokens(tokens, rows[_i].at, caches, rows[_i].n_dropped, left), rows[_i].n);
    ck_assert_int_eq(memcmp(left, rows[_i].left, rows[_i].n * sizeof *left), 0);
}
END_TEST

START_TEST(greedy_tokens_have_no_truth_of_a_shift)
{
    conf_verdict v = {0};
    conf_case c = {.decoder = {.has_truth = true, .n_greedy = 3, .caches = {.limit = 11, .sink_tokens = 4}}};
    ck_assert(!conf_shift_truth(&c, "ref64", 1, &v));
    ck_assert_int_eq(v.outcome, CONF_SKIPPED);
    ck_assert_str_eq(v.reason,
                     "no truth of a context shift by 1: its greedy tokens were recorded with caches "
                     "that slide");
    c.decoder.caches.limit = 0; /* judged as without the option */
    ck_assert(conf_shift_truth(&c, "ref64", 1, &v));
}
END_TEST

/* What a cache holds besides keys and values does not turn to another position. */
START_TEST(keys_and_values_are_all_that_is_kept_of_some_models)
{
    static const struct {
        const char *model;
        bool keeps;
    } models[] = {{"llama/base", true},      {"gemma4/dense", true},   {"qwen3_5/base", false},
                  {"gemma3n/text", false},   {"phi3/longrope", false}, {"llama/dynamic", false},
                  {"moondream3/base", false}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", getenv("top_srcdir"), models[i].model);
        ck_assert_msg(conf_shift_kept_supports(path, NULL) == models[i].keeps, "%s", path);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/shift");
    TCase *t = tcase_create("tokens");
    tcase_add_loop_test(t, the_oldest_tokens_after_the_sinks_are_dropped_when_the_cache_is_full, 0,
                        (int)(sizeof rows / sizeof *rows));
    tcase_add_test(t, greedy_tokens_have_no_truth_of_a_shift);
    tcase_add_test(t, keys_and_values_are_all_that_is_kept_of_some_models);
    suite_add_tcase(suite, t);
    return support_run(suite);
}

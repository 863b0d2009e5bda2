/* Which tokens a context shift leaves.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/evaluate/shift.h"
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

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/shift");
    TCase *t = tcase_create("tokens");
    tcase_add_loop_test(t, the_oldest_tokens_after_the_sinks_are_dropped_when_the_cache_is_full, 0,
                        (int)(sizeof rows / sizeof *rows));
    suite_add_tcase(suite, t);
    return support_run(suite);
}

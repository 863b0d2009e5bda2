/* Dividing cases into shards by cost.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

/* n cases with the ids "c000", "c001", …, numbered. */
static conf_found_list make_list(size_t n)
{
    conf_found_list list = {.at = calloc(n + 1, sizeof *list.at), .n = n};
    for (size_t i = 0; i < n; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "c%03zu", i);
        list.at[i] = (conf_found){.id = strdup(id), .path = strdup(id)};
    }
    conf_find_number(&list);
    return list;
}

/* shard[i]: the number of the shard that has case i; asserts that exactly one has it. */
static void divide(const uint64_t *cost, size_t n, size_t total, size_t *shard)
{
    assay_error err;
    memset(shard, 0, n * sizeof *shard);
    for (size_t s = 1; s <= total; s++) {
        conf_found_list list = make_list(n);
        ck_assert_int_eq(conf_find_shard(&list, cost, s, total, &err), ASSAY_OK);
        ck_assert_uint_eq(list.shard.index, s);
        ck_assert_uint_eq(list.shard.total, total);
        ck_assert_uint_eq(list.shard.n_selected, n);
        for (size_t i = 0; i < list.n; i++) {
            const size_t at = list.at[i].position;
            ck_assert_uint_lt(at, n);
            ck_assert_uint_eq(shard[at], 0);
            ck_assert_uint_eq(strtoul(list.at[i].id + 1, NULL, 10), at);
            if (i > 0) ck_assert_uint_lt(list.at[i - 1].position, at);
            shard[at] = s;
        }
        conf_found_free(&list);
    }
    for (size_t i = 0; i < n; i++) ck_assert_uint_ge(shard[i], 1);
}

START_TEST(the_most_expensive_case_goes_to_the_cheapest_shard)
{
    /* 9 to shard 1, 7 to 2, 6 to 3, 5 to 3 (11), 5 to 2 (12), 1 to 1 (10), 1 to 1 (11). */
    const uint64_t cost[] = {5, 1, 9, 7, 1, 6, 5};
    const size_t expected[] = {3, 1, 1, 2, 1, 3, 2};
    size_t shard[7];
    divide(cost, 7, 3, shard);
    for (size_t i = 0; i < 7; i++) ck_assert_uint_eq(shard[i], expected[i]);
}
END_TEST

START_TEST(cases_of_equal_cost_go_to_the_shards_in_turn)
{
    uint64_t cost[10];
    size_t shard[10];
    for (size_t i = 0; i < 10; i++) cost[i] = 4;
    divide(cost, 10, 4, shard);
    for (size_t i = 0; i < 10; i++) ck_assert_uint_eq(shard[i], i % 4 + 1);
}
END_TEST

START_TEST(shards_without_a_case_are_empty)
{
    const uint64_t cost[] = {2, 3};
    size_t shard[2];
    divide(cost, 2, 5, shard);
    ck_assert_uint_eq(shard[0], 2);
    ck_assert_uint_eq(shard[1], 1);
    divide(cost, 0, 3, shard);
}
END_TEST

/* Costs that were drawn by a linear congruential generator, over six orders of magnitude. */
START_TEST(the_largest_shard_is_within_the_bound_of_graham)
{
    enum { N = 200 };
    uint64_t cost[N], state = (uint64_t)_i + 1;
    size_t shard[N];
    for (size_t i = 0; i < N; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        cost[i] = (state >> 40) % 1000000 + 1;
        if (state >> 63) cost[i] /= 1000;
        cost[i] += !cost[i];
    }
    for (size_t total = 2; total <= 16; total *= 2) {
        uint64_t sum[16] = {0}, all = 0, most = 0, largest = 0;
        divide(cost, N, total, shard);
        for (size_t i = 0; i < N; i++) {
            sum[shard[i] - 1] += cost[i];
            all += cost[i];
            if (cost[i] > largest) largest = cost[i];
        }
        for (size_t s = 0; s < total; s++) most = sum[s] > most ? sum[s] : most;
        const uint64_t mean = (all + total - 1) / total, least = mean > largest ? mean : largest;
        ck_assert_uint_le(3 * most, 4 * least + 3);
    }
}
END_TEST

START_TEST(sums_that_overflow_stay_the_largest)
{
    const uint64_t cost[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 1};
    size_t shard[4];
    divide(cost, 4, 2, shard);
    ck_assert_uint_eq(shard[0], 1);
    ck_assert_uint_eq(shard[1], 2);
}
END_TEST

START_TEST(the_selection_is_a_hash_of_all_ids_in_order)
{
    conf_found_list a = make_list(3), b = make_list(3);
    const uint64_t same = a.shard.selection;
    ck_assert_uint_eq(b.shard.selection, same);
    /* "c000" "c001" and "c000c" "001" have the same bytes, but are other ids. */
    b.at[0].id[0] = 'd';
    conf_find_number(&b);
    ck_assert_uint_ne(b.shard.selection, same);
    free(a.at[0].id);
    free(a.at[1].id);
    a.at[0].id = strdup("c000c");
    a.at[1].id = strdup("001");
    conf_find_number(&a);
    ck_assert_uint_ne(a.shard.selection, same);
    ck_assert_uint_eq(a.shard.index, 1);
    ck_assert_uint_eq(a.shard.total, 1);
    conf_found_free(&a);
    conf_found_free(&b);
    ck_assert_uint_eq(a.shard.n_selected, 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/case/shard");
    TCase *t = tcase_create("all");
    tcase_add_test(t, the_most_expensive_case_goes_to_the_cheapest_shard);
    tcase_add_test(t, cases_of_equal_cost_go_to_the_shards_in_turn);
    tcase_add_test(t, shards_without_a_case_are_empty);
    tcase_add_loop_test(t, the_largest_shard_is_within_the_bound_of_graham, 0, 8);
    tcase_add_test(t, sums_that_overflow_stay_the_largest);
    tcase_add_test(t, the_selection_is_a_hash_of_all_ids_in_order);
    suite_add_tcase(suite, t);
    return support_run(suite);
}

/* Caches of a state of fixed size, which each token changes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include "fastpath/cache/cache.h"

enum { HEADS = 2, WIDTH = 3 };

/* A layer whose state is the sum of all tokens so far, and one that caches keys. */
enum { N_FLOATS = 5 };

static const fp_cache_spec RECURRENT[] = {
    {.kind = FP_CACHE_RECURRENT, .source = 0, .n_floats = N_FLOATS},
    {.kind = FP_CACHE_FULL, .source = 1, .n_kv_heads = HEADS, .head_dim = WIDTH}};

static fp_state opened_recurrent(void)
{
    fp_state s;
    ck_assert_int_eq(fp_state_open(&s, RECURRENT, 2), ASSAY_OK);
    return s;
}

static void add_token(fp_state *s, float token)
{
    const float *from;
    float *to;
    ck_assert_int_eq(fp_state_reserve(s, 1), ASSAY_OK);
    fp_state_recurrent(s, 0, &from, &to);
    for (size_t i = 0; i < N_FLOATS; i++) to[i] = from[i] + token;
    fp_state_advance(s, 1);
}

static float sum_of(fp_state *s)
{
    const float *from;
    float *to;
    ck_assert_int_eq(fp_state_reserve(s, 1), ASSAY_OK);
    fp_state_recurrent(s, 0, &from, &to);
    ck_assert(from[N_FLOATS - 1] == from[0]);
    return from[0];
}

START_TEST(a_recurrent_state_begins_with_zero_and_counts_after_an_advance)
{
    fp_state s = opened_recurrent();
    const float *from;
    float *to;
    ck_assert(sum_of(&s) == 0);
    fp_state_recurrent(&s, 0, &from, &to);
    ck_assert(isnan(to[0])); /* to be written */
    add_token(&s, 3);
    add_token(&s, 4);
    ck_assert(sum_of(&s) == 7);
    fp_state_recurrent(&s, 0, &from, &to);
    to[0] = 1000; /* a pass that fails */
    ck_assert(from[0] == 7);
    add_token(&s, 1);
    ck_assert(sum_of(&s) == 8);
    fp_state_reset(&s);
    ck_assert(sum_of(&s) == 0);
    fp_state_free(&s);
}
END_TEST

START_TEST(a_rewind_goes_back_to_the_latest_snapshot_before_it)
{
    fp_state s = opened_recurrent();
    for (size_t t = 1; t <= 9; t++) {
        add_token(&s, (float)t);
        if (t == 3 || t == 6) ck_assert_int_eq(fp_state_snapshot(&s), ASSAY_OK);
        if (t == 6) ck_assert_int_eq(fp_state_snapshot(&s), ASSAY_OK); /* once is enough */
    }
    ck_assert(fp_state_rewind(&s, 8));
    for (size_t again = 0; again < 2; again++) {
        if (again) ck_assert(fp_state_rewind(&s, 6));
        ck_assert(s.n_tokens == 6 && sum_of(&s) == 21);
        add_token(&s, 100);
        ck_assert(sum_of(&s) == 121);
    }
    ck_assert(fp_state_rewind(&s, 3));
    ck_assert(sum_of(&s) == 6);
    add_token(&s, 1);
    ck_assert(fp_state_rewind(&s, 2));
    ck_assert(s.n_tokens == 0 && sum_of(&s) == 0);
    fp_state_free(&s);
}
END_TEST

START_TEST(snapshots_are_few_and_the_latest_are_the_closest)
{
    fp_state s = opened_recurrent();
    for (size_t t = 1; t <= 200; t++) {
        add_token(&s, 1);
        ck_assert_int_eq(fp_state_snapshot(&s), ASSAY_OK);
        ck_assert(s.n_snapshots <= FP_SNAPSHOTS_MAX && s.snapshot[s.n_snapshots - 1] == t);
        ck_assert_uint_eq(s.caches[0].n_pages, s.n_snapshots + 1);
    }
    for (size_t k = 2; k < s.n_snapshots; k++)
        ck_assert(s.snapshot[k] - s.snapshot[k - 1] <= s.snapshot[k - 1] - s.snapshot[k - 2]);
    const size_t middle = s.snapshot[1];
    ck_assert(fp_state_rewind(&s, middle + 1));
    ck_assert(s.n_tokens == middle && sum_of(&s) == (float)middle);
    fp_state_free(&s);
}
END_TEST

START_TEST(a_forked_recurrent_state_diverges_from_its_origin)
{
    fp_state s = opened_recurrent(), t = opened_recurrent();
    add_token(&s, 2);
    ck_assert_int_eq(fp_state_snapshot(&s), ASSAY_OK);
    add_token(&s, 3);
    ck_assert_int_eq(fp_state_fork(&t, &s), ASSAY_OK);
    ck_assert_ptr_eq(t.caches[0].page[1], s.caches[0].page[1]);
    add_token(&t, 10);
    add_token(&s, 20);
    ck_assert(sum_of(&t) == 15 && sum_of(&s) == 25);
    ck_assert(fp_state_rewind(&t, 1));
    ck_assert(sum_of(&t) == 2 && sum_of(&s) == 25);
    fp_state_free(&s);
    ck_assert(sum_of(&t) == 2);
    fp_state_free(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/cache_recurrent");
    TCase *recurrent = tcase_create("recurrent");
    tcase_add_test(recurrent, a_recurrent_state_begins_with_zero_and_counts_after_an_advance);
    tcase_add_test(recurrent, a_rewind_goes_back_to_the_latest_snapshot_before_it);
    tcase_add_test(recurrent, snapshots_are_few_and_the_latest_are_the_closest);
    tcase_add_test(recurrent, a_forked_recurrent_state_diverges_from_its_origin);
    suite_add_tcase(suite, recurrent);
    return support_run(suite);
}

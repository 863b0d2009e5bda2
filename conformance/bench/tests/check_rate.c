/* How speeds and their limits are computed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/bench.h"

#include "conformance/bench/rate.h"
#include "conformance/tests/support.h"

/* A plan of one layer: 1000 bytes of weights and 40 multiply-adds per token, and 30 in the head; 20
 * bytes of cache and 2 * 5 multiply-adds per key. The machine reads 100 bytes and does 50 operations
 * per second. */
static conf_bench by_hand(plan_cost_attention *layer)
{
    *layer = (plan_cost_attention){.n_query = 5, .cache_bytes = 20};
    return (conf_bench){
        .has_plan = true,
        .machine = {.read_one = 100, .read_all = 90, .fma_one = 40, .fma_all = 50},
        .cost = {.weight_bytes = 1000, .multiplies = 40, .head = 30, .n_layers = 1, .attention = layer}};
}

static void assert_rate(conf_bench_rate rate, double speed, double limit, bool reads)
{
    ck_assert_double_eq_tol(rate.speed, speed, 1e-9 * speed);
    ck_assert_double_eq_tol(rate.limit, limit, 1e-9 * limit);
    ck_assert_int_eq(rate.reads, reads);
}

START_TEST(the_limit_is_the_slower_of_reading_and_multiplying)
{
    plan_cost_attention layer;
    conf_bench b = by_hand(&layer);
    const conf_bench_time time = {.seconds = 20, .n_steps = 2};
    /* Steps at positions 4 and 5: 1000 + 5 * 20 and 1000 + 6 * 20 bytes. */
    const conf_bench_point decode = {.kind = CONF_BENCH_DECODE, .n_tokens = 3, .n_samples = 1};
    assert_rate(conf_bench_rate_of(&b, &decode, &time), 2.0 / 20, 2 / 22.2, true);
    /* Ten samples share the weights: 2000 + 2200 bytes, and 10 * 250 multiply-adds, two operations
     * each. */
    const conf_bench_point many = {.kind = CONF_BENCH_DECODE, .n_tokens = 3, .n_samples = 10};
    assert_rate(conf_bench_rate_of(&b, &many, &time), 20.0 / 20, 20 / 100.0, false);
    /* 2 samples of 3 tokens, of which the last has logits. */
    const conf_bench_time once = {.seconds = 30, .n_steps = 1};
    const conf_bench_point prefill = {.kind = CONF_BENCH_PREFILL, .n_tokens = 3, .n_samples = 2};
    assert_rate(conf_bench_rate_of(&b, &prefill, &once), 6.0 / 30, 6 / 16.8, false);
    const conf_bench_point first = {.kind = CONF_BENCH_FIRST, .n_tokens = 1, .n_samples = 1};
    assert_rate(conf_bench_rate_of(&b, &first, &once), 1.0 / 30, 1 / 10.0, true);
    b.has_plan = false;
    ck_assert_double_eq(conf_bench_rate_of(&b, &decode, &time).limit, 0);
}
END_TEST

/* observatory/tests/peers.py has the same numbers: other systems are measured with the same tokens. */
START_TEST(seeds_agree_with_the_peers_script)
{
    ck_assert_uint_eq(conf_bench_seed(0, 0, 0), 0xAB0ED9421630F454U);
    ck_assert_uint_eq(conf_bench_seed(0, 1, 0), 0x1DF3A17C160E4887U);
    ck_assert_uint_eq(conf_bench_seed(0, 0, 1), 0xA61632118838CA6AU);
    ck_assert_uint_eq(conf_bench_seed(7, 3, 2), 0x996110B67C6095DAU);
}
END_TEST

START_TEST(best_and_median_are_of_speeds)
{
    plan_cost_attention layer;
    const conf_bench b = by_hand(&layer);
    const conf_bench_point decode = {.kind = CONF_BENCH_DECODE, .n_tokens = 3, .n_samples = 1};
    conf_bench_time times[] = {{.seconds = 4, .n_steps = 1}, /* 0.25, 1, 2, 1 */
                               {.seconds = 4, .n_steps = 4},
                               {.seconds = 5, .n_steps = 10},
                               {.seconds = 1, .n_steps = 1}};
    conf_bench_series s = {.times = times, .n_times = 4};
    ck_assert_ptr_eq(conf_bench_best(&s), &times[2]);
    ck_assert_double_eq(conf_bench_median(&b, &decode, &s), 1);
    s.n_times = 3;
    ck_assert_double_eq(conf_bench_median(&b, &decode, &s), 1);
    s.n_times = 2;
    ck_assert_double_eq(conf_bench_median(&b, &decode, &s), 0.625);
    s.n_times = 1;
    ck_assert_double_eq(conf_bench_median(&b, &decode, &s), 0.25);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/bench/rate");
    TCase *rate = tcase_create("rate");
    tcase_add_test(rate, the_limit_is_the_slower_of_reading_and_multiplying);
    tcase_add_test(rate, seeds_agree_with_the_peers_script);
    tcase_add_test(rate, best_and_median_are_of_speeds);
    suite_add_tcase(suite, rate);

    return support_run(suite);
}

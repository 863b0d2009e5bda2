/* Limits of a machine. Tests compare speeds only with each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/machine.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/bench/machine_loops.h"
#include "conformance/tests/support.h"

#define MIB ((size_t)1 << 20)

static const struct {
    size_t cache, memory, bytes;
} buffers[] = {
    {0, 0, 256},       {32, 0, 256},  {65, 0, 260}, {320, 16384, 1280},
    {320, 4096, 1024}, {32, 100, 25}, {0, 1, 1},    {0, 16384, 256},
};

START_TEST(the_buffer_exceeds_the_cache_and_fits_memory)
{
    size_t bytes = conf_machine_read_bytes(buffers[_i].cache * MIB, buffers[_i].memory * MIB);
    ck_assert_uint_eq(bytes, buffers[_i].bytes * MIB);
}
END_TEST

START_TEST(plain_loops_always_run)
{
    size_t n = 0;
    while (conf_loops_all[n]) n++;
    ck_assert(n > 0 && conf_loops_run_here(conf_loops_all[n - 1]));
    ck_assert(conf_loops_run_here(conf_loops_choose()));
}
END_TEST

START_TEST(loops_compute_their_sums)
{
    float *x = aligned_alloc(64, 3 * CONF_LOOPS_FLOATS * sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < 3 * CONF_LOOPS_FLOATS; i++) x[i] = (float)(i % 5);
    for (size_t k = 0; conf_loops_all[k]; k++) {
        const conf_loops *loops = conf_loops_all[k];
        if (!conf_loops_run_here(loops)) continue;
        float expected = 0;
        for (size_t i = 0; i < 2 * CONF_LOOPS_FLOATS; i++) expected += x[i + CONF_LOOPS_FLOATS];
        ck_assert_float_eq(loops->sum(x + CONF_LOOPS_FLOATS, 2 * CONF_LOOPS_FLOATS), expected);
        ck_assert_float_eq(loops->multiply_add(1000, 0.5F), (float)loops->n_lanes);
        ck_assert_float_eq(loops->multiply_add(1, 0.25F), (float)loops->n_lanes / 2);
    }
    free(x);
}
END_TEST

static void assert_speed(double speed)
{
    ck_assert_msg(speed > 0 && isfinite(speed), "a speed of %g", speed);
}

/* 0.5 * 0.5 or 1 * 1, starting at 0; bfloat16 adds two products to a lane, bytes four. */
START_TEST(products_compute_their_sums)
{
    const conf_dots *bf16 = conf_dots_choose(ASSAY_BF16), *i8 = conf_dots_choose(ASSAY_I8);
    ck_assert(conf_dots_choose(ASSAY_F64) == NULL);
    if (bf16) ck_assert((double)bf16->multiply_add(3, 0.5F) == 3 * 0.25 * (double)bf16->n_lanes);
    if (i8) ck_assert((double)i8->multiply_add(3, 0.5F) == 3 * (double)i8->n_lanes);
}
END_TEST

START_TEST(speeds_are_positive_and_finite)
{
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        conf_machine m;
        ck_assert_int_eq(conf_machine_measure(n_threads, 4 * MIB, &m, NULL), ASSAY_OK);
        assert_speed(m.read_one);
        assert_speed(m.read_all);
        assert_speed(m.fma_one);
        assert_speed(m.fma_all);
        assert_speed(m.bf16_one);
        assert_speed(m.bf16_all);
        assert_speed(m.i8_one);
        assert_speed(m.i8_all);
    }
}
END_TEST

START_TEST(a_failed_allocation_is_an_error)
{
    conf_machine m;
    assay_error err;
    ck_assert_int_eq(conf_machine_measure(1, SIZE_MAX / MIB * MIB, &m, &err), ASSAY_ENOMEM);
    assert_holds(err.text, "MiB that measures the read speed");
}
END_TEST

START_TEST(the_better_measurement_counts)
{
    const conf_machine a = {1, 6, 3, 8, 9, 12, 13, 14}, b = {5, 2, 7, 4, 11, 10, 15, 16};
    conf_machine best = conf_machine_best(&a, &b);
    ck_assert(best.read_one == 5 && best.read_all == 6 && best.fma_one == 7 && best.fma_all == 8);
    ck_assert(best.bf16_one == 11 && best.bf16_all == 12 && best.i8_one == 15 && best.i8_all == 16);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/bench/machine");
    TCase *all = tcase_create("limits");
    tcase_add_checked_fixture(all, support_setup, support_teardown);
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, the_buffer_exceeds_the_cache_and_fits_memory, 0,
                        (int)(sizeof buffers / sizeof *buffers));
    tcase_add_test(all, plain_loops_always_run);
    tcase_add_test(all, loops_compute_their_sums);
    tcase_add_test(all, products_compute_their_sums);
    tcase_add_test(all, speeds_are_positive_and_finite);
    tcase_add_test(all, a_failed_allocation_is_an_error);
    tcase_add_test(all, the_better_measurement_counts);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

/* The orders of summation: each adds up every term once, and they round differently.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "conformance/rates/order.h"

enum { MOST = 300, WIDTH = 5 };

static const char *const ORDERS[] = {"forward",          "backward", "shuffled:0",
                                     "shuffled:7",       "lanes:8",  "block:16",
                                     "lanes:16,block:7", "parts:3",  "shuffled:2,lanes:4,block:32,parts:8",
                                     "parts:64",         "fused",    "rounded"};

static rates_order parse(const char *text)
{
    rates_order order;
    ck_assert_msg(rates_order_parse(text, &order), "%s", text);
    return order;
}

/* Sums of small whole numbers are exact in any order; that of column k is k times the sum of x. */
START_TEST(adds_every_term_once)
{
    const rates_order order = parse(ORDERS[_i]);
    for (size_t n = 1; n <= MOST; n += n < 40 ? 1 : 61) {
        float x[MOST], w[MOST][WIDTH], y[WIDTH], sum = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = order.rounded ? (i % 64 == 0) : (float)(1 + i * i % 17);
            sum += x[i];
            for (size_t k = 0; k < WIDTH; k++) w[i][k] = (float)k;
        }
        rates_order_sum(&order, y, WIDTH, (rates_row){.f32 = x}, w[0], WIDTH, n);
        for (size_t k = 0; k < WIDTH; k++)
            ck_assert_msg(y[k] == (float)k * sum, "%s: %zu terms: %g, expected %g", ORDERS[_i], n,
                          (double)y[k], (double)((float)k * sum));
    }
}
END_TEST

static float sum_of_thirds(const char *text)
{
    const rates_order order = parse(text);
    float x[MOST], w[MOST], y;
    for (size_t i = 0; i < MOST; i++) {
        x[i] = (float)(i % 2 ? -1 : 1) / (float)(i + 3);
        w[i] = (float)(i * 7 % 11) / 3;
    }
    rates_order_sum(&order, &y, 1, (rates_row){.f32 = x}, w, 1, MOST);
    return y;
}

START_TEST(orders_round_differently)
{
    const float forward = sum_of_thirds("forward");
    for (size_t i = 1; i < sizeof ORDERS / sizeof *ORDERS; i++) {
        const float other = sum_of_thirds(ORDERS[i]);
        ck_assert_msg(other != forward, "%s", ORDERS[i]);
        ck_assert_float_eq_tol(other, forward, 1e-2F);
    }
}
END_TEST

START_TEST(plants_the_error)
{
    const rates_order order = parse("lanes:8,planted:4"), none = parse(NULL);
    size_t n_up = 0;
    for (size_t k = 0; k < 1000; k++) {
        const double wrong = (double)rates_order_plant(&order, 16, k) - 16;
        ck_assert_double_eq(fabs(wrong), 1);
        n_up += wrong > 0;
        ck_assert(rates_order_plant(&none, 16, k) == 16.0F);
    }
    ck_assert(n_up > 400 && n_up < 600);
}
END_TEST

START_TEST(refuses_other_words)
{
    static const char *const bad[] = {"",         "forwards",  "forward,",  "lanes",   "lanes:3",
                                      "lanes:32", "lanes:0",   "block:0",   "parts:0", "shuffled:-1",
                                      "lanes: 8", "planted:0", "planted:x", "block:1x"};
    rates_order order;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!rates_order_parse(bad[i], &order), "\"%s\"", bad[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("order");
    TCase *tests = tcase_create("order");
    tcase_add_loop_test(tests, adds_every_term_once, 0, sizeof ORDERS / sizeof *ORDERS);
    tcase_add_test(tests, orders_round_differently);
    tcase_add_test(tests, plants_the_error);
    tcase_add_test(tests, refuses_other_words);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

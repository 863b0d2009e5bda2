/* Which caches the layers of a plan have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include "fastpath/cache/cache.h"

/* A plan of four attention layers, with the members that caches use. */
START_TEST(specs_take_the_source_of_the_plan_and_the_widest_window)
{
    plan_layer layers[4] = {0};
    plan p = {.layers = layers, .n_layers = 4};
    fp_cache_spec spec[4];
    for (size_t i = 0; i < 4; i++) layers[i].mixer.attention.cache_layer = i;
    layers[0].mixer.attention.window = 5;
    layers[1].mixer.attention.window = 4;
    layers[2].mixer.attention.cache_layer = 1;
    layers[2].mixer.attention.window = 6;
    layers[3].mixer.attention.cache_layer = 0;
    fp_cache_specs(&p, NULL, spec);
    ck_assert(!spec[0].narrow);
    ck_assert_int_eq(spec[0].kind, FP_CACHE_FULL); /* layer 3 has no window */
    ck_assert_int_eq(spec[1].kind, FP_CACHE_ROTATING);
    ck_assert_uint_eq(spec[1].window, 6);
    ck_assert_int_eq(spec[2].kind, FP_CACHE_SHARED);
    ck_assert_uint_eq(spec[2].source, 1);
    ck_assert_uint_eq(spec[3].source, 0);
}
END_TEST

/* Layer 0 has a window, 1 and 2 have none; 3 reads what 0 caches, without a window of its own. */
START_TEST(a_limit_is_for_layers_without_a_window_and_for_those_that_they_read)
{
    plan_layer layers[4] = {0};
    plan p = {.layers = layers, .n_layers = 4};
    fp_cache_spec spec[4];
    for (size_t i = 0; i < 4; i++) layers[i].mixer.attention.cache_layer = i % 3;
    layers[0].mixer.attention.window = 5;
    fp_cache_specs(&p, NULL, spec);
    fp_cache_limit(&p, 11, 4, spec);
    ck_assert(spec[0].view.window == 5 && spec[0].view.sink_tokens == 0);
    for (size_t i = 1; i < 4; i++) ck_assert(spec[i].view.window == 7 && spec[i].view.sink_tokens == 4);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(spec[i].kind, FP_CACHE_ROTATING);
        ck_assert(spec[i].window == 7 && spec[i].sink_tokens == 4);
    }
    ck_assert_int_eq(spec[3].kind, FP_CACHE_SHARED);
    layers[0].mixer.attention.window = 9;
    fp_cache_specs(&p, NULL, spec);
    fp_cache_limit(&p, 11, 4, spec);
    ck_assert(spec[0].window == 9 && spec[0].sink_tokens == 4); /* for both who read it */
    ck_assert(spec[3].view.window == 7 && spec[3].view.sink_tokens == 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/cache_specs");
    TCase *specs = tcase_create("specs");
    tcase_add_test(specs, specs_take_the_source_of_the_plan_and_the_widest_window);
    tcase_add_test(specs, a_limit_is_for_layers_without_a_window_and_for_those_that_they_read);
    suite_add_tcase(suite, specs);
    return support_run(suite);
}

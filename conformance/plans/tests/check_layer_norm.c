/* LayerNorm in all three engines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "conformance/plans/tests/engines.h"
#include "fastpath/layer_norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Norms before and after attention and MLP, of heads, of all heads together, unweighted, with an offset. */
static const setting SETTINGS[] = {{"llama/base", "layer-norms"},   {"qwen3/base", "layer-norms"},
                                   {"olmo2/base", "layer-norms"},   {"gemma2/base", "layer-norms"},
                                   {"gemma4/dense", "layer-norms"}, {"qwen3_moe/base", "layer-norms"}};
enum { N_SETTINGS = sizeof SETTINGS / sizeof *SETTINGS };

START_TEST(fastpath_agrees_with_ref64)
{
    const positions none = {0};
    opened truth = engines_open(REF64, SETTINGS[_i]), o = engines_open(FASTPATH, SETTINGS[_i]);
    double *expected = engines_whole(&truth, &none), *found = engines_whole(&o, &none);
    const double d = engines_distance(expected, found, LENGTH * o.vocab);
    const double bound = engines_bound(SETTINGS[_i], &none);
    ck_assert_msg(d <= bound, "%s: found %g, expected at most %g", SETTINGS[_i].model, d, bound);
    free(expected);
    free(found);
    engines_close(&truth);
    engines_close(&o);
}
END_TEST

START_TEST(a_layer_norm_is_no_rms_norm)
{
    const positions none = {0};
    for (int e = 0; e < N_ENGINES; e++) {
        opened changed = engines_open(e, SETTINGS[_i]),
               plain = engines_open(e, (setting){SETTINGS[_i].model, NULL});
        double *a = engines_whole(&changed, &none), *b = engines_whole(&plain, &none);
        ck_assert(engines_distance(a, b, LENGTH * plain.vocab) > 1e-2);
        free(a);
        free(b);
        engines_close(&changed);
        engines_close(&plain);
    }
}
END_TEST

START_TEST(the_division_into_steps_changes_no_bit_of_fastpath)
{
    const positions none = {0};
    opened o = engines_open(FASTPATH, SETTINGS[_i]);
    double *whole = engines_whole(&o, &none);
    for (size_t t = 0, n = 1; t < LENGTH; t += n, n = t + 3 < LENGTH ? 3 : LENGTH - t) {
        double *part = engines_step(&o, 0, t, t + n, &none);
        ck_assert_mem_eq(part, whole + t * o.vocab, n * o.vocab * sizeof *part);
        free(part);
    }
    free(whole);
    engines_close(&o);
}
END_TEST

/* torch 2.13.0, torch.nn.LayerNorm(6, dtype=torch.float64) with these inputs, weights and biases; then
 * without either. The second row is so small that the two epsilons differ. */
static const float X[12] = {0.5F,   -1.25F, 3.0F,     0.75F,   -2.0F, 1.5F,
                            0.001F, 0.002F, -0.0015F, 0.0005F, 0.0F,  0.0025F},
                   WEIGHT[6] = {1.0F, -0.5F, 2.0F, 0.25F, 1.5F, 0.75F},
                   BIAS[6] = {0.125F, 0.0F, -1.0F, 0.5F, 2.0F, -0.25F};
static const double SCALED[2][12] = {
    {0.17512538003271111, 0.50125380032711109, 2.1077735620280889, 0.55012538003271105, -0.18045403142293315,
     0.23872245531893327, 0.19799723832339078, -0.18249309580847703, -2.3139502898210349, 0.48175069041915231,
     1.6715124275447413, 0.13323550119780175},
    {0.17512546164378665, 0.50125461643786662, 2.1077786219147727, 0.55012546164378662, -0.18045758150471936,
     0.23872325102691985, 0.27632998169159539, -0.37832495422898865, -3.7239396704487193, 0.4621675045771011,
     1.3190150823878202, 0.54448240388087632}};
static const double PLAIN[12] = {0.050125380032711095,  -1.0025076006542222, 1.5538867810140444,
                                 0.20050152013084444,   -1.4536360209486221, 0.65162994042524436,
                                 0.072997238323390792,  0.36498619161695406, -0.65697514491051745,
                                 -0.072997238323390848, -0.2189917149701725, 0.51098066826373567};

static void expect_values(const float *found, const double *expected)
{
    for (size_t i = 0; i < 12; i++)
        ck_assert_msg(fabs((double)found[i] - expected[i]) <= 1e-6, "[%zu]: found %.9g, expected %.9g", i,
                      (double)found[i], expected[i]);
}

START_TEST(fastpath_gives_the_values_of_torch)
{
    float y[12];
    fp_layer_norm(y, X, 2, 6, WEIGHT, BIAS, 1e-5);
    expect_values(y, SCALED[0]);
    fp_layer_norm(y, X, 2, 6, WEIGHT, BIAS, 1e-6);
    expect_values(y, SCALED[1]);
    memcpy(y, X, sizeof y);
    fp_layer_norm(y, y, 2, 6, NULL, NULL, 1e-5);
    expect_values(y, PLAIN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/plans/layer_norm");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, fastpath_agrees_with_ref64, 0, N_SETTINGS);
    tcase_add_loop_test(all, a_layer_norm_is_no_rms_norm, 0, N_SETTINGS);
    tcase_add_loop_test(all, the_division_into_steps_changes_no_bit_of_fastpath, 0, N_SETTINGS);
    tcase_add_test(all, fastpath_gives_the_values_of_torch);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

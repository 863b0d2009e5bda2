/* The gated delta net of three tokens, written out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>

#include "model/tests/weight.h"
#include "ref/delta.h"

enum { TOKENS = 3 };

static plan_weight weight(const double *numbers, size_t rows, size_t cols)
{
    return weight_of(numbers, ASSAY_F64, rows, cols);
}

/* One key head of two elements, two value heads of one element, a kernel of two tokens. The input is one
 * number a token. */
static const double QKV[] = {1, -2, 0.5, 3, 2, -1}, Z[] = {1, 2}, A[] = {0.5, -0.5}, B[] = {1, -1},
                    CONV[] = {0.5, 1, 1, -1, 2, 0.25, 1, 1, -1, 2, 0.5, 0.5}, A_LOG[] = {0, -1},
                    DT_BIAS[] = {0.5, 1}, NORM[] = {2}, OUT[] = {1, 3};

static plan_delta make_delta(void)
{
    return (plan_delta){.n_k_heads = 1,
                        .n_v_heads = 2,
                        .k_dim = 2,
                        .v_dim = 1,
                        .kernel = 2,
                        .qkv = {.weight = weight(QKV, 6, 1)},
                        .z = {.weight = weight(Z, 2, 1)},
                        .a = {.weight = weight(A, 2, 1)},
                        .b = {.weight = weight(B, 2, 1)},
                        .conv = weight(CONV, 6, 2),
                        .a_log = weight(A_LOG, 1, 2),
                        .dt_bias = weight(DT_BIAS, 1, 2),
                        .norm = {.present = true, .epsilon = 1e-6, .width = 1, .weight = weight(NORM, 1, 1)},
                        .out = {.weight = weight(OUT, 1, 2)}};
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

/* Channel c of the convolution at token t: the newest token has the second weight; before the first, zeros.
 */
static double channel(const double *x, size_t t, size_t c)
{
    return silu(CONV[2 * c] * QKV[c] * (t ? x[t - 1] : 0) + CONV[2 * c + 1] * QKV[c] * x[t]);
}

static void write_out(const double *x, double *y)
{
    double state[2][2] = {{0}};
    for (size_t t = 0; t < TOKENS; t++) {
        double q[2], k[2];
        const double a = channel(x, t, 0), b = channel(x, t, 1), c = channel(x, t, 2), d = channel(x, t, 3);
        q[0] = a / sqrt(a * a + b * b + 1e-6) / sqrt(2);
        q[1] = b / sqrt(a * a + b * b + 1e-6) / sqrt(2);
        k[0] = c / sqrt(c * c + d * d + 1e-6);
        k[1] = d / sqrt(c * c + d * d + 1e-6);
        y[t] = 0;
        for (size_t h = 0; h < 2; h++) { /* both value heads read the one key head */
            const double decay = exp(-exp(A_LOG[h]) * log1p(exp(A[h] * x[t] + DT_BIAS[h]))),
                         beta = 1 / (1 + exp(-B[h] * x[t]));
            state[h][0] *= decay;
            state[h][1] *= decay;
            const double delta = beta * (channel(x, t, 4 + h) - state[h][0] * k[0] - state[h][1] * k[1]);
            state[h][0] += k[0] * delta;
            state[h][1] += k[1] * delta;
            const double o = state[h][0] * q[0] + state[h][1] * q[1];
            y[t] += OUT[h] * o / sqrt(o * o + 1e-6) * NORM[0] * silu(Z[h] * x[t]);
        }
    }
}

START_TEST(a_delta_net_decays_reads_updates_and_reads_again)
{
    const plan_delta d = make_delta();
    const double x[TOKENS] = {0.75, -0.5, 1.25};
    double expected[TOKENS], found[TOKENS];
    write_out(x, expected);
    ck_assert_int_eq(ref_delta(found, x, TOKENS, &d), ASSAY_OK);
    for (size_t t = 0; t < TOKENS; t++) ck_assert_double_eq_tol(found[t], expected[t], 1e-14);
}
END_TEST

START_TEST(later_tokens_change_no_earlier_one)
{
    const plan_delta d = make_delta();
    const double x[TOKENS] = {0.75, -0.5, 1.25}, other[TOKENS] = {0.75, -0.5, 9};
    double whole[TOKENS], changed[TOKENS], first[1];
    ck_assert_int_eq(ref_delta(whole, x, TOKENS, &d), ASSAY_OK);
    ck_assert_int_eq(ref_delta(changed, other, TOKENS, &d), ASSAY_OK);
    ck_assert_int_eq(ref_delta(first, x, 1, &d), ASSAY_OK); /* shorter than the kernel */
    ck_assert(whole[0] == changed[0] && whole[1] == changed[1] && whole[2] != changed[2]);
    ck_assert(first[0] == whole[0]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/delta");
    TCase *delta = tcase_create("delta");
    tcase_add_test(delta, a_delta_net_decays_reads_updates_and_reads_again);
    tcase_add_test(delta, later_tokens_change_no_earlier_one);
    suite_add_tcase(suite, delta);
    return support_run(suite);
}

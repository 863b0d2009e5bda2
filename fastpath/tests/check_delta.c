/* The parts of a gated delta net, by every instruction set supported here, against plain definitions in
 * double; and the same bits for any division of tokens and columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/kernels/delta/delta.h"

enum { TOKENS = 9, K_DIM = 7, COLUMNS = 151, KERNEL_MAX = 5 };

/* A number from -1 to 1. */
static float drawn(size_t i)
{
    return (float)((uint32_t)((i + 1) * 2654435761U) >> 8) / (float)(1U << 23) - 1;
}

static float *make_numbers(size_t n, size_t seed)
{
    float *x = malloc(n * sizeof *x); /* so that a sanitizer detects a read past the end */
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < n; i++) x[i] = drawn(i + seed);
    return x;
}

static void expect_near(const float *found, const double *expected, size_t n, double scale, fp_isa isa)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(fabs((double)found[i] - expected[i]) <= 4e-6 * scale,
                      "%s: element %zu of %zu: %g, expected %g", fp_isa_name(isa), i, n, (double)found[i],
                      expected[i]);
}

START_TEST(a_convolution_reads_the_oldest_row_with_the_first_weights)
{
    for (size_t v = 0; v < FP_N_DELTA; v++)
        for (size_t n = 1; fp_isa_runs_here(FP_DELTA[v].isa) && n <= 40; n++)
            for (size_t kernel = 1; kernel <= KERNEL_MAX; kernel++) {
                float *weight = make_numbers(kernel * n, n), *x = make_numbers(kernel * n, kernel), y[41];
                const float *rows[KERNEL_MAX];
                double expected[40];
                for (size_t j = 0; j < kernel; j++) rows[j] = x + j * n;
                y[n] = 42;
                FP_DELTA[v].convolve(y, weight, rows, kernel, n);
                for (size_t c = 0; c < n; c++) {
                    double sum = 0;
                    for (size_t j = 0; j < kernel; j++) sum += (double)weight[j * n + c] * (double)rows[j][c];
                    expected[c] = sum / (1 + exp(-sum));
                }
                expect_near(y, expected, n, 1, FP_DELTA[v].isa);
                ck_assert(y[n] == 42);
                free(weight);
                free(x);
            }
}
END_TEST

START_TEST(a_gate_multiplies_by_its_sigmoid)
{
    for (size_t v = 0; v < FP_N_DELTA; v++)
        for (size_t n = 1; fp_isa_runs_here(FP_DELTA[v].isa) && n <= 40; n++) {
            float *x = make_numbers(n, n), *gate = make_numbers(n, 2 * n);
            double expected[40];
            for (size_t i = 0; i < n; i++) {
                gate[i] *= 30;
                expected[i] = (double)x[i] / (1 + exp(-(double)gate[i]));
            }
            FP_DELTA[v].sigmoid_gate(x, x, gate, n);
            expect_near(x, expected, n, 1, FP_DELTA[v].isa);
            free(x);
            free(gate);
        }
}
END_TEST

/* A head with the numbers of one test. */
typedef struct head {
    float *from, *to, *q, *k, *v, *decay, *beta, *out;
} head;

static head make_head(void)
{
    head h = {.from = make_numbers(K_DIM * COLUMNS, 1), .to = make_numbers(K_DIM * COLUMNS, 2)};
    h.q = make_numbers(TOKENS * K_DIM, 3);
    h.k = make_numbers(TOKENS * K_DIM, 4);
    h.v = make_numbers(TOKENS * COLUMNS, 5);
    h.decay = make_numbers(TOKENS, 6);
    h.beta = make_numbers(TOKENS, 7);
    h.out = make_numbers(TOKENS * COLUMNS, 8);
    for (size_t t = 0; t < TOKENS; t++) {
        h.decay[t] = fabsf(h.decay[t]);
        h.beta[t] = fabsf(h.beta[t]);
    }
    for (size_t i = 0; i < TOKENS * K_DIM; i++)
        h.k[i] /= 3; /* about the length 1, so that states stay small */
    return h;
}

static void free_head(head *h)
{
    float *const each[] = {h->from, h->to, h->q, h->k, h->v, h->decay, h->beta, h->out};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) free(each[i]);
}

/* Tokens first_token … + n_tokens - 1, columns first … + n - 1. */
static void update(const fp_delta_variant *v, const head *h, const float *from, size_t first_token,
                   size_t n_tokens, size_t first, size_t n)
{
    v->update(&(fp_delta_call){.from = from + first,
                               .to = h->to + first,
                               .ld_state = COLUMNS,
                               .q = h->q + first_token * K_DIM,
                               .k = h->k + first_token * K_DIM,
                               .ld_qk = K_DIM,
                               .v = h->v + first_token * COLUMNS + first,
                               .ld_v = COLUMNS,
                               .decay = h->decay + first_token,
                               .beta = h->beta + first_token,
                               .ld_gate = 1,
                               .out = h->out + first_token * COLUMNS + first,
                               .ld_out = COLUMNS,
                               .n_tokens = n_tokens,
                               .k_dim = K_DIM,
                               .n_columns = n});
}

/* S = g S; S += k (beta (v - S'k))'; out = S'q, in double. */
static void update_plainly(const head *h, double *state, double *out)
{
    for (size_t i = 0; i < K_DIM * COLUMNS; i++) state[i] = (double)h->from[i];
    for (size_t t = 0; t < TOKENS; t++)
        for (size_t c = 0; c < COLUMNS; c++) {
            double read = 0, result = 0;
            for (size_t i = 0; i < K_DIM; i++) {
                state[i * COLUMNS + c] *= (double)h->decay[t];
                read += state[i * COLUMNS + c] * (double)h->k[t * K_DIM + i];
            }
            for (size_t i = 0; i < K_DIM; i++) {
                state[i * COLUMNS + c] +=
                    (double)h->k[t * K_DIM + i] * (double)h->beta[t] * ((double)h->v[t * COLUMNS + c] - read);
                result += state[i * COLUMNS + c] * (double)h->q[t * K_DIM + i];
            }
            out[t * COLUMNS + c] = result;
        }
}

START_TEST(a_state_decays_before_it_is_read_and_is_read_again_after_the_update)
{
    head h = make_head();
    static double state[K_DIM * COLUMNS], out[TOKENS * COLUMNS];
    update_plainly(&h, state, out);
    for (size_t v = 0; v < FP_N_DELTA; v++) {
        if (!fp_isa_runs_here(FP_DELTA[v].isa)) continue;
        update(&FP_DELTA[v], &h, h.from, 0, TOKENS, 0, COLUMNS);
        expect_near(h.to, state, K_DIM * COLUMNS, 4, FP_DELTA[v].isa);
        expect_near(h.out, out, TOKENS * COLUMNS, 4, FP_DELTA[v].isa);
    }
    free_head(&h);
}
END_TEST

START_TEST(bits_depend_on_no_division_of_tokens_or_columns)
{
    for (size_t v = 0; v < FP_N_DELTA; v++) {
        if (!fp_isa_runs_here(FP_DELTA[v].isa)) continue;
        head whole = make_head(), parts = make_head();
        update(&FP_DELTA[v], &whole, whole.from, 0, TOKENS, 0, COLUMNS);
        for (size_t first = 0; first < COLUMNS; first += FP_DELTA_COLUMNS) {
            const size_t n = COLUMNS - first < FP_DELTA_COLUMNS ? COLUMNS - first : FP_DELTA_COLUMNS;
            update(&FP_DELTA[v], &parts, parts.from, 0, 1, first, n);
            update(&FP_DELTA[v], &parts, parts.to, 1, 3, first, n); /* in place */
            update(&FP_DELTA[v], &parts, parts.to, 4, TOKENS - 4, first, n);
        }
        ck_assert_mem_eq(parts.to, whole.to, K_DIM * COLUMNS * sizeof(float));
        ck_assert_mem_eq(parts.out, whole.out, TOKENS * COLUMNS * sizeof(float));
        free_head(&whole);
        free_head(&parts);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/delta");
    TCase *delta = tcase_create("delta");
    tcase_add_test(delta, a_convolution_reads_the_oldest_row_with_the_first_weights);
    tcase_add_test(delta, a_gate_multiplies_by_its_sigmoid);
    tcase_add_test(delta, a_state_decays_before_it_is_read_and_is_read_again_after_the_update);
    tcase_add_test(delta, bits_depend_on_no_division_of_tokens_or_columns);
    suite_add_tcase(suite, delta);
    return support_run(suite);
}

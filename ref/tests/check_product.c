/* Products with weights in every way that this processor has, of shapes around every size at which one is
 * divided. Inputs are small integers, so that every order of summation gives the same numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/weight.h"
#include "ref/arithmetic/panels.h"
#include "ref/arithmetic/product.h"

#include "base/tests/support.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct shape {
    size_t n_tokens, n, k;
} shape;

static const shape SHAPES[] = {{1, 1, 1},      {7, 5, 3},      {8, 6, 8},      {9, 13, 17},   {15, 11, 255},
                               {16, 12, 256},  {17, 25, 257},  {64, 130, 512}, {511, 7, 300}, {512, 12, 9},
                               {513, 13, 258}, {1025, 40, 31}, {2, 3, 70000}};
#define N_SHAPES (sizeof SHAPES / sizeof SHAPES[0])

/* From -4 to 4. */
static int small_integer(size_t row, size_t col)
{
    return (int)((row * 31 + col * 17 + row * col) % 9) - 4;
}

static ref_real *tokens_of(const shape *s)
{
    ref_real *x = malloc(s->n_tokens * s->k * sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (size_t t = 0; t < s->n_tokens; t++)
        for (size_t i = 0; i < s->k; i++) x[t * s->k + i] = (ref_real)small_integer(t, i + 5);
    return x;
}

/* Weights [n, k] in bfloat16, which holds the numbers exactly. */
static uint16_t *weights_of(const shape *s)
{
    uint16_t *w = malloc(s->n * s->k * sizeof *w);
    ck_assert_ptr_nonnull(w);
    for (size_t r = 0; r < s->n; r++)
        for (size_t i = 0; i < s->k; i++) {
            const double value = small_integer(r + 3, i);
            dtype_from_f64(&w[r * s->k + i], &value, ASSAY_BF16, 1);
        }
    return w;
}

static void expect_product(const shape *s, const ref_real *y, const char *how)
{
    for (size_t t = 0; t < s->n_tokens; t++)
        for (size_t r = 0; r < s->n; r++) {
            double sum = 0;
            for (size_t i = 0; i < s->k; i++)
                sum += (double)small_integer(t, i + 5) * small_integer(r + 3, i);
            ck_assert_msg((double)y[t * s->n + r] == sum, "%s: [%zu, %zu] of [%zu, %zu, %zu]: %g, not %g",
                          how, t, r, s->n_tokens, s->n, s->k, (double)y[t * s->n + r], sum);
        }
}

/* The result of every tile; y is not a number before, and a row longer, which must stay. */
static void expect_tiles(const shape *s, const ref_real *x, const plan_weight *weight)
{
    const size_t n = s->n_tokens * s->n, n_all = n + s->n;
    ref_real *y = malloc(n_all * sizeof *y);
    ck_assert_ptr_nonnull(y);
    const ref_tile *tile;
    for (size_t i = 0; (tile = ref_tile_at(i)); i++) {
        for (size_t j = 0; j < n_all; j++) y[j] = (ref_real)NAN;
        ck_assert_int_eq(ref_panels(y, x, s->n_tokens, weight, tile), ASSAY_OK);
        expect_product(s, y, tile->isa);
        for (size_t j = n; j < n_all; j++) ck_assert(isnan(y[j]));
    }
    free(y);
}

START_TEST(every_way_gives_the_exact_sums)
{
    const shape *s = &SHAPES[_i];
    ref_real *x = tokens_of(s), *y = malloc(s->n_tokens * s->n * sizeof *y);
    uint16_t *w = weights_of(s);
    ck_assert_ptr_nonnull(y);
    const plan_weight weight = weight_of(w, ASSAY_BF16, s->n, s->k);
    ck_assert_int_eq(ref_matrix(y, x, s->n_tokens, &weight), ASSAY_OK);
    expect_product(s, y, "ref_matrix");
    expect_tiles(s, x, &weight);
    free(x);
    free(y);
    free(w);
}
END_TEST

/* Sums start with what is there, and rows need not be adjacent. */
START_TEST(a_tile_adds_to_its_sums_alone)
{
    const ref_tile *tile;
    for (size_t which = 0; (tile = ref_tile_at(which)); which++) {
        enum { K = 5, APART = 19, W_APART = 7 };
        double sum[REF_TILE_MAX * APART], w[REF_TILE_MAX * W_APART], x[K * REF_TILE_MAX];
        ck_assert_uint_le(tile->n_rows, REF_TILE_MAX);
        ck_assert_uint_le(tile->n_tokens, REF_TILE_MAX);
        for (size_t i = 0; i < sizeof sum / sizeof *sum; i++) sum[i] = (double)i;
        for (size_t i = 0; i < sizeof w / sizeof *w; i++) w[i] = small_integer(i, 1);
        for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = small_integer(i, 2);
        tile->multiply(sum, APART, w, W_APART, x, K);
        for (size_t i = 0; i < sizeof sum / sizeof *sum; i++) {
            const size_t r = i / APART, t = i % APART;
            double expected = (double)i;
            for (size_t j = 0; r < tile->n_rows && t < tile->n_tokens && j < K; j++)
                expected += w[r * W_APART + j] * x[j * tile->n_tokens + t];
            ck_assert_msg(sum[i] == expected, "%s: row %zu, token %zu: %g, not %g", tile->isa, r, t, sum[i],
                          expected);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("product");
    const ref_tile *tile;
    size_t n_tiles = 0;
    while ((tile = ref_tile_at(n_tiles))) {
        printf("# a tile for %s\n", tile->isa);
        n_tiles++;
    }
    if (n_tiles == 0) printf("# no tile for this processor: OpenBLAS alone\n");
    TCase *c = tcase_create("product");
    tcase_add_loop_test(c, every_way_gives_the_exact_sums, 0, N_SHAPES);
    tcase_add_test(c, a_tile_adds_to_its_sums_alone);
    suite_add_tcase(s, c);
    return support_run(s);
}

/* Activations converted to narrower types, by every instruction set supported here, compared bit for
 * bit with plain definitions; the sums of their products. ASSAY_REQUIRE_ISA (see sweep.test) fails for sets
 * without a kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/kernels/kernels.h"
#include "fastpath/kernels/matmul/matmul.h"

enum { N = 300, SLACK = 3, GUARD = 0x5A };

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t to_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The nearer neighbour in bfloat16; the even one of two equally near. */
static uint16_t nearest_bf16(float x)
{
    const uint16_t below = (uint16_t)(to_bits(x) >> 16); /* towards zero */
    if (isnan(x)) return (uint16_t)(below | 0x40U);
    const uint32_t rest = to_bits(x) & 0xFFFFU;
    if (rest > 0x8000U || (rest == 0x8000U && below % 2)) return (uint16_t)(below + 1);
    return below;
}

/* Zeros, ties of either parity, the neighbours of ties, subnormals, the last number before infinity, NaN that
 * would become infinity if it were cut off; then anything. */
static float edge_case_float(size_t i)
{
    static const uint32_t some[] = {0,           0x80000000U, 0x3F808000U, 0x3F818000U, 0x3F807FFFU,
                                    0x3F808001U, 0xBF808000U, 0x00000001U, 0x00008000U, 0x00018000U,
                                    0x007FFFFFU, 0x7F7FFFFFU, 0x7F7F8000U, 0x7F7F7FFFU, 0x7F800000U,
                                    0xFF800000U, 0x7F800001U, 0x7FC00000U, 0xFF800100U, 0xFFFFFFFFU};
    const size_t n = sizeof some / sizeof *some;
    return from_bits(i % 3 == 0 ? some[i / 3 % n] : (uint32_t)((i + 1) * 2654435761U));
}

START_TEST(bfloat16_is_the_nearest_one)
{
    for (size_t v = 0; v < FP_N_NARROW; v++) {
        if (!fp_isa_runs_here(FP_NARROW[v].isa)) continue;
        for (size_t n = 1; n <= N; n++) {
            float *x = malloc(n * sizeof *x); /* so that a sanitizer detects a read past the end */
            uint16_t y[N + SLACK];
            ck_assert_ptr_nonnull(x);
            for (size_t i = 0; i < n; i++) x[i] = edge_case_float(i + n);
            memset(y, GUARD, sizeof y);
            FP_NARROW[v].bf16(y, x, n);
            for (size_t i = 0; i < n; i++)
                ck_assert_msg(y[i] == nearest_bf16(x[i]), "%s: element %zu of %zu, %08x: %04x, expected %04x",
                              fp_isa_name(FP_NARROW[v].isa), i, n, to_bits(x[i]), y[i], nearest_bf16(x[i]));
            for (size_t i = n; i < n + SLACK && i < N + SLACK; i++)
                ck_assert_uint_eq(y[i], GUARD << 8 | GUARD);
            free(x);
        }
    }
}
END_TEST

/* One group by the definition of narrow.h. */
static void narrow_by_definition(int8_t *codes, float *scale, int32_t *sum, const float *x, size_t group)
{
    float top = 0;
    bool is_finite = true;
    for (size_t i = 0; i < group; i++) {
        is_finite = is_finite && isfinite(x[i]);
        top = fmaxf(top, fabsf(x[i]));
    }
    if (top < FP_NARROW_LEAST) top = 0;
    *scale = is_finite ? top / 127 : NAN;
    *sum = 0;
    for (size_t i = 0; i < group; i++) {
        const float inverse = top > 0 && is_finite ? 127 / top : 0, product = is_finite ? x[i] * inverse : 0;
        codes[i] = (int8_t)nearbyintf(product);
        *sum += codes[i];
    }
}

enum { GROUPS = 9, GROUP_MAX = 128 };

/* Each group another kind: random; with a tie between codes; zeros; tiny; with NaN; with infinity; huge. */
static void fill_group(float *x, size_t group, size_t kind, unsigned seed)
{
    for (size_t i = 0; i < group; i++) {
        seed = seed * 1664525U + 1013904223U;
        x[i] = ((float)(seed >> 8) / 0x1p23F - 1) * (kind == 6 ? 0x1p127F : 3);
        if (kind == 1) x[i] = (float)((int)(seed >> 16) % 254 - 127) / 2;
        if (kind == 2) x[i] = seed >> 31 ? 0.0F : -0.0F;
        if (kind == 3) x[i] *= 0x1p-140F;
        if (kind == 7) x[i] *= 0x1p-101F;
        if (kind == 8) x[i] *= 0x1p-99F;
    }
    if (kind == 1) x[group / 2] = -127;
    if (kind == 4) x[seed % group] = -NAN;
    if (kind == 5) x[seed % group] = -INFINITY;
}

static void expect_codes(const fp_narrow_variant *v, size_t group, unsigned seed)
{
    enum { MOST = GROUPS * GROUP_MAX };
    float x[MOST], scale[GROUPS + 1], plain_scale;
    int8_t codes[MOST + SLACK], plain[GROUP_MAX];
    int32_t sum[GROUPS + 1], plain_sum;
    for (size_t g = 0; g < GROUPS; g++) fill_group(x + g * group, group, g, seed + (unsigned)g);
    memset(codes, GUARD, sizeof codes);
    memset(scale, GUARD, sizeof scale);
    memset(sum, GUARD, sizeof sum);
    v->i8(codes, scale, sum, x, GROUPS * group, group);
    for (size_t g = 0; g < GROUPS; g++) {
        narrow_by_definition(plain, &plain_scale, &plain_sum, x + g * group, group);
        const char *isa = fp_isa_name(v->isa);
        ck_assert_msg(isnan(plain_scale) ? isnan(scale[g]) : to_bits(scale[g]) == to_bits(plain_scale),
                      "%s: scale of group %zu of %zu: %a, expected %a", isa, g, group, (double)scale[g],
                      (double)plain_scale);
        for (size_t i = 0; i < group; i++)
            ck_assert_msg(codes[g * group + i] == plain[i],
                          "%s: group %zu of %zu: x[%zu] is %a: %d, expected %d", isa, g, group, i,
                          (double)x[g * group + i], codes[g * group + i], plain[i]);
        ck_assert_int_eq(sum[g], plain_sum);
    }
    for (size_t i = 0; i < SLACK; i++) ck_assert_int_eq(codes[GROUPS * group + i], GUARD);
    ck_assert_uint_eq(to_bits(scale[GROUPS]), 0x5A5A5A5AU);
    ck_assert_int_eq(sum[GROUPS], 0x5A5A5A5A);
}

START_TEST(codes_are_the_nearest_ones)
{
    static const size_t groups[] = {16, 32, 64, 128};
    for (size_t v = 0; v < FP_N_NARROW; v++) {
        if (!fp_isa_runs_here(FP_NARROW[v].isa)) continue;
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
            for (unsigned seed = 1; seed <= 100; seed++) expect_codes(&FP_NARROW[v], groups[i], seed * 7919U);
    }
}
END_TEST

enum { LONG = 1024, LONG_ROWS = 40, CHAIN = 128 };

/* 1 and 2^-25s: added to 1 one by one they are rounded away, added to each other they are exact. */
static void expect_short_chains(const fp_matmul_variant *v, size_t n_rows)
{
    static uint16_t x[LONG_ROWS * LONG], stored[LONG];
    static _Alignas(ASSAY_ALIGNMENT) char panel[LONG * ASSAY_PANEL_MAX * 2];
    static float y[LONG_ROWS];
    for (size_t i = 0; i < LONG; i++) stored[i] = nearest_bf16(i == 0 ? 1 : 0x1p-13F);
    for (size_t i = 0; i < n_rows * LONG; i++) x[i] = nearest_bf16(i % LONG == 0 ? 1 : 0x1p-12F);
    const assay_weight rows = {.n_out = 1, .n_in = LONG, .dtype = ASSAY_BF16, .rows = stored, .stride = LONG};
    const assay_matrix w = {.n_out = 1,
                            .n_in = LONG,
                            .dtype = ASSAY_BF16,
                            .panel = v->bf16.panel,
                            .panel_bytes = v->bf16.panel_bytes(&rows),
                            .panels = panel};
    ck_assert_uint_le(w.panel_bytes, sizeof panel);
    v->bf16.pack(panel, &rows, 0);
    v->bf16.bf16(
        &(assay_product){.y = y, .ld_y = 1, .x = x, .ld_x = LONG, .n_rows = n_rows, .w = &w, .n_panels = 1});
    const double least = 1 + 0x1p-25 * (LONG - CHAIN);
    for (size_t r = 0; r < n_rows; r++)
        ck_assert_msg((double)y[r] >= least, "%s: row %zu of %zu: %a, expected %a at least",
                      fp_isa_name(v->isa), r, n_rows, (double)y[r], least);
}

/* A longer chain can exceed the bound of include/assay/kernel.h where its first term is its largest. */
START_TEST(no_more_than_128_products_of_bfloat16_are_added_to_each_other_one_by_one)
{
    for (size_t v = 0; v < FP_N_MATMUL; v++) {
        if (!fp_isa_runs_here(FP_MATMUL[v].isa)) continue;
        expect_short_chains(&FP_MATMUL[v], 1);
        expect_short_chains(&FP_MATMUL[v], LONG_ROWS);
    }
}
END_TEST

static bool has_kernels(fp_isa isa)
{
    for (size_t v = 0; v < FP_N_MATMUL; v++)
        if (FP_MATMUL[v].isa == isa) return true;
    return false;
}

START_TEST(there_are_kernels_for_every_set_that_is_required)
{
    const char *required = getenv("ASSAY_REQUIRE_ISA");
    char *names = strdup(required ? required : ""), *rest = NULL;
    ck_assert_ptr_nonnull(names);
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        size_t isa = 0;
        while (isa < FP_N_ISAS && strcmp(name, fp_isa_name((fp_isa)isa)) != 0) isa++;
        ck_assert_msg(isa < FP_N_ISAS && has_kernels((fp_isa)isa),
                      "ASSAY_REQUIRE_ISA: this build has no kernels for \"%s\"", name);
    }
    free(names);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/narrow");
    TCase *tc = tcase_create("narrow");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, bfloat16_is_the_nearest_one);
    tcase_add_test(tc, codes_are_the_nearest_ones);
    tcase_add_test(tc, no_more_than_128_products_of_bfloat16_are_added_to_each_other_one_by_one);
    tcase_add_test(tc, there_are_kernels_for_every_set_that_is_required);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}

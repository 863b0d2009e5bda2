/* The published types of 8-bit codes, on rows whose codes are known.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>

#include "fastpath/kernels/kernels.h"

enum { N = 512, BLOCKS = N / 32 };

static int8_t codes[N];
static float scale[BLOCKS], excess[BLOCKS];
static int32_t sum[BLOCKS];

/* With every variant of the conversion that a type may use. */
static void convert(const char *type, const float *x, size_t n, size_t variant)
{
    fp_coded_find(type)->convert(codes, scale, sum, excess, x, n, FP_NARROW[variant].i8);
}

static size_t n_variants(void)
{
    size_t n = 0;
    while (n < FP_N_NARROW && !fp_isa_runs_here(FP_NARROW[n].isa)) n++;
    return FP_N_NARROW - n;
}

/* Counts from the scalar variant, which runs everywhere. */
#define EACH_VARIANT(v) for (size_t v = FP_N_NARROW - n_variants(); v < FP_N_NARROW; v++)

START_TEST(q8_0_divides_by_127_and_rounds_its_scale_to_float16)
{
    float x[64] = {0};
    x[0] = -127 * 1.0001F; /* a scale of 1.0001 becomes 1 in float16 */
    x[1] = 2.5F * 1.0001F; /* a tie, to even */
    x[2] = 64;
    EACH_VARIANT(v)
    {
        convert("q8_0", x, 64, v);
        ck_assert_int_eq(codes[0], -127);
        ck_assert_int_eq(codes[2], 64);
        ck_assert(codes[1] == 2 || codes[1] == 3); /* 2.5 up to rounding of the quotient */
        ck_assert_float_eq(scale[0], 1);
        ck_assert_int_eq(sum[0], codes[0] + codes[1] + codes[2]);
        ck_assert_float_eq(scale[1], 0);
        ck_assert_float_eq(excess[0], 0);
    }
}
END_TEST

START_TEST(q8_1_has_the_sum_of_the_scale_before_its_rounding)
{
    float x[32];
    for (size_t i = 0; i < 32; i++) x[i] = 127 * 1.0001F;
    EACH_VARIANT(v)
    {
        convert("q8_1", x, 32, v);
        ck_assert_float_eq(scale[0], 1);
        ck_assert_int_eq(sum[0], 32 * 127);
        /* 4064.41 is between 4064 and 4066 in float16 */
        ck_assert_float_eq(excess[0], 0);
    }
    for (size_t i = 0; i < 32; i++) x[i] = 127 * 1.0003F;
    EACH_VARIANT(v)
    {
        convert("q8_1", x, 32, v);
        ck_assert_float_eq(scale[0], 1);
        ck_assert_float_eq(excess[0], 2); /* 4065.22 becomes 4066 */
    }
}
END_TEST

START_TEST(q8_k_gives_the_largest_of_256_the_code_minus_127)
{
    float x[512] = {0};
    x[255] = 254;
    x[254] = -254; /* as large, but later ones are not taken: the first is */
    x[0] = 5;      /* -2.5: a tie, to even */
    x[1] = 6;
    x[256] = 1;
    convert("q8_K", x, 512, FP_N_NARROW - 1);
    ck_assert_float_eq(scale[0], 2);
    ck_assert_int_eq(codes[254], -127);
    ck_assert_int_eq(codes[255], 127);
    ck_assert_int_eq(codes[0], 2);
    ck_assert_int_eq(codes[1], 3);
    ck_assert_int_eq(sum[0], 5);
    ck_assert_int_eq(codes[256], -127);
    ck_assert_float_eq(scale[1], 1 / (-127 / x[256]));
}
END_TEST

START_TEST(int8_token_has_one_scale_for_a_row_and_128_negative_codes)
{
    float x[48] = {0};
    x[0] = -255;
    x[1] = 255;
    x[40] = 3; /* 1.5: a tie, to even */
    x[41] = 5;
    convert("int8-token", x, 48, FP_N_NARROW - 1);
    ck_assert_float_eq(scale[0], 2);
    ck_assert_int_eq(codes[0], -128);
    ck_assert_int_eq(codes[1], 127);
    ck_assert_int_eq(codes[40], 2);
    ck_assert_int_eq(codes[41], 2);
    ck_assert_int_eq(sum[0], 3);
}
END_TEST

START_TEST(nan_and_infinity_stay_and_zeros_have_no_scale)
{
    static const char *const types[] = {"q8_0", "q8_1", "q8_K", "int8-token"};
    static const float strange[] = {NAN, INFINITY, -INFINITY};
    for (size_t t = 0; t < 4; t++)
        for (size_t s = 0; s < 3; s++) {
            float x[256] = {1, 2, 3};
            x[17] = strange[s];
            convert(types[t], x, 256, FP_N_NARROW - 1);
            ck_assert(!isfinite(scale[0]));
        }
    for (size_t t = 0; t < 4; t++) {
        static const float x[256] = {0};
        convert(types[t], x, 256, FP_N_NARROW - 1);
        ck_assert_float_eq(scale[0], 0);
        ck_assert_int_eq(codes[0], 0);
        ck_assert_int_eq(sum[0], 0);
    }
}
END_TEST

START_TEST(a_scale_too_small_for_a_float_gives_zeros)
{
    float x[256] = {0x1p-149F, -0x1p-149F};
    convert("q8_K", x, 256, FP_N_NARROW - 1);
    ck_assert_float_eq(scale[0] * codes[0], 0);
    convert("int8-token", x, 256, FP_N_NARROW - 1);
    ck_assert_float_eq(scale[0] * codes[0], 0);
}
END_TEST

START_TEST(float16_and_bfloat16_have_no_codes)
{
    float y[2];
    ck_assert_ptr_null((void *)(uintptr_t)fp_coded_find("f16")->convert);
    fp_coded_round(y, (const float[]){1 + 0x1p-11F, 1 + 0x3p-11F}, 2, ASSAY_F16);
    ck_assert_float_eq(y[0], 1);
    ck_assert_float_eq(y[1], 1 + 0x1p-9F);
    ck_assert_int_eq(fp_coded_find("bf16")->rounded, ASSAY_BF16);
    ck_assert_ptr_null(fp_coded_find("f32"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/coded");
    TCase *tc = tcase_create("coded");
    tcase_add_test(tc, q8_0_divides_by_127_and_rounds_its_scale_to_float16);
    tcase_add_test(tc, q8_1_has_the_sum_of_the_scale_before_its_rounding);
    tcase_add_test(tc, q8_k_gives_the_largest_of_256_the_code_minus_127);
    tcase_add_test(tc, int8_token_has_one_scale_for_a_row_and_128_negative_codes);
    tcase_add_test(tc, nan_and_infinity_stay_and_zeros_have_no_scale);
    tcase_add_test(tc, a_scale_too_small_for_a_float_gives_zeros);
    tcase_add_test(tc, float16_and_bfloat16_have_no_codes);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}

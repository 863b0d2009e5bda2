/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dtype.h"

#include "base/tests/support.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define N_PATTERNS 65536U

/* The value of a 16-bit float with n_fraction fraction bits, computed from the definition. NaN for a NaN. */
static double defined_value(uint32_t bits, int n_fraction)
{
    const int n_exponent = 15 - n_fraction;
    const int bias = (1 << (n_exponent - 1)) - 1;
    const int exponent = (int)(bits >> n_fraction) & ((1 << n_exponent) - 1);
    const int fraction = (int)bits & ((1 << n_fraction) - 1);
    double magnitude;
    if (exponent == (1 << n_exponent) - 1) magnitude = fraction == 0 ? (double)INFINITY : (double)NAN;
    else if (exponent == 0) magnitude = ldexp(fraction, 1 - bias - n_fraction);
    else magnitude = ldexp((1 << n_fraction) + fraction, exponent - bias - n_fraction);
    return bits & 0x8000U ? -magnitude : magnitude;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void expect_value(float value, double expected, uint32_t pattern)
{
    if (isnan(expected)) ck_assert_msg(isnan(value), "0x%04x is %a, expected NaN", pattern, (double)value);
    else
        ck_assert_msg((double)value == expected && !signbit(value) == !signbit(expected),
                      "0x%04x is %a, expected %a", pattern, (double)value, expected);
}

START_TEST(every_f16_pattern_has_its_exact_value)
{
    for (uint32_t i = 0; i < N_PATTERNS; i++)
        expect_value(dtype_f16_to_f32((uint16_t)i), defined_value(i, 10), i);
}
END_TEST

START_TEST(every_bf16_pattern_has_its_exact_value)
{
    for (uint32_t i = 0; i < N_PATTERNS; i++)
        expect_value(dtype_bf16_to_f32((uint16_t)i), defined_value(i, 7), i);
}
END_TEST

/* Checks that every value of a 16-bit type round-trips, and that ties round to even. */
static void expect_nearest(assay_dtype dtype, int n_fraction)
{
    uint32_t n_finite = ((1U << (15 - n_fraction)) - 1) << n_fraction;
    for (uint32_t i = 0; i < N_PATTERNS; i++) {
        uint16_t bits;
        double value = defined_value(i, n_fraction);
        dtype_from_f64(&bits, &value, dtype, 1);
        if (isnan(value)) {
            float back = dtype == ASSAY_F16 ? dtype_f16_to_f32(bits) : dtype_bf16_to_f32(bits);
            ck_assert_msg(isnan(back), "NaN became 0x%04x", bits);
            continue;
        }
        ck_assert_msg(bits == i, "0x%04x became 0x%04x", i, bits);
        uint32_t low = i & 0x7fffU;
        if (low + 1 >= n_finite) continue;
        double next = defined_value(i + 1, n_fraction), half = value + (next - value) / 2;
        dtype_from_f64(&bits, &half, dtype, 1);
        ck_assert_msg(bits == i + (i & 1), "%a became 0x%04x", half, bits);
        half = nextafter(half, next);
        dtype_from_f64(&bits, &half, dtype, 1);
        ck_assert_msg(bits == i + 1, "%a became 0x%04x", half, bits);
    }
    const double large[] = {0x1p128, -0x1p128};
    uint16_t bits[2];
    dtype_from_f64(bits, large, dtype, 2);
    ck_assert_uint_eq(bits[0], n_finite);
    ck_assert_uint_eq(bits[1], n_finite | 0x8000U);
}

START_TEST(numbers_round_to_the_nearest_of_16_bits)
{
    expect_nearest(ASSAY_F16, 10);
    expect_nearest(ASSAY_BF16, 7);
}
END_TEST

START_TEST(numbers_convert_to_unaligned_wider_types)
{
    const double value[] = {1 + 0x1p-30, -3};
    char bytes[17];
    double wide[2];
    float narrow[2];
    dtype_from_f64(bytes + 1, value, ASSAY_F64, 2);
    memcpy(wide, bytes + 1, sizeof wide);
    ck_assert(wide[0] == value[0] && wide[1] == value[1]);
    dtype_from_f64(bytes + 1, value, ASSAY_F32, 2);
    memcpy(narrow, bytes + 1, sizeof narrow);
    ck_assert(narrow[0] == 1 && narrow[1] == -3);
}
END_TEST

START_TEST(published_f16_values_are_reproduced)
{
    ck_assert(dtype_f16_to_f32(0x3c00) == 1.0F);
    ck_assert(dtype_f16_to_f32(0x3555) == 0.333251953125F);
    ck_assert(dtype_f16_to_f32(0x7bff) == 65504.0F);
    ck_assert(dtype_f16_to_f32(0x0001) == 0x1p-24F);
    ck_assert(dtype_f16_to_f32(0x03ff) == 0x1.ff8p-15F);
    ck_assert(dtype_f16_to_f32(0x0400) == 0x1p-14F);
    ck_assert_uint_eq(bits_of(dtype_f16_to_f32(0x8000)), 0x80000000U);
}
END_TEST

START_TEST(nan_payloads_and_signs_are_kept)
{
    ck_assert_uint_eq(bits_of(dtype_f16_to_f32(0x7e01)), 0x7fc02000U);
    ck_assert_uint_eq(bits_of(dtype_f16_to_f32(0xfeab)), 0xffd56000U);
    ck_assert_uint_eq(bits_of(dtype_bf16_to_f32(0x7fc1)), 0x7fc10000U);
    ck_assert_uint_eq(bits_of(dtype_bf16_to_f32(0xffff)), 0xffff0000U);
}
END_TEST

START_TEST(arrays_of_16_bits_convert_from_unaligned_bytes)
{
    static unsigned char bytes[2 * N_PATTERNS + 1];
    static float narrow[N_PATTERNS];
    static double wide[N_PATTERNS];
    static const assay_dtype TYPES[] = {ASSAY_F16, ASSAY_BF16};
    for (uint32_t i = 0; i < N_PATTERNS; i++) {
        const uint16_t bits = (uint16_t)i;
        memcpy(bytes + 1 + 2 * i, &bits, sizeof bits);
    }
    for (size_t t = 0; t < 2; t++) {
        dtype_to_f32(narrow, bytes + 1, TYPES[t], N_PATTERNS);
        dtype_to_f64(wide, bytes + 1, TYPES[t], N_PATTERNS);
        for (uint32_t i = 0; i < N_PATTERNS; i++) {
            const double expected = defined_value(i, t == 0 ? 10 : 7);
            expect_value(narrow[i], expected, i);
            ck_assert(isnan(expected) ? isnan(wide[i]) : wide[i] == expected);
        }
    }
}
END_TEST

/* Values enough for whole vectors and a rest. */
enum { N_VALUES = 21 };

START_TEST(f32_and_f64_arrays_convert_from_unaligned_bytes)
{
    const float some_narrow[] = {0.0F, -1.5F, 0x1p-149F, 0x1.fffffep127F, INFINITY};
    const double some_wide[] = {0.1, -1.5, 0x1p-149, 1e300, 0x1.000001p0};
    float narrow[N_VALUES], f32[N_VALUES];
    double wide[N_VALUES], f64[N_VALUES];
    unsigned char bytes[1 + sizeof wide];

    for (size_t i = 0; i < N_VALUES; i++) {
        narrow[i] = some_narrow[i % 5] * (float)(i + 1);
        wide[i] = some_wide[i % 5] * (double)(i + 1);
    }
    memcpy(bytes + 1, narrow, sizeof narrow);
    dtype_to_f32(f32, bytes + 1, ASSAY_F32, N_VALUES);
    dtype_to_f64(f64, bytes + 1, ASSAY_F32, N_VALUES);
    for (size_t i = 0; i < N_VALUES; i++) {
        ck_assert(f32[i] == narrow[i]);
        ck_assert(f64[i] == (double)narrow[i]);
    }
    memcpy(bytes + 1, wide, sizeof wide);
    dtype_to_f64(f64, bytes + 1, ASSAY_F64, N_VALUES);
    for (size_t i = 0; i < N_VALUES; i++) ck_assert(f64[i] == wide[i]);
}
END_TEST

START_TEST(f64_rounds_to_the_nearest_float)
{
    const double wide[] = {0.1, 1e300, -1e300, 0x1.000001p0, 0x1.000003p0, 0x1p-150};
    const float expected[] = {0.1F, INFINITY, -INFINITY, 1.0F, 0x1.000004p0F, 0.0F};
    double many[N_VALUES];
    float narrow[N_VALUES];
    for (size_t i = 0; i < N_VALUES; i++) many[i] = wide[i % 6];
    dtype_to_f32(narrow, many, ASSAY_F64, N_VALUES);
    for (size_t i = 0; i < N_VALUES; i++) ck_assert(narrow[i] == expected[i % 6]);
}
END_TEST

START_TEST(converting_no_elements_writes_nothing)
{
    static const assay_dtype TYPES[] = {ASSAY_F64, ASSAY_F32, ASSAY_F16, ASSAY_BF16};
    float narrow = 7.0F;
    double wide = 7.0;
    for (size_t i = 0; i < 4; i++) {
        dtype_to_f32(&narrow, NULL, TYPES[i], 0);
        dtype_to_f64(&wide, NULL, TYPES[i], 0);
    }
    ck_assert(narrow == 7.0F && wide == 7.0);
}
END_TEST

START_TEST(every_type_has_its_published_name_and_size)
{
    static const struct {
        assay_dtype dtype;
        const char *name;
        size_t size;
        bool is_float;
    } ROWS[] = {
        {ASSAY_DTYPE_NONE, "NONE", 0, false}, {ASSAY_F64, "F64", 8, true},
        {ASSAY_F32, "F32", 4, true},          {ASSAY_F16, "F16", 2, true},
        {ASSAY_BF16, "BF16", 2, true},        {ASSAY_I64, "I64", 8, false},
        {ASSAY_I32, "I32", 4, false},         {ASSAY_I16, "I16", 2, false},
        {ASSAY_I8, "I8", 1, false},           {ASSAY_U64, "U64", 8, false},
        {ASSAY_U32, "U32", 4, false},         {ASSAY_U16, "U16", 2, false},
        {ASSAY_U8, "U8", 1, false},           {ASSAY_BOOL, "BOOL", 1, false},
        {ASSAY_F8_E4M3, "F8_E4M3", 1, false}, {ASSAY_F8_E5M2, "F8_E5M2", 1, false},
        {ASSAY_F8_E8M0, "F8_E8M0", 1, false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const assay_dtype dtype = ROWS[i].dtype;
        ck_assert_str_eq(dtype_name(dtype), ROWS[i].name);
        ck_assert_uint_eq(dtype_size(dtype), ROWS[i].size);
        ck_assert(dtype_is_float(dtype) == ROWS[i].is_float);
        ck_assert_int_eq(dtype_from_name(ROWS[i].name, strlen(ROWS[i].name)), dtype);
    }
}
END_TEST

/* Arrays of every length, of which the last numbers are converted one by one. */
START_TEST(arrays_of_every_length_are_widened)
{
    enum { MOST = 40 };
    char stored[1 + MOST * sizeof(float)] = {0};
    for (size_t n = 0; n <= MOST; n++) {
        double wide[MOST + 1];
        wide[n] = -1;
        for (size_t i = 0; i < n; i++) {
            const float value = (float)(i + 1) * 0x1.01p-3F;
            memcpy(stored + 1 + i * sizeof value, &value, sizeof value);
        }
        dtype_to_f64(wide, stored + 1, ASSAY_F32, n);
        for (size_t i = 0; i < n; i++) ck_assert(wide[i] == (double)((float)(i + 1) * 0x1.01p-3F));
        ck_assert(wide[n] == -1);
        for (size_t i = 0; i < n; i++) {
            const uint16_t bits = (uint16_t)(0x3f80 + 3 * i);
            memcpy(stored + 1 + i * sizeof bits, &bits, sizeof bits);
        }
        dtype_to_f64(wide, stored + 1, ASSAY_BF16, n);
        for (size_t i = 0; i < n; i++)
            ck_assert(wide[i] == (double)dtype_bf16_to_f32((uint16_t)(0x3f80 + 3 * i)));
        ck_assert(wide[n] == -1);
    }
}
END_TEST

START_TEST(unknown_names_have_no_type)
{
    static const char *const NAMES[] = {"", "F", "F3", "F322", "f32", "NONE", "F8_E4M3FN", "BOOL "};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        ck_assert_int_eq(dtype_from_name(NAMES[i], strlen(NAMES[i])), ASSAY_DTYPE_NONE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/dtype");
    TCase *tc = tcase_create("dtype");
    tcase_add_test(tc, every_f16_pattern_has_its_exact_value);
    tcase_add_test(tc, every_bf16_pattern_has_its_exact_value);
    tcase_add_test(tc, published_f16_values_are_reproduced);
    tcase_add_test(tc, numbers_round_to_the_nearest_of_16_bits);
    tcase_add_test(tc, numbers_convert_to_unaligned_wider_types);
    tcase_add_test(tc, nan_payloads_and_signs_are_kept);
    tcase_add_test(tc, arrays_of_16_bits_convert_from_unaligned_bytes);
    tcase_add_test(tc, f32_and_f64_arrays_convert_from_unaligned_bytes);
    tcase_add_test(tc, arrays_of_every_length_are_widened);
    tcase_add_test(tc, f64_rounds_to_the_nearest_float);
    tcase_add_test(tc, converting_no_elements_writes_nothing);
    tcase_add_test(tc, every_type_has_its_published_name_and_size);
    tcase_add_test(tc, unknown_names_have_no_type);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}

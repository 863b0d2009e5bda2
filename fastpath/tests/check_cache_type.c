/* Types of caches: codes that are known, all codes of bytes, and pages of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/cache/keys.h"

enum { HEAD = 64, HEADS = 2 };

/* x as the type keeps it. */
static void keep(const char *name, const float *x, size_t n, float *y)
{
    const fp_cache_type *type = fp_cache_type_find(name);
    unsigned char *bytes = malloc(type->bytes(n)); /* exact, for a sanitizer */
    ck_assert_ptr_nonnull(bytes);
    type->put(bytes, x, n);
    type->take(y, 1, bytes, n);
    free(bytes);
}

static float keep_one(const char *name, float x)
{
    float y;
    keep(name, &x, 1, &y);
    return y;
}

START_TEST(floats_are_rounded_to_the_nearest_and_limited)
{
    static const struct {
        const char *type;
        float x, y;
    } KNOWN[] = {{"f16", 1 + 0x1p-11F, 1},
                 {"bf16", 1 + 0x3p-8F, 1 + 0x1p-6F},
                 {"fp8_e4m3", 1.0625F, 1},
                 {"fp8_e4m3", 1.1875F, 1.25F},
                 {"fp8_e4m3", 500, 448},
                 {"fp8_e4m3", -1e30F, -448},
                 {"fp8_e4m3", 0x1p-10F, 0},
                 {"fp8_e4m3", 0x3p-10F, 0x2p-9F},
                 {"fp8_e4m3", 0x1p-9F, 0x1p-9F},
                 {"fp8_e4m3", 15.5F, 16},
                 {"fp8_e4m3", 0x1.fp-7F, 0x1p-6F},
                 {"fp8_e5m2", 1.125F, 1},
                 {"fp8_e5m2", 1.375F, 1.5F},
                 {"fp8_e5m2", 1e9F, 57344},
                 {"fp8_e5m2", 0x1p-16F, 0x1p-16F},
                 {"fp8_e5m2", 0x1p-17F, 0},
                 {"fp8_e5m2", -0x3p-17F, -0x1p-15F}};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        ck_assert_msg(keep_one(KNOWN[i].type, KNOWN[i].x) == KNOWN[i].y, "%s of %a: %a", KNOWN[i].type,
                      (double)KNOWN[i].x, (double)keep_one(KNOWN[i].type, KNOWN[i].x));
}
END_TEST

START_TEST(every_byte_is_kept_as_it_is)
{
    static const char *const types[] = {"fp8_e4m3", "fp8_e5m2"};
    for (size_t t = 0; t < 2; t++)
        for (int code = 0; code < 256; code++) {
            const fp_cache_type *type = fp_cache_type_find(types[t]);
            const uint8_t byte = (uint8_t)code;
            uint8_t again;
            float x;
            type->take(&x, 1, &byte, 1);
            type->put(&again, &x, 1);
            if (isnan(x)) ck_assert_int_eq(again & 0x7f, 0x7f);
            else ck_assert_uint_eq(again, byte);
        }
}
END_TEST

START_TEST(codes_have_a_scale_for_a_head_or_a_block)
{
    float x[HEAD] = {0}, y[HEAD];
    x[0] = -254;
    x[1] = 5; /* 2.5: a tie, to even */
    x[40] = 127;
    x[41] = 1.5F;
    keep("int8", x, HEAD, y);
    ck_assert(y[0] == -254 && y[1] == 4 && y[40] == 128 && y[41] == 2);
    keep("q8_0", x, HEAD, y); /* the second block has a scale of its own */
    ck_assert(y[0] == -254 && y[1] == 4 && y[40] == 127 && y[41] == 2);
    x[0] = 16; /* a scale of -2 */
    x[1] = -14;
    x[2] = -15.5F; /* would be 8 */
    x[18] = 3;
    x[40] = -8; /* a scale of 1 */
    x[41] = 6.5F;
    keep("q4_0", x, HEAD, y);
    ck_assert(y[0] == 16 && y[1] == -14 && y[2] == -14 && y[18] == 2);
    ck_assert(y[40] == -8 && y[41] == 7 && y[63] == 0);
}
END_TEST

START_TEST(nan_stays_and_zeros_are_zeros)
{
    for (size_t i = 0; FP_CACHE_TYPES[i]; i++) {
        float x[HEAD] = {0}, y[HEAD];
        keep(FP_CACHE_TYPES[i], x, HEAD, y);
        for (size_t k = 0; k < HEAD; k++) ck_assert(y[k] == 0);
        x[3] = NAN;
        keep(FP_CACHE_TYPES[i], x, HEAD, y);
        ck_assert(isnan(y[3]));
    }
    ck_assert_ptr_null(fp_cache_type_find("f32"));
}
END_TEST

/* Keys and values of each position are other numbers. */
static float number(size_t position, size_t i)
{
    return sinf((float)(position * 131 + i * 7)) * (float)(1 + position % 5);
}

START_TEST(pages_are_widened_into_the_layouts_of_attention)
{
    for (size_t t = 0; FP_CACHE_TYPES[t]; t++) {
        const fp_keys keys = {HEADS, HEAD, NULL, fp_cache_type_find(FP_CACHE_TYPES[t])},
                      plain = {HEADS, HEAD, NULL, NULL};
        const size_t bytes = fp_keys_bytes(&keys);
        unsigned char *page = malloc(2 * HEADS * bytes);
        float *wide = malloc(HEAD * ASSAY_PAGE * sizeof *wide), row[HEADS * HEAD], kept[HEAD];
        ck_assert(page && wide && bytes * 9 <= fp_keys_bytes(&plain) * 5);
        for (size_t j = 0; j < ASSAY_PAGE; j++) {
            for (size_t i = 0; i < HEADS * HEAD; i++) row[i] = number(j, i);
            fp_keys_put(&keys, page, j, 1, row, row);
        }
        for (size_t h = 0; h < 2 * HEADS; h++) {
            const void *const pages[] = {NULL, page + h * bytes};
            const bool is_values = h % 2 == 1;
            fp_keys_widen(&(fp_widening){&keys, pages, 1, is_values, wide});
            for (size_t j = 0; j < ASSAY_PAGE; j++) {
                for (size_t i = 0; i < HEAD; i++) row[i] = number(j, h / 2 * HEAD + i);
                keep(FP_CACHE_TYPES[t], row, HEAD, kept);
                for (size_t i = 0; i < HEAD; i++)
                    ck_assert(wide[is_values ? j * HEAD + i : i * ASSAY_PAGE + j] == kept[i]);
            }
        }
        free(page);
        free(wide);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/cache_type");
    TCase *tc = tcase_create("cache_type");
    tcase_add_test(tc, floats_are_rounded_to_the_nearest_and_limited);
    tcase_add_test(tc, every_byte_is_kept_as_it_is);
    tcase_add_test(tc, codes_have_a_scale_for_a_head_or_a_block);
    tcase_add_test(tc, nan_stays_and_zeros_are_zeros);
    tcase_add_test(tc, pages_are_widened_into_the_layouts_of_attention);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}

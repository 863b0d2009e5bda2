/* MLX's affine groups against what mlx itself makes of them: model/numerics/tests/vectors/affine.safetensors,
 * which scripts/record/affine_vectors.py wrote.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/affine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/checkpoint/safetensors.h"
#include "model/numerics/stored.h"

static const struct vector {
    size_t bits, group;
} VECTORS[] = {
    {2, 32}, {2, 64}, {2, 128}, {3, 32}, {3, 64}, {3, 128}, {4, 32}, {4, 64}, {4, 128},
    {5, 32}, {5, 64}, {5, 128}, {6, 32}, {6, 64}, {6, 128}, {8, 32}, {8, 64}, {8, 128},
};
enum { N_VECTORS = sizeof VECTORS / sizeof *VECTORS };

static safetensors *open_vectors(void)
{
    const char *top = getenv("top_srcdir");
    char *path = NULL;
    safetensors *file = NULL;
    assay_error err = {0};
    ck_assert_int_ge(
        asprintf(&path, "%s/lib/model/numerics/tests/vectors/affine.safetensors", top ? top : "."), 0);
    ck_assert_msg(safetensors_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    free(path);
    return file;
}

static const assay_tensor *part(const safetensors *file, const struct vector *v, const char *name)
{
    char full[64];
    (void)snprintf(full, sizeof full, "b%zu.g%zu.%s", v->bits, v->group, name);
    for (size_t i = 0; i < safetensors_count(file); i++)
        if (strcmp(safetensors_at(file, i)->name, full) == 0) return safetensors_at(file, i);
    ck_abort_msg("no %s", full);
    return NULL;
}

/* The numbers that mlx.core.dequantize gives differ only by the rounding of float32. */
static void expect_values(const double *found, const uint8_t *code, const affine *a, const float *values,
                          size_t first, double bias)
{
    for (size_t i = 0; i < a->group; i++) {
        const double expected = (double)values[first + i];
        const double terms = fmax(fabs(found[i]), fabs(bias));
        ck_assert_msg(fabs(found[i] - expected) <= 0x1p-22 * terms,
                      "%zu bits in groups of %zu, element %zu (code %u): %.9g, mlx has %.9g", a->bits,
                      a->group, first + i, (unsigned)code[first + i], found[i], expected);
    }
}

/* The numbers of group g of row r of a matrix of cols columns. out: [group]. */
static void widen(double *out, const affine *a, const void *codes, size_t cols, size_t r, size_t g)
{
    layout_list *all = layouts_open();
    assay_stored s;
    ck_assert(all && stored_of_affine(all, a, codes, r + 1, cols, &s));
    for (size_t k = 0; k < a->group; k += STORED_BLOCK) {
        const size_t left = a->group - k, n = left < STORED_BLOCK ? left : STORED_BLOCK;
        stored_block(&s, r, 1, g * a->group + k, n, out + k, n);
    }
    layouts_free(all);
}

START_TEST(codes_and_numbers_are_those_of_mlx)
{
    const struct vector *v = &VECTORS[_i];
    safetensors *file = open_vectors();
    const assay_tensor *weight = part(file, v, "weight"), *scales = part(file, v, "scales"),
                       *biases = part(file, v, "biases"), *codes = part(file, v, "codes");
    const size_t rows = codes->shape[0], cols = codes->shape[1], n_groups = cols / v->group;
    const uint8_t *expected = codes->data;
    float *values = malloc(rows * cols * sizeof *values);
    uint8_t *row = malloc(cols);
    double wide[AFFINE_GROUP_MAX];
    affine a = {v->bits, v->group, scales->data, biases->data, scales->dtype, biases->dtype};
    ck_assert(values && row && affine_knows_bits(v->bits) && affine_knows_group(v->group));
    ck_assert_uint_eq(weight->shape[1], affine_words(cols, v->bits));
    memcpy(values, part(file, v, "values")->data, rows * cols * sizeof *values);
    for (size_t r = 0; r < rows; r++) {
        affine_codes(row, (const char *)weight->data + r * affine_words(cols, v->bits) * 4, v->bits, 0, cols);
        ck_assert_mem_eq(row, expected + r * cols, cols);
        for (size_t g = 0; g < n_groups; g++) {
            widen(wide, &a, weight->data, cols, r, g);
            expect_values(wide, expected, &a, values, r * cols + g * v->group,
                          affine_number(a.biases, a.bias_dtype, r * n_groups + g));
        }
    }
    free(values);
    free(row);
    safetensors_free(file);
}
END_TEST

/* Every code of every width, one after the other; read from any place. */
START_TEST(a_code_is_read_at_any_bit_offset)
{
    static const size_t BITS[] = {2, 3, 4, 5, 6, 8};
    const size_t bits = BITS[_i], n = 256;
    unsigned char stream[256] = {0};
    uint8_t code;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < bits; k++)
            if (i >> k & 1U) stream[(i * bits + k) / 8] |= (unsigned char)(1U << (i * bits + k) % 8);
    for (size_t i = 0; i < n; i++) {
        affine_codes(&code, stream, bits, i, 1);
        ck_assert_uint_eq(code, i & ((1U << bits) - 1));
    }
}
END_TEST

START_TEST(a_number_is_scale_times_code_plus_bias_in_double)
{
    const float scale[2] = {0x1.000002p-3F, -3}, bias[2] = {0x1p-30F, 0x1.8p4F};
    unsigned char codes[64];
    double wide[AFFINE_GROUP_MAX];
    for (size_t i = 0; i < sizeof codes; i++) codes[i] = (unsigned char)(255 - i);
    const affine a = {8, 32, scale, bias, ASSAY_F32, ASSAY_F32};
    widen(wide, &a, codes, 64, 0, 0);
    ck_assert(wide[0] == 0x1.000002p-3 * 255 + 0x1p-30 && wide[31] == 0x1.000002p-3 * 224 + 0x1p-30);
    widen(wide, &a, codes, 64, 0, 1);
    ck_assert(wide[0] == -3.0 * 223 + 24 && wide[31] == -3.0 * 192 + 24);
    widen(wide, &a, codes, 32, 1, 0); /* the same as two rows of one group */
    ck_assert(wide[0] == -3.0 * 223 + 24);
}
END_TEST

START_TEST(scales_and_biases_may_be_of_different_types)
{
    const uint16_t half[1] = {0x3c00}, brain[1] = {0x4000}; /* 1 and 2 */
    unsigned char codes[16] = {0x21};
    double wide[AFFINE_GROUP_MAX];
    widen(wide, &(affine){4, 32, half, brain, ASSAY_F16, ASSAY_BF16}, codes, 32, 0, 0);
    ck_assert(wide[0] == 3 && wide[1] == 4 && wide[2] == 2);
}
END_TEST

START_TEST(only_the_widths_and_groups_of_mlx_are_known)
{
    for (size_t n = 0; n < 300; n++) {
        ck_assert_int_eq(affine_knows_bits(n), n == 2 || n == 3 || n == 4 || n == 5 || n == 6 || n == 8);
        ck_assert_int_eq(affine_knows_group(n), n == 32 || n == 64 || n == 128);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/numerics/affine");
    TCase *all = tcase_create("groups");
    tcase_add_loop_test(all, codes_and_numbers_are_those_of_mlx, 0, N_VECTORS);
    tcase_add_loop_test(all, a_code_is_read_at_any_bit_offset, 0, 6);
    tcase_add_test(all, a_number_is_scale_times_code_plus_bias_in_double);
    tcase_add_test(all, scales_and_biases_may_be_of_different_types);
    tcase_add_test(all, only_the_widths_and_groups_of_mlx_are_known);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

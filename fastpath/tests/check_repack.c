/* Products with repacked blocks of GGUF's types, by every variant that runs here: scales and inputs are small
 * integers, so that results are exact.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/stored/repack.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/tests/support.h"
#include "fastpath/kernels/matmul/panels.h"
#include "fastpath/pack.h"
#include "model/formats/blocks.h"
#include "model/numerics/stored.h"

static assay_error err;

/* Types, and the bits and groups of their panels; bits 0: float32. */
static const struct repacked {
    const char *type;
    size_t bits, group;
} TYPES[] = {
    {"Q4_0", 4, 32},   {"Q4_1", 4, 32},   {"Q5_0", 5, 32},  {"Q5_1", 5, 32},  {"Q8_0", 8, 32},
    {"Q2_K", 2, 16},   {"Q3_K", 4, 16},   {"Q4_K", 4, 32},  {"Q5_K", 5, 32},  {"Q6_K", 6, 16},
    {"IQ4_NL", 8, 32}, {"IQ4_XS", 8, 32}, {"MXFP4", 5, 32}, {"NVFP4", 6, 16}, {"TQ2_0", 2, 128},
    {"Q1_0", 2, 128},  {"Q2_0", 2, 64},
};
enum { N_TYPES = sizeof TYPES / sizeof *TYPES, ROWS = 35, COLS = 512, TOKENS = 7 };

static const gguf_type *find_type(const char *name)
{
    size_t n;
    const gguf_type *all = gguf_types(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    ck_abort_msg("no type %s", name);
    return NULL;
}

/* The byte that a type's blocks begin or end with: binary16 scales of 1 or 2, exponents near 1. */
static void set_scales(const gguf_type *type, unsigned char *block)
{
    static const struct {
        const char *type;
        int byte[2]; /* of binary16; -1: none */
    } HALVES[] = {{"Q4_0", {0, -1}},   {"Q4_1", {0, 2}},    {"Q5_0", {0, -1}},   {"Q5_1", {0, 2}},
                  {"Q8_0", {0, -1}},   {"Q2_K", {80, 82}},  {"Q3_K", {108, -1}}, {"Q4_K", {0, 2}},
                  {"Q5_K", {0, 2}},    {"Q6_K", {208, -1}}, {"IQ4_NL", {0, -1}}, {"IQ4_XS", {0, -1}},
                  {"TQ2_0", {64, -1}}, {"Q1_0", {0, -1}},   {"Q2_0", {0, -1}}};
    for (size_t i = 0; i < sizeof HALVES / sizeof *HALVES; i++)
        for (size_t k = 0; strcmp(HALVES[i].type, type->name) == 0 && k < 2; k++)
            if (HALVES[i].byte[k] >= 0) memcpy(block + HALVES[i].byte[k], (const uint8_t[]){0x00, 0x3c}, 2);
    if (strcmp(type->name, "MXFP4") == 0) block[0] = (unsigned char)(128 + block[0] % 2); /* 2 or 4 */
    if (strcmp(type->name, "NVFP4") == 0)
        for (size_t i = 0; i < 4; i++) block[i] = (unsigned char)(0x40 + block[i] % 2 * 8); /* 2 or 4 */
}

/* Random blocks, as a matrix. Scales of K-quants stay as they are drawn. */
static plan_weight draw_matrix(const gguf_type *type, layout_list *all, unsigned char **memory)
{
    const size_t n = ROWS * (COLS / type->block) * type->n_bytes;
    uint32_t state = 12345;
    unsigned char *data = malloc(n);
    plan_weight w = {.name = type->name, .data = data, .rows = ROWS, .cols = COLS, .n_bytes = n};
    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < n; i++) data[i] = (unsigned char)((state = state * 1664525 + 1013904223) >> 24);
    for (size_t i = 0; i < n; i += type->n_bytes) set_scales(type, data + i);
    ck_assert(blocks_describe(type, data, NULL, ROWS, COLS, all, &w.stored));
    *memory = data;
    return w;
}

static int input_at(size_t r, size_t i)
{
    return (int)((r * 5 + i * 11) % 3) - 1;
}

/* The product of TOKENS rows in a type of x. */
static void multiply(const fp_matrix *m, float *y)
{
    float x32[TOKENS * COLS];
    uint16_t x16[TOKENS * COLS];
    int8_t x8[TOKENS * COLS];
    const size_t group = m->packed.group ? m->packed.group : COLS, n_groups = COLS / group;
    float *scale = malloc(TOKENS * n_groups * sizeof *scale);
    int32_t *sum = calloc(TOKENS * n_groups, sizeof *sum);
    ck_assert(scale && sum);
    for (size_t r = 0; r < TOKENS; r++)
        for (size_t i = 0; i < COLS; i++) {
            const double x = input_at(r, i);
            x32[r * COLS + i] = (float)x;
            x8[r * COLS + i] = (int8_t)x;
            dtype_from_f64(&x16[r * COLS + i], &x, ASSAY_BF16, 1);
            sum[r * n_groups + i / group] += input_at(r, i);
            scale[r * n_groups + i / group] = 1;
        }
    const assay_product p = {.y = y,
                             .ld_y = ROWS,
                             .x = m->x == ASSAY_I8     ? (const void *)x8
                                  : m->x == ASSAY_BF16 ? (const void *)x16
                                                       : (const void *)x32,
                             .ld_x = COLS,
                             .x_scale = scale,
                             .x_sum = sum,
                             .n_rows = TOKENS,
                             .w = &m->packed,
                             .n_panels = (ROWS + m->packed.panel - 1) / m->packed.panel};
    m->run(&p);
    free(scale);
    free(sum);
}

static void expect_product(const plan_weight *w, const float *y, const char *isa, assay_dtype x)
{
    double row[COLS];
    for (size_t o = 0; o < ROWS; o++) {
        for (size_t k = 0; k < COLS; k += STORED_BLOCK)
            stored_block(&w->stored, o, 1, k, STORED_BLOCK, row + k, STORED_BLOCK);
        for (size_t r = 0; r < TOKENS; r++) {
            double sum = 0;
            for (size_t i = 0; i < COLS; i++) sum += row[i] * input_at(r, i);
            ck_assert_msg(sum == (double)y[r * ROWS + o], "%s %s of %s: [%zu, %zu]: %.9g, expected %.9g", isa,
                          w->name, dtype_name(x), r, o, (double)y[r * ROWS + o], sum);
        }
    }
}

START_TEST(products_with_repacked_blocks_are_exact)
{
    static const assay_dtype COMPUTE[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};
    const struct repacked *expected = &TYPES[_i];
    layout_list *all = layouts_open();
    unsigned char *memory, *packed;
    const plan_weight w = draw_matrix(find_type(expected->type), all, &memory);
    for (size_t isa = 0; isa < FP_N_ISAS; isa++)
        for (size_t c = 0; fp_isa_runs_here((fp_isa)isa) && c < sizeof COMPUTE / sizeof *COMPUTE; c++) {
            const fp_kernels kernels = fp_kernels_pick((fp_isa)isa);
            fp_packer p = {.kernels = &kernels, .compute = COMPUTE[c]};
            fp_matrix m;
            float y[TOKENS * ROWS];
            ck_assert_int_eq(fp_pool_open(1, 0, &p.pool, &err), ASSAY_OK);
            ck_assert_int_eq(array_list_open(&p.arrays, &err), ASSAY_OK);
            const plan_weight from =
                draw_matrix(find_type(expected->type), all, &packed); /* packing drops its pages */
            fp_pack_matrix(&p, &m, &from);
            ck_assert_msg(array_list_realise(p.arrays, &err) == ASSAY_OK, "%s", err.text);
            ck_assert_uint_eq(m.packed.bits, expected->bits);
            ck_assert_uint_eq(m.packed.group, expected->group);
            multiply(&m, y);
            expect_product(&w, y, fp_isa_name((fp_isa)isa), m.x);
            array_list_free(p.arrays);
            fp_pool_free(p.pool);
            fp_pack_free(&p);
            free(packed);
        }
    free(memory);
    layouts_free(all);
}
END_TEST

/* The ABI's groups have at least 32 inputs. */
START_TEST(short_groups_are_float32_for_kernels_from_outside)
{
    layout_list *all = layouts_open();
    unsigned char *memory;
    assay_weight out = {0};
    const plan_weight w = draw_matrix(find_type("Q6_K"), all, &memory);
    ck_assert(fp_repack_as_affine(&w.stored, true, &out) && out.group == FP_GROUP_MIN);
    ck_assert(!fp_repack_as_affine(&w.stored, false, &out));
    free(memory);
    layouts_free(all);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/repack");
    TCase *all = tcase_create("blocks");
    tcase_add_loop_test(all, products_with_repacked_blocks_are_exact, 0, N_TYPES);
    tcase_add_test(all, short_groups_are_float32_for_kernels_from_outside);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

/* Products with repacked blocks of GGUF's types, with codes of tables and with ordered groups, by every
 * variant that runs here: scales and inputs are small integers, so that results are exact.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pack_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/tests/support.h"
#include "fastpath/kernels/matmul/panels.h"
#include "fastpath/kernels/stored/form.h"
#include "model/formats/blocks.h"
#include "model/numerics/stored.h"

static assay_error err;

/* Types, and the groups and bits of their panels: of integers, and of a table where that has fewer. */
static const struct repacked {
    const char *type;
    size_t group, bits, table;
    assay_dtype scale, bias;
} TYPES[] = {
    {"Q4_0", 32, 4, 0, ASSAY_F16, ASSAY_DTYPE_NONE},   {"Q4_1", 32, 4, 0, ASSAY_F16, ASSAY_F16},
    {"Q5_0", 32, 5, 0, ASSAY_F16, ASSAY_DTYPE_NONE},   {"Q5_1", 32, 5, 0, ASSAY_F16, ASSAY_F16},
    {"Q8_0", 32, 8, 0, ASSAY_F16, ASSAY_DTYPE_NONE},   {"Q2_K", 16, 2, 0, ASSAY_BF16, ASSAY_BF16},
    {"Q3_K", 16, 4, 0, ASSAY_BF16, ASSAY_DTYPE_NONE},  {"Q4_K", 32, 4, 0, ASSAY_BF16, ASSAY_BF16},
    {"Q5_K", 32, 5, 0, ASSAY_BF16, ASSAY_BF16},        {"Q6_K", 16, 6, 0, ASSAY_BF16, ASSAY_DTYPE_NONE},
    {"IQ4_NL", 32, 8, 4, ASSAY_F16, ASSAY_DTYPE_NONE}, {"IQ4_XS", 32, 8, 4, ASSAY_BF16, ASSAY_DTYPE_NONE},
    {"MXFP4", 32, 5, 4, ASSAY_BF16, ASSAY_DTYPE_NONE}, {"NVFP4", 16, 6, 4, ASSAY_BF16, ASSAY_DTYPE_NONE},
    {"TQ2_0", 128, 3, 0, ASSAY_F16, ASSAY_DTYPE_NONE}, {"Q1_0", 128, 2, 0, ASSAY_F16, ASSAY_DTYPE_NONE},
    {"Q2_0", 64, 3, 0, ASSAY_F16, ASSAY_DTYPE_NONE},
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
            const int at = input_at(r, m->order ? (size_t)m->order[i] : i);
            const double x = at;
            x32[r * COLS + i] = (float)x;
            x8[r * COLS + i] = (int8_t)x;
            dtype_from_f64(&x16[r * COLS + i], &x, ASSAY_BF16, 1);
            sum[r * n_groups + i / group] += at;
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

static void expect_panels(const assay_matrix *m, const struct repacked *expected, assay_dtype compute)
{
    const bool is_table = compute == ASSAY_F32 && expected->table;
    ck_assert_int_eq(fp_has_table(m->dtype), is_table);
    ck_assert_int_eq(fp_has_supers(m->dtype), strstr(expected->type, "_K") || strstr(expected->type, "_XS"));
    ck_assert_uint_eq(m->bits, is_table ? expected->table : expected->bits);
    ck_assert_uint_eq(m->group, expected->group);
    ck_assert_int_eq(m->scale_dtype, expected->scale);
    ck_assert_int_eq(m->bias_dtype, is_table ? ASSAY_DTYPE_NONE : expected->bias);
}

/* Packs a matrix, multiplies, and compares. bytes: scratch for what is packed, whose pages are dropped. */
static void expect_exact(const plan_weight *w, plan_weight from, fp_isa isa, assay_dtype compute,
                         fp_matrix *kind)
{
    const fp_kernels kernels = fp_kernels_pick(isa);
    fp_packer p = {.kernels = &kernels, .compute = compute};
    fp_matrix m;
    float y[TOKENS * ROWS];
    ck_assert_int_eq(fp_pool_open(1, 0, &p.pool, &err), ASSAY_OK);
    ck_assert_int_eq(array_list_open(&p.arrays, &err), ASSAY_OK);
    fp_pack_matrix(&p, &m, &from);
    ck_assert_msg(array_list_realise(p.arrays, &err) == ASSAY_OK, "%s", err.text);
    multiply(&m, y);
    expect_product(w, y, fp_isa_name(isa), m.x);
    *kind = m;
    kind->order = m.order ? kind->packed.panels : NULL; /* whether there is one */
    array_list_free(p.arrays);
    fp_pool_free(p.pool);
    fp_pack_free(&p);
}

static const assay_dtype COMPUTE[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};

START_TEST(products_with_repacked_blocks_are_exact)
{
    const struct repacked *expected = &TYPES[_i];
    layout_list *all = layouts_open();
    unsigned char *memory, *packed;
    const plan_weight w = draw_matrix(find_type(expected->type), all, &memory);
    for (size_t isa = 0; isa < FP_N_ISAS; isa++)
        for (size_t c = 0; fp_isa_runs_here((fp_isa)isa) && c < sizeof COMPUTE / sizeof *COMPUTE; c++) {
            fp_matrix m;
            const plan_weight from =
                draw_matrix(find_type(expected->type), all, &packed); /* packing drops its pages */
            expect_exact(&w, from, (fp_isa)isa, COMPUTE[c], &m);
            expect_panels(&m.packed, expected, COMPUTE[c]);
            free(packed);
        }
    free(memory);
    layouts_free(all);
}
END_TEST

/* A matrix of codes with a scale for each GROUP columns, which may be anywhere in the row. */
enum { GROUP = 64, GROUPS = COLS / GROUP };

typedef struct coded {
    double table[256];
    unsigned char codes[ROWS * COLS], scales[ROWS * GROUPS];
    int32_t group_of[COLS];
    assay_layout code, scale;
} coded;

/* Codes, and the panels that they get. */
static const struct coded_kind {
    size_t bits, values;      /* of the table; 0: the codes are integers */
    bool is_ordered, is_flat; /* groups of the elements of all rows, as one row */
    size_t packed_bits;
} KINDS[] = {{4, 16, false, false, 4}, {8, 256, false, false, 8}, {6, 64, false, false, 8},
             {4, 16, false, true, 4},  {2, 4, true, false, 4},    {4, 16, true, false, 4},
             {8, 256, true, false, 8}, {4, 0, true, false, 4},    {8, 0, true, false, 8}};

static plan_weight code_matrix(coded *c, const struct coded_kind *kind)
{
    const size_t bits = kind->bits, values = kind->values;
    const bool is_ordered = kind->is_ordered;
    const assay_digit row = {ASSAY_INDEX_ROW, 1, 0, 1, 0, 0}, col = {ASSAY_INDEX_COLUMN, 1, 0, 1, 0, 0};
    uint32_t state = 99;
    for (size_t i = 0; i < 256; i++) c->table[i] = ((int)(i * 37 % 256) - 100) * (values > 16 ? 3 : 0.25);
    for (size_t i = 0; i < sizeof c->codes; i++)
        c->codes[i] = (unsigned char)((state = state * 1664525 + 1013904223) >> 24);
    for (size_t i = 0; i < sizeof c->scales; i++) c->scales[i] = (unsigned char)(i % 3);
    for (size_t i = 0; i < COLS; i++) c->group_of[i] = (int32_t)(i * 5 % COLS / GROUP);
    c->code = (assay_layout){.number = ASSAY_U8,
                             .n_planes = 1,
                             .table = values ? c->table : NULL,
                             .times = 1,
                             .planes = {{(uint32_t)bits, 2, 0, {row, col}}}};
    c->code.planes[0].digits[0].stride = COLS * bits;
    c->code.planes[0].digits[1].stride = bits;
    c->scale = (assay_layout){
        .number = ASSAY_U8, .n_planes = 1, .minus = 1, .times = 1, .planes = {{8, 2, 0, {row, col}}}};
    c->scale.planes[0].digits[0].stride = (size_t)GROUPS * 8;
    c->scale.planes[0].digits[1].stride = 8;
    if (!is_ordered) c->scale.planes[0].digits[1].div = GROUP;
    if (kind->is_flat) {
        c->scale.planes[0].n_digits = 1;
        c->scale.planes[0].digits[0] = (assay_digit){ASSAY_INDEX_ELEMENT, 1, 0, GROUP, 0, 8};
    }
    return (plan_weight){.name = "codes",
                         .data = c->codes,
                         .rows = ROWS,
                         .cols = COLS,
                         .n_bytes = ROWS * COLS * bits / 8,
                         .stored = {.format = "codes",
                                    .n_out = ROWS,
                                    .n_in = COLS,
                                    .codes = {&c->code, c->codes, sizeof c->codes},
                                    .scale = {&c->scale, c->scales, sizeof c->scales},
                                    .group_of = is_ordered ? c->group_of : NULL}};
}

START_TEST(products_with_tables_and_ordered_groups_are_exact)
{
    const struct coded_kind *kind = &KINDS[_i];
    coded *memory = malloc(sizeof *memory), *packed = malloc(sizeof *packed);
    ck_assert(memory && packed);
    const plan_weight w = code_matrix(memory, kind);
    for (size_t isa = 0; isa < FP_N_ISAS; isa++)
        for (size_t c = 0; fp_isa_runs_here((fp_isa)isa) && c < sizeof COMPUTE / sizeof *COMPUTE; c++) {
            fp_matrix m;
            expect_exact(&w, code_matrix(packed, kind), (fp_isa)isa, COMPUTE[c], &m);
            ck_assert_int_eq(m.packed.dtype, kind->values ? FP_TABLE : ASSAY_U32);
            ck_assert_uint_eq(m.packed.bits, kind->packed_bits);
            ck_assert_uint_eq(m.packed.group, GROUP);
            ck_assert_int_eq(m.order != NULL, kind->is_ordered);
        }
    free(memory);
    free(packed);
}
END_TEST

/* Rows in another order, as GGUF's converter leaves those of some matrices. */
START_TEST(plain_numbers_in_another_order_keep_their_type)
{
    const assay_layout layout = {
        .number = ASSAY_F16,
        .n_planes = 1,
        .times = 1,
        .planes = {
            {16, 2, 0, {{ASSAY_INDEX_ROW, 1, 0, 1, 0, COLS * 16}, {ASSAY_INDEX_COLUMN, 1, 0, 1, 0, 16}}}}};
    const size_t n_bytes = sizeof(uint16_t) * ROWS * COLS;
    for (size_t isa = 0; isa < FP_N_ISAS; isa++) {
        plan_weight w[2]; /* packing drops the pages of the second */
        fp_matrix m;
        for (size_t k = 0; k < 2; k++) {
            uint16_t *numbers = malloc(n_bytes);
            ck_assert_ptr_nonnull(numbers);
            for (size_t i = 0; i < (size_t)ROWS * COLS; i++)
                numbers[i] = (uint16_t)(0x3C00 + i * 7 % 5 * 0x400); /* 1 … 16 */
            w[k] = (plan_weight){.name = "rows", .data = numbers, .rows = ROWS, .cols = COLS};
            w[k].stored = (assay_stored){.format = "F16",
                                         .n_out = ROWS,
                                         .n_in = COLS,
                                         .codes = {&layout, numbers, n_bytes},
                                         .n_row_digits = 1,
                                         .row_digits = {{ASSAY_INDEX_ROW, 2, 0, 1, ROWS, 1}}};
        }
        if (fp_isa_runs_here((fp_isa)isa)) {
            expect_exact(&w[0], w[1], (fp_isa)isa, ASSAY_F32, &m);
            ck_assert_int_eq(m.packed.dtype, ASSAY_F16);
        }
        for (size_t k = 0; k < 2; k++) free((void *)(uintptr_t)w[k].data);
    }
}
END_TEST

/* Groups of which some have another number of columns than the others. */
START_TEST(columns_that_do_not_divide_into_groups_have_no_order)
{
    coded *memory = malloc(sizeof *memory);
    int32_t order[COLS];
    ck_assert_ptr_nonnull(memory);
    const plan_weight w = code_matrix(memory, &(struct coded_kind){4, 0, true, false, 4});
    ck_assert_uint_eq(fp_form_order(&w.stored, order), GROUP);
    memory->group_of[0] = 1;
    ck_assert_uint_eq(fp_form_order(&w.stored, order), 0);
    memory->group_of[0] = -1;
    ck_assert_uint_eq(fp_form_order(&w.stored, order), 0);
    free(memory);
}
END_TEST

/* The ABI's groups have at least 32 inputs. */
START_TEST(short_groups_are_float32_for_kernels_from_outside)
{
    layout_list *all = layouts_open();
    unsigned char *memory;
    assay_weight out = {0};
    const plan_weight w = draw_matrix(find_type("Q6_K"), all, &memory);
    ck_assert(fp_form_choose(&w.stored, FP_FORM_OWN, 0, &out) && out.group == FP_GROUP_MIN);
    ck_assert(!fp_form_choose(&w.stored, FP_FORM_ABI, 0, &out));
    free(memory);
    layouts_free(all);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/repack");
    TCase *all = tcase_create("blocks");
    tcase_add_loop_test(all, products_with_repacked_blocks_are_exact, 0, N_TYPES);
    tcase_add_loop_test(all, products_with_tables_and_ordered_groups_are_exact, 0,
                        sizeof KINDS / sizeof *KINDS);
    tcase_add_test(all, plain_numbers_in_another_order_keep_their_type);
    tcase_add_test(all, columns_that_do_not_divide_into_groups_have_no_order);
    tcase_add_test(all, short_groups_are_float32_for_kernels_from_outside);
    suite_add_tcase(suite, all);
    return support_run(suite);
}

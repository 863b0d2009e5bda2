/* Choosing variants, packing weights, and products of small integers, which must be exact, by every variant
 * that runs here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/kernels/kernels.h"
#include "fastpath/pack_matrix.h"
#include "model/tests/weight.h"

static assay_error err;

START_TEST(the_best_set_that_runs_here_is_chosen)
{
    fp_isa isa, empty;
    ck_assert_int_eq(fp_isa_choose(NULL, "ASSAY_ISA", &isa, &err), ASSAY_OK);
    ck_assert_int_eq(fp_isa_choose("", "ASSAY_ISA", &empty, &err), ASSAY_OK);
    ck_assert_int_eq(isa, empty);
    ck_assert(fp_isa_runs_here(isa));
    for (size_t better = (size_t)isa + 1; better < FP_N_ISAS; better++)
        ck_assert(!fp_isa_runs_here((fp_isa)better));
}
END_TEST

START_TEST(a_set_is_chosen_by_name_if_it_runs_here)
{
    fp_isa isa;
    for (size_t i = 0; i < FP_N_ISAS; i++) {
        assay_status rc = fp_isa_choose(fp_isa_name((fp_isa)i), "ASSAY_ISA", &isa, &err);
        if (fp_isa_runs_here((fp_isa)i)) {
            ck_assert_int_eq(rc, ASSAY_OK);
            ck_assert_int_eq(isa, (int)i);
        } else {
            support_expect_error(&err, ASSAY_EUNSUPPORTED, "ASSAY_ISA", fp_isa_name((fp_isa)i), NULL);
        }
    }
    ck_assert_int_eq(fp_isa_choose("mmx", "ASSAY_ISA", &isa, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "ASSAY_ISA", "found \"mmx\"",
                         "expected one of scalar, neon, avx2, avx512, avx512bf16, amx", NULL);
}
END_TEST

/* Tables are in descending order of preference, and end with scalar. */
#define EXPECT_SORTED(table, n)                                                                              \
    do {                                                                                                     \
        for (size_t i = 1; i < (n); i++) ck_assert((table)[i].isa < (table)[i - 1].isa);                     \
        ck_assert_int_eq((table)[(n)-1].isa, FP_ISA_SCALAR);                                                 \
    } while (0)

START_TEST(every_table_ends_with_scalar)
{
    EXPECT_SORTED(FP_MATMUL, FP_N_MATMUL);
    EXPECT_SORTED(FP_ATTENTION, FP_N_ATTENTION);
    EXPECT_SORTED(FP_NARROW, FP_N_NARROW);
    EXPECT_SORTED(FP_RMS_NORM, FP_N_NORM);
    EXPECT_SORTED(FP_ROPE, FP_N_ROPE);
    EXPECT_SORTED(FP_GATE, FP_N_GATE);
    EXPECT_SORTED(FP_ROUTER, FP_N_ROUTER);
    EXPECT_SORTED(FP_CAP, FP_N_CAP);
    fp_kernels scalar = fp_kernels_pick(FP_ISA_SCALAR);
    ck_assert(scalar.op.matmul_f32.f32 == fp_matmul_f32_f32__scalar);
    ck_assert(scalar.op.attention_f32.f32 == fp_attention_f32__scalar);
}
END_TEST

START_TEST(pages_of_bfloat16_are_read_with_weights_of_bfloat16_where_there_is_a_kernel)
{
    for (size_t i = 0; i < FP_N_ATTENTION; i++) {
        const fp_kernels k = fp_kernels_pick(FP_ATTENTION[i].isa);
        assay_attention_fn *shares = FP_ATTENTION[i].bf16_shares;
        ck_assert(k.op.attention_bf16.bf16_shares == shares);
        ck_assert(fp_attention_of(&k.op, true) == (shares ? shares : FP_ATTENTION[i].bf16));
        ck_assert(fp_attention_of(&k.op, false) == FP_ATTENTION[i].f32);
    }
}
END_TEST

/* How a matrix may lie in a checkpoint. */
typedef struct layout {
    assay_dtype dtype;
    size_t n_out, n_in;
    bool transposed;
    size_t extra; /* elements between stored rows */
} layout;

static const layout LAYOUTS[] = {
    {ASSAY_F32, 1, 1, false, 0},  {ASSAY_F32, 31, 5, false, 0},   {ASSAY_F32, 32, 7, false, 3},
    {ASSAY_F32, 33, 64, true, 0}, {ASSAY_F32, 101, 29, true, 2},  {ASSAY_F16, 45, 28, false, 0},
    {ASSAY_F16, 65, 17, true, 1}, {ASSAY_BF16, 43, 28, false, 0}, {ASSAY_BF16, 96, 130, true, 0},
    {ASSAY_F64, 40, 9, false, 1},
};

static double weight_at(size_t o, size_t i)
{
    return (double)((o * 7 + i * 3) % 15) - 7;
}

static float input_at(size_t r, size_t i)
{
    return (float)((r * 5 + i * 11) % 9) - 4;
}

static void open_packer(fp_packer *p, size_t n_workers)
{
    ck_assert_int_eq(fp_pool_open(n_workers, 0, &p->pool, &err), ASSAY_OK);
    ck_assert_int_eq(array_list_open(&p->arrays, &err), ASSAY_OK);
}

static void close_packer(fp_packer *p)
{
    array_list_free(p->arrays);
    fp_pool_free(p->pool);
    fp_pack_free(p);
}

static fp_matrix packed(fp_packer *p, const layout *l)
{
    size_t rows = l->transposed ? l->n_in : l->n_out, cols = l->transposed ? l->n_out : l->n_in;
    size_t stride = cols + l->extra, bytes = dtype_size(l->dtype);
    char *stored = malloc(rows * stride * bytes + 1);
    ck_assert_ptr_nonnull(stored);
    memset(stored, 0xff, rows * stride * bytes + 1); /* NaN between rows */
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            double x = l->transposed ? weight_at(c, r) : weight_at(r, c);
            dtype_from_f64(stored + 1 + (r * stride + c) * bytes, &x, l->dtype, 1); /* unaligned */
        }
    const plan_weight w = weight_of_strided(stored + 1, l->dtype, l->n_out, l->n_in,
                                            l->transposed ? 1 : stride, l->transposed ? stride : 1);
    fp_matrix m;
    fp_pack_matrix(p, &m, &w);
    ck_assert_msg(array_list_realise(p->arrays, &err) == ASSAY_OK, "%s", err.text);
    free(stored);
    return m;
}

enum { MAX_ROWS = 9, SLACK = 3 };

/* The product of n_rows rows, panels one at a time where apart: exact, and nothing else written. */
static void expect_product(const fp_matrix *m, size_t n_rows, bool apart)
{
    const size_t n_in = m->packed.n_in, n_out = m->packed.n_out, ld_x = n_in + 1, ld_y = n_out + SLACK;
    float *x = calloc(n_rows * ld_x, sizeof *x), *y = calloc(n_rows * ld_y, sizeof *y);
    ck_assert(x && y);
    for (size_t r = 0; r < n_rows; r++)
        for (size_t i = 0; i < n_in; i++) x[r * ld_x + i] = input_at(r, i);
    for (size_t i = 0; i < n_rows * ld_y; i++) y[i] = 12345;
    assay_product p = {.y = y, .ld_y = ld_y, .x = x, .ld_x = ld_x, .n_rows = n_rows, .w = &m->packed};
    p.n_panels = fp_matrix_panels(&m->packed);
    if (!apart) m->run(&p);
    p.first_panel = p.n_panels;
    p.n_panels = 1;
    while (apart && p.first_panel-- > 0) m->run(&p);
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t o = 0; o < n_out; o++) {
            double sum = 0;
            for (size_t i = 0; i < n_in; i++) sum += (double)input_at(r, i) * weight_at(o, i);
            ck_assert_msg((double)y[r * ld_y + o] == sum, "row %zu of %zu, output %zu: %g, expected %g", r,
                          n_rows, o, (double)y[r * ld_y + o], sum);
        }
        for (size_t o = n_out; o < ld_y; o++) ck_assert(y[r * ld_y + o] == 12345);
    }
    free(x);
    free(y);
}

START_TEST(products_of_small_integers_are_exact)
{
    for (size_t isa = 0; isa < FP_N_ISAS; isa++) {
        if (!fp_isa_runs_here((fp_isa)isa)) continue;
        const fp_kernels kernels = fp_kernels_pick((fp_isa)isa);
        fp_packer p = {.kernels = &kernels, .compute = ASSAY_F32};
        open_packer(&p, 2);
        fp_matrix m = packed(&p, &LAYOUTS[_i]);
        for (size_t n_rows = 1; n_rows <= MAX_ROWS; n_rows++) {
            expect_product(&m, n_rows, false);
            expect_product(&m, n_rows, true);
        }
        close_packer(&p);
    }
}
END_TEST

static const assay_dtype COMPUTES[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};

/* Whatever activations will be: small integers are exact in every type. */
START_TEST(a_packed_row_is_read_back)
{
    const fp_kernels kernels = fp_kernels_pick(FP_ISA_SCALAR);
    for (size_t c = 0; c < sizeof COMPUTES / sizeof *COMPUTES; c++) {
        fp_packer p = {.kernels = &kernels, .compute = COMPUTES[c]};
        open_packer(&p, 1);
        const layout *l = &LAYOUTS[_i];
        fp_matrix m = packed(&p, l);
        float *row = calloc(l->n_in, sizeof *row);
        ck_assert_ptr_nonnull(row);
        for (size_t o = 0; o < l->n_out; o++) {
            m.kernel->unpack(row, &m.packed, o);
            for (size_t i = 0; i < l->n_in; i++) ck_assert((double)row[i] == weight_at(o, i));
        }
        free(row);
        close_packer(&p);
    }
}
END_TEST

static void another_norm(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                         const float *weight, double epsilon)
{
    (void)y, (void)ld_y, (void)x, (void)ld_x, (void)n_rows, (void)width, (void)weight, (void)epsilon;
}

START_TEST(the_operations_of_an_external_table_are_used)
{
    const fp_kernels scalar = fp_kernels_pick(FP_ISA_SCALAR);
    fp_kernels kernels = scalar;
    const assay_rms_norm norm = {.size = sizeof norm, .f32 = another_norm};
    assay_matmul matmul = scalar.op.matmul_f16;
    matmul.panel = 8;
    matmul.f32 = NULL;
    assay_kernels given = {.abi = ASSAY_KERNELS_ABI,
                           .size = sizeof given,
                           .name = "given",
                           .matmul_f16 = &matmul,
                           .rms_norm = &norm};
    ck_assert_int_eq(fp_kernels_replace(&kernels, &given, &err), ASSAY_OK);
    ck_assert(kernels.op.rms_norm.f32 == another_norm);
    ck_assert(kernels.op.rope.f32 == scalar.op.rope.f32);
    ck_assert_uint_eq(kernels.op.matmul_f16.panel, 8);
    ck_assert(kernels.op.matmul_f16.f32 == NULL);
    ck_assert(kernels.op.matmul_f32.f32 == scalar.op.matmul_f32.f32);
    given.abi++;
    support_expect_error(&err, fp_kernels_replace(&kernels, &given, &err), "ABI 3, expected 2", NULL);
}
END_TEST

START_TEST(members_beyond_the_size_of_a_table_or_of_an_operation_are_not_read)
{
    const fp_kernels scalar = fp_kernels_pick(FP_ISA_SCALAR);
    fp_kernels kernels = scalar;
    const assay_rms_norm norm = {.size = sizeof norm, .f32 = another_norm};
    assay_matmul matmul = scalar.op.matmul_affine;
    matmul.size = offsetof(assay_matmul, bf16);
    const assay_kernels given = {.abi = ASSAY_KERNELS_ABI,
                                 .size = offsetof(assay_kernels, rms_norm),
                                 .name = "given",
                                 .matmul_affine = &matmul,
                                 .rms_norm = &norm};
    ck_assert_int_eq(fp_kernels_replace(&kernels, &given, &err), ASSAY_OK);
    ck_assert(kernels.op.rms_norm.f32 == scalar.op.rms_norm.f32);
    ck_assert(kernels.op.matmul_affine.f32 == scalar.op.matmul_affine.f32);
    ck_assert(kernels.op.matmul_affine.bf16 == NULL);
    ck_assert(kernels.op.matmul_affine.i8 == NULL);
}
END_TEST

START_TEST(members_of_a_later_header_are_ignored)
{
    struct {
        assay_kernels known;
        void *later;
    } given = {.known = {.abi = ASSAY_KERNELS_ABI, .size = sizeof given, .name = "given"}, .later = &given};
    struct {
        assay_rms_norm known;
        void *later;
    } norm = {.known = {.size = sizeof norm, .f32 = another_norm}, .later = &norm};
    fp_kernels kernels = fp_kernels_pick(FP_ISA_SCALAR), expected = kernels;
    given.known.rms_norm = &norm.known;
    expected.op.rms_norm = norm.known;
    ck_assert_int_eq(fp_kernels_replace(&kernels, &given.known, &err), ASSAY_OK);
    ck_assert_mem_eq(&kernels.op, &expected.op, sizeof expected.op);
}
END_TEST

START_TEST(an_operation_without_its_required_members_is_refused)
{
    const fp_kernels scalar = fp_kernels_pick(FP_ISA_SCALAR);
    const assay_cap cap = {.size = sizeof cap}, shorter = {.size = 8, .f32 = scalar.op.cap.f32};
    assay_matmul panel = scalar.op.matmul_bf16, pack = panel;
    assay_matmul_stored supports = scalar.op.matmul_stored, codes = supports;
    panel.panel = 0;
    pack.pack = NULL;
    supports.supports = NULL;
    codes.i8 = codes.f32;
    const struct {
        assay_kernels given;
        const char *lacks;
    } rows[] = {
        {{.cap = &cap}, "kernels given: cap lacks the required f32"},
        {{.cap = &shorter}, "kernels given: cap lacks the required f32"},
        {{.matmul_bf16 = &panel}, "kernels given: matmul_bf16 lacks the required panel"},
        {{.matmul_affine = &pack}, "kernels given: matmul_affine lacks the required pack"},
        {{.matmul_stored = &supports}, "kernels given: matmul_stored lacks the required supports"},
        {{.matmul_stored = &codes}, "kernels given: matmul_stored lacks the required supports_i8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fp_kernels kernels = scalar;
        assay_kernels given = rows[i].given;
        given.abi = ASSAY_KERNELS_ABI;
        given.size = sizeof given;
        given.name = "given";
        support_expect_error(&err, fp_kernels_replace(&kernels, &given, &err), rows[i].lacks, NULL);
        ck_assert_int_eq(err.status, ASSAY_EINVAL);
    }
}
END_TEST

/* Each operation of an exported table is the one that it was made from. */
START_TEST(a_table_points_to_its_operations)
{
    const fp_kernels scalar = fp_kernels_pick(FP_ISA_SCALAR);
    const assay_kernels table = fp_kernels_table(&scalar.op, "scalar", "1");
    fp_kernels kernels = {0};
    ck_assert_ptr_eq(table.matmul_f32, &scalar.op.matmul_f32);
    ck_assert_ptr_eq(table.router, &scalar.op.router);
    ck_assert_int_eq(fp_kernels_replace(&kernels, &table, &err), ASSAY_OK);
    ck_assert_mem_eq(&kernels.op, &scalar.op, sizeof scalar.op);
}
END_TEST

START_TEST(a_product_that_is_missing_is_named)
{
    fp_kernels kernels = fp_kernels_pick(FP_ISA_SCALAR);
    assay_matmul matmul = kernels.op.matmul_bf16;
    matmul.bf16 = NULL;
    const assay_kernels given = {
        .abi = ASSAY_KERNELS_ABI, .size = sizeof given, .name = "given", .matmul_bf16 = &matmul};
    ck_assert_int_eq(fp_kernels_replace(&kernels, &given, &err), ASSAY_OK);
    const uint16_t stored[4] = {0};
    const plan_weight w = weight_of(stored, ASSAY_BF16, 2, 2);
    fp_matrix m, without;
    fp_packer p = {.kernels = &kernels, .compute = ASSAY_F32};
    open_packer(&p, 1);
    fp_pack_matrix(&p, &m, &w);
    ck_assert_int_eq(array_list_realise(p.arrays, &err), ASSAY_OK);
    ck_assert_ptr_nonnull(m.packed.panels);
    p.compute = ASSAY_BF16;
    fp_pack_matrix(&p, &without, &w);
    support_expect_error(&err, array_list_realise(p.arrays, &err),
                         "kernels given: matmul_bf16 has no bf16, which is needed to compute in BF16", NULL);
    ck_assert_int_eq(err.status, ASSAY_EUNSUPPORTED);
    ck_assert_ptr_null(without.packed.panels);
    close_packer(&p);
}
END_TEST

START_TEST(the_router_returns_the_best_in_ascending_order_and_the_first_of_equals)
{
    float scores[] = {0, 3, 3, 1, 3, -1, 5, 5, 0, 0, 0, 0}, share[6];
    int32_t chosen[6];
    for (size_t v = 0; v < FP_N_ROUTER; v++) {
        float copy[12];
        if (!fp_isa_runs_here(FP_ROUTER[v].isa)) continue;
        memcpy(copy, scores, sizeof copy);
        FP_ROUTER[v].f32(chosen, share, copy, 2, 6, 3, true);
        const int32_t expected[] = {1, 2, 4, 0, 1, 2};
        ck_assert_mem_eq(chosen, expected, sizeof expected);
        ck_assert_float_eq_tol(share[0], 1 / 3.0F, 1e-6F);
        ck_assert_float_eq_tol(share[3], 0.5F, 1e-2F);
        ck_assert_float_eq_tol(share[3] + share[4] + share[5], 1, 1e-6F);
    }
}
END_TEST

int main(void)
{
    enum { N = sizeof LAYOUTS / sizeof *LAYOUTS };
    Suite *suite = suite_create("fastpath/kernels");
    TCase *tc = tcase_create("kernels");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_best_set_that_runs_here_is_chosen);
    tcase_add_test(tc, a_set_is_chosen_by_name_if_it_runs_here);
    tcase_add_test(tc, pages_of_bfloat16_are_read_with_weights_of_bfloat16_where_there_is_a_kernel);
    tcase_add_test(tc, every_table_ends_with_scalar);
    tcase_add_loop_test(tc, products_of_small_integers_are_exact, 0, N);
    tcase_add_loop_test(tc, a_packed_row_is_read_back, 0, N);
    tcase_add_test(tc, the_operations_of_an_external_table_are_used);
    tcase_add_test(tc, members_beyond_the_size_of_a_table_or_of_an_operation_are_not_read);
    tcase_add_test(tc, members_of_a_later_header_are_ignored);
    tcase_add_test(tc, an_operation_without_its_required_members_is_refused);
    tcase_add_test(tc, a_table_points_to_its_operations);
    tcase_add_test(tc, a_product_that_is_missing_is_named);
    tcase_add_test(tc, the_router_returns_the_best_in_ascending_order_and_the_first_of_equals);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}

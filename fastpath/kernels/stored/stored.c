/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/stored/stored.h"

#include <string.h>

#include "fastpath/kernels/matmul/matmul.h"
#include "fastpath/kernels/matmul/panels.h"
#include "fastpath/kernels/stored/form.h"
#include "fastpath/kernels/stored/repack.h"
#include "model/numerics/affine.h"

enum { COLUMNS = 64 }; /* of float32 that are packed at once */

/* The kind of the panels, with the sizes of the matrix. */
static assay_weight kind_of(const assay_stored *s)
{
    assay_weight w = {0};
    if (s->group_of || !fp_form_is_exact(s) || !fp_form_choose(s, FP_FORM_OWN, 0, &w))
        w = (assay_weight){.dtype = ASSAY_F32};
    w.n_out = s->n_out;
    w.n_in = s->n_in;
    return w;
}

static bool supports(const assay_stored *w)
{
    return w->codes.layout;
}

static size_t bytes(const assay_stored *w)
{
    const assay_weight kind = kind_of(w);
    return kind.bits ? fp_groups_bytes(&kind) : fp_numbers_bytes(&kind);
}

/* Packs n columns of each row from a column on: one group, or some numbers. */
static void pack_columns(void *to, const assay_stored *s, size_t first, size_t col, const assay_weight *kind)
{
    uint32_t words[FP_PANEL * AFFINE_GROUP_MAX * 8 / 32];
    float scales[FP_PANEL], biases[FP_PANEL], numbers[FP_PANEL * COLUMNS];
    assay_weight w = *kind;
    if (!kind->bits) {
        w.rows = numbers;
        w.stride = w.n_in;
        for (size_t r = 0; r < w.n_out; r++)
            fp_repack_numbers(s, first + r, col, w.n_in, numbers + r * w.n_in);
        fp_numbers_pack(to, &w, 0);
        return;
    }
    w.stride = w.group * w.bits / 32;
    fp_repack_group(s, first, w.n_out, col, &w, words, scales, biases);
    w.dtype = ASSAY_U32; /* without the table, with which a panel begins */
    w.rows = words;
    w.scales = scales;
    w.biases = biases;
    fp_groups_pack(to, &w, 0);
}

/* Blocks of columns follow each other in a panel. */
void fp_stored_pack(void *panel, const assay_stored *w, size_t index, const assay_weight *as)
{
    const size_t first = index * FP_PANEL, left = w->n_out - first, block = as->bits ? as->group : COLUMNS;
    const assay_matrix m = {.dtype = as->dtype,
                            .bits = as->bits,
                            .group = as->group,
                            .scale_dtype = as->scale_dtype,
                            .bias_dtype = as->bias_dtype};
    assay_weight kind = *as;
    char *to = panel;
    kind.n_out = left < FP_PANEL ? left : FP_PANEL;
    if (fp_has_table(kind.dtype)) fp_repack_table(w, &kind, panel);
    to += fp_table_bytes(kind.dtype, kind.bits);
    for (size_t col = 0; col < w->n_in; col += block) {
        kind.n_in = w->n_in - col < block ? w->n_in - col : block;
        if (fp_has_supers(kind.dtype) && col % FP_SUPER == 0) {
            fp_repack_supers(w, first, kind.n_out, col, &kind, (float *)(void *)to);
            to += fp_super_bytes(&m);
        }
        pack_columns(to, w, first, col, &kind);
        to += kind.bits ? fp_group_bytes(&m) : fp_numbers_bytes(&kind);
    }
}

static void pack(void *panel, const assay_stored *w, size_t index)
{
    const assay_weight kind = kind_of(w);
    fp_stored_pack(panel, w, index, &kind);
}

/* The matrix as that of another operation. */
static assay_matrix matrix_of(const assay_stored_matrix *w)
{
    const assay_weight kind = kind_of(w->from);
    return (assay_matrix){.n_out = kind.n_out,
                          .n_in = kind.n_in,
                          .dtype = kind.dtype,
                          .bits = kind.bits,
                          .group = kind.group,
                          .scale_dtype = kind.scale_dtype,
                          .bias_dtype = kind.bias_dtype,
                          .panel = w->panel,
                          .panel_bytes = w->panel_bytes,
                          .panels = w->panels};
}

static void unpack(float *row, const assay_stored_matrix *w, size_t o)
{
    const assay_matrix m = matrix_of(w);
    if (m.bits) fp_groups_unpack(row, &m, o);
    else fp_numbers_unpack(row, &m, o);
}

/* With the products of an instruction set, over either kind of panels. */
static void multiply(const assay_stored_product *p, assay_product_fn *f32, assay_product_fn *groups)
{
    const assay_matrix m = matrix_of(p->w);
    const assay_product product = {.y = p->y,
                                   .ld_y = p->ld_y,
                                   .x = p->x,
                                   .ld_x = p->ld_x,
                                   .n_rows = p->n_rows,
                                   .w = &m,
                                   .first_panel = p->first_panel,
                                   .n_panels = p->n_panels};
    (m.bits ? groups : f32)(&product);
}

#define PRODUCT(set)                                                                                         \
    static void multiply_##set(const assay_stored_product *p)                                                \
    {                                                                                                        \
        multiply(p, fp_matmul_f32_f32__##set, fp_matmul_f32_affine__##set);                                  \
    }
#define ROW(isa, set)                                                                                        \
    {                                                                                                        \
        isa,                                                                                                 \
        {                                                                                                    \
            .panel = FP_PANEL, .supports = supports, .panel_bytes = bytes, .pack = pack, .unpack = unpack,   \
            .f32 = multiply_##set                                                                            \
        }                                                                                                    \
    }
#ifdef FP_HAVE_AVX512
PRODUCT(avx512)
#endif
#ifdef FP_HAVE_AVX2
PRODUCT(avx2)
#endif
#ifdef FP_HAVE_NEON
PRODUCT(neon)
#endif
PRODUCT(scalar)

/* Best first. */
static const struct variant {
    fp_isa isa;
    assay_matmul_stored kernel;
} VARIANTS[] = {
#ifdef FP_HAVE_AVX512
    ROW(FP_ISA_AVX512, avx512),
#endif
#ifdef FP_HAVE_AVX2
    ROW(FP_ISA_AVX2, avx2),
#endif
#ifdef FP_HAVE_NEON
    ROW(FP_ISA_NEON, neon),
#endif
    ROW(FP_ISA_SCALAR, scalar),
};

const assay_matmul_stored *fp_stored_pick(fp_isa isa)
{
    const struct variant *found = fp_isa_pick(VARIANTS, sizeof *VARIANTS, isa);
    return &found->kernel;
}

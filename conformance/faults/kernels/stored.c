/* Faults in how kernels read the fields of stored matrices: the correct kernels of a description that is
 * wrong.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/kernels/fault.h"

/* A wrong description, with a layout of its own. */
typedef struct wrong_stored {
    assay_stored stored;
    assay_layout layout;
} wrong_stored;

static void (*make_wrong)(wrong_stored *w);

static const assay_stored *describe(wrong_stored *to, const assay_stored *from)
{
    to->stored = *from;
    make_wrong(to);
    return &to->stored;
}

static size_t wrong_bytes(const assay_stored *w)
{
    wrong_stored wrong;
    return CORRECT.matmul_stored.panel_bytes(describe(&wrong, w));
}

static void pack_wrong(void *panel, const assay_stored *w, size_t index)
{
    wrong_stored wrong;
    CORRECT.matmul_stored.pack(panel, describe(&wrong, w), index);
}

static void unpack_wrong(float *row, const assay_stored_matrix *w, size_t o)
{
    wrong_stored wrong;
    assay_stored_matrix matrix = *w;
    matrix.from = describe(&wrong, w->from);
    CORRECT.matmul_stored.unpack(row, &matrix, o);
}

static void multiply_wrong(const assay_stored_product *p)
{
    wrong_stored wrong;
    assay_stored_matrix matrix = *p->w;
    assay_stored_product product = *p;
    matrix.from = describe(&wrong, p->w->from);
    product.w = &matrix;
    CORRECT.matmul_stored.f32(&product);
}

static void plant_wrong(fp_operations *op, void (*make)(wrong_stored *w))
{
    make_wrong = make;
    op->matmul_stored.panel_bytes = wrong_bytes;
    op->matmul_stored.pack = pack_wrong;
    op->matmul_stored.unpack = unpack_wrong;
    op->matmul_stored.f32 = multiply_wrong;
}

/* Columns k have the number of k + div; those of the last block that of the first. */
static void shift_columns(assay_digit *d, size_t n_in)
{
    if (d->index != ASSAY_INDEX_COLUMN) return;
    if (!d->mod) d->mod = (n_in + d->div - 1) / d->div;
    d->add += d->div;
}

static void shift_scales(wrong_stored *w)
{
    if (!w->stored.scale.layout || w->stored.group_of) return;
    w->layout = *w->stored.scale.layout;
    for (size_t p = 0; p < w->layout.n_planes; p++)
        for (size_t i = 0; i < w->layout.planes[p].n_digits; i++)
            shift_columns(&w->layout.planes[p].digits[i], w->stored.n_in);
    w->stored.scale.layout = &w->layout;
}

void plant_stored_next_scale(fp_operations *op)
{
    plant_wrong(op, shift_scales);
}

static void drop_zeros(wrong_stored *w)
{
    w->stored.zero.layout = NULL;
}

void plant_stored_no_zero(fp_operations *op)
{
    plant_wrong(op, drop_zeros);
}

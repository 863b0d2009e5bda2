/* Matrices of a checkpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_matrix.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "model/numerics/stored.h"
#include "model/plan/bind_format.h"
#include "model/plan/bind_tensor.h"

/* Divides the distance of the rows of one field. */
static void narrow_field(bind *b, assay_field *field, size_t parts)
{
    assay_layout layout = *field->layout;
    for (size_t i = 0; i < layout.planes[0].n_digits; i++)
        if (layout.planes[0].digits[i].index == ASSAY_INDEX_ROW) layout.planes[0].digits[i].stride /= parts;
    field->layout = layouts_keep(b->layouts, &layout);
    if (!field->layout) bind_fail(b, ASSAY_ENOMEM, "out of memory");
}

/* Each row of affine groups becomes `parts` rows. */
static void narrow_rows(bind *b, assay_stored *s, size_t parts)
{
    narrow_field(b, &s->codes, parts);
    narrow_field(b, &s->scale, parts);
    narrow_field(b, &s->min, parts);
}

static plan_weight bind_one_matrix(bind *b, const char *name, const matrix_shape *m)
{
    plan_weight w = {0};
    bind_matrices(b, name, m, &w);
    return w;
}

plan_weight bind_matrix(bind *b, size_t rows, size_t cols, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, "", format);
    return bind_one_matrix(b, name, &(matrix_shape){0, rows, cols, false});
}

plan_weight bind_transposed(bind *b, size_t rows, size_t cols, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, "", format);
    const assay_tensor *t = bind_tensor_take(b, name, BIND_FLOATS, 2, (const size_t[]){cols, rows}, "");
    return bind_tensor_numbers(b, t, rows, cols, 1, rows);
}

plan_linear bind_linear(bind *b, size_t rows, size_t cols, bool has_bias, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    plan_linear linear = {0};
    BIND_TENSOR_NAME(name, ".weight", format);
    linear.weight = bind_one_matrix(b, name, &(matrix_shape){0, rows, cols, false});
    if (has_bias) {
        BIND_TENSOR_NAME(name, ".bias", format);
        const assay_tensor *t = bind_tensor_take(b, name, BIND_FLOATS, 1, (const size_t[]){rows}, "");
        linear.bias = bind_tensor_vector(b, t);
    }
    return linear;
}

plan_weight bind_convolution(bind *b, size_t n, size_t kernel, bool channels_last, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    const size_t shape[] = {n, channels_last ? kernel : 1, channels_last ? 1 : kernel};
    BIND_TENSOR_NAME(name, ".weight", format);
    return bind_tensor_weight(b, bind_tensor_take(b, name, BIND_FLOATS, 3, shape, ""), n, kernel);
}

plan_weight bind_square_table(bind *b, size_t rows, size_t cols, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, "", format);
    return bind_one_matrix(b, name, &(matrix_shape){1, rows, cols, false});
}

plan_weight bind_rows(const plan_weight *whole, size_t first, size_t rows)
{
    plan_weight part = *whole;
    if (!whole->data) return part;
    assert(whole->stored.n_row_digits == 0);
    part.stored.first_row += first;
    part.stored.n_out = part.rows = rows;
    part.n_bytes = whole->n_bytes / whole->rows * rows;
    return part;
}

plan_weight bind_alternate_rows(const plan_weight *whole, size_t first, size_t step)
{
    plan_weight part = *whole;
    if (!whole->data) return part;
    part = bind_rows(whole, first, whole->rows / step);
    part.stored.n_row_digits = 1;
    part.stored.row_digits[0] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, 1, 0, step};
    return part;
}

plan_weight bind_row_blocks(const plan_weight *whole, size_t first, size_t rows, size_t step, size_t n)
{
    plan_weight part = *whole;
    if (!whole->data) return part;
    part = bind_rows(whole, first, n * rows);
    part.stored.n_row_digits = 2;
    part.stored.row_digits[0] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, rows, 0, step};
    part.stored.row_digits[1] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, 1, rows, 1};
    return part;
}

plan_weight bind_reshaped(bind *b, const plan_weight *whole, size_t rows, size_t cols)
{
    plan_weight w = *whole;
    stored_numbers numbers;
    affine groups;
    const void *codes;
    if (!whole->data) return w;
    assert(rows * cols == whole->rows * whole->cols && whole->cols % cols == 0);
    w.rows = w.stored.n_out = rows;
    w.cols = w.stored.n_in = cols;
    if (stored_as_numbers(&whole->stored, &numbers)) {
        const assay_tensor all = {.name = w.name, .dtype = numbers.dtype, .data = numbers.data};
        return bind_tensor_numbers(b, &all, rows, cols, cols * numbers.col_stride, numbers.col_stride);
    }
    if (!stored_as_affine(&whole->stored, &groups, &codes) || cols % groups.group != 0)
        bind_fail(b, ASSAY_EUNSUPPORTED, "tensor '%s': found %s, expected groups that divide rows of %zu",
                  w.name, whole->stored.format, cols);
    else narrow_rows(b, &w.stored, whole->cols / cols);
    return w;
}

void bind_fused_linears(bind *b, size_t n, const size_t *rows, size_t cols, bool has_bias,
                        plan_linear *const *out, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    const assay_tensor *bias = NULL;
    size_t sum = 0, first = 0;
    for (size_t i = 0; i < n; i++) sum += rows[i];
    BIND_TENSOR_NAME(name, ".weight", format);
    const plan_weight all = bind_one_matrix(b, name, &(matrix_shape){0, sum, cols, false});
    if (has_bias) {
        BIND_TENSOR_NAME(name, ".bias", format);
        bias = bind_tensor_take(b, name, BIND_FLOATS, 1, &sum, "");
    }
    for (size_t i = 0; i < n; first += rows[i++])
        *out[i] = (plan_linear){.weight = bind_rows(&all, first, rows[i]),
                                .bias = bind_tensor_part(b, bias, first, rows[i])};
}

/* lm_head.weight is a sibling of the prefix's "model.", or below "language_model.". */
static const char *find_head(const bind *b)
{
    static const char *const NAMES[] = {"lm_head.weight", "language_model.lm_head.weight",
                                        "thinker.lm_head.weight", "thinker.language_model.lm_head.weight"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (bind_has_matrix(b, NAMES[i])) return NAMES[i];
    return NULL;
}

bool bind_has_head(const bind *b)
{
    return find_head(b);
}

static bool same_field(const assay_field *a, const assay_field *b)
{
    if (a->layout != b->layout || a->n_bytes != b->n_bytes) return false;
    return !a->bytes || memcmp(a->bytes, b->bytes, a->n_bytes) == 0;
}

static bool same_numbers(const plan_weight *x, const plan_weight *y)
{
    const assay_stored *a = &x->stored, *b = &y->stored;
    bool same = !a->group_of && !b->group_of;
    for (size_t i = 0; same && i < STORED_FIELDS; i++)
        same = same_field(stored_field_at(a, i), stored_field_at(b, i));
    return same;
}

void bind_head(bind *b, plan *p, bool tied, bool keeps_stored)
{
    const char *name = find_head(b);
    p->tied = tied;
    p->head = p->embedding;
    if (!tied && !name)
        bind_fail(b, ASSAY_EFORMAT,
                  "tensor 'lm_head.weight' is missing, and the config does not tie the head to the embedding "
                  "(tie_word_embeddings)");
    if (name) p->head = bind_one_matrix(b, name, &(matrix_shape){0, p->vocab, p->hidden, false});
    if (!tied || b->status != ASSAY_OK || !name) return;
    const bool is_same = same_numbers(&p->head, &p->embedding);
    if (!is_same && keeps_stored) {
        p->tied = false;
        return;
    }
    if (!is_same)
        bind_fail(b, ASSAY_EFORMAT,
                  "tensor '%s': differs from the embedding, but tie_word_embeddings is true", name);
    b->n_parameters -= p->vocab * p->hidden;
}

void bind_head_bias(bind *b, plan *p)
{
    const assay_tensor *t =
        bind_tensor_take(b, "lm_head.bias", BIND_FLOATS, 1, (const size_t[]){p->vocab}, "");
    p->head_bias = bind_tensor_vector(b, t);
}

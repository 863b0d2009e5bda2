/* Matrices of a checkpoint: as plain numbers, or as MLX's affine groups (mlx_lm/utils.py:
 * quantize_model, load_model); alone, or a stack of one per expert.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_matrix.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "model/checkpoint/config_quantization.h"
#include "model/plan/bind_tensor.h"

/* n matrices [rows, cols] in one tensor; n 0: one matrix, and no leading dimension. */
typedef struct matrix_shape {
    size_t n, rows, cols;
} matrix_shape;

static size_t all_rows(const matrix_shape *m)
{
    return m->n ? m->n * m->rows : m->rows;
}

/* Takes a tensor with this number of columns; the rows of the whole stack are contiguous. */
static const assay_tensor *bind_columns(bind *b, const char *name, bind_types types, const matrix_shape *m,
                                        size_t cols, const char *why)
{
    const size_t shape[] = {m->n, m->rows, cols};
    return bind_tensor_take(b, name, types, m->n ? 3 : 2, m->n ? shape : shape + 1, why);
}

/* module.weight, module.scales and module.biases. */
static plan_weight bind_affine(bind *b, const char *module, const matrix_shape *m, config_affine is)
{
    char name[BIND_NAME_MAX + 8], why[120];
    if (m->cols % is.group != 0) {
        bind_fail(b, ASSAY_EFORMAT,
                  "tensor '%s.weight': found rows of %zu elements, expected a multiple of group_size %zu",
                  module, m->cols, is.group);
        return (plan_weight){0};
    }
    (void)snprintf(why, sizeof why, " (rows of %zu elements, %zu bits in groups of %zu)", m->cols, is.bits,
                   is.group);
    (void)snprintf(name, sizeof name, "%s.weight", module);
    const assay_tensor *codes = bind_columns(b, name, BIND_CODES, m, affine_words(m->cols, is.bits), why);
    (void)snprintf(name, sizeof name, "%s.scales", module);
    const assay_tensor *scales = bind_columns(b, name, BIND_SCALES, m, m->cols / is.group, why);
    (void)snprintf(name, sizeof name, "%s.biases", module);
    const assay_tensor *biases = bind_columns(b, name, BIND_SCALES, m, m->cols / is.group, why);
    if (!codes || !scales || !biases) return (plan_weight){0};
    plan_storage storage = {
        .dtype = scales->dtype, .bias_dtype = biases->dtype, .bits = is.bits, .group = is.group};
    bind_tensor_count(b, codes, all_rows(m) * m->cols, storage);
    bind_tensor_use(b, scales);
    bind_tensor_use(b, biases);
    plan_weight w = bind_tensor_weight(codes, all_rows(m), m->cols);
    w.affine = (affine){.bits = is.bits,
                        .group = is.group,
                        .scales = scales->data,
                        .biases = biases->data,
                        .scale_dtype = scales->dtype,
                        .bias_dtype = biases->dtype};
    return w;
}

/* Takes the matrix, or the stack with all its rows as one matrix. A module that the config names is
 * quantised as stated there; another is quantised if it has scales, with the config's settings for all
 * modules. */
static plan_weight bind_one_matrix(bind *b, const char *name, const matrix_shape *m)
{
    static const char END[] = ".weight";
    const size_t length = strlen(name), end = sizeof END - 1;
    char module[BIND_NAME_MAX], scales[BIND_NAME_MAX + 8];
    config_affine is;
    if (b->quantization.modules && length > end && strcmp(name + length - end, END) == 0) {
        (void)snprintf(module, sizeof module, "%.*s", (int)(length - end), name);
        (void)snprintf(scales, sizeof scales, "%s.scales", module);
        const bool named = config_quantization_of(&b->quantization, module, &is);
        const assay_tensor *t = weights_find(b->weights, name);
        const bool packed = weights_find(b->weights, scales) || (t && t->dtype == ASSAY_U32);
        if (is.bits && (named || packed)) return bind_affine(b, module, m, is);
    }
    return bind_tensor_weight(bind_columns(b, name, BIND_FLOATS, m, m->cols, ""), all_rows(m), m->cols);
}

plan_weight bind_matrix(bind *b, size_t rows, size_t cols, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, "", format);
    return bind_one_matrix(b, name, &(matrix_shape){0, rows, cols});
}

plan_linear bind_linear(bind *b, size_t rows, size_t cols, bool has_bias, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    plan_linear linear = {0};
    BIND_TENSOR_NAME(name, ".weight", format);
    linear.weight = bind_one_matrix(b, name, &(matrix_shape){0, rows, cols});
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
    return bind_tensor_weight(bind_tensor_take(b, name, BIND_FLOATS, 3, shape, ""), n, kernel);
}

plan_weight bind_square_table(bind *b, size_t rows, size_t cols, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, "", format);
    return bind_one_matrix(b, name, &(matrix_shape){1, rows, cols});
}

plan_weight bind_rows(const plan_weight *whole, size_t first, size_t rows)
{
    plan_weight part = *whole;
    if (!whole->data) return part;
    const affine *a = &whole->affine;
    size_t row_bytes = a->bits ? affine_words(whole->cols, a->bits) * dtype_size(ASSAY_U32)
                               : whole->cols * dtype_size(whole->dtype);
    part.data = (const char *)whole->data + first * row_bytes;
    part.rows = rows;
    if (!a->bits) return part;
    const size_t skipped = first * (whole->cols / a->group);
    part.affine.scales = (const char *)a->scales + skipped * dtype_size(a->scale_dtype);
    part.affine.biases = (const char *)a->biases + skipped * dtype_size(a->bias_dtype);
    return part;
}

void bind_fused_linears(bind *b, size_t n, const size_t *rows, size_t cols, bool has_bias,
                        plan_linear *const *out, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    const assay_tensor *bias = NULL;
    size_t sum = 0, first = 0;
    for (size_t i = 0; i < n; i++) sum += rows[i];
    BIND_TENSOR_NAME(name, ".weight", format);
    const plan_weight all = bind_one_matrix(b, name, &(matrix_shape){0, sum, cols});
    if (has_bias) {
        BIND_TENSOR_NAME(name, ".bias", format);
        bias = bind_tensor_take(b, name, BIND_FLOATS, 1, &sum, "");
    }
    for (size_t i = 0; i < n; first += rows[i++])
        *out[i] = (plan_linear){.weight = bind_rows(&all, first, rows[i]),
                                .bias = bind_tensor_part(b, bias, first, rows[i])};
}

/* One fused tensor of all experts, [E, rows, cols] or its transpose: expert e's matrix goes to out[e]. */
static void bind_fused(bind *b, size_t n, size_t rows, size_t cols, const char *name, plan_weight *out)
{
    const assay_tensor *found = bind_tensor_find(b, name, BIND_FLOATS);
    bool transposed =
        found && rows != cols && found->rank == 3 && found->shape[1] == cols && found->shape[2] == rows;
    const size_t shape[] = {n, transposed ? cols : rows, transposed ? rows : cols};
    const assay_tensor *t = bind_tensor_take(b, name, BIND_FLOATS, 3, shape, "");
    for (size_t e = 0; t && e < n; e++) {
        out[e] = bind_tensor_weight(t, rows, cols);
        out[e].data = (const char *)t->data + e * rows * cols * dtype_size(t->dtype);
        out[e].transposed = transposed;
    }
}

/* Splits a fused gate and up matrix. Normally gate is the first half of the rows. In a transposed one,
 * [D, 2I], gate is in the first I columns: rows are not split, and `stride` is their length. */
static void split_gate_up(plan_experts *x, size_t e, plan_weight both)
{
    x->gate[e] = x->up[e] = both;
    x->gate[e].rows = x->up[e].rows = x->intermediate;
    size_t element = dtype_size(both.dtype);
    size_t skip = both.transposed ? x->intermediate : x->intermediate * both.cols;
    x->gate[e].stride = x->up[e].stride = both.transposed ? 2 * x->intermediate : 0;
    if (both.data) x->up[e].data = (const char *)both.data + skip * element;
}

/* One stack of all experts, stacked.part.weight: expert e's matrix goes to out[e]. */
static void bind_stack(bind *b, size_t n, size_t rows, size_t cols, const char *stacked, const char *part,
                       plan_weight *out)
{
    char name[BIND_NAME_MAX];
    (void)snprintf(name, sizeof name, "%s%s.%s.weight", b->prefix, stacked, part);
    const plan_weight all = bind_one_matrix(b, name, &(matrix_shape){n, rows, cols});
    for (size_t e = 0; e < n; e++) out[e] = bind_rows(&all, e * rows, rows);
}

/* Their number was set by the router, which is bound first. */
static bool allocate_experts(bind *b, plan_experts *x)
{
    const size_t n = x->n_experts;
    if (b->status != ASSAY_OK) return false;
    x->gate = calloc(n, sizeof *x->gate);
    x->up = calloc(n, sizeof *x->up);
    x->down = calloc(n, sizeof *x->down);
    if (x->gate && x->up && x->down) return true;
    bind_fail(b, ASSAY_ENOMEM, "out of memory");
    return false;
}

void bind_experts(bind *b, plan_experts *x, size_t hidden, size_t first, const char *base,
                  const char *stacked)
{
    char name[BIND_NAME_MAX];
    size_t n = x->n_experts, inner = x->intermediate;
    if (!allocate_experts(b, x)) return;
    if (bind_exists(b, "%s.gate_up_proj", base)) {
        (void)snprintf(name, sizeof name, "%s%s.gate_up_proj", b->prefix, base);
        bind_fused(b, n, 2 * inner, hidden, name, x->gate);
        for (size_t e = 0; e < n; e++) split_gate_up(x, e, x->gate[e]);
        (void)snprintf(name, sizeof name, "%s%s.down_proj", b->prefix, base);
        bind_fused(b, n, hidden, inner, name, x->down);
        return;
    }
    if (bind_exists(b, "%s.gate_proj.weight", stacked)) {
        bind_stack(b, n, inner, hidden, stacked, "gate_proj", x->gate);
        bind_stack(b, n, inner, hidden, stacked, "up_proj", x->up);
        bind_stack(b, n, hidden, inner, stacked, "down_proj", x->down);
        return;
    }
    for (size_t e = 0; b->status == ASSAY_OK && e < n; e++) {
        x->gate[e] = bind_matrix(b, inner, hidden, "%s.%zu.gate_proj.weight", base, first + e);
        x->up[e] = bind_matrix(b, inner, hidden, "%s.%zu.up_proj.weight", base, first + e);
        x->down[e] = bind_matrix(b, hidden, inner, "%s.%zu.down_proj.weight", base, first + e);
    }
}

void bind_stacked_experts(bind *b, plan_experts *x, size_t hidden, const char *format, ...)
{
    char first[BIND_NAME_MAX], second[BIND_NAME_MAX];
    const size_t n = x->n_experts, inner = x->intermediate;
    BIND_TENSOR_NAME(first, ".fc1.weight", format);
    BIND_TENSOR_NAME(second, ".fc2.weight", format);
    if (!allocate_experts(b, x)) return;
    const plan_weight both = bind_one_matrix(b, first, &(matrix_shape){n, 2 * inner, hidden}),
                      down = bind_one_matrix(b, second, &(matrix_shape){n, hidden, inner});
    for (size_t e = 0; e < n; e++) {
        x->gate[e] = bind_rows(&both, 2 * e * inner, inner);
        x->up[e] = bind_rows(&both, (2 * e + 1) * inner, inner);
        x->down[e] = bind_rows(&down, e * hidden, hidden);
    }
}

/* lm_head.weight is a sibling of the prefix's "model.", or below "language_model.". */
static const assay_tensor *find_head(const bind *b)
{
    static const char *const NAMES[] = {"lm_head.weight", "language_model.lm_head.weight",
                                        "thinker.lm_head.weight", "thinker.language_model.lm_head.weight"};
    const assay_tensor *t = NULL;
    for (size_t i = 0; !t && i < sizeof NAMES / sizeof *NAMES; i++) t = weights_find(b->weights, NAMES[i]);
    return t;
}

bool bind_has_head(const bind *b)
{
    return find_head(b);
}

static bool same_numbers(const plan_weight *a, const plan_weight *b)
{
    const affine *x = &a->affine, *y = &b->affine;
    if (a->dtype != b->dtype || x->bits != y->bits || x->group != y->group) return false;
    if (!x->bits) return memcmp(a->data, b->data, a->rows * a->cols * dtype_size(a->dtype)) == 0;
    const size_t n_words = a->rows * affine_words(a->cols, x->bits), n = a->rows * (a->cols / x->group);
    return x->scale_dtype == y->scale_dtype && x->bias_dtype == y->bias_dtype &&
           memcmp(a->data, b->data, n_words * dtype_size(ASSAY_U32)) == 0 &&
           memcmp(x->scales, y->scales, n * dtype_size(x->scale_dtype)) == 0 &&
           memcmp(x->biases, y->biases, n * dtype_size(x->bias_dtype)) == 0;
}

void bind_head(bind *b, plan *p, bool tied, bool keeps_stored)
{
    const assay_tensor *t = find_head(b);
    p->tied = tied;
    p->head = p->embedding;
    if (!tied && !t)
        bind_fail(b, ASSAY_EFORMAT,
                  "tensor 'lm_head.weight' is missing, and the config does not tie the head to the embedding "
                  "(tie_word_embeddings)");
    if (t) p->head = bind_one_matrix(b, t->name, &(matrix_shape){0, p->vocab, p->hidden});
    if (!tied || b->status != ASSAY_OK || !t) return;
    const bool is_same = same_numbers(&p->head, &p->embedding);
    if (!is_same && keeps_stored) {
        p->tied = false;
        return;
    }
    if (!is_same)
        bind_fail(b, ASSAY_EFORMAT,
                  "tensor '%s': differs from the embedding, but tie_word_embeddings is true", t->name);
    b->n_parameters -= p->vocab * p->hidden;
}

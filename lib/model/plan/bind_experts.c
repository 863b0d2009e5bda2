/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_experts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "model/plan/bind_format.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_tensor.h"

/* One fused tensor of all experts, [E, rows, cols] or its transpose: expert e's matrix goes to out[e]. */
static void bind_fused(bind *b, const matrix_shape *m, const char *name, plan_weight *out)
{
    const size_t n = m->n, rows = m->rows, cols = m->cols;
    const assay_tensor *found = weights_find(b->weights, name);
    if (!found || rows == cols || found->rank != 3 || found->shape[1] != cols || found->shape[2] != rows) {
        bind_matrices(b, name, m, out);
        return;
    }
    const assay_tensor *t = bind_tensor_take(b, name, BIND_FLOATS, 3, (const size_t[]){n, cols, rows}, "");
    for (size_t e = 0; t && e < n; e++) {
        assay_tensor part = *t;
        part.data = (const char *)t->data + e * rows * cols * dtype_size(t->dtype);
        out[e] = bind_tensor_numbers(b, &part, rows, cols, 1, rows);
    }
}

/* Splits the matrices of gate and up of all experts, x->gate so far: gate is the first half of the rows. */
static void split_gate_up(plan_experts *x)
{
    for (size_t e = 0; e < x->n_experts; e++) {
        const plan_weight both = x->gate[e];
        x->gate[e] = bind_rows(&both, 0, x->intermediate);
        x->up[e] = bind_rows(&both, x->intermediate, x->intermediate);
    }
}

/* One stack of all experts, stacked.part.weight: expert e's matrix goes to out[e]. */
static void bind_stack(bind *b, size_t n, size_t rows, size_t cols, const char *stacked, const char *part,
                       plan_weight *out)
{
    char name[BIND_NAME_MAX];
    (void)snprintf(name, sizeof name, "%s%s.%s.weight", b->prefix, stacked, part);
    bind_matrices(b, name, &(matrix_shape){n, rows, cols, false}, out);
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

/* base.E.NAME.weight of each expert, from E = first on. */
static void bind_singles(bind *b, plan_experts *x, size_t hidden, size_t first, const char *base,
                         const char *const names[3])
{
    const size_t inner = x->intermediate;
    for (size_t e = 0; b->status == ASSAY_OK && e < x->n_experts; e++) {
        x->gate[e] = bind_matrix(b, inner, hidden, "%s.%zu.%s.weight", base, first + e, names[0]);
        x->up[e] = bind_matrix(b, inner, hidden, "%s.%zu.%s.weight", base, first + e, names[1]);
        x->down[e] = bind_matrix(b, hidden, inner, "%s.%zu.%s.weight", base, first + e, names[2]);
    }
}

void bind_experts(bind *b, plan_experts *x, size_t hidden, size_t first, const char *base,
                  const char *stacked)
{
    char name[BIND_NAME_MAX];
    size_t n = x->n_experts, inner = x->intermediate;
    if (!allocate_experts(b, x)) return;
    if (bind_exists(b, "%s.gate_up_proj", base)) {
        (void)snprintf(name, sizeof name, "%s%s.gate_up_proj", b->prefix, base);
        bind_fused(b, &(matrix_shape){n, 2 * inner, hidden, true}, name, x->gate);
        split_gate_up(x);
        (void)snprintf(name, sizeof name, "%s%s.down_proj", b->prefix, base);
        bind_fused(b, &(matrix_shape){n, hidden, inner, false}, name, x->down);
        return;
    }
    if (bind_exists(b, "%s.gate_proj.weight", stacked)) {
        bind_stack(b, n, inner, hidden, stacked, "gate_proj", x->gate);
        bind_stack(b, n, inner, hidden, stacked, "up_proj", x->up);
        bind_stack(b, n, hidden, inner, stacked, "down_proj", x->down);
        return;
    }
    bind_singles(b, x, hidden, first, base, (const char *const[]){"gate_proj", "up_proj", "down_proj"});
}

void bind_named_experts(bind *b, plan_experts *x, size_t hidden, const char *base, const char *const names[3])
{
    if (allocate_experts(b, x)) bind_singles(b, x, hidden, 0, base, names);
}

void bind_stacked_experts(bind *b, plan_experts *x, size_t hidden, const char *format, ...)
{
    char first[BIND_NAME_MAX], second[BIND_NAME_MAX];
    const size_t n = x->n_experts, inner = x->intermediate;
    BIND_TENSOR_NAME(first, ".fc1.weight", format);
    BIND_TENSOR_NAME(second, ".fc2.weight", format);
    if (!allocate_experts(b, x)) return;
    bind_matrices(b, first, &(matrix_shape){n, 2 * inner, hidden, true}, x->gate);
    split_gate_up(x);
    bind_matrices(b, second, &(matrix_shape){n, hidden, inner, false}, x->down);
}

/* The rows of a table of biases [E, stride] that start at column `first` and take every step-th. */
static plan_weight bind_biases(bind *b, const assay_tensor *t, size_t n, size_t cols, size_t first,
                               size_t step)
{
    if (!t) return (plan_weight){0};
    assay_tensor part = *t;
    part.data = (const char *)t->data + first * dtype_size(t->dtype);
    return bind_tensor_numbers(b, &part, n, cols, cols * step, step);
}

static const assay_tensor *take_biases(bind *b, size_t n, size_t cols, const char *base, const char *suffix)
{
    char name[BIND_NAME_MAX];
    (void)snprintf(name, sizeof name, "%s%s.%s", b->prefix, base, suffix);
    return bind_tensor_take(b, name, BIND_FLOATS, 2, (const size_t[]){n, cols}, "");
}

/* base.part [E, cols, step * rows] of plain numbers: of each expert every step-th column from `first` on, as
 * rows. */
static void bind_columns(bind *b, const matrix_shape *m, const assay_tensor *t, size_t first, size_t step,
                         plan_weight *out)
{
    const size_t width = m->rows * step;
    for (size_t e = 0; t && e < m->n; e++) {
        assay_tensor part = *t;
        part.data = (const char *)t->data + (e * m->cols * width + first) * dtype_size(t->dtype);
        out[e] = bind_tensor_numbers(b, &part, m->rows, m->cols, step, width);
    }
}

/* The matrices of gpt-oss's own parameters: plain numbers are stored [in, out]. */
static void bind_alternating(bind *b, plan_experts *x, size_t hidden, const char *base)
{
    char name[BIND_NAME_MAX];
    const size_t n = x->n_experts, inner = x->intermediate;
    (void)snprintf(name, sizeof name, "%s%s.gate_up_proj", b->prefix, base);
    if (bind_exists(b, "%s.gate_up_proj", base)) {
        const assay_tensor *t =
            bind_tensor_take(b, name, BIND_FLOATS, 3, (const size_t[]){n, hidden, 2 * inner}, "");
        bind_columns(b, &(matrix_shape){n, inner, hidden, false}, t, 0, 2, x->gate);
        bind_columns(b, &(matrix_shape){n, inner, hidden, false}, t, 1, 2, x->up);
    } else {
        bind_matrices(b, name, &(matrix_shape){n, 2 * inner, hidden, false}, x->gate);
        for (size_t e = 0; b->status == ASSAY_OK && e < n; e++) {
            const plan_weight both = x->gate[e];
            x->gate[e] = bind_alternate_rows(&both, 0, 2);
            x->up[e] = bind_alternate_rows(&both, 1, 2);
        }
    }
    (void)snprintf(name, sizeof name, "%s%s.down_proj", b->prefix, base);
    if (bind_exists(b, "%s.down_proj", base)) {
        const assay_tensor *t =
            bind_tensor_take(b, name, BIND_FLOATS, 3, (const size_t[]){n, inner, hidden}, "");
        bind_columns(b, &(matrix_shape){n, hidden, inner, false}, t, 0, 1, x->down);
    } else {
        bind_matrices(b, name, &(matrix_shape){n, hidden, inner, false}, x->down);
    }
}

void bind_biased_experts(bind *b, plan_experts *x, size_t hidden, const char *base)
{
    const size_t n = x->n_experts, inner = x->intermediate;
    if (!allocate_experts(b, x)) return;
    if (bind_exists(b, "%s.gate_proj.weight", base)) {
        bind_stack(b, n, inner, hidden, base, "gate_proj", x->gate);
        bind_stack(b, n, inner, hidden, base, "up_proj", x->up);
        bind_stack(b, n, hidden, inner, base, "down_proj", x->down);
        x->gate_bias = bind_biases(b, take_biases(b, n, inner, base, "gate_proj.bias"), n, inner, 0, 1);
        x->up_bias = bind_biases(b, take_biases(b, n, inner, base, "up_proj.bias"), n, inner, 0, 1);
        x->down_bias = bind_biases(b, take_biases(b, n, hidden, base, "down_proj.bias"), n, hidden, 0, 1);
        return;
    }
    bind_alternating(b, x, hidden, base);
    const assay_tensor *both = take_biases(b, n, 2 * inner, base, "gate_up_proj_bias");
    x->gate_bias = bind_biases(b, both, n, inner, 0, 2);
    x->up_bias = bind_biases(b, both, n, inner, 1, 2);
    x->down_bias = bind_biases(b, take_biases(b, n, hidden, base, "down_proj_bias"), n, hidden, 0, 1);
}

/* Binds matrices by the format that the config states for their module.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_FORMAT_H
#define MODEL_PLAN_BIND_FORMAT_H

#include "model/plan/bind.h"

/* n matrices [rows, cols] in one tensor, or in one set of tensors; n 0: one matrix, and no leading dimension.
 * has_halves: the rows are those of a gate, and as many of an up. */
typedef struct matrix_shape {
    size_t n, rows, cols;
    bool has_halves;
} matrix_shape;

static inline size_t matrix_count(const matrix_shape *m)
{
    return m->n ? m->n : 1;
}

/* The matrices of that full name, X.weight or X, go to out[0 … max(n, 1) - 1]. They are stored in the format
 * that b->rules state for X if the rules name X, or if X has tensors of that format; otherwise as plain
 * numbers. */
void bind_matrices(bind *b, const char *name, const matrix_shape *m, plan_weight *out);

/* Whether the checkpoint has the matrix of that full name: the tensor, or one of those of its module's
 * format. */
bool bind_has_matrix(const bind *b, const char *name);

#endif

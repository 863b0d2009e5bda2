/* Checks the shapes of a plan's parts against the widths that they are applied to. The first failure stays;
 * messages name the part, its tensor, and both shapes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_CHECKER_H
#define MODEL_PLAN_CHECKER_H

#include "model/plan/plan.h"

typedef struct checker {
    const plan *plan;
    plan_visit_fn *visit; /* NULL, or is called for each weight */
    void *context;        /* of visit */
    char where[80];       /* "layers.3.", or empty */
    assay_status status;
    assay_error *err;
} checker;

void checker_matrix(checker *c, const char *part, const plan_weight *w, size_t rows, size_t cols);
void checker_vector(checker *c, const char *part, const plan_weight *w, size_t n); /* may be absent */
void checker_linear(checker *c, const char *part, const plan_linear *l, size_t rows, size_t cols);
void checker_norm(checker *c, const char *part, const plan_norm *n, size_t width); /* may be absent */
void checker_mlp(checker *c, const plan_mlp *m, size_t width); /* may be absent, as may its gate */

#endif

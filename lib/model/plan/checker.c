/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/checker.h"

#include <stdio.h>

#include "base/error.h"

static const char *name_of(const plan_weight *w)
{
    return w->name ? w->name : "(none)";
}

static void visit(const checker *c, const char *part, const plan_weight *w, double added)
{
    char place[160];
    if (!c->visit) return;
    (void)snprintf(place, sizeof place, "%s%s", c->where, part);
    c->visit(c->context, place, w, added);
}

void checker_matrix(checker *c, const char *part, const plan_weight *w, size_t rows, size_t cols)
{
    visit(c, part, w, 0);
    if (c->status != ASSAY_OK || (w->data && w->rows == rows && w->cols == cols)) return;
    c->status =
        assay_fail(c->err, ASSAY_EFORMAT,
                   "%s: %s%s: tensor '%s': found shape [%zu, %zu], expected [%zu, %zu], as it is applied",
                   c->plan->dir, c->where, part, name_of(w), w->rows, w->cols, rows, cols);
}

static void check_vector(checker *c, const char *part, const plan_weight *w, size_t n)
{
    if (c->status != ASSAY_OK || !w->data || (w->rows == 1 && w->cols == n)) return;
    c->status = assay_fail(c->err, ASSAY_EFORMAT,
                           "%s: %s%s: tensor '%s': found shape [%zu], expected [%zu], as it is applied",
                           c->plan->dir, c->where, part, name_of(w), w->rows * w->cols, n);
}

void checker_vector(checker *c, const char *part, const plan_weight *w, size_t n)
{
    visit(c, part, w, 0);
    check_vector(c, part, w, n);
}

void checker_linear(checker *c, const char *part, const plan_linear *l, size_t rows, size_t cols)
{
    checker_matrix(c, part, &l->weight, rows, cols);
    checker_vector(c, part, &l->bias, rows);
}

void checker_norm(checker *c, const char *part, const plan_norm *n, size_t width)
{
    if (!n->present) return;
    visit(c, part, &n->weight, n->offset);
    if (c->status == ASSAY_OK && n->width != width)
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %s%s: tensor '%s': found width %zu, expected %zu, as it is applied",
                               c->plan->dir, c->where, part, name_of(&n->weight), n->width, width);
    check_vector(c, part, &n->weight, n->n_weights ? n->n_weights * width : width);
    checker_vector(c, part, &n->bias, width);
    if (c->status == ASSAY_OK && n->bias.data && n->kind != PLAN_LAYER_NORM)
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %s%s: tensor '%s': found a bias of an RMSNorm, "
                               "expected none",
                               c->plan->dir, c->where, part, name_of(&n->bias));
}

void checker_mlp(checker *c, const plan_mlp *m, size_t width)
{
    if (!m->present) return;
    if (m->gate.weight.data || m->gate.weight.name)
        checker_linear(c, "mlp.gate", &m->gate, m->intermediate, width);
    checker_linear(c, "mlp.up", &m->up, m->intermediate, width);
    checker_linear(c, "mlp.down", &m->down, width, m->intermediate);
    if (c->status == ASSAY_OK && m->sparse && !m->gate.weight.data)
        c->status =
            assay_fail(c->err, ASSAY_EFORMAT, "%s: %smlp: found no gate, expected one for sparse activations",
                       c->plan->dir, c->where);
}

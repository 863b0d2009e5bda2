/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/shapes.h"

#include <stdio.h>

#include "base/error.h"

/* The first failure stays. */
typedef struct checker {
    const plan *plan;
    char where[32]; /* "layers.3.", or empty */
    assay_status status;
    assay_error *err;
} checker;

static const char *name_of(const plan_weight *w)
{
    return w->name ? w->name : "(none)";
}

static void check_matrix(checker *c, const char *part, const plan_weight *w, size_t rows, size_t cols)
{
    if (c->status != ASSAY_OK || (w->data && w->rows == rows && w->cols == cols)) return;
    c->status =
        assay_fail(c->err, ASSAY_EFORMAT,
                   "%s: %s%s: tensor '%s': found shape [%zu, %zu], expected [%zu, %zu], as it is applied",
                   c->plan->dir, c->where, part, name_of(w), w->rows, w->cols, rows, cols);
}

/* A vector may be absent. */
static void check_vector(checker *c, const char *part, const plan_weight *w, size_t n)
{
    if (c->status != ASSAY_OK || !w->data || (w->rows == 1 && w->cols == n)) return;
    c->status = assay_fail(c->err, ASSAY_EFORMAT,
                           "%s: %s%s: tensor '%s': found shape [%zu], expected [%zu], as it is applied",
                           c->plan->dir, c->where, part, name_of(w), w->rows * w->cols, n);
}

static void check_linear(checker *c, const char *part, const plan_linear *l, size_t rows, size_t cols)
{
    check_matrix(c, part, &l->weight, rows, cols);
    check_vector(c, part, &l->bias, rows);
}

/* A norm may be absent. */
static void check_norm(checker *c, const char *part, const plan_norm *n, size_t width)
{
    if (!n->present) return;
    if (c->status == ASSAY_OK && n->width != width)
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %s%s: tensor '%s': found width %zu, expected %zu, as it is applied",
                               c->plan->dir, c->where, part, name_of(&n->weight), n->width, width);
    check_vector(c, part, &n->weight, width);
    check_vector(c, part, &n->bias, width);
    if (c->status == ASSAY_OK && n->bias.data && n->kind != PLAN_LAYER_NORM)
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %s%s: tensor '%s': found a bias of an RMSNorm, "
                               "expected none",
                               c->plan->dir, c->where, part, name_of(&n->bias));
}

/* A norm of each head, or of all heads together. */
static void check_head_norm(checker *c, const char *part, const plan_norm *n, size_t n_heads, size_t head_dim)
{
    check_norm(c, part, n, n->width == n_heads * head_dim ? n->width : head_dim);
}

static void check_rope(checker *c, const plan_attention *a)
{
    if (c->status != ASSAY_OK || a->rope == PLAN_NONE) return;
    const rope *r = a->rope < c->plan->n_ropes ? &c->plan->ropes[a->rope] : NULL;
    if (!r)
        c->status = assay_fail(c->err, ASSAY_EFORMAT, "%s: %srope: found rope %zu, expected one of %zu",
                               c->plan->dir, c->where, a->rope, c->plan->n_ropes);
    else if (r->head_dim != a->head_dim || r->dim > r->head_dim || r->dim % 2 != 0)
        c->status =
            assay_fail(c->err, ASSAY_EFORMAT, "%s: %srope: found %zu of %zu elements, expected heads of %zu",
                       c->plan->dir, c->where, r->dim, r->head_dim, a->head_dim);
}

static void check_shared_keys(checker *c, const plan_attention *a, size_t i)
{
    if (c->status != ASSAY_OK || a->cache_layer == i) return;
    const plan_attention *of =
        a->cache_layer < i ? plan_layer_attention(&c->plan->layers[a->cache_layer]) : NULL;
    if (!of || of->cache_layer != a->cache_layer)
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %skeys: found those of layer %zu, expected an earlier layer with its own",
                               c->plan->dir, c->where, a->cache_layer);
    else if (of->n_kv_heads != a->n_kv_heads || of->head_dim != a->head_dim)
        c->status = assay_fail(
            c->err, ASSAY_EFORMAT,
            "%s: %skeys: found %zu heads of %zu, expected %zu of %zu, as in layer %zu, whose "
            "keys and values it reads",
            c->plan->dir, c->where, a->n_kv_heads, a->head_dim, of->n_kv_heads, of->head_dim, a->cache_layer);
}

static void check_attention(checker *c, const plan_attention *a, size_t i)
{
    const size_t d = c->plan->hidden, q = a->n_heads * a->head_dim, kv = a->n_kv_heads * a->head_dim;
    if (c->status == ASSAY_OK && (a->n_kv_heads == 0 || a->n_heads % a->n_kv_heads != 0))
        c->status =
            assay_fail(c->err, ASSAY_EFORMAT,
                       "%s: %sattention: found %zu heads and %zu key/value heads, expected a multiple",
                       c->plan->dir, c->where, a->n_heads, a->n_kv_heads);
    check_linear(c, "q", &a->q, q, d);
    check_linear(c, "o", &a->o, d, q);
    check_head_norm(c, "q_norm", &a->q_norm, a->n_heads, a->head_dim);
    if (a->cache_layer == i) {
        check_linear(c, "k", &a->k, kv, d);
        if (!a->value_is_key) check_linear(c, "v", &a->v, kv, d);
        check_head_norm(c, "k_norm", &a->k_norm, a->n_kv_heads, a->head_dim);
        check_head_norm(c, "v_norm", &a->v_norm, a->n_kv_heads, a->head_dim);
    }
    check_shared_keys(c, a, i);
    check_rope(c, a);
}

static void check_mlp(checker *c, const plan_mlp *m)
{
    if (!m->present) return;
    check_linear(c, "mlp.gate", &m->gate, m->intermediate, c->plan->hidden);
    check_linear(c, "mlp.up", &m->up, m->intermediate, c->plan->hidden);
    check_linear(c, "mlp.down", &m->down, c->plan->hidden, m->intermediate);
}

static void check_experts(checker *c, const plan_experts *x)
{
    const size_t d = c->plan->hidden;
    if (!x->present) return;
    if (c->status == ASSAY_OK && (x->n_active == 0 || x->n_active > x->n_experts))
        c->status = assay_fail(c->err, ASSAY_EFORMAT, "%s: %sexperts: found %zu active, expected 1 to %zu",
                               c->plan->dir, c->where, x->n_active, x->n_experts);
    check_matrix(c, "experts.router", &x->router, x->n_experts, d);
    check_norm(c, "experts.router_norm", &x->router_norm, d);
    check_vector(c, "experts.router_scale", &x->router_scale, d);
    check_vector(c, "experts.expert_scale", &x->expert_scale, x->n_experts);
    for (size_t e = 0; e < x->n_experts; e++) {
        check_matrix(c, "experts.gate", &x->gate[e], x->intermediate, d);
        check_matrix(c, "experts.up", &x->up[e], x->intermediate, d);
        check_matrix(c, "experts.down", &x->down[e], d, x->intermediate);
    }
}

static void check_side_parts(checker *c, const plan_layer *l)
{
    const size_t d = c->plan->hidden, p = c->plan->layer_inputs.width, s = c->plan->streams.n;
    if (l->layer_input.present) {
        check_linear(c, "layer_input.gate", &l->layer_input.gate, p, d);
        check_linear(c, "layer_input.projection", &l->layer_input.projection, d, p);
        check_norm(c, "layer_input.out_norm", &l->layer_input.out_norm, d);
    }
    if (l->laurel.present) {
        check_linear(c, "laurel.left", &l->laurel.left, l->laurel.left.weight.rows, d);
        check_linear(c, "laurel.right", &l->laurel.right, d, l->laurel.left.weight.rows);
        check_norm(c, "laurel.norm", &l->laurel.norm, d);
    }
    if (!l->altup.present) return;
    check_norm(c, "altup.router_norm", &l->altup.router_norm, d);
    check_matrix(c, "altup.router", &l->altup.router, s, d);
    check_matrix(c, "altup.prediction", &l->altup.prediction, s * s, s);
    check_matrix(c, "altup.correction", &l->altup.correction, s, s);
    check_vector(c, "altup.output_scale", &l->altup.output_scale, d);
}

static void check_layer(checker *c, const plan_layer *l, size_t i)
{
    const struct {
        const char *part;
        const plan_norm *norm;
    } norms[] = {
        {"mixer_in", &l->mixer_in},      {"mixer_out", &l->mixer_out},         {"mlp_in", &l->mlp_in},
        {"mlp_out", &l->mlp_out},        {"mlp_dense_out", &l->mlp_dense_out}, {"experts_in", &l->experts_in},
        {"experts_out", &l->experts_out}};
    (void)snprintf(c->where, sizeof c->where, "layers.%zu.", i);
    for (size_t n = 0; n < sizeof norms / sizeof *norms; n++)
        check_norm(c, norms[n].part, norms[n].norm, c->plan->hidden);
    check_attention(c, plan_layer_attention(l), i);
    check_mlp(c, &l->mlp);
    check_experts(c, &l->experts);
    check_side_parts(c, l);
    check_vector(c, "scalar", &l->scalar, 1);
}

assay_status plan_check_shapes(const plan *p, assay_error *err)
{
    checker c = {.plan = p, .err = err};
    const plan_layer_inputs *in = &p->layer_inputs;
    const size_t all = p->n_layers * in->width;
    check_matrix(&c, "embedding", &p->embedding, p->vocab, p->hidden);
    check_matrix(&c, "head", &p->head, p->vocab, p->hidden);
    check_norm(&c, "norm", &p->norm, p->hidden);
    if (in->present) {
        check_matrix(&c, "layer_inputs.table", &in->table, in->table.rows, all);
        check_linear(&c, "layer_inputs.projection", &in->projection, all, p->hidden);
        check_norm(&c, "layer_inputs.norm", &in->norm, in->width);
    }
    for (size_t i = 0; i + 1 < p->streams.n; i++) {
        check_matrix(&c, "streams.projection", &p->streams.projection[i], p->hidden, p->hidden);
        check_matrix(&c, "streams.unprojection", &p->streams.unprojection[i], p->hidden, p->hidden);
    }
    for (size_t i = 0; c.status == ASSAY_OK && i < p->n_layers; i++) check_layer(&c, &p->layers[i], i);
    return c.status;
}

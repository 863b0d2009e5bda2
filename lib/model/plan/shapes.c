/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/shapes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/plan/checker.h"
#include "model/plan/shapes_tower.h"

/* A norm of each head, with the same weights or with weights of its own, or of all heads together. */
static void check_head_norm(checker *c, const char *part, const plan_norm *n, size_t n_heads, size_t head_dim)
{
    checker_norm(c, part, n, n->width == n_heads * head_dim ? n->width : head_dim);
    if (c->status == ASSAY_OK && n->present && n->n_weights &&
        (n->n_weights != n_heads || n->width != head_dim))
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %s%s: found weights of %zu heads of %zu, expected %zu heads of %zu",
                               c->plan->dir, c->where, part, n->n_weights, n->width, n_heads, head_dim);
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

/* The frequencies are those of each head of every layer. */
static void check_plane_rope(checker *c, const plan_attention *a)
{
    const plan_plane_rope *r = &c->plan->plane_rope;
    if (c->status == ASSAY_OK && (r->dim == 0 || r->dim % 2 != 0 || r->dim > a->head_dim ||
                                  r->first > a->head_dim - r->dim || a->n_kv_heads != a->n_heads))
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %splane_rope: found elements %zu to %zu of %zu, %zu heads and %zu "
                               "key/value heads, expected pairs inside a head and as many heads of both",
                               c->plan->dir, c->where, r->first, r->first + r->dim, a->head_dim, a->n_heads,
                               a->n_kv_heads);
    checker_vector(c, "plane_rope", &r->frequency, a->n_heads * r->dim);
}

static void check_shared_keys(checker *c, const plan_attention *a, size_t i)
{
    if (c->status != ASSAY_OK || a->cache_layer == i) return;
    const plan_mixer *mixer = a->cache_layer < i ? &c->plan->layers[a->cache_layer].mixer : NULL;
    const plan_attention *of = mixer && mixer->kind == PLAN_MIXER_ATTENTION ? &mixer->attention : NULL;
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

/* Every value head is that of one query head, and the row that decides is that of the layer's own products.
 */
static void check_head_scale(checker *c, const plan_attention *a, size_t i)
{
    const plan_head_scale *s = &a->head_scale;
    const size_t n = (a->n_heads + 2 * a->n_kv_heads) * a->head_dim;
    if (!s->present) return;
    if (c->status == ASSAY_OK && (a->n_kv_heads != a->n_heads || a->kv_repeats > 1 || a->value_is_key ||
                                  a->is_gated || a->cache_layer != i))
        c->status =
            assay_fail(c->err, ASSAY_EFORMAT,
                       "%s: %shead_scale: found %zu heads and %zu key/value heads, expected as many, with "
                       "products of their own",
                       c->plan->dir, c->where, a->n_heads, a->n_kv_heads);
    checker_matrix(c, "head_scale.q", &s->q, a->n_heads, n);
    checker_matrix(c, "head_scale.v", &s->v, a->n_heads, n);
    checker_vector(c, "head_scale.alpha", &s->alpha, a->n_heads);
}

static void check_attention(checker *c, const plan_attention *a, size_t i)
{
    const size_t d = c->plan->hidden, q = a->n_heads * a->head_dim;
    const size_t q_rows = a->is_gated ? 2 * q : q;
    const size_t projected = plan_projected_kv_heads(a) * a->head_dim;
    if (c->status == ASSAY_OK && (a->n_kv_heads == 0 || a->n_heads % a->n_kv_heads != 0))
        c->status =
            assay_fail(c->err, ASSAY_EFORMAT,
                       "%s: %sattention: found %zu heads and %zu key/value heads, expected a multiple",
                       c->plan->dir, c->where, a->n_heads, a->n_kv_heads);
    if (c->status == ASSAY_OK && a->kv_repeats > 1 && a->n_kv_heads % a->kv_repeats != 0)
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %sattention: found %zu key/value heads, expected a multiple of the %zu "
                               "that are made of each",
                               c->plan->dir, c->where, a->n_kv_heads, a->kv_repeats);
    checker_linear(c, "q", &a->q, q_rows, d);
    checker_linear(c, "o", &a->o, d, q);
    checker_vector(c, "sinks", &a->sinks, a->n_heads);
    check_head_scale(c, a, i);
    check_head_norm(c, "q_norm", &a->q_norm, a->n_heads, a->head_dim);
    if (a->cache_layer == i) {
        checker_linear(c, "k", &a->k, projected, d);
        if (!a->value_is_key) checker_linear(c, "v", &a->v, projected, d);
        check_head_norm(c, "k_norm", &a->k_norm, a->n_kv_heads, a->head_dim);
        check_head_norm(c, "v_norm", &a->v_norm, a->n_kv_heads, a->head_dim);
    }
    check_shared_keys(c, a, i);
    check_rope(c, a);
    if (c->plan->plane_rope.present) check_plane_rope(c, a);
}

static void check_delta(checker *c, const plan_delta *m)
{
    const size_t d = c->plan->hidden, k = m->n_k_heads * m->k_dim, v = m->n_v_heads * m->v_dim;
    if (c->status == ASSAY_OK && (k == 0 || v == 0 || m->kernel == 0 || m->n_v_heads % m->n_k_heads != 0))
        c->status =
            assay_fail(c->err, ASSAY_EFORMAT,
                       "%s: %sdelta: found %zu key heads of %zu, %zu value heads of %zu and a kernel of "
                       "%zu, expected a multiple of the key heads, and no zero",
                       c->plan->dir, c->where, m->n_k_heads, m->k_dim, m->n_v_heads, m->v_dim, m->kernel);
    checker_linear(c, "delta.qkv", &m->qkv, 2 * k + v, d);
    checker_linear(c, "delta.z", &m->z, v, d);
    checker_linear(c, "delta.a", &m->a, m->n_v_heads, d);
    checker_linear(c, "delta.b", &m->b, m->n_v_heads, d);
    checker_matrix(c, "delta.conv", &m->conv, 2 * k + v, m->kernel);
    checker_matrix(c, "delta.a_log", &m->a_log, 1, m->n_v_heads);
    checker_matrix(c, "delta.dt_bias", &m->dt_bias, 1, m->n_v_heads);
    checker_norm(c, "delta.norm", &m->norm, m->v_dim);
    checker_linear(c, "delta.out", &m->out, d, v);
}

/* Keys and values are of rows of features, which are as wide as those of tokens (plan_check_tower). Without a
 * tower there are no images, and engines leave these layers out. */
static void check_cross(checker *c, const plan_attention *a, size_t i)
{
    check_attention(c, a, i);
    if (c->status == ASSAY_OK && c->plan->vision.present && !plan_tower_feeds_cross(&c->plan->vision))
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %sattention: found attention to images, expected a tower that feeds it",
                               c->plan->dir, c->where);
    if (c->status == ASSAY_OK && (a->mask != PLAN_MASK_NONE || a->window != 0 || a->rope != PLAN_NONE ||
                                  a->cache_layer != i || a->value_is_key || a->is_gated))
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %sattention: found a mask, a window, a rope, shared keys or a gate, "
                               "expected none in attention to images",
                               c->plan->dir, c->where);
}

static void check_mixer(checker *c, const plan_mixer *m, size_t i)
{
    if (m->kind == PLAN_MIXER_CROSS) {
        check_cross(c, &m->attention, i);
        return;
    }
    if (m->kind == PLAN_MIXER_DELTA) check_delta(c, &m->delta);
    else check_attention(c, &m->attention, i);
}

static void check_shared_expert(checker *c, const plan_experts *x)
{
    checker shared = *c;
    const int n = (int)sizeof shared.where - (int)sizeof "shared.";
    (void)snprintf(shared.where, sizeof shared.where, "%.*sshared.", n, c->where);
    checker_mlp(&shared, &x->shared, c->plan->hidden);
    checker_vector(&shared, "gate", &x->shared_gate, c->plan->hidden);
    c->status = shared.status;
}

/* Every group has two experts whose sum is its score, and the chosen groups hold enough of them. */
static void check_groups(checker *c, const plan_experts *x)
{
    const size_t n = x->n_groups, size = n ? x->n_experts / n : 0;
    if (c->status != ASSAY_OK || n == 0) return;
    if (x->n_experts % n != 0 || size < 2)
        c->status = assay_fail(c->err, ASSAY_EFORMAT,
                               "%s: %s%zu groups: found %zu experts, expected two or more in each",
                               c->plan->dir, c->where, n, x->n_experts);
    else if (x->n_active_groups == 0 || x->n_active_groups > n || x->n_active > x->n_active_groups * size)
        c->status =
            assay_fail(c->err, ASSAY_EFORMAT,
                       "%s: %s%zu active groups of %zu experts: expected 1 to %zu, with %zu experts at least",
                       c->plan->dir, c->where, x->n_active_groups, size, n, x->n_active);
}

/* part: "experts" or "own_experts". */
static void check_experts(checker *whole, const plan_experts *x, const char *part)
{
    const size_t d = whole->plan->hidden;
    checker own = *whole, *c = &own;
    if (!x->present) return;
    const int n = (int)sizeof own.where - (int)strlen(part) - 2;
    (void)snprintf(own.where, sizeof own.where, "%.*s%s.", n, whole->where, part);
    if (c->status == ASSAY_OK && (x->n_active == 0 || x->n_active > x->n_experts))
        c->status = assay_fail(c->err, ASSAY_EFORMAT, "%s: %s%s: found %zu active, expected 1 to %zu",
                               c->plan->dir, whole->where, part, x->n_active, x->n_experts);
    check_groups(c, x);
    checker_matrix(c, "router", &x->router, x->n_experts, d);
    checker_norm(c, "router_norm", &x->router_norm, d);
    checker_vector(c, "router_scale", &x->router_scale, d);
    checker_vector(c, "router_bias", &x->router_bias, x->n_experts);
    checker_vector(c, "choice_bias", &x->choice_bias, x->n_experts);
    checker_vector(c, "expert_scale", &x->expert_scale, x->n_experts);
    if (x->gate_bias.data) {
        checker_matrix(c, "gate_bias", &x->gate_bias, x->n_experts, x->intermediate);
        checker_matrix(c, "up_bias", &x->up_bias, x->n_experts, x->intermediate);
        checker_matrix(c, "down_bias", &x->down_bias, x->n_experts, d);
    }
    check_shared_expert(c, x);
    for (size_t e = 0; e < x->n_experts; e++) {
        checker_matrix(c, "gate", &x->gate[e], x->intermediate, d);
        checker_matrix(c, "up", &x->up[e], x->intermediate, d);
        checker_matrix(c, "down", &x->down[e], d, x->intermediate);
    }
    whole->status = own.status;
}

static void check_side_parts(checker *c, const plan_layer *l)
{
    const size_t d = c->plan->hidden, p = c->plan->layer_inputs.width, s = c->plan->streams.n;
    if (l->layer_input.present) {
        checker_linear(c, "layer_input.gate", &l->layer_input.gate, p, d);
        checker_linear(c, "layer_input.projection", &l->layer_input.projection, d, p);
        checker_norm(c, "layer_input.out_norm", &l->layer_input.out_norm, d);
    }
    if (l->laurel.present) {
        checker_linear(c, "laurel.left", &l->laurel.left, l->laurel.left.weight.rows, d);
        checker_linear(c, "laurel.right", &l->laurel.right, d, l->laurel.left.weight.rows);
        checker_norm(c, "laurel.norm", &l->laurel.norm, d);
    }
    if (!l->altup.present) return;
    checker_norm(c, "altup.router_norm", &l->altup.router_norm, d);
    checker_matrix(c, "altup.router", &l->altup.router, s, d);
    checker_matrix(c, "altup.prediction", &l->altup.prediction, s * s, s);
    checker_matrix(c, "altup.correction", &l->altup.correction, s, s);
    checker_vector(c, "altup.output_scale", &l->altup.output_scale, d);
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
        checker_norm(c, norms[n].part, norms[n].norm, c->plan->hidden);
    check_mixer(c, &l->mixer, i);
    if (c->status == ASSAY_OK && l->is_parallel &&
        (l->mlp_in.present || l->laurel.present || (l->mlp.present && l->experts.present)))
        c->status =
            assay_fail(c->err, ASSAY_EFORMAT,
                       "%s: %sparallel: found a norm of the MLP, a low-rank residual, or an MLP beside "
                       "experts, expected one norm and one of both",
                       c->plan->dir, c->where);
    checker_mlp(c, &l->mlp, c->plan->hidden);
    check_experts(c, &l->experts, "experts");
    check_experts(c, &l->own_experts, "own_experts");
    check_side_parts(c, l);
    checker_vector(c, "scalar", &l->scalar, 1);
    checker_vector(c, "mixer_gate", &l->mixer_gate, 1);
    checker_vector(c, "mlp_gate", &l->mlp_gate, 1);
}

/* The table of ids with an embedding of their own, and its merger. */
static void check_id_table(checker *c)
{
    const plan_id_table *t = &c->plan->id_table;
    size_t width = t->table.cols;
    if (t->n == 0) return;
    checker_matrix(c, "id_table.table", &t->table, t->n, width);
    for (size_t i = 0; i < t->merger.n_steps; i++) {
        const plan_merger_step *step = &t->merger.steps[i];
        if (step->kind == PLAN_MERGER_NORM) checker_norm(c, "id_table.norm", &step->norm, width);
        else if (step->kind == PLAN_MERGER_LINEAR)
            checker_linear(c, "id_table.linear", &step->linear, step->linear.weight.rows, width);
        else if (c->status == ASSAY_OK)
            c->status = assay_fail(c->err, ASSAY_EFORMAT,
                                   "%s: id_table: step %zu: found another kind than a norm or a product",
                                   c->plan->dir, i);
        width = plan_merger_step_width(step, width, 1);
    }
    if (c->status == ASSAY_OK && width != c->plan->hidden)
        c->status = assay_fail(c->err, ASSAY_EFORMAT, "%s: id_table: found rows of %zu, expected %zu",
                               c->plan->dir, width, c->plan->hidden);
}

static assay_status walk_plan(const plan *p, plan_visit_fn *visit, void *context, assay_error *err)
{
    checker c = {.plan = p, .visit = visit, .context = context, .err = err};
    const plan_layer_inputs *in = &p->layer_inputs;
    const size_t all = p->n_layers * in->width;
    checker_matrix(&c, "embedding", &p->embedding, p->n_token_ids > p->vocab ? p->n_token_ids : p->vocab,
                   p->hidden);
    checker_matrix(&c, "head", &p->head, p->vocab, p->hidden);
    checker_vector(&c, "head_bias", &p->head_bias, p->vocab);
    checker_norm(&c, "norm", &p->norm, p->hidden);
    if (in->present) {
        checker_matrix(&c, "layer_inputs.table", &in->table, in->table.rows, all);
        checker_linear(&c, "layer_inputs.projection", &in->projection, all, p->hidden);
        checker_norm(&c, "layer_inputs.norm", &in->norm, in->width);
    }
    check_id_table(&c);
    for (size_t i = 0; i + 1 < p->streams.n; i++) {
        checker_matrix(&c, "streams.projection", &p->streams.projection[i], p->hidden, p->hidden);
        checker_matrix(&c, "streams.unprojection", &p->streams.unprojection[i], p->hidden, p->hidden);
    }
    for (size_t i = 0; c.status == ASSAY_OK && i < p->n_layers; i++) check_layer(&c, &p->layers[i], i);
    if (c.status == ASSAY_OK && p->vision.present) c.status = plan_check_tower(&c, &p->vision);
    if (c.status == ASSAY_OK && p->audio.present) c.status = plan_check_tower(&c, &p->audio);
    return c.status;
}

assay_status plan_check_shapes(const plan *p, assay_error *err)
{
    return walk_plan(p, NULL, NULL, err);
}

void plan_visit_weights(const plan *p, plan_visit_fn *visit, void *context)
{
    const assay_status rc = walk_plan(p, visit, context, NULL);
    assert(rc == ASSAY_OK);
    (void)rc;
}

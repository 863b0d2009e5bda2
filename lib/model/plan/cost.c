/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/cost.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/saturate.h"

/* The size of an element after conversion; of quantised weights, that of their scales. */
static size_t number_bytes(const plan_weight *w)
{
    const assay_field *scale = &w->stored.scale, *of = scale->layout ? scale : &w->stored.codes;
    return of->layout ? dtype_size((assay_dtype)of->layout->number) : 0;
}

static uint64_t row_bytes(const plan_weight *w)
{
    return w->n_bytes / w->rows;
}

uint64_t plan_cost_weight_bytes(const plan_weight *w)
{
    return w->data ? w->n_bytes : 0;
}

/* Counts a weight that is read completely; nothing if it is absent. */
static void read_weight(plan_cost *c, const plan_weight *w)
{
    c->weight_bytes += plan_cost_weight_bytes(w);
}

static void read_row(plan_cost *c, const plan_weight *table)
{
    if (table->data) c->weight_bytes += row_bytes(table);
}

static void add_product(plan_cost *c, const plan_weight *w)
{
    read_weight(c, w);
    if (w->data) c->multiplies += (uint64_t)w->rows * w->cols;
}

static void add_linear(plan_cost *c, const plan_linear *linear)
{
    add_product(c, &linear->weight);
    read_weight(c, &linear->bias);
}

static void add_norm(plan_cost *c, const plan_norm *n)
{
    if (!n->present) return;
    read_weight(c, &n->weight);
    read_weight(c, &n->bias);
}

/* Without key weights, the layer uses another layer's cache, which has already been counted. */
static void add_attention(plan_cost *c, const plan_attention *a, size_t layer)
{
    plan_cost_attention *mine = &c->attention[layer];
    size_t positions = 2 * a->n_kv_heads * a->head_dim;
    add_linear(c, &a->q);
    add_linear(c, &a->k);
    add_linear(c, &a->v);
    add_linear(c, &a->o);
    add_norm(c, &a->q_norm);
    add_norm(c, &a->k_norm);
    add_norm(c, &a->v_norm);
    read_weight(c, &a->sinks);
    add_product(c, &a->head_scale.q);
    add_product(c, &a->head_scale.v);
    read_weight(c, &a->head_scale.alpha);
    *mine = (plan_cost_attention){.n_query = a->n_heads * a->head_dim, .window = a->window};
    mine->cache_bytes =
        a->k.weight.data ? positions * number_bytes(&a->k.weight) : c->attention[a->cache_layer].cache_bytes;
}

/* Keys and values are those of images: only the products of tokens are counted. */
static void add_cross(plan_cost *c, const plan_attention *a)
{
    add_linear(c, &a->q);
    add_linear(c, &a->o);
    add_norm(c, &a->q_norm);
}

/* The state is multiplied by k and by q, and k by the update: three multiply-adds an element. */
static void add_delta(plan_cost *c, const plan_delta *d)
{
    const uint64_t state = (uint64_t)d->n_v_heads * d->k_dim * d->v_dim;
    add_linear(c, &d->qkv);
    add_linear(c, &d->z);
    add_linear(c, &d->a);
    add_linear(c, &d->b);
    add_linear(c, &d->out);
    add_norm(c, &d->norm);
    read_weight(c, &d->conv);
    read_weight(c, &d->a_log);
    read_weight(c, &d->dt_bias);
    c->multiplies += 3 * state;
    c->state_bytes += (state + (uint64_t)d->conv.rows * (d->kernel - 1)) * sizeof(float);
}

static void add_mlp(plan_cost *c, const plan_mlp *m)
{
    if (!m->present) return;
    add_linear(c, &m->gate);
    add_linear(c, &m->up);
    add_linear(c, &m->down);
}

static void add_experts(plan_cost *c, const plan_experts *x)
{
    if (!x->present) return;
    add_product(c, &x->router);
    add_norm(c, &x->router_norm);
    read_weight(c, &x->router_scale);
    read_weight(c, &x->router_bias);
    read_weight(c, &x->choice_bias);
    read_weight(c, &x->expert_scale);
    add_mlp(c, &x->shared);
    add_product(c, &x->shared_gate);
    for (size_t i = 0; i < x->n_active; i++) {
        read_row(c, &x->gate_bias);
        read_row(c, &x->up_bias);
        read_row(c, &x->down_bias);
        add_product(c, &x->gate[i]);
        add_product(c, &x->up[i]);
        add_product(c, &x->down[i]);
    }
}

/* The router is evaluated twice: to predict and to correct. */
static void add_altup(plan_cost *c, const plan_altup *a)
{
    if (!a->present) return;
    add_product(c, &a->router);
    c->multiplies += (uint64_t)a->router.rows * a->router.cols;
    add_product(c, &a->prediction);
    add_product(c, &a->correction);
    add_norm(c, &a->router_norm);
    read_weight(c, &a->output_scale);
}

static void count_layer(plan_cost *c, const plan_layer *layer, size_t i)
{
    const plan_norm *const norms[] = {&layer->mixer_in,      &layer->mixer_out,  &layer->mlp_in,
                                      &layer->mlp_out,       &layer->experts_in, &layer->experts_out,
                                      &layer->mlp_dense_out, &layer->laurel.norm};
    if (layer->mixer.kind == PLAN_MIXER_DELTA) add_delta(c, &layer->mixer.delta);
    else if (layer->mixer.kind == PLAN_MIXER_CROSS) add_cross(c, &layer->mixer.attention);
    else add_attention(c, &layer->mixer.attention, i);
    add_mlp(c, &layer->mlp);
    add_experts(c, &layer->experts);
    add_altup(c, &layer->altup);
    if (layer->laurel.present) {
        add_linear(c, &layer->laurel.left);
        add_linear(c, &layer->laurel.right);
    }
    if (layer->layer_input.present) {
        add_linear(c, &layer->layer_input.gate);
        add_linear(c, &layer->layer_input.projection);
        add_norm(c, &layer->layer_input.out_norm);
    }
    for (size_t n = 0; n < sizeof norms / sizeof *norms; n++) add_norm(c, norms[n]);
    read_weight(c, &layer->scalar);
    read_weight(c, &layer->mixer_gate);
    read_weight(c, &layer->mlp_gate);
}

static void count_ends(plan_cost *c, const plan *p)
{
    if (!p->tied) read_row(c, &p->embedding);
    if (p->layer_inputs.present) {
        read_row(c, &p->layer_inputs.table);
        add_linear(c, &p->layer_inputs.projection);
        add_norm(c, &p->layer_inputs.norm);
    }
    for (size_t s = 1; s < p->streams.n; s++) {
        add_product(c, &p->streams.projection[s - 1]);
        add_product(c, &p->streams.unprojection[s - 1]);
    }
    add_norm(c, &p->norm);
    read_weight(c, &p->plane_rope.frequency);
    read_weight(c, &p->head);
    read_weight(c, &p->head_bias);
    c->head = (uint64_t)p->head.rows * p->head.cols;
}

assay_status plan_cost_read(const plan *p, plan_cost *out, assay_error *err)
{
    plan_cost c = {.n_layers = p->n_layers, .attention = calloc(p->n_layers + 1, sizeof *c.attention)};
    if (!c.attention) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", p->dir);
    for (size_t i = 0; i < p->n_layers; i++) count_layer(&c, &p->layers[i], i);
    count_ends(&c, p);
    *out = c;
    return ASSAY_OK;
}

void plan_cost_free(plan_cost *cost)
{
    free(cost->attention);
    *cost = (plan_cost){0};
}

/* The total number of keys to which the tokens at positions first … first + n - 1 attend: each its own
 * and earlier ones, at most `window`. */
static uint64_t count_visible_keys(size_t window, size_t first, size_t n)
{
    uint64_t full = n; /* tokens that are not limited by the window */
    if (window && first + n > window) full = first < window ? window - first : 0;
    const uint64_t even = full % 2 ? full + 1 : full, odd = full % 2 ? full : full + 1;
    const uint64_t earlier = multiply_saturating(full, first), own = multiply_saturating(even / 2, odd);
    return add_saturating(add_saturating(earlier, own), multiply_saturating(n - full, window));
}

uint64_t plan_cost_count(const plan_cost *cost, size_t first, size_t n_tokens, size_t n_rows)
{
    uint64_t sum = add_saturating(multiply_saturating(cost->multiplies, n_tokens),
                                  multiply_saturating(cost->head, n_rows));
    for (size_t i = 0; i < cost->n_layers; i++) { /* multiplications of the scores and of the weighted sum */
        const uint64_t keys = count_visible_keys(cost->attention[i].window, first, n_tokens);
        sum = add_saturating(sum, multiply_saturating(2 * (uint64_t)cost->attention[i].n_query, keys));
    }
    return sum;
}

double plan_cost_multiplies(const plan_cost *cost, size_t first, size_t n_tokens, size_t n_rows)
{
    return (double)plan_cost_count(cost, first, n_tokens, n_rows);
}

double plan_cost_cache_bytes(const plan_cost *cost, size_t position)
{
    double sum = (double)cost->state_bytes;
    for (size_t i = 0; i < cost->n_layers; i++)
        sum += (double)cost->attention[i].cache_bytes *
               (double)count_visible_keys(cost->attention[i].window, position, 1);
    return sum;
}

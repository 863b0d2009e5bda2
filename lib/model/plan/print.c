/* `assay info DIR`: prints the plan, to be compared with a model card.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/print.h"

#include <inttypes.h>

#include "base/dtype.h"
#include "model/plan/plan.h"
#include "model/plan/print_norm.h"
#include "model/plan/print_tower.h"

static void print_storages(const plan *p, FILE *out)
{
    for (size_t i = 0; i < p->n_storages; i++) {
        const plan_storage *s = &p->storages[i];
        fprintf(out, "stored       ");
        fprintf(out, "%s", s->format ? s->format : dtype_name(s->dtype));
        if (s->format && s->bits) fprintf(out, ", %zu bits", s->bits);
        if (s->format && s->group) fprintf(out, " in groups of %zu", s->group);
        if (s->format && s->dtype) fprintf(out, ", scales in %s", dtype_name(s->dtype));
        if (s->format && s->bias_dtype) fprintf(out, ", biases in %s", dtype_name(s->bias_dtype));
        fprintf(out, ": %zu elements in %zu tensor%s\n", s->n_elements, s->n_tensors,
                s->n_tensors == 1 ? "" : "s");
    }
}

static const char *position_rule(plan_positions positions)
{
    switch (positions) {
    case PLAN_POSITIONS_INDEX: return "";
    case PLAN_POSITIONS_GRID: return ", those of images by their grids";
    case PLAN_POSITIONS_IMAGES: return ", those of images by column, row and number of the image";
    case PLAN_POSITIONS_BLOCK: return ", one of each image";
    }
    return "";
}

static void print_counts(const plan *p, FILE *out)
{
    fprintf(out, "model        %s (%s)\n", p->dir, p->model_type);
    fprintf(out, "parameters   %zu", p->n_parameters);
    if (p->n_ignored) fprintf(out, "; %zu more passed over", p->n_ignored);
    fputc('\n', out);
    print_storages(p, out);
    fprintf(out, "vocabulary   %zu, head %s", p->vocab, p->tied ? "tied to the embedding" : p->head.name);
    if (p->logit_factor != 1) fprintf(out, ", logits times %.10g", p->logit_factor);
    if (p->soft_cap > 0) fprintf(out, ", final logit softcapping %g", p->soft_cap);
    if (p->n_token_ids < p->vocab) fprintf(out, "; ids from %zu on are not text", p->n_token_ids);
    if (p->n_token_ids > p->vocab) fprintf(out, "; %zu more ids without logits", p->n_token_ids - p->vocab);
    fprintf(out, "\nhidden       %zu", p->hidden);
    if (p->norm.kind == PLAN_LAYER_NORM)
        fprintf(out, ", final LayerNorm%s", p->norm.bias.data ? " with bias" : "");
    if (p->embedding_scale != 1) fprintf(out, ", embedding times %.10g", p->embedding_scale);
    fprintf(out, "\npositions    %zu as trained%s\n", p->max_positions, position_rule(p->positions));
    if (p->streams.n) fprintf(out, "altup        %zu streams, active %zu\n", p->streams.n, p->streams.active);
    if (p->layer_inputs.present)
        fprintf(out, "per layer    embeddings of %zu, table of %zu tokens\n", p->layer_inputs.width,
                p->layer_inputs.table.rows);
    if (p->id_table.n)
        fprintf(out, "own table    ids %" PRId32 " to %zu, rows of %zu\n", p->id_table.first,
                (size_t)p->id_table.first + p->id_table.n - 1, p->id_table.table.cols);
    for (size_t i = 0; i < p->placeholders.n; i++)
        fprintf(out, "placeholder  %" PRId32 ", embedded as %" PRId32 "\n", p->placeholders.id[i],
                p->placeholders.embeds_as);
    for (size_t i = 0; i < p->blocks.n; i++) fprintf(out, "block token  %" PRId32 "\n", p->blocks.id[i]);
    if (p->blocks.of_image) fprintf(out, "block        the tokens of the image that a sample begins with\n");
    for (size_t i = 0; i < p->expert_tokens.n; i++)
        fprintf(out, "expert token %" PRId32 "\n", p->expert_tokens.id[i]);
}

static void print_stops(const plan *p, const tokenizer *tokens, FILE *out)
{
    size_t n;
    const int32_t *ids = stop_set_ids(p->stops, &n);
    for (size_t i = 0; i < n; i++) {
        char from[80];
        size_t n_text = 0;
        const char *text = tokens ? tokenizer_text_of(tokens, ids[i], &n_text) : NULL;
        stop_origin_print(from, sizeof from, stop_set_origin(p->stops, i));
        fprintf(out, "stop         %" PRId32 "  ", ids[i]);
        if (text) fprintf(out, "%.*s  ", (int)n_text, text);
        fprintf(out, "%s\n", from);
    }
    if (n == 0) fprintf(out, "stop         none\n");
}

static void print_factors(FILE *out, const char *name, const double *factor, size_t n)
{
    fprintf(out, "             %s", name);
    for (size_t i = 0; i < n && i < 8; i++) fprintf(out, " %g", factor[i]);
    fprintf(out, "%s\n", n > 8 ? " …" : "");
}

static void print_rope(const rope *r, size_t index, FILE *out)
{
    fprintf(out, "rope %-2zu      %s, theta %g, %zu of %zu elements", index, rope_type_name(r->type),
            r->theta, r->dim, r->head_dim);
    if (r->type == ROPE_PROPORTIONAL) fprintf(out, ", %zu pairs turn", r->n_angles);
    if (r->factor != 0 && r->factor != 1) fprintf(out, ", factor %g", r->factor);
    if (r->sections != ROPE_SECTIONS_NONE)
        fprintf(out, ", sections %zu, %zu, %zu %s", r->section[0], r->section[1], r->section[2],
                rope_sections_name(r->sections));
    if (r->attention_factor != 1) fprintf(out, ", cos and sin times %.10g", r->attention_factor);
    if (r->original_length > 0) fprintf(out, ", original length %g", r->original_length);
    if (r->type == ROPE_DYNAMIC) fprintf(out, ", grows beyond %g", r->max_length);
    if (r->type == ROPE_LLAMA3) fprintf(out, ", bands %g to %g", r->low_freq_factor, r->high_freq_factor);
    if (r->type == ROPE_YARN)
        fprintf(out, ", beta %g to %g%s", r->beta_fast, r->beta_slow, r->truncate ? "" : ", not truncated");
    fputc('\n', out);
    if (!r->short_factor) return;
    print_factors(out, "short", r->short_factor, r->dim / 2);
    print_factors(out, "long ", r->long_factor, r->dim / 2);
}

static void print_attention(const plan_attention *a, size_t i, bool crosses, FILE *out)
{
    fprintf(out, "layer %02zu     attention%s %zu/%zu heads of %zu, scale %.6g", i,
            crosses ? " to images," : "", a->n_heads, a->n_kv_heads, a->head_dim, a->scale);
    if (a->score_cap > 0) fprintf(out, ", attention logit softcapping %g", a->score_cap);
    if (a->window) fprintf(out, ", window %zu", a->window);
    else if (!crosses) fprintf(out, ", full");
    if (a->mask == PLAN_MASK_BLOCKS) fprintf(out, ", later tokens of a block");
    if (a->rope == PLAN_NONE) fprintf(out, ", no rope");
    else fprintf(out, ", rope %zu", a->rope);
    if (a->cache_layer != i) fprintf(out, ", keys and values of layer %02zu", a->cache_layer);
    if (a->value_is_key) fprintf(out, ", value = key");
    if (a->is_gated) fprintf(out, ", gated");
    if (a->norms_after_rope) fprintf(out, ", norms after the rope");
    if (a->kv_repeats > 1) fprintf(out, ", keys and values repeated %zu times", a->kv_repeats);
    if (a->sinks.data) fprintf(out, ", attention sinks");
    if (a->query_factor.period != 0)
        fprintf(out, ", queries times 1 + %g log(1 + floor((t + %g) / %g))", a->query_factor.beta,
                a->query_factor.first, a->query_factor.period);
    if (a->head_scale.present) fprintf(out, ", queries and values scaled by token and position");
    if (a->q.bias.data) fprintf(out, ", bias on q%s", a->k.bias.data ? ", k, v" : "");
    if (a->o.bias.data) fprintf(out, ", bias on o");
    if (a->q_norm.present && a->q_norm.width != a->head_dim)
        fprintf(out, ", q and k normalised over all heads");
    if (a->q_norm.n_weights) fprintf(out, ", norms of q and k with weights of each head");
    fputc('\n', out);
}

static void print_delta(const plan_delta *d, size_t i, FILE *out)
{
    fprintf(
        out,
        "layer %02zu     gated delta net, %zu heads of %zu by %zu, keys of %zu heads, convolution over %zu "
        "tokens%s\n",
        i, d->n_v_heads, d->k_dim, d->v_dim, d->n_k_heads, d->kernel,
        d->groups_heads ? ", rows in groups by key head" : "");
}

static void print_gating(const plan_gating *g, FILE *out)
{
    if (g->limit != 0) fprintf(out, ", factors limited to %g", g->limit);
    if (g->slope != 0) fprintf(out, ", slope %g", g->slope);
    if (g->up_offset != 0) fprintf(out, ", second factor plus %g", g->up_offset);
}

static void print_experts(const plan_experts *x, const char *role, FILE *out)
{
    if (!x->present) return;
    fprintf(out, "             experts %zu of %zu, %zu each, %s%s", x->n_active, x->n_experts,
            x->intermediate, plan_activation_name(x->activation),
            x->choice_bias.data ? ", chosen with a bias" : "");
    if (x->router_bias.data) fprintf(out, ", scores with a bias");
    if (x->gate_bias.data) fprintf(out, ", biases");
    print_gating(&x->gating, out);
    if (x->scoring == PLAN_SCORING_SIGMOID) fprintf(out, ", sigmoids");
    if (x->n_groups) fprintf(out, ", from %zu of %zu groups", x->n_active_groups, x->n_groups);
    if (x->renormalize) fprintf(out, ", renormalised");
    if (x->sum_floor != 0) fprintf(out, " by at least %g", x->sum_floor);
    if (x->sum_offset != 0) fprintf(out, " by the sum and %g", x->sum_offset);
    if (x->share_factor != 1) fprintf(out, ", times %g", x->share_factor);
    fprintf(out, "%s%s\n", x->expert_scale.data ? ", scaled" : "", role);
    if (x->shared.present)
        fprintf(out, "             shared expert %zu, %s%s\n", x->shared.intermediate,
                plan_activation_name(x->shared.activation), x->shared_gate.data ? ", gated" : "");
}

static void print_feed_forward(const plan_layer *layer, FILE *out)
{
    if (layer->mlp.present) {
        fprintf(out, "             mlp %zu, %s", layer->mlp.intermediate,
                plan_activation_name(layer->mlp.activation));
        if (layer->mlp.squares) fprintf(out, " squared");
        print_gating(&layer->mlp.gating, out);
        if (layer->mlp.sparse) fprintf(out, ", sparse above %.6g deviations", layer->mlp.sparse_deviations);
        if (!layer->mlp.gate.weight.data) fprintf(out, ", no gate");
        if (layer->mlp.gate.bias.data || layer->mlp.down.bias.data) fprintf(out, ", biases");
        fputc('\n', out);
    }
    print_experts(&layer->experts, layer->mlp.present ? ", beside the mlp" : "", out);
    print_experts(&layer->own_experts, ", for the expert tokens", out);
}

static void print_layer(const plan *p, size_t i, FILE *out)
{
    const plan_layer *layer = &p->layers[i];
    const plan_attention *a = layer->mixer.kind != PLAN_MIXER_DELTA ? &layer->mixer.attention : NULL;
    if (a) print_attention(a, i, layer->mixer.kind == PLAN_MIXER_CROSS, out);
    else print_delta(&layer->mixer.delta, i, out);
    print_feed_forward(layer, out);
    fprintf(out, "             norms");
    plan_print_norm(out, "mixer_in", &layer->mixer_in);
    if (a) {
        plan_print_norm(out, "q", &a->q_norm);
        plan_print_norm(out, "k", &a->k_norm);
        plan_print_norm(out, "v", &a->v_norm);
    } else {
        plan_print_norm(out, "delta", &layer->mixer.delta.norm);
    }
    plan_print_norm(out, "mixer_out", &layer->mixer_out);
    plan_print_norm(out, "mlp_in", &layer->mlp_in);
    plan_print_norm(out, "mlp_dense_out", &layer->mlp_dense_out);
    plan_print_norm(out, "experts_in", &layer->experts_in);
    plan_print_norm(out, "experts_out", &layer->experts_out);
    plan_print_norm(out, "mlp_out", &layer->mlp_out);
    fprintf(out, ", epsilon %g", (layer->mixer_in.present ? &layer->mixer_in : &layer->mixer_out)->epsilon);
    if (layer->is_parallel) fprintf(out, ", attention and mlp in parallel");
    if (layer->residual_factor != 1) fprintf(out, ", residuals times %.10g", layer->residual_factor);
    if (layer->mixer_gate.data || layer->mlp_gate.data) fprintf(out, ", gates of residuals");
    fputc('\n', out);
    if (!layer->laurel.present && !layer->altup.present && !layer->layer_input.present && !layer->scalar.data)
        return;
    fprintf(out, "             with");
    if (layer->altup.present)
        fprintf(out, " AltUp%s", layer->altup.output_scale.data ? " (scaled output)" : "");
    if (layer->laurel.present) fprintf(out, " LAuReL of rank %zu", layer->laurel.left.weight.rows);
    if (layer->layer_input.present) fprintf(out, " per-layer embedding");
    if (layer->scalar.data) fprintf(out, " scalar");
    fputc('\n', out);
}

void plan_print(const plan *p, const tokenizer *tokens, FILE *out)
{
    print_counts(p, out);
    print_stops(p, tokens, out);
    for (size_t i = 0; i < p->n_ropes; i++) print_rope(&p->ropes[i], i, out);
    if (p->plane_rope.present)
        fprintf(out, "plane rope   %zu elements from %zu on, by the places of patches\n", p->plane_rope.dim,
                p->plane_rope.first);
    for (size_t i = 0; i < p->n_layers; i++) print_layer(p, i, out);
    if (p->vision.present) plan_print_tower(&p->vision, out);
    if (p->audio.present) plan_print_tower(&p->audio, out);
    for (size_t i = 0; i < p->n_notes; i++) fprintf(out, "note         %s\n", p->notes[i]);
}

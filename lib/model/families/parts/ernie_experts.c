/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/ernie_experts.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_experts.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* A number or, in a flat document, one for each of the two kinds of experts. Returns the first; of the second
 * the caller gets its own in *second. */
static size_t read_pair(config *c, const char *name, size_t fallback, size_t *second)
{
    size_t pair[2] = {fallback, fallback};
    if (!config_sizes(c, name, true, pair, 2) && c->status == ASSAY_OK)
        config_note(c->notes, "%s%s: absent, default %zu taken", c->prefix, name, fallback);
    *second = pair[1];
    return pair[0];
}

/* Which layers of a flat document have experts. */
static void read_range(family *f, bool *is_sparse)
{
    config *c = f->config;
    size_t start[2] = {1, 1}, end[2] = {f->plan->n_layers - 1, f->plan->n_layers - 1};
    (void)config_sizes(c, "moe_layer_start_index", true, start, 2);
    (void)config_sizes(c, "moe_layer_end_index", true, end, 2);
    const size_t first = start[0] < start[1] ? start[0] : start[1], last = end[0] > end[1] ? end[0] : end[1];
    const size_t interval = config_size_or(c, "moe_layer_interval", 1);
    for (size_t i = 0; c->status == ASSAY_OK && i < f->plan->n_layers; i++)
        is_sparse[i] = (i + 1) % interval == 0 && i >= first && i <= last;
}

static void read_kinds(family *f, bool *is_sparse)
{
    if (!f->outer) {
        read_range(f, is_sparse);
        return;
    }
    if (family_listed_kinds(f, "mlp_layer_types", "dense", "sparse", is_sparse)) return;
    for (size_t i = 0; i < f->plan->n_layers; i++) is_sparse[i] = i > 0;
    if (f->config->status == ASSAY_OK)
        config_note(f->config->notes, "%smlp_layer_types: absent, sparse from layer 1 on", f->config->prefix);
}

family_ernie_experts family_ernie_experts_read(family *f, assay_activation activation, bool shared_bias)
{
    config *c = f->config;
    family_ernie_experts e = {.shared_bias = shared_bias};
    plan_experts x = {.present = true,
                      .activation = activation,
                      .router_factor = 1,
                      .share_factor = 1,
                      .renormalize = true};
    size_t vision_experts, width[2] = {1536, 512};
    x.n_experts = read_pair(c, "moe_num_experts", 64, &vision_experts);
    x.n_active = config_size_or(c, "moe_k", 6);
    x.sum_floor = config_not_negative_or(c, "moe_norm_min", 1e-12);
    if (!config_sizes(c, "moe_intermediate_size", false, width, 2) && c->status == ASSAY_OK)
        config_note(c->notes, "%smoe_intermediate_size: absent, default [1536, 512] taken", c->prefix);
    const size_t n_shared = config_count_or(c, "moe_num_shared_experts", 2);
    if (c->status == ASSAY_OK && vision_experts != x.n_experts)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "moe_num_experts", "expected as many of both kinds");
    if (c->status == ASSAY_OK && x.n_active > x.n_experts)
        config_fail(c, ASSAY_EFORMAT, "moe_k: found %zu, expected at most the %zu experts", x.n_active,
                    x.n_experts);
    if (c->status != ASSAY_OK) return e;
    e.text = e.vision = x;
    e.text.intermediate = width[0];
    e.vision.intermediate = width[1];
    e.text.shared.intermediate = width[0] * n_shared;
    e.is_sparse = calloc(f->plan->n_layers + 1, sizeof *e.is_sparse);
    if (e.is_sparse) read_kinds(f, e.is_sparse);
    else config_fail(c, ASSAY_ENOMEM, "out of memory");
    return e;
}

/* As transformers writes them. */
static void bind_named(family *f, plan_experts *x, size_t i, const char *kind)
{
    char base[64];
    x->router =
        bind_matrix(f->bind, x->n_experts, f->plan->hidden, "layers.%zu.mlp.%s_moe.gate.weight", i, kind);
    x->choice_bias =
        bind_vector_row(f->bind, 1, x->n_experts, 0,
                        "layers.%zu.mlp.%s_moe.gate.moe_statics.e_score_correction_bias", i, kind);
    (void)snprintf(base, sizeof base, "layers.%zu.mlp.%s_moe.experts", i, kind);
    bind_experts(f->bind, x, f->plan->hidden, 0, base, base);
}

/* As mlx-vlm writes them. suffix: "" or "_1". */
static void bind_stacked(family *f, plan_experts *x, size_t i, const char *suffix)
{
    char stacked[64];
    x->router =
        bind_matrix(f->bind, x->n_experts, f->plan->hidden, "layers.%zu.mlp.gate%s.weight", i, suffix);
    x->choice_bias =
        bind_vector(f->bind, x->n_experts, "layers.%zu.mlp.e_score_correction_bias%s", i, suffix);
    (void)snprintf(stacked, sizeof stacked, "layers.%zu.mlp.switch_mlp%s", i, suffix);
    bind_experts(f->bind, x, f->plan->hidden, 0, stacked, stacked);
}

/* As they are published: routers [D, n_experts], and the experts of both kinds, which `row` numbers, one
 * after the other. suffix: "" or "_1". */
static void bind_published(family *f, plan_experts *x, size_t i, size_t row, const char *suffix)
{
    char base[64];
    const size_t n = x->n_experts;
    x->router = bind_transposed(f->bind, n, f->plan->hidden, "layers.%zu.mlp.gate.weight%s", i, suffix);
    x->choice_bias =
        bind_vector_row(f->bind, 2, n, row, "layers.%zu.mlp.moe_statics.e_score_correction_bias", i);
    (void)snprintf(base, sizeof base, "layers.%zu.mlp.experts", i);
    bind_experts(f->bind, x, f->plan->hidden, row * n, base, base);
}

void family_ernie_experts_bind(family *f, const family_ernie_experts *e, size_t i)
{
    plan_layer *layer = &f->plan->layers[i];
    plan_experts *text = &layer->experts, *vision = &layer->own_experts;
    *text = e->text;
    *vision = e->vision;
    if (bind_exists(f->bind, "layers.%zu.mlp.text_moe.gate.weight", i)) {
        bind_named(f, text, i, "text");
        bind_named(f, vision, i, "vision");
    } else if (bind_exists(f->bind, "layers.%zu.mlp.gate_1.weight", i)) {
        bind_stacked(f, text, i, "");
        bind_stacked(f, vision, i, "_1");
    } else {
        bind_published(f, text, i, 0, "");
        bind_published(f, vision, i, 1, "_1");
    }
    if (text->shared.intermediate)
        text->shared = family_mlp_below(f, i, "mlp.shared_experts", e->text.shared.intermediate,
                                        text->activation, e->shared_bias);
}

void family_ernie_expert_tokens(family *f, config *document)
{
    static const struct {
        const char *member;
        size_t fallback;
    } MARKS[] = {{"image_start_token_id", 101304},
                 {"image_end_token_id", 101305},
                 {"video_token_id", 103367},
                 {"video_start_token_id", 101306},
                 {"video_end_token_id", 101307}};
    plan_expert_tokens *tokens = &f->plan->expert_tokens;
    tokens->id[tokens->n++] = f->plan->vision.image_token;
    for (size_t k = 0; k < sizeof MARKS / sizeof *MARKS; k++)
        tokens->id[tokens->n++] = (int32_t)config_count_or(document, MARKS[k].member, MARKS[k].fallback);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/feature.h"

#include "base/error.h"

static const char *const NAMES[PLAN_N_FEATURES] = {
    [FEATURE_SLIDING_WINDOW] = "sliding-window attention",
    [FEATURE_KV_SHARING] = "layers that share keys and values (KV sharing)",
    [FEATURE_VALUE_IS_KEY] = "keys that serve as values",
    [FEATURE_NOPE] = "attention without RoPE (NoPE)",
    [FEATURE_HEAD_NORMS] = "norms of q, k or v in each head (QK-norm)",
    [FEATURE_HEAD_NORM_WEIGHTS] = "norms of q or k with weights of each head",
    [FEATURE_PROJECTION_NORMS] = "norms of q or k over all heads together (QK-norm)",
    [FEATURE_NORM_OFFSET] = "norms with an offset of their weights",
    [FEATURE_ATTENTION_SOFTCAP] = "attention logit softcapping",
    [FEATURE_LOGIT_SOFTCAP] = "final logit softcapping",
    [FEATURE_POST_NORMS] = "norms after attention or MLP (post-norm)",
    [FEATURE_NO_PRE_NORMS] = "attention or MLP without a norm before it (pre-norm)",
    [FEATURE_EMBEDDING_SCALE] = "scaled embeddings",
    [FEATURE_RESIDUAL_MULTIPLIER] = "a residual multiplier",
    [FEATURE_LOGIT_SCALE] = "scaled logits",
    [FEATURE_ACTIVATION_SPARSITY] = "activation sparsity",
    [FEATURE_EXPERTS] = "a mixture of experts",
    [FEATURE_PER_LAYER_EMBEDDINGS] = "per-layer embeddings",
    [FEATURE_LAUREL] = "LAuReL",
    [FEATURE_ALTUP] = "AltUp",
    [FEATURE_LAYER_SCALAR] = "layer scalars",
    [FEATURE_PLACEHOLDERS] = "placeholder tokens",
    [FEATURE_LAYER_NORM] = "LayerNorm",
    [FEATURE_MROPE] = "M-RoPE",
    [FEATURE_BIASES] = "biases of matrices",
    [FEATURE_BLOCKS] = "bidirectional attention in blocks of tokens",
    [FEATURE_VISION] = "a vision tower",
    [FEATURE_GRID_POSITIONS] = "positions by the grids of images (M-RoPE)",
    [FEATURE_DELTA] = "Gated DeltaNet layers",
    [FEATURE_OUTPUT_GATE] = "gated attention outputs",
    [FEATURE_SHARED_EXPERT] = "a shared expert",
    [FEATURE_PLAIN_MLP] = "an MLP without a gate",
    [FEATURE_NORMS_AFTER_ROPE] = "norms of q and k after RoPE (QK-norm)",
    [FEATURE_XDROPE] = "XD-RoPE",
    [FEATURE_XDROPE_POSITIONS] = "positions by places in images and numbers of images (XD-RoPE)",
    [FEATURE_ID_TABLE] = "token ids with an embedding table of their own",
    [FEATURE_AUDIO] = "an audio tower",
    [FEATURE_SQUARED_GATE] = "an MLP with a squared gate",
    [FEATURE_ATTENTION_SINKS] = "attention sinks",
    [FEATURE_PLANE_ROPE] = "2D RoPE in the plane of images",
    [FEATURE_KV_REPEATS] = "keys and values that are repeated before RoPE",
    [FEATURE_BLOCK_POSITIONS] = "images that occupy one position",
    [FEATURE_HEAD_BIAS] = "a bias of the output head",
    [FEATURE_UP_OFFSET] = "an MLP with an offset of its up projection",
    [FEATURE_GATE_LIMIT] = "an MLP whose factors are limited",
    [FEATURE_GATE_SLOPE] = "an MLP whose activation has a slope",
    [FEATURE_EXPERT_BIASES] = "biases of experts",
    [FEATURE_QUERY_FACTOR] = "a factor of queries by position",
    [FEATURE_ROUTER_BIAS] = "a bias of the router",
    [FEATURE_PARALLEL] = "parallel attention and MLP",
    [FEATURE_HEAD_SCALES] = "scales of queries and values by token and position",
    [FEATURE_SELECTION_BIAS] = "a correction bias of expert selection",
    [FEATURE_ROUTING_SUM_FLOOR] = "a lower limit of the sum of routing weights",
    [FEATURE_MODALITY_EXPERTS] = "experts of one modality",
    [FEATURE_SIGMOID_ROUTING] = "sigmoid routing",
    [FEATURE_GROUP_ROUTING] = "group-limited routing",
    [FEATURE_ROUTING_SUM_OFFSET] = "an offset of the sum of routing weights",
    [FEATURE_ROUTING_SCALE] = "a scaling factor of routing weights",
    [FEATURE_CROSS_ATTENTION] = "cross-attention to images",
    [FEATURE_RESIDUAL_GATES] = "tanh gates of residuals",
    [FEATURE_MORE_EMBEDDINGS] = "more embeddings than logits",
    [FEATURE_TOWER_RASTER] = "patches in raster order",
    [FEATURE_TOWER_CHANNELS_LAST] = "channels-last weights",
    [FEATURE_TOWER_PIXEL_SCALE] = "rescaled pixels",
    [FEATURE_TOWER_IN_NORM] = "a norm after the patch embedding",
    [FEATURE_TOWER_BILINEAR] = "learned positions with bilinear resampling",
    [FEATURE_TOWER_BICUBIC] = "learned positions with bicubic resampling",
    [FEATURE_TOWER_AXES_TABLE] = "learned positions of each axis",
    [FEATURE_TOWER_ROPE] = "RoPE",
    [FEATURE_TOWER_ROPE_QUARTERS] = "RoPE in each half of a head",
    [FEATURE_TOWER_WINDOWS] = "window attention",
    [FEATURE_TOWER_POST_NORMS] = "norms after attention, MLP or the last layer (post-norm)",
    [FEATURE_TOWER_HEAD_NORMS] = "norms of q, k or v (QK-norm)",
    [FEATURE_TOWER_POOLING] = "average pooling of patches",
    [FEATURE_TOWER_STANDARDISED] = "standardised features",
    [FEATURE_TOWER_DEEPSTACK] = "DeepStack",
    [FEATURE_TOWER_CLAMPS] = "clamped inputs and outputs of matrices",
    [FEATURE_TOWER_VIDEOS] = "videos",
    [FEATURE_TOWER_MERGER_CONVOLUTION] = "blocks of patches that are joined channel by channel",
    [FEATURE_TOWER_MERGER_NORMS] = "a norm after a product of its merger",
    [FEATURE_TOWER_MERGER_MLP] = "an MLP in its merger",
    [FEATURE_TOWER_MERGER_REPEAT] = "a merger that repeats rows",
    [FEATURE_TOWER_MERGER_VECTORS] = "a merger that adds learned rows",
    [FEATURE_TOWER_SPECTROGRAM] = "convolutions over a spectrogram",
    [FEATURE_TOWER_SINUSOIDS] = "sinusoidal positions",
    [FEATURE_TOWER_TILES] = "images of tiles",
    [FEATURE_TOWER_GATES] = "tanh gates of residuals",
    [FEATURE_TOWER_COLLECTED] = "features of several layers side by side",
    [FEATURE_TOWER_GLOBAL] = "a global transformer over tiles",
    [FEATURE_TOWER_CONV] = "convolutional blocks",
    [FEATURE_TOWER_CONV_ATTENTION] = "attention among convolutional blocks",
    [FEATURE_TOWER_CONV_KEYS] = "keys and values from convolutions",
    [FEATURE_TOWER_CONV_SCALES] = "layer scale of convolutional blocks",
    [FEATURE_TOWER_LEADING] = "placeholder tokens before those of features",
    [FEATURE_TOWER_CROPS] = "images with crops",
};

static void need(plan_feature_set *set, bool needed, plan_feature feature)
{
    if (needed) set->has[feature] = true;
}

static void add_biases(plan_feature_set *set, const plan_linear *const *linears, size_t n)
{
    for (size_t i = 0; i < n; i++) need(set, linears[i]->bias.data != NULL, FEATURE_BIASES);
}

#define ADD_BIASES(set, ...)                                                                                 \
    add_biases(set, (const plan_linear *const[]){__VA_ARGS__},                                               \
               sizeof((const plan_linear *const[]){__VA_ARGS__}) / sizeof(plan_linear *))

static void add_norm(plan_feature_set *set, const plan_norm *n)
{
    need(set, n->present && n->offset != 0, FEATURE_NORM_OFFSET);
    need(set, n->present && n->kind == PLAN_LAYER_NORM, FEATURE_LAYER_NORM);
}

static void add_head_norm(plan_feature_set *set, const plan_norm *n, const plan_attention *a)
{
    add_norm(set, n);
    need(set, n->present && n->n_weights != 0, FEATURE_HEAD_NORM_WEIGHTS);
    need(set, n->present, n->width == a->head_dim ? FEATURE_HEAD_NORMS : FEATURE_PROJECTION_NORMS);
}

static void add_attention(plan_feature_set *set, const plan_attention *a, size_t layer)
{
    need(set, a->window != 0, FEATURE_SLIDING_WINDOW);
    need(set, a->mask == PLAN_MASK_BLOCKS, FEATURE_BLOCKS);
    need(set, a->cache_layer != layer, FEATURE_KV_SHARING);
    need(set, a->value_is_key, FEATURE_VALUE_IS_KEY);
    need(set, a->rope == PLAN_NONE, FEATURE_NOPE);
    need(set, a->score_cap != 0, FEATURE_ATTENTION_SOFTCAP);
    need(set, a->is_gated, FEATURE_OUTPUT_GATE);
    need(set, a->norms_after_rope, FEATURE_NORMS_AFTER_ROPE);
    need(set, a->sinks.data != NULL, FEATURE_ATTENTION_SINKS);
    need(set, a->head_scale.present, FEATURE_HEAD_SCALES);
    need(set, a->query_factor.period != 0, FEATURE_QUERY_FACTOR);
    need(set, a->kv_repeats > 1, FEATURE_KV_REPEATS);
    add_head_norm(set, &a->q_norm, a);
    add_head_norm(set, &a->k_norm, a);
    add_head_norm(set, &a->v_norm, a);
    ADD_BIASES(set, &a->q, &a->k, &a->v, &a->o);
}

static void add_delta(plan_feature_set *set, const plan_delta *d)
{
    need(set, true, FEATURE_DELTA);
    add_norm(set, &d->norm);
    ADD_BIASES(set, &d->qkv, &d->z, &d->a, &d->b, &d->out);
}

static void add_mixer(plan_feature_set *set, const plan_mixer *m, size_t layer)
{
    if (m->kind == PLAN_MIXER_DELTA) add_delta(set, &m->delta);
    else add_attention(set, &m->attention, layer);
    need(set, m->kind == PLAN_MIXER_CROSS, FEATURE_CROSS_ATTENTION);
}

static void add_gating(plan_feature_set *set, const plan_gating *g)
{
    need(set, g->up_offset != 0, FEATURE_UP_OFFSET);
    need(set, g->limit != 0, FEATURE_GATE_LIMIT);
    need(set, g->slope != 0, FEATURE_GATE_SLOPE);
}

static void add_experts(plan_feature_set *set, const plan_experts *x)
{
    need(set, x->present, FEATURE_EXPERTS);
    need(set, x->shared.present, FEATURE_SHARED_EXPERT);
    need(set, x->shared.squares, FEATURE_SQUARED_GATE);
    need(set, x->choice_bias.data != NULL, FEATURE_SELECTION_BIAS);
    need(set, x->sum_floor != 0, FEATURE_ROUTING_SUM_FLOOR);
    need(set, x->sum_offset != 0, FEATURE_ROUTING_SUM_OFFSET);
    need(set, x->present && x->share_factor != 1, FEATURE_ROUTING_SCALE);
    need(set, x->scoring == PLAN_SCORING_SIGMOID, FEATURE_SIGMOID_ROUTING);
    need(set, x->n_groups != 0, FEATURE_GROUP_ROUTING);
    need(set, x->router_bias.data != NULL, FEATURE_ROUTER_BIAS);
    add_gating(set, &x->gating);
    add_gating(set, &x->shared.gating);
    need(set, x->gate_bias.data != NULL, FEATURE_EXPERT_BIASES);
    add_norm(set, &x->router_norm);
    ADD_BIASES(set, &x->shared.gate, &x->shared.up, &x->shared.down);
}

static void add_layer_norms(plan_feature_set *set, const plan_layer *l)
{
    const plan_norm *const norms[] = {&l->mixer_in,         &l->mixer_out,     &l->mlp_in,
                                      &l->mlp_out,          &l->mlp_dense_out, &l->experts_in,
                                      &l->experts_out,      &l->laurel.norm,   &l->layer_input.out_norm,
                                      &l->altup.router_norm};
    for (size_t n = 0; n < sizeof norms / sizeof *norms; n++) add_norm(set, norms[n]);
    need(set, l->mixer_out.present || l->mlp_out.present, FEATURE_POST_NORMS);
    need(set, !l->mixer_in.present || !(l->mlp_in.present || l->is_parallel), FEATURE_NO_PRE_NORMS);
}

static void add_mlp(plan_feature_set *set, const plan_mlp *mlp)
{
    need(set, mlp->present && !mlp->gate.weight.data, FEATURE_PLAIN_MLP);
    add_gating(set, &mlp->gating);
    need(set, mlp->sparse, FEATURE_ACTIVATION_SPARSITY);
    need(set, mlp->squares, FEATURE_SQUARED_GATE);
    ADD_BIASES(set, &mlp->gate, &mlp->up, &mlp->down);
}

static void add_layer(plan_feature_set *set, const plan_layer *l, size_t layer)
{
    add_mixer(set, &l->mixer, layer);
    add_layer_norms(set, l);
    add_mlp(set, &l->mlp);
    add_experts(set, &l->experts);
    add_experts(set, &l->own_experts);
    ADD_BIASES(set, &l->layer_input.gate, &l->layer_input.projection, &l->laurel.left, &l->laurel.right);
    need(set, l->is_parallel, FEATURE_PARALLEL);
    need(set, l->residual_factor != 1, FEATURE_RESIDUAL_MULTIPLIER);
    need(set, l->own_experts.present, FEATURE_MODALITY_EXPERTS);
    need(set, l->layer_input.present, FEATURE_PER_LAYER_EMBEDDINGS);
    need(set, l->laurel.present, FEATURE_LAUREL);
    need(set, l->mixer_gate.data || l->mlp_gate.data, FEATURE_RESIDUAL_GATES);
    need(set, l->altup.present, FEATURE_ALTUP);
    need(set, l->scalar.data != NULL, FEATURE_LAYER_SCALAR);
}

static void add_clamps(plan_feature_set *set, const plan_linear *linear)
{
    need(set, linear->clamp.present, FEATURE_TOWER_CLAMPS);
}

static void add_merger(plan_feature_set *set, const plan_merger *m)
{
    bool has_product = false;
    for (size_t i = 0; i < m->n_steps; i++) {
        const plan_merger_step *step = &m->steps[i];
        const bool joins = step->kind == PLAN_MERGER_CONCATENATE;
        for (size_t k = 0; k < plan_merger_linears(step); k++) add_clamps(set, plan_merger_linear(step, k));
        need(set, joins && step->channels_first, FEATURE_TOWER_MERGER_CONVOLUTION);
        need(set, step->kind == PLAN_MERGER_NORM && has_product, FEATURE_TOWER_MERGER_NORMS);
        need(set, step->kind == PLAN_MERGER_MLP, FEATURE_TOWER_MERGER_MLP);
        need(set, step->kind == PLAN_MERGER_REPEAT, FEATURE_TOWER_MERGER_REPEAT);
        need(set, plan_merger_adds_rows(step), FEATURE_TOWER_MERGER_VECTORS);
        has_product = has_product || plan_merger_linears(step) > 0;
    }
}

static void add_tower_layer(plan_feature_set *set, const plan_tower_layer *l)
{
    const plan_attention *a = &l->attention;
    need(set, l->in_windows, FEATURE_TOWER_WINDOWS);
    need(set, l->mixer_out.present || l->mlp_out.present, FEATURE_TOWER_POST_NORMS);
    need(set, a->q_norm.present || a->k_norm.present || a->v_norm.present, FEATURE_TOWER_HEAD_NORMS);
    need(set, l->mixer_gate.data || l->mlp_gate.data, FEATURE_TOWER_GATES);
    need(set, plan_tower_layer_has_clips(l), FEATURE_TOWER_CLAMPS);
}

static void add_conv_block(plan_feature_set *set, const plan_conv_block *b)
{
    const bool attends = b->kind == PLAN_CONV_ATTENTION;
    need(set, attends, FEATURE_TOWER_CONV_ATTENTION);
    need(set, attends && b->has_key_units, FEATURE_TOWER_CONV_KEYS);
    need(set, b->scale.data != NULL, FEATURE_TOWER_CONV_SCALES);
    for (size_t i = 0; i < plan_conv_block_convolutions(b); i++)
        need(set, plan_conv_block_unit(b, i)->convolution.channels_last, FEATURE_TOWER_CHANNELS_LAST);
}

static void add_conv(plan_feature_set *set, const plan_conv_tower *t)
{
    need(set, true, FEATURE_TOWER_CONV);
    for (size_t i = 0; i < t->n_blocks; i++) add_conv_block(set, &t->blocks[i]);
    add_conv_block(set, &t->fusion);
}

static void add_tiles(plan_feature_set *set, const plan_tiles *k, size_t n_layers)
{
    need(set, true, FEATURE_TOWER_TILES);
    need(set, k->n_collected > 0, FEATURE_TOWER_COLLECTED);
    need(set, k->second < n_layers, FEATURE_TOWER_GLOBAL);
}

/* What comes before the first layer of a tower. */
static void add_tower_inputs(plan_feature_set *set, const plan_tower *t)
{
    const plan_patches *patches = &t->patches;
    need(set, patches->order == PLAN_PATCHES_RASTER, FEATURE_TOWER_RASTER);
    need(set, patches->weights_channels_last, FEATURE_TOWER_CHANNELS_LAST);
    need(set, patches->pixel_factor != 1 || patches->pixel_offset != 0, FEATURE_TOWER_PIXEL_SCALE);
    add_clamps(set, &patches->embed);
    need(set, t->in_norm.present, FEATURE_TOWER_IN_NORM);
    need(set, t->table.kind == PLAN_TABLE_BILINEAR, FEATURE_TOWER_BILINEAR);
    need(set, t->table.kind == PLAN_TABLE_BICUBIC, FEATURE_TOWER_BICUBIC);
    need(set, t->table.kind == PLAN_TABLE_AXES, FEATURE_TOWER_AXES_TABLE);
    need(set, t->table.kind == PLAN_TABLE_SINUSOIDS, FEATURE_TOWER_SINUSOIDS);
    need(set, t->kind == PLAN_TOWER_AUDIO, FEATURE_TOWER_SPECTROGRAM);
    need(set, t->has_rope, FEATURE_TOWER_ROPE);
    need(set, t->has_rope && t->rope.pairing == ROPE_PAIRS_QUARTER, FEATURE_TOWER_ROPE_QUARTERS);
}

/* What comes after the last layer of a tower, and the items that it takes. */
static void add_tower_outputs(plan_feature_set *set, const plan_tower *t)
{
    const plan_pooling *pooling = &t->pooling;
    need(set, t->out_norm.present, FEATURE_TOWER_POST_NORMS);
    need(set, pooling->side != 1 || pooling->factor != 1, FEATURE_TOWER_POOLING);
    need(set, pooling->bias.data || pooling->scale.data, FEATURE_TOWER_STANDARDISED);
    need(set, t->kind == PLAN_TOWER_CROPS, FEATURE_TOWER_CROPS);
    need(set, t->n_leading > 0, FEATURE_TOWER_LEADING);
    need(set, t->n_deepstack > 0, FEATURE_TOWER_DEEPSTACK);
    need(set, t->video_token >= 0, FEATURE_TOWER_VIDEOS);
    add_merger(set, &t->merger);
    for (size_t i = 0; i < t->n_deepstack; i++) add_merger(set, &t->deepstack[i].merger);
}

static void add_tower(plan_feature_set *set, const plan_tower *t)
{
    if (!t->present) return;
    add_tower_inputs(set, t);
    for (size_t i = 0; i < t->n_layers; i++) add_tower_layer(set, &t->layers[i]);
    if (t->kind == PLAN_TOWER_CONV) add_conv(set, &t->conv);
    if (t->kind == PLAN_TOWER_TILES) add_tiles(set, &t->tiles, t->n_layers);
    add_tower_outputs(set, t);
}

/* Ropes and positions. */
static void add_positions(plan_feature_set *set, const plan *p)
{
    need(set, p->positions == PLAN_POSITIONS_GRID, FEATURE_GRID_POSITIONS);
    need(set, p->positions == PLAN_POSITIONS_IMAGES, FEATURE_XDROPE_POSITIONS);
    need(set, p->positions == PLAN_POSITIONS_BLOCK, FEATURE_BLOCK_POSITIONS);
    need(set, p->plane_rope.present, FEATURE_PLANE_ROPE);
    for (size_t i = 0; i < p->n_ropes; i++) {
        need(set, p->ropes[i].sections != ROPE_SECTIONS_NONE, FEATURE_MROPE);
        need(set, p->ropes[i].sections == ROPE_SECTIONS_DOUBLED, FEATURE_XDROPE);
    }
}

plan_feature_set plan_features(const plan *p)
{
    plan_feature_set set = {0};
    add_norm(&set, &p->norm);
    add_norm(&set, &p->layer_inputs.norm);
    ADD_BIASES(&set, &p->layer_inputs.projection);
    need(&set, p->soft_cap != 0, FEATURE_LOGIT_SOFTCAP);
    need(&set, p->embedding_scale != 1, FEATURE_EMBEDDING_SCALE);
    need(&set, p->logit_factor != 1, FEATURE_LOGIT_SCALE);
    need(&set, p->head_bias.data != NULL, FEATURE_HEAD_BIAS);
    need(&set, p->layer_inputs.present, FEATURE_PER_LAYER_EMBEDDINGS);
    need(&set, p->streams.n > 0, FEATURE_ALTUP);
    need(&set, p->placeholders.n > 0, FEATURE_PLACEHOLDERS);
    need(&set, p->id_table.n > 0, FEATURE_ID_TABLE);
    need(&set, p->embedding.rows > p->vocab, FEATURE_MORE_EMBEDDINGS);
    need(&set, p->vision.present, FEATURE_VISION);
    need(&set, p->audio.present, FEATURE_AUDIO);
    add_positions(&set, p);
    for (size_t i = 0; i < p->n_layers; i++) add_layer(&set, &p->layers[i], i);
    add_tower(&set, &p->vision);
    add_tower(&set, &p->audio);
    return set;
}

const char *plan_feature_name(plan_feature feature)
{
    return NAMES[feature];
}

assay_status plan_check_features(const plan *p, const plan_feature_set *lacked, const char *engine,
                                 assay_error *err)
{
    const plan_feature_set needed = plan_features(p);
    for (size_t i = 0; i < PLAN_N_FEATURES; i++)
        if (needed.has[i] && lacked->has[i])
            return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: the model%s has %s, which %s does not implement",
                              p->dir, i < FEATURE_TOWER_RASTER ? "" : "'s tower", NAMES[i], engine);
    return ASSAY_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/feature.h"

#include "base/error.h"

/* Names for messages. */
static const struct {
    uint64_t feature;
    const char *name;
} NAMES[] = {
    {PLAN_WINDOW, "sliding windows"},
    {PLAN_SHARED_KEYS, "layers that share keys and values"},
    {PLAN_VALUE_IS_KEY, "values that are the keys"},
    {PLAN_NO_ROPE, "attention without rope"},
    {PLAN_HEAD_NORMS, "norms of each head"},
    {PLAN_PROJECTION_NORMS, "norms of all heads together"},
    {PLAN_NORM_OFFSET, "norms with an offset of their weights"},
    {PLAN_SCORE_CAP, "a cap of attention scores"},
    {PLAN_LOGIT_CAP, "a cap of logits"},
    {PLAN_POST_NORMS, "norms after attention or MLP"},
    {PLAN_NO_PRE_NORMS, "attention or MLP without a norm before it"},
    {PLAN_EMBEDDING_SCALE, "a scale of the embedding"},
    {PLAN_RESIDUAL_FACTOR, "a factor of residuals"},
    {PLAN_LOGIT_FACTOR, "a factor of logits"},
    {PLAN_SPARSE_MLP, "sparse activations"},
    {PLAN_EXPERTS, "experts"},
    {PLAN_LAYER_INPUTS, "inputs of each layer"},
    {PLAN_LAUREL, "low-rank residuals"},
    {PLAN_STREAMS, "parallel residual streams"},
    {PLAN_LAYER_SCALAR, "a scalar of each layer"},
    {PLAN_PLACEHOLDERS, "placeholder tokens"},
    {PLAN_LAYER_NORMS, "LayerNorms"},
    {PLAN_ROPE_AXES, "ropes of several axes"},
    {PLAN_BIASES, "biases of matrices"},
    {PLAN_BLOCKS, "blocks of tokens that attend to each other"},
    {PLAN_TOWER, "a vision tower"},
    {PLAN_GRID_POSITIONS, "positions by the grids of images"},
    {PLAN_DELTA, "gated delta nets"},
    {PLAN_OUTPUT_GATE, "attention with a gate of its output"},
    {PLAN_SHARED_EXPERT, "a shared expert"},
    {PLAN_PLAIN_MLP, "an MLP without a gate"},
    {PLAN_AUDIO, "a tower of sounds"},
    {PLAN_CHOICE_BIAS, "a bias of the choice of experts"},
    {PLAN_SUM_FLOOR, "a smallest sum of the shares of experts"},
    {PLAN_OWN_EXPERTS, "experts of the tokens of some ids"},
    {PLAN_SIGMOIDS, "experts with sigmoids of their scores"},
    {PLAN_GROUPS, "experts in groups"},
    {PLAN_SUM_OFFSET, "an offset of the sum of the shares of experts"},
    {PLAN_SHARE_FACTOR, "a factor of the shares of experts"},
    {PLAN_NORMS_AFTER_ROPE, "norms of q and k after the rope"},
    {PLAN_DOUBLED_ROPE, "a rope that turns the elements of a pair by different axes"},
    {PLAN_IMAGE_POSITIONS, "positions by places in images and their numbers"},
    {PLAN_SQUARED_GATE, "an MLP with a squared gate"},
    {PLAN_SINKS, "scores without keys"},
    {PLAN_PLANE_ROPE, "a rope in the plane of images"},
    {PLAN_KV_REPEATS, "keys and values that are repeated before ropes"},
    {PLAN_BLOCK_POSITIONS, "images that take one position"},
    {PLAN_CROSS, "attention to images"},
    {PLAN_RESIDUAL_GATES, "gates of residuals"},
    {PLAN_MORE_EMBEDDINGS, "more embeddings than logits"},
    {PLAN_ID_TABLE, "ids with an embedding of their own"},
    {PLAN_HEAD_BIAS, "a bias of logits"},
    {PLAN_UP_OFFSET, "an MLP with an offset of its second factor"},
    {PLAN_ROUTER_BIAS, "a bias of the scores of experts"},
    {PLAN_PARALLEL, "attention and MLP in parallel"},
    {PLAN_HEAD_SCALES, "scales of queries and values by token and position"},
};

static const struct {
    uint64_t feature;
    const char *name;
} TOWER_NAMES[] = {
    {PLAN_TOWER_RASTER, "patches row by row"},
    {PLAN_TOWER_CHANNELS_LAST, "weights of patches with channels last"},
    {PLAN_TOWER_PIXEL_SCALE, "a scale of its pixels"},
    {PLAN_TOWER_IN_NORM, "a norm after the patch embedding"},
    {PLAN_TOWER_BILINEAR, "learned positions resampled by two taps"},
    {PLAN_TOWER_BICUBIC, "learned positions resampled by four taps"},
    {PLAN_TOWER_AXES_TABLE, "learned positions of each axis"},
    {PLAN_TOWER_ROPE, "a rope"},
    {PLAN_TOWER_ROPE_QUARTERS, "a rope of each half of a head"},
    {PLAN_TOWER_WINDOWS, "attention in windows"},
    {PLAN_TOWER_POST_NORMS, "norms after attention or MLP"},
    {PLAN_TOWER_HEAD_NORMS, "norms of q, k or v"},
    {PLAN_TOWER_POOLING, "pooling of patches"},
    {PLAN_TOWER_STANDARDISED, "standardised features"},
    {PLAN_TOWER_DEEPSTACK, "features of earlier layers"},
    {PLAN_TOWER_CLIPS, "limits of products"},
    {PLAN_TOWER_VIDEOS, "videos"},
    {PLAN_TOWER_MERGER_CONVOLUTION, "blocks that are joined channel by channel"},
    {PLAN_TOWER_MERGER_NORMS, "a norm after a product of its merger"},
    {PLAN_TOWER_MERGER_MLP, "an MLP in its merger"},
    {PLAN_TOWER_MERGER_REPEAT, "a merger that repeats rows"},
    {PLAN_TOWER_MERGER_VECTORS, "a merger that adds rows of the checkpoint"},
    {PLAN_TOWER_SOUND, "convolutions over a spectrogram"},
    {PLAN_TOWER_SINUSOIDS, "sinusoids as positions"},
    {PLAN_TOWER_TILES, "images of several tiles"},
    {PLAN_TOWER_GATES, "gates of residuals"},
    {PLAN_TOWER_COLLECTED, "features of several layers side by side"},
    {PLAN_TOWER_SECOND, "a second part with a norm and a table of its own"},
    {PLAN_TOWER_CONV, "convolutional blocks"},
    {PLAN_TOWER_CONV_ATTENTION, "attention among convolutional blocks"},
    {PLAN_TOWER_CONV_KEYS, "convolutions of keys and values"},
    {PLAN_TOWER_CONV_SCALES, "scales of convolutional blocks"},
    {PLAN_TOWER_LEADING, "placeholder tokens before those of features"},
    {PLAN_TOWER_CROPS, "images with crops"},
};

static uint64_t bit(bool needed, uint64_t feature)
{
    return needed ? feature : 0;
}

static uint64_t bias_features(const plan_linear *const *linears, size_t n)
{
    uint64_t needed = 0;
    for (size_t i = 0; i < n; i++) needed |= bit(linears[i]->bias.data != NULL, PLAN_BIASES);
    return needed;
}

#define BIAS_FEATURES(...)                                                                                   \
    bias_features((const plan_linear *const[]){__VA_ARGS__},                                                 \
                  sizeof((const plan_linear *const[]){__VA_ARGS__}) / sizeof(plan_linear *))

static uint64_t norm_features(const plan_norm *n)
{
    return bit(n->present && n->offset != 0, PLAN_NORM_OFFSET) |
           bit(n->present && n->kind == PLAN_LAYER_NORM, PLAN_LAYER_NORMS);
}

static uint64_t head_norm_features(const plan_norm *n, const plan_attention *a)
{
    return norm_features(n) |
           bit(n->present, n->width == a->head_dim ? PLAN_HEAD_NORMS : PLAN_PROJECTION_NORMS);
}

static uint64_t attention_features(const plan_attention *a, size_t i)
{
    return bit(a->window != 0, PLAN_WINDOW) | bit(a->mask == PLAN_MASK_BLOCKS, PLAN_BLOCKS) |
           bit(a->cache_layer != i, PLAN_SHARED_KEYS) | bit(a->value_is_key, PLAN_VALUE_IS_KEY) |
           bit(a->rope == PLAN_NONE, PLAN_NO_ROPE) | bit(a->score_cap != 0, PLAN_SCORE_CAP) |
           bit(a->is_gated, PLAN_OUTPUT_GATE) | bit(a->norms_after_rope, PLAN_NORMS_AFTER_ROPE) |
           bit(a->sinks.data != NULL, PLAN_SINKS) | bit(a->head_scale.present, PLAN_HEAD_SCALES) |
           bit(a->kv_repeats > 1, PLAN_KV_REPEATS) | head_norm_features(&a->q_norm, a) |
           head_norm_features(&a->k_norm, a) | head_norm_features(&a->v_norm, a) |
           BIAS_FEATURES(&a->q, &a->k, &a->v, &a->o);
}

static uint64_t mixer_features(const plan_mixer *m, size_t i)
{
    const plan_delta *d = &m->delta;
    if (m->kind == PLAN_MIXER_ATTENTION) return attention_features(&m->attention, i);
    if (m->kind == PLAN_MIXER_CROSS) return PLAN_CROSS | attention_features(&m->attention, i);
    return PLAN_DELTA | norm_features(&d->norm) | BIAS_FEATURES(&d->qkv, &d->z, &d->a, &d->b, &d->out);
}

static uint64_t expert_features(const plan_experts *x)
{
    return norm_features(&x->router_norm) | BIAS_FEATURES(&x->shared.gate, &x->shared.up, &x->shared.down) |
           bit(x->present, PLAN_EXPERTS) | bit(x->shared.present, PLAN_SHARED_EXPERT) |
           bit(x->shared.squares, PLAN_SQUARED_GATE) | bit(x->choice_bias.data != NULL, PLAN_CHOICE_BIAS) |
           bit(x->sum_floor != 0, PLAN_SUM_FLOOR) | bit(x->scoring == PLAN_SCORING_SIGMOID, PLAN_SIGMOIDS) |
           bit(x->n_groups != 0, PLAN_GROUPS) | bit(x->sum_offset != 0, PLAN_SUM_OFFSET) |
           bit(x->router_bias.data != NULL, PLAN_ROUTER_BIAS) |
           bit(x->up_offset != 0 || x->shared.up_offset != 0, PLAN_UP_OFFSET) |
           bit(x->present && x->share_factor != 1, PLAN_SHARE_FACTOR);
}

static uint64_t layer_features(const plan_layer *l, size_t i)
{
    const plan_norm *const norms[] = {&l->mixer_in,         &l->mixer_out,     &l->mlp_in,
                                      &l->mlp_out,          &l->mlp_dense_out, &l->experts_in,
                                      &l->experts_out,      &l->laurel.norm,   &l->layer_input.out_norm,
                                      &l->altup.router_norm};
    uint64_t needed = mixer_features(&l->mixer, i);
    for (size_t n = 0; n < sizeof norms / sizeof *norms; n++) needed |= norm_features(norms[n]);
    needed |= BIAS_FEATURES(&l->mlp.gate, &l->mlp.up, &l->mlp.down, &l->layer_input.gate,
                            &l->layer_input.projection, &l->laurel.left, &l->laurel.right);
    needed |= expert_features(&l->experts) | expert_features(&l->own_experts);
    return needed | bit(l->mixer_out.present || l->mlp_out.present, PLAN_POST_NORMS) |
           bit(!l->mixer_in.present || !(l->mlp_in.present || l->is_parallel), PLAN_NO_PRE_NORMS) |
           bit(l->is_parallel, PLAN_PARALLEL) | bit(l->mlp.up_offset != 0, PLAN_UP_OFFSET) |
           bit(l->residual_factor != 1, PLAN_RESIDUAL_FACTOR) | bit(l->mlp.sparse, PLAN_SPARSE_MLP) |
           bit(l->mlp.present && !l->mlp.gate.weight.data, PLAN_PLAIN_MLP) |
           bit(l->mlp.squares, PLAN_SQUARED_GATE) | bit(l->own_experts.present, PLAN_OWN_EXPERTS) |
           bit(l->layer_input.present, PLAN_LAYER_INPUTS) | bit(l->laurel.present, PLAN_LAUREL) |
           bit(l->mixer_gate.data || l->mlp_gate.data, PLAN_RESIDUAL_GATES) |
           bit(l->altup.present, PLAN_STREAMS) | bit(l->scalar.data != NULL, PLAN_LAYER_SCALAR);
}

uint64_t plan_features(const plan *p)
{
    uint64_t needed =
        norm_features(&p->norm) | norm_features(&p->layer_inputs.norm) |
        bit(p->soft_cap != 0, PLAN_LOGIT_CAP) | bit(p->embedding_scale != 1, PLAN_EMBEDDING_SCALE) |
        bit(p->logit_factor != 1, PLAN_LOGIT_FACTOR) | bit(p->layer_inputs.present, PLAN_LAYER_INPUTS) |
        bit(p->streams.n > 0, PLAN_STREAMS) | bit(p->placeholders.n > 0, PLAN_PLACEHOLDERS) |
        bit(p->id_table.n > 0, PLAN_ID_TABLE) | bit(p->embedding.rows > p->vocab, PLAN_MORE_EMBEDDINGS) |
        bit(p->vision.present, PLAN_TOWER) | bit(p->audio.present, PLAN_AUDIO) |
        bit(p->positions == PLAN_POSITIONS_GRID, PLAN_GRID_POSITIONS) |
        bit(p->positions == PLAN_POSITIONS_IMAGES, PLAN_IMAGE_POSITIONS) |
        bit(p->positions == PLAN_POSITIONS_BLOCK, PLAN_BLOCK_POSITIONS) |
        bit(p->plane_rope.present, PLAN_PLANE_ROPE) | bit(p->head_bias.data != NULL, PLAN_HEAD_BIAS);
    needed |= bit(p->layer_inputs.projection.bias.data != NULL, PLAN_BIASES);
    for (size_t i = 0; i < p->n_ropes; i++)
        needed |= bit(p->ropes[i].sections != ROPE_SECTIONS_NONE, PLAN_ROPE_AXES) |
                  bit(p->ropes[i].sections == ROPE_SECTIONS_DOUBLED, PLAN_DOUBLED_ROPE);
    for (size_t i = 0; i < p->n_layers; i++) needed |= layer_features(&p->layers[i], i);
    return needed;
}

static bool clips(const plan_linear *linear)
{
    return linear->clip.present;
}

static uint64_t merger_features(const plan_merger *m)
{
    uint64_t needed = 0;
    bool has_product = false;
    for (size_t i = 0; i < m->n_steps; i++) {
        const plan_merger_step *step = &m->steps[i];
        const bool joins = step->kind == PLAN_MERGER_CONCATENATE;
        for (size_t k = 0; k < plan_merger_linears(step); k++)
            needed |= bit(clips(plan_merger_linear(step, k)), PLAN_TOWER_CLIPS);
        needed |= bit(joins && step->channels_first, PLAN_TOWER_MERGER_CONVOLUTION) |
                  bit(step->kind == PLAN_MERGER_NORM && has_product, PLAN_TOWER_MERGER_NORMS) |
                  bit(step->kind == PLAN_MERGER_MLP, PLAN_TOWER_MERGER_MLP) |
                  bit(step->kind == PLAN_MERGER_REPEAT, PLAN_TOWER_MERGER_REPEAT) |
                  bit(plan_merger_adds_rows(step), PLAN_TOWER_MERGER_VECTORS);
        has_product = has_product || plan_merger_linears(step) > 0;
    }
    return needed;
}

static uint64_t tower_layer_features(const plan_tower_layer *l)
{
    const plan_attention *a = &l->attention;
    return bit(l->in_windows, PLAN_TOWER_WINDOWS) |
           bit(l->mixer_out.present || l->mlp_out.present, PLAN_TOWER_POST_NORMS) |
           bit(a->q_norm.present || a->k_norm.present || a->v_norm.present, PLAN_TOWER_HEAD_NORMS) |
           bit(l->mixer_gate.data || l->mlp_gate.data, PLAN_TOWER_GATES) |
           bit(plan_tower_layer_has_clips(l), PLAN_TOWER_CLIPS);
}

static uint64_t conv_block_features(const plan_conv_block *b)
{
    const bool attends = b->kind == PLAN_CONV_ATTENTION;
    uint64_t needed = bit(attends, PLAN_TOWER_CONV_ATTENTION) |
                      bit(attends && b->has_key_units, PLAN_TOWER_CONV_KEYS) |
                      bit(b->scale.data != NULL, PLAN_TOWER_CONV_SCALES);
    for (size_t i = 0; i < plan_conv_block_convolutions(b); i++)
        needed |= bit(plan_conv_block_unit(b, i)->convolution.channels_last, PLAN_TOWER_CHANNELS_LAST);
    return needed;
}

static uint64_t conv_features(const plan_conv_tower *t)
{
    uint64_t needed = bit(t->present, PLAN_TOWER_CONV);
    for (size_t i = 0; i < t->n_blocks; i++) needed |= conv_block_features(&t->blocks[i]);
    return t->present ? needed | conv_block_features(&t->fusion) : needed;
}

uint64_t plan_tower_features(const plan_tower *tower)
{
    if (!tower->present) return 0;
    const plan_patches *patches = &tower->patches;
    const plan_pooling *pooling = &tower->pooling;
    uint64_t needed =
        bit(patches->order == PLAN_PATCHES_RASTER, PLAN_TOWER_RASTER) |
        bit(patches->weights_channels_last, PLAN_TOWER_CHANNELS_LAST) |
        bit(patches->pixel_factor != 1 || patches->pixel_offset != 0, PLAN_TOWER_PIXEL_SCALE) |
        bit(clips(&patches->embed), PLAN_TOWER_CLIPS) | bit(tower->in_norm.present, PLAN_TOWER_IN_NORM) |
        bit(tower->table.kind == PLAN_TABLE_BILINEAR, PLAN_TOWER_BILINEAR) |
        bit(tower->table.kind == PLAN_TABLE_BICUBIC, PLAN_TOWER_BICUBIC) |
        bit(tower->table.kind == PLAN_TABLE_AXES, PLAN_TOWER_AXES_TABLE) |
        bit(tower->table.kind == PLAN_TABLE_SINUSOIDS, PLAN_TOWER_SINUSOIDS) |
        bit(tower->sound.present, PLAN_TOWER_SOUND) | bit(tower->has_rope, PLAN_TOWER_ROPE) |
        bit(tower->has_rope && tower->rope.pairing == ROPE_PAIRS_QUARTER, PLAN_TOWER_ROPE_QUARTERS) |
        bit(tower->out_norm.present, PLAN_TOWER_POST_NORMS) |
        bit(pooling->side != 1 || pooling->factor != 1, PLAN_TOWER_POOLING) |
        bit(pooling->bias.data || pooling->scale.data, PLAN_TOWER_STANDARDISED) |
        bit(tower->tiles.n > 0, PLAN_TOWER_TILES) | bit(tower->tiles.n_collected > 0, PLAN_TOWER_COLLECTED) |
        bit(tower->tiles.n > 0 && tower->tiles.second < tower->n_layers, PLAN_TOWER_SECOND) |
        bit(tower->crops.present, PLAN_TOWER_CROPS) | bit(tower->n_leading > 0, PLAN_TOWER_LEADING) |
        bit(tower->n_deepstack > 0, PLAN_TOWER_DEEPSTACK) | bit(tower->video_token >= 0, PLAN_TOWER_VIDEOS) |
        merger_features(&tower->merger) | conv_features(&tower->conv);
    for (size_t i = 0; i < tower->n_layers; i++) needed |= tower_layer_features(&tower->layers[i]);
    for (size_t i = 0; i < tower->n_deepstack; i++) needed |= merger_features(&tower->deepstack[i].merger);
    return needed;
}

assay_status plan_check_features(const plan *p, uint64_t implemented, uint64_t tower_implemented,
                                 const char *engine, assay_error *err)
{
    const uint64_t missing = plan_features(p) & ~implemented;
    const uint64_t tower_missing =
        (plan_tower_features(&p->vision) | plan_tower_features(&p->audio)) & ~tower_implemented;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (missing & NAMES[i].feature)
            return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: the model has %s, which %s does not implement",
                              p->dir, NAMES[i].name, engine);
    for (size_t i = 0; i < sizeof TOWER_NAMES / sizeof *TOWER_NAMES; i++)
        if (tower_missing & TOWER_NAMES[i].feature)
            return assay_fail(err, ASSAY_EUNSUPPORTED,
                              "%s: the model's tower has %s, which %s does not implement", p->dir,
                              TOWER_NAMES[i].name, engine);
    return ASSAY_OK;
}

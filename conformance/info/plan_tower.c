/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/info/plan_tower.h"

#include "conformance/info/member.h"
#include "conformance/info/plan_layer.h"

static bool add_patches(json_object *to, const plan_patches *p)
{
    json_object *one = conf_json_add_object(to, "patches");
    return conf_json_add_count(one, "size", p->size) && conf_json_add_count(one, "channels", p->channels) &&
           conf_json_add_count(one, "frames", p->frames) &&
           conf_json_add_text(one, "order", p->order == PLAN_PATCHES_BLOCKS ? "blocks" : "rows") &&
           conf_info_add_flag(one, "bias", p->embed.bias.data) &&
           conf_info_add_flag(one, "channels_last", p->weights_channels_last) &&
           conf_json_add_real(one, "factor", p->pixel_factor) &&
           conf_json_add_real(one, "offset", p->pixel_offset);
}

static bool add_audio(json_object *to, const plan_tower *t)
{
    const plan_audio *s = &t->audio;
    if (t->kind != PLAN_TOWER_AUDIO) return conf_json_add_null(to, "sound");
    json_object *one = conf_json_add_object(to, "sound");
    json_object *list = conf_json_add_array(one, "convolutions");
    bool ok =
        list && conf_json_add_count(one, "bins", s->n_bins) && conf_json_add_count(one, "chunk", s->chunk);
    for (size_t i = 0; ok && i < PLAN_AUDIO_CONVOLUTIONS; i++) {
        json_object *convolution = conf_json_append_object(list);
        ok = conf_json_add_count(convolution, "channels", s->convolutions[i].product.weight.rows) &&
             conf_info_add_flag(convolution, "channels_last", s->convolutions[i].channels_last);
    }
    return ok;
}

static bool add_table(json_object *to, const plan_table *table)
{
    static const char *const TAPS[] = {NULL, "two", "four", "axes", "sinusoids"}; /* as plan_table_kind */
    if (table->kind == PLAN_TABLE_NONE) return conf_json_add_null(to, "table");
    json_object *one = conf_json_add_object(to, "table");
    return conf_info_add_count(one, "side", table->side) &&
           conf_info_add_count(one, "period", table->period) &&
           conf_json_add_text(one, "taps", TAPS[table->kind]) &&
           conf_info_add_flag(one, "aligns_corners", table->aligns_corners);
}

static bool add_rope(json_object *to, const plan_tower *t)
{
    if (!t->has_rope) return conf_json_add_null(to, "rope");
    const rope *r = &t->rope;
    json_object *one = conf_json_add_object(to, "rope");
    return conf_json_add_real(one, "theta", r->theta) && conf_json_add_count(one, "elements", r->dim) &&
           conf_json_add_count(one, "head_dim", r->head_dim) &&
           conf_json_add_text(one, "order", r->sections == ROPE_SECTIONS_COLUMN_ROW ? "columns" : "rows") &&
           conf_info_add_flag(one, "pairs_in_halves", r->pairing == ROPE_PAIRS_QUARTER);
}

static bool add_norms(json_object *to, const plan_tower_layer *l)
{
    json_object *all = conf_json_add_object(to, "norms");
    return conf_info_add_norm(all, "mixer_in", &l->mixer_in) &&
           conf_info_add_norm(all, "q", &l->attention.q_norm) &&
           conf_info_add_norm(all, "k", &l->attention.k_norm) &&
           conf_info_add_norm(all, "v", &l->attention.v_norm) &&
           conf_info_add_norm(all, "mixer_out", &l->mixer_out) &&
           conf_info_add_norm(all, "mlp_in", &l->mlp_in) && conf_info_add_norm(all, "mlp_out", &l->mlp_out);
}

static bool add_layers(json_object *to, const plan_tower *t)
{
    json_object *list = conf_json_add_array(to, "layers");
    bool ok = list;
    for (size_t i = 0; ok && i < t->n_layers; i++) {
        json_object *one = conf_json_append_object(list);
        ok = conf_info_add_attention(one, "attention", &t->layers[i].attention) &&
             conf_info_add_flag(one, "in_windows", t->layers[i].in_windows) &&
             conf_info_add_mlp(one, "mlp", &t->layers[i].mlp) && add_norms(one, &t->layers[i]) &&
             conf_info_add_flag(one, "residual_gates",
                                t->layers[i].mixer_gate.data || t->layers[i].mlp_gate.data) &&
             conf_info_add_flag(one, "clipped", plan_tower_layer_has_clips(&t->layers[i]));
    }
    return ok;
}

static bool add_crops(json_object *to, const plan_tower *t)
{
    if (t->kind != PLAN_TOWER_CROPS) return conf_json_add_null(to, "crops");
    json_object *one = conf_json_add_object(to, "crops");
    return conf_json_add_count(one, "margin", t->crops.margin);
}

static bool add_pooling(json_object *to, const plan_pooling *p)
{
    if (p->side == 1 && p->factor == 1) return conf_json_add_null(to, "pooling");
    json_object *one = conf_json_add_object(to, "pooling");
    return conf_json_add_count(one, "side", p->side) && conf_json_add_real(one, "factor", p->factor) &&
           conf_info_add_flag(one, "standardised", p->bias.data);
}

static bool add_step(json_object *to, const plan_merger_step *step)
{
    switch (step->kind) {
    case PLAN_MERGER_NORM: return conf_info_add_norm(to, "norm", &step->norm);
    case PLAN_MERGER_CONCATENATE:
        return conf_json_add_text(to, "concatenate", step->channels_first ? "channels" : "rows");
    case PLAN_MERGER_LINEAR: {
        json_object *linear = conf_json_add_object(to, "linear");
        return conf_json_add_count(linear, "outputs", step->linear.weight.rows) &&
               conf_info_add_flag(linear, "bias", step->linear.bias.data);
    }
    case PLAN_MERGER_ACTIVATION:
        return conf_json_add_text(to, "activation", plan_activation_name(step->activation));
    case PLAN_MERGER_MLP: return conf_info_add_mlp(to, "mlp", &step->mlp);
    case PLAN_MERGER_REPEAT: return conf_json_add_count(to, "repeat", 2);
    case PLAN_MERGER_ROW_ENDS: return conf_json_add_count(to, "row_ends", step->row_end.cols);
    case PLAN_MERGER_ENDS: return conf_json_add_count(to, "ends", step->begin.cols);
    }
    return false;
}

/* width: of the merger's input. */
static bool add_merger(json_object *to, const plan_tower *t, const plan_merger *m, size_t width)
{
    json_object *one = conf_json_add_object(to, "merger");
    json_object *steps = conf_json_add_array(one, "steps");
    bool ok = steps && conf_json_add_count(one, "features", plan_merger_width(m, width, t->merge));
    for (size_t i = 0; ok && i < m->n_steps; i++) ok = add_step(conf_json_append_object(steps), &m->steps[i]);
    return ok;
}

static bool add_deepstack(json_object *to, const plan_tower *t)
{
    json_object *list = conf_json_add_array(to, "deepstack");
    bool ok = list;
    for (size_t k = 0; ok && k < t->n_deepstack; k++) {
        json_object *one = conf_json_append_object(list);
        ok = conf_json_add_count(one, "tower_layer", t->deepstack[k].tower_layer) &&
             add_merger(one, t, &t->deepstack[k].merger, t->hidden);
    }
    return ok;
}

static bool add_tiles(json_object *to, const plan_tower *t)
{
    const plan_tiles *k = &t->tiles;
    if (t->kind != PLAN_TOWER_TILES) return conf_json_add_null(to, "tiles");
    json_object *one = conf_json_add_object(to, "tiles");
    bool ok = conf_json_add_count(one, "n", k->n) && conf_json_add_count(one, "side", k->side) &&
              conf_json_add_count(one, "padded", k->padded);
    json_object *ratios = conf_json_add_array(one, "ratios");
    ok = ok && ratios;
    for (size_t i = 0; ok && i < k->n_ratios; i++) {
        json_object *ratio = conf_json_append_object(ratios);
        ok = conf_json_add_count(ratio, "rows", k->ratio[i][0]) &&
             conf_json_add_count(ratio, "columns", k->ratio[i][1]);
    }
    json_object *collected = conf_json_add_array(one, "collected");
    ok = ok && collected;
    for (size_t i = 0; ok && i < k->n_collected; i++)
        ok = conf_json_add_count(conf_json_append_object(collected), "layer", k->collected[i]);
    return ok && conf_json_add_count(one, "second", k->second) &&
           conf_info_add_norm(one, "middle", &k->middle);
}

static bool add_unit(json_object *to, const plan_conv_unit *u)
{
    const plan_convolution *c = &u->convolution;
    return conf_json_add_count(to, "kernel", c->kernel) && conf_json_add_count(to, "stride", c->stride) &&
           conf_json_add_count(to, "outputs", c->n_out) &&
           conf_info_add_flag(to, "depthwise", c->is_depthwise) &&
           conf_info_add_flag(to, "bias", c->product.bias.data) &&
           conf_info_add_flag(to, "channels_last", c->channels_last) &&
           conf_info_add_norm(to, "norm", &u->norm) &&
           conf_info_add_text(to, "activation", u->is_activated ? plan_activation_name(u->activation) : NULL);
}

static bool add_block(json_object *to, const plan_conv_block *b)
{
    json_object *units = conf_json_add_array(to, "units");
    bool ok = units;
    for (size_t i = 0; ok && i < plan_conv_block_convolutions(b); i++)
        ok = add_unit(conf_json_append_object(units), plan_conv_block_unit(b, i));
    if (ok && b->kind == PLAN_CONV_ATTENTION)
        ok = conf_info_add_norm(to, "norm", &b->norm) &&
             conf_info_add_attention(to, "attention", &b->attention);
    else ok = ok && conf_json_add_null(to, "norm") && conf_json_add_null(to, "attention");
    return ok && conf_info_add_flag(to, "scaled", b->scale.data) &&
           conf_info_add_flag(to, "residual", b->is_residual);
}

static bool add_conv(json_object *to, const plan_tower *tower)
{
    const plan_conv_tower *t = &tower->conv;
    if (tower->kind != PLAN_TOWER_CONV) return conf_json_add_null(to, "convolutional");
    json_object *one = conf_json_add_object(to, "convolutional");
    json_object *blocks = conf_json_add_array(one, "blocks");
    bool ok = blocks && conf_json_add_count(one, "side", t->side) &&
              conf_info_add_counts(one, "fused", t->taken, t->n_taken);
    for (size_t i = 0; ok && i < t->n_blocks; i++)
        ok = add_block(conf_json_append_object(blocks), &t->blocks[i]);
    return ok && add_block(conf_json_add_object(one, "fusion"), &t->fusion);
}

bool conf_info_add_tower(json_object *to, const plan_tower *t)
{
    return conf_json_add_count(to, "hidden", t->hidden) &&
           conf_info_add_id(to, "image_token", t->image_token) &&
           conf_info_add_id(to, "video_token", t->video_token) &&
           conf_info_add_id(to, "audio_token", t->kind == PLAN_TOWER_AUDIO ? t->audio_token : -1) &&
           add_audio(to, t) && conf_json_add_count(to, "block", plan_tower_block(t)) &&
           conf_info_add_count(to, "leading_tokens", t->n_leading) && add_patches(to, &t->patches) &&
           conf_info_add_flag(to, "frames_apart", t->frames_apart) &&
           conf_info_add_real(to, "tokens_per_second", t->tokens_per_second) &&
           conf_info_add_flag(to, "spans_time", t->spans_time) && add_table(to, &t->table) &&
           add_rope(to, t) && conf_info_add_norm(to, "in_norm", &t->in_norm) &&
           conf_info_add_count(to, "window", t->window) && add_layers(to, t) &&
           conf_info_add_norm(to, "out_norm", &t->out_norm) && add_pooling(to, &t->pooling) &&
           add_crops(to, t) && add_merger(to, t, &t->merger, plan_tower_state(t)) && add_tiles(to, t) &&
           add_deepstack(to, t) && add_conv(to, t);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/info/plan.h"

#include <stdio.h>

#include "base/dtype.h"
#include "conformance/info/member.h"
#include "conformance/info/plan_layer.h"
#include "conformance/info/plan_tower.h"

static bool add_storages(json_object *to, const plan *p)
{
    json_object *list = conf_json_add_array(to, "storages");
    bool ok = list;
    for (size_t i = 0; ok && i < p->n_storages; i++) {
        const plan_storage *s = &p->storages[i];
        json_object *one = conf_json_append_object(list);
        ok = conf_info_add_text(one, "type", s->dtype ? dtype_name(s->dtype) : NULL) &&
             conf_info_add_text(one, "format", s->format) && conf_info_add_count(one, "bits", s->bits) &&
             conf_info_add_count(one, "group", s->group) &&
             conf_info_add_text(one, "bias_type", s->bias_dtype ? dtype_name(s->bias_dtype) : NULL) &&
             conf_json_add_count(one, "elements", s->n_elements) &&
             conf_json_add_count(one, "tensors", s->n_tensors);
    }
    return ok;
}

static const char *position_rule(plan_positions positions)
{
    switch (positions) {
    case PLAN_POSITIONS_INDEX: return "index";
    case PLAN_POSITIONS_GRID: return "grid";
    case PLAN_POSITIONS_IMAGES: return "images";
    case PLAN_POSITIONS_BLOCK: return "block";
    }
    return "";
}

static bool add_sizes(json_object *to, const plan *p)
{
    return conf_json_add_count(to, "vocabulary", p->vocab) &&
           conf_json_add_count(to, "token_ids", p->n_token_ids) && conf_info_add_flag(to, "tied", p->tied) &&
           conf_info_add_flag(to, "logit_bias", p->head_bias.data) &&
           conf_json_add_real(to, "logit_factor", p->logit_factor) &&
           conf_info_add_real(to, "logit_cap", p->soft_cap) && conf_json_add_count(to, "hidden", p->hidden) &&
           conf_json_add_real(to, "embedding_factor", p->embedding_scale) &&
           conf_info_add_norm(to, "final_norm", &p->norm) &&
           conf_json_add_count(to, "max_positions", p->max_positions) &&
           conf_json_add_text(to, "positions", position_rule(p->positions));
}

static bool add_ids(json_object *to, const char *name, const int32_t *at, size_t n)
{
    json_object *list = conf_json_add_array(to, name);
    bool ok = list;
    for (size_t i = 0; ok && i < n; i++) ok = conf_json_append(list, json_object_new_int(at[i]));
    return ok;
}

static bool add_id_table(json_object *to, const plan_id_table *t)
{
    if (!t->n) return conf_json_add_null(to, "id_table");
    json_object *one = conf_json_add_object(to, "id_table");
    return conf_info_add_id(one, "first", t->first) && conf_json_add_count(one, "n", t->n) &&
           conf_json_add_count(one, "width", t->table.cols);
}

static bool add_placeholders(json_object *to, const plan_placeholders *p)
{
    if (!p->n) return conf_json_add_null(to, "placeholders");
    json_object *one = conf_json_add_object(to, "placeholders");
    return add_ids(one, "ids", p->id, p->n) && conf_info_add_id(one, "embedded_as", p->embeds_as);
}

static bool add_extras(json_object *to, const plan *p)
{
    json_object *one;
    bool ok = p->streams.n ? (one = conf_json_add_object(to, "streams")) &&
                                 conf_json_add_count(one, "n", p->streams.n) &&
                                 conf_json_add_count(one, "active", p->streams.active)
                           : conf_json_add_null(to, "streams");
    ok = ok && (p->layer_inputs.present ? (one = conf_json_add_object(to, "layer_inputs")) &&
                                              conf_json_add_count(one, "width", p->layer_inputs.width) &&
                                              conf_json_add_count(one, "tokens", p->layer_inputs.table.rows)
                                        : conf_json_add_null(to, "layer_inputs"));
    ok = ok && (p->plane_rope.present ? (one = conf_json_add_object(to, "plane_rope")) &&
                                            conf_json_add_count(one, "first", p->plane_rope.first) &&
                                            conf_json_add_count(one, "elements", p->plane_rope.dim)
                                      : conf_json_add_null(to, "plane_rope"));
    return ok && add_placeholders(to, &p->placeholders) && add_id_table(to, &p->id_table) &&
           add_ids(to, "block_tokens", p->blocks.id, p->blocks.n) &&
           conf_info_add_flag(to, "block_of_image", p->blocks.of_image) &&
           add_ids(to, "expert_tokens", p->expert_tokens.id, p->expert_tokens.n);
}

/* The documents that name a stop id. */
static bool add_origin(json_object *to, unsigned origin)
{
    char names[STOP_N_ORIGINS][80];
    const char *at[STOP_N_ORIGINS];
    size_t n = 0;
    for (unsigned i = 0; i < STOP_N_ORIGINS; i++) {
        if (!(origin & 1u << i)) continue;
        stop_origin_print(names[n], sizeof names[n], 1u << i);
        at[n] = names[n];
        n++;
    }
    return conf_info_add_texts(to, "documents", at, n);
}

static bool add_stops(json_object *to, const plan *p, const tokenizer *tokens)
{
    size_t n;
    const int32_t *ids = stop_set_ids(p->stops, &n);
    json_object *list = conf_json_add_array(to, "stops");
    bool ok = list;
    for (size_t i = 0; ok && i < n; i++) {
        char text[1024];
        size_t n_text = 0;
        const char *found = tokens ? tokenizer_text_of(tokens, ids[i], &n_text) : NULL;
        if (found) (void)snprintf(text, sizeof text, "%.*s", (int)n_text, found);
        json_object *one = conf_json_append_object(list);
        ok = conf_info_add_id(one, "id", ids[i]) && conf_info_add_text(one, "text", found ? text : NULL) &&
             add_origin(one, stop_set_origin(p->stops, i));
    }
    return ok;
}

static bool add_factors(json_object *to, const char *name, const double *factor, size_t n)
{
    return factor ? conf_info_add_reals(to, name, factor, n) : conf_json_add_null(to, name);
}

static bool add_sections(json_object *to, const rope *r)
{
    if (r->sections == ROPE_SECTIONS_NONE) return conf_json_add_null(to, "sections");
    json_object *one = conf_json_add_object(to, "sections");
    return conf_json_add_text(one, "order", rope_sections_name(r->sections)) &&
           conf_info_add_counts(one, "sizes", r->section, rope_n_axes(r));
}

static bool add_rope(json_object *to, const rope *r)
{
    const size_t n = r->dim / 2;
    return conf_json_add_text(to, "type", rope_type_name(r->type)) &&
           conf_json_add_real(to, "theta", r->theta) && conf_json_add_count(to, "elements", r->dim) &&
           conf_json_add_count(to, "head_dim", r->head_dim) &&
           conf_info_add_count(to, "pairs_that_turn", r->type == ROPE_PROPORTIONAL ? r->n_angles : 0) &&
           conf_info_add_real(to, "factor", r->factor) &&
           conf_json_add_real(to, "attention_factor", r->attention_factor) &&
           conf_info_add_real(to, "original_length", r->original_length) &&
           conf_info_add_real(to, "grows_beyond", r->type == ROPE_DYNAMIC ? r->max_length : 0) &&
           conf_info_add_real(to, "low_band", r->low_freq_factor) &&
           conf_info_add_real(to, "high_band", r->high_freq_factor) &&
           conf_info_add_real(to, "beta_fast", r->beta_fast) &&
           conf_info_add_real(to, "beta_slow", r->beta_slow) &&
           (r->type == ROPE_YARN ? conf_info_add_flag(to, "truncated", r->truncate)
                                 : conf_json_add_null(to, "truncated")) &&
           add_sections(to, r) && add_factors(to, "short_factor", r->short_factor, n) &&
           add_factors(to, "long_factor", r->long_factor, n);
}

static bool add_ropes(json_object *to, const plan *p)
{
    json_object *list = conf_json_add_array(to, "ropes");
    bool ok = list;
    for (size_t i = 0; ok && i < p->n_ropes; i++) ok = add_rope(conf_json_append_object(list), &p->ropes[i]);
    return ok;
}

static bool add_layers(json_object *to, const plan *p)
{
    json_object *list = conf_json_add_array(to, "layers");
    bool ok = list;
    for (size_t i = 0; ok && i < p->n_layers; i++)
        ok = conf_info_add_layer(conf_json_append_object(list), &p->layers[i]);
    return ok;
}

static bool add_tower(json_object *to, const char *name, const plan_tower *t)
{
    if (!t->present) return conf_json_add_null(to, name);
    return conf_info_add_tower(conf_json_add_object(to, name), t);
}

bool conf_info_add_plan(json_object *to, const plan *p, const tokenizer *tokens)
{
    return conf_json_add_text(to, "family", p->model_type) &&
           conf_json_add_count(to, "parameters", p->n_parameters) &&
           conf_json_add_count(to, "ignored", p->n_ignored) && add_storages(to, p) && add_sizes(to, p) &&
           add_extras(to, p) && add_stops(to, p, tokens) && add_ropes(to, p) && add_layers(to, p) &&
           add_tower(to, "tower", &p->vision) && add_tower(to, "audio", &p->audio) &&
           conf_info_add_texts(to, "notes", p->notes, p->n_notes);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/checkpoint/config_value.h"
#include "model/formats/quantization.h"
#include "model/plan/bind_experts.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

bool family_ok(const family *f)
{
    return f->config->status == ASSAY_OK && f->bind->status == ASSAY_OK;
}

/* Around a text_config the outer member counts, and the class's default where it is absent, whatever the
 * text_config says. As transformers does not tie a head to an embedding that differs (modeling_utils.py:
 * tie_weights), a stored head is bound if the text_config calls it untied. */
static bool read_tied(family *f, bool fallback)
{
    static const char NAME[] = "tie_word_embeddings";
    if (f->outer && config_has(f->outer, NAME)) {
        (void)config_has(f->config, NAME); /* published configs repeat it in text_config */
        return config_flag_or(f->outer, NAME, fallback);
    }
    const bool tied = config_flag_or(f->config, NAME, fallback);
    return f->outer && fallback ? tied || !bind_has_head(f->bind) : tied;
}

/* Classes of transformers from 5 on do not tie a head that is stored and differs, whatever the config says
 * (modeling_utils.py: tie_weights); earlier ones did. */
static bool keeps_stored_head(const family *f)
{
    enum { FIRST = 5 };
    return config_writer(f->config) >= FIRST && bind_has_head(f->bind);
}

void family_check_tied(family *f)
{
    static const char NAME[] = "tie_word_embeddings";
    if (keeps_stored_head(f)) return;
    if (f->outer && config_has(f->outer, NAME) && config_has(f->config, NAME) &&
        !config_flag_or(f->outer, NAME, false) && config_flag_or(f->config, NAME, false))
        config_fail_member(f->config, ASSAY_EUNSUPPORTED, NAME, "but %s around text_config is false", NAME);
}

/* Notes a module that the config names and that has no tensors, such as one of a tower that was left out. */
static void note_idle_module(void *context, const char *path)
{
    const family *f = context;
    char name[256];
    (void)snprintf(name, sizeof name, "%s.weight", path);
    if (!weights_find(f->bind->weights, name))
        config_note(f->config->notes, "quantization.%.120s: no such tensors, not used", path);
}

/* mlx-lm and mlx-vlm write it in the outermost document; those inside must not state it again. */
static void read_quantization(family *f)
{
    config *const documents[] = {f->whole, f->outer, f->config};
    size_t i = 0;
    while (documents[i] != f->config && !(documents[i] && quantization_is_stated(documents[i]))) i++;
    config *said = documents[i];
    for (i++; i < sizeof documents / sizeof *documents; i++) quantization_refuse(documents[i]);
    quantization_read(said, &f->bind->rules);
    if (family_ok(f)) quantization_each_path(&f->bind->rules, note_idle_module, f);
}

void *family_allocate_layers(family *f, config *c, const char *name, size_t n, size_t size)
{
    const size_t n_tensors = weights_count(f->bind->weights);
    if (!family_ok(f) || c->status != ASSAY_OK) return NULL;
    void *layers = NULL;
    if (n > n_tensors)
        config_fail(c, ASSAY_EFORMAT, "%s: found %zu, but the checkpoint has only %zu tensors", name, n,
                    n_tensors);
    else if (!(layers = calloc(n, size)))
        config_fail(c, ASSAY_ENOMEM, "%s: out of memory for %zu layers", name, n);
    return layers;
}

/* transformers saves a model of ERNIE 4.5 VL whose tensors it has read under its own names with the last norm
 * outside of language_model (conversion_mapping.py), and reads it from there. */
static plan_norm bind_last_norm(family *f, double epsilon)
{
    static const char *const OUTSIDE[] = {"model."};
    bind *b = f->bind;
    bind_place inside = {0};
    const char *name = f->last_norm ? f->last_norm : "norm";
    const bool is_outside =
        !f->last_norm && !bind_exists(b, "norm.weight") && weights_find(b->weights, "model.norm.weight");
    if (is_outside) bind_enter(b, OUTSIDE, 1, "norm.weight", &inside);
    const plan_norm norm = bind_norm(b, f->plan->hidden, epsilon, "%s", name);
    if (is_outside) bind_leave(b, &inside);
    return norm;
}

void family_begin(family *f, double epsilon, bool tied_by_default)
{
    plan *p = f->plan;
    config *c = f->config;
    p->vocab = config_size(c, "vocab_size");
    p->n_token_ids = p->vocab + f->more_embeddings;
    p->hidden = config_size(c, "hidden_size");
    size_t n_layers = config_size(c, "num_hidden_layers");
    p->max_positions = config_size_or(c, "max_position_embeddings", 2048);
    read_quantization(f);
    bool tied = read_tied(f, tied_by_default);
    p->layers = family_allocate_layers(f, c, "num_hidden_layers", n_layers, sizeof *p->layers);
    if (!p->layers) return;
    p->n_layers = n_layers;
    for (size_t i = 0; i < n_layers; i++) p->layers[i].residual_factor = 1;
    p->embedding = bind_matrix(f->bind, p->n_token_ids, p->hidden, "embed_tokens.weight");
    p->embedding_scale = p->logit_factor = 1;
    p->norm = bind_last_norm(f, epsilon);
    bind_head(f->bind, p, tied, keeps_stored_head(f));
}

void family_tower_begin(config *tower)
{
    (void)config_has(tower, "tie_word_embeddings");
}

void family_layer_norm(family *f, plan_norm *norm, bool has_bias, const char *name)
{
    norm->kind = PLAN_LAYER_NORM;
    if (has_bias) norm->bias = bind_vector(f->bind, norm->width, "%s.bias", name);
}

double family_epsilon(family *f, double fallback)
{
    return config_not_negative_or(f->config, "rms_norm_eps", fallback);
}

void family_check_heads(family *f, size_t n_heads, size_t n_kv_heads)
{
    if (family_ok(f) && n_heads % n_kv_heads != 0)
        config_fail(f->config, ASSAY_EFORMAT,
                    "num_key_value_heads: found %zu, expected a divisor of the %zu heads", n_kv_heads,
                    n_heads);
}

assay_activation family_activation(family *f, const char *member, const char *fallback)
{
    static const struct {
        const char *spelled;
        assay_activation activation;
    } KNOWN[] = {
        {"silu", ASSAY_SILU},
        {"swish", ASSAY_SILU},
        {"gelu", ASSAY_GELU},
        {"gelu_python", ASSAY_GELU},
        {"gelu_pytorch_tanh", ASSAY_GELU_TANH},
        {"gelu_python_tanh", ASSAY_GELU_TANH},
        {"gelu_new", ASSAY_GELU_TANH},
        {"quick_gelu", ASSAY_QUICK_GELU},
        {"relu", ASSAY_RELU},
    };
    const char *spelled = config_text_or(f->config, member, fallback);
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcmp(spelled, KNOWN[i].spelled) == 0) return KNOWN[i].activation;
    config_fail(f->config, ASSAY_EUNSUPPORTED,
                "%s: found \"%s\", expected silu, gelu, gelu_pytorch_tanh, quick_gelu or relu", member,
                spelled);
    return ASSAY_SILU;
}

size_t family_rope(family *f, const config_rope_request *request)
{
    plan *p = f->plan;
    if (!family_ok(f)) return PLAN_NONE;
    if (request->head_dim % 2 != 0) {
        config_fail(f->config, ASSAY_EFORMAT, "head_dim: found %zu, expected an even number for rope",
                    request->head_dim);
        return PLAN_NONE;
    }
    rope *grown = grow_by_one(p->ropes, p->n_ropes, sizeof *grown);
    if (!grown) {
        config_fail(f->config, ASSAY_ENOMEM, "out of memory");
        return PLAN_NONE;
    }
    p->ropes = grown;
    config_rope(f->config, request, &p->ropes[p->n_ropes]);
    return p->n_ropes++;
}

bool family_listed_kinds(family *f, const char *member, const char *usual, const char *other, bool *is_other)
{
    json_object *types = config_member(f->config, member);
    if (!types) return false;
    size_t n = f->plan->n_layers;
    if (!json_object_is_type(types, json_type_array) || json_object_array_length(types) != n) {
        config_fail_member(f->config, ASSAY_EFORMAT, member, "expected a list of %zu strings, one per layer",
                           n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const char *text = json_text(json_object_array_get_idx(types, i));
        is_other[i] = text && strcmp(text, other) == 0;
        if (is_other[i] || (text && strcmp(text, usual) == 0)) continue;
        config_fail_element(f->config, ASSAY_EUNSUPPORTED, member, i, "expected \"%s\" or \"%s\"", usual,
                            other);
        return false;
    }
    return true;
}

bool family_layer_kinds(family *f, const char *other, bool *is_other)
{
    return family_listed_kinds(f, "layer_types", "full_attention", other, is_other);
}

bool family_layer_types(family *f, bool *sliding)
{
    if (!config_has(f->config, "layer_types")) return false;
    (void)config_has(f->config, "sliding_window_pattern");
    (void)config_has(f->config, "_sliding_window_pattern");
    return family_layer_kinds(f, "sliding_attention", sliding);
}

size_t family_window(family *f, size_t fallback)
{
    static const char NAME[] = "sliding_window";
    if (config_has(f->config, NAME)) return config_size(f->config, NAME);
    return config_is_null(f->config, NAME) || fallback == 0 ? 0 : config_size_or(f->config, NAME, fallback);
}

void family_same_windows(family *f, size_t size)
{
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++)
        f->plan->layers[i].mixer.attention.window = size;
}

void family_listed_windows(family *f, size_t size, size_t full_every)
{
    if (!family_ok(f)) return;
    size_t n = f->plan->n_layers;
    bool *sliding = calloc(n, sizeof *sliding);
    if (!sliding) {
        config_fail(f->config, ASSAY_ENOMEM, "out of memory");
        return;
    }
    if (!family_layer_types(f, sliding)) {
        config_note(f->config->notes, "%slayer_types: absent, every %zu. layer is taken as full",
                    f->config->prefix, full_every);
        for (size_t i = 0; i < n; i++) sliding[i] = (i + 1) % full_every != 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (sliding[i] && !size)
            config_fail(f->config, ASSAY_EFORMAT,
                        "layer_types[%zu]: found sliding_attention, but sliding_window is null", i);
        f->plan->layers[i].mixer.attention.window = sliding[i] ? size : 0;
    }
    free(sliding);
}

size_t family_pattern(family *f, size_t fallback)
{
    return config_size_or(f->config, "sliding_window_pattern", fallback);
}

double family_cap(family *f, const char *member, double fallback)
{
    config *c = f->config;
    if (config_has(c, member)) return config_positive(c, member);
    return config_is_null(c, member) || fallback == 0 ? 0 : config_positive_or(c, member, fallback);
}

plan_mlp family_mlp_below(family *f, size_t i, const char *part, size_t intermediate,
                          assay_activation activation, bool bias)
{
    size_t hidden = f->plan->hidden;
    return (plan_mlp){
        .present = true,
        .intermediate = intermediate,
        .activation = activation,
        .gate = bind_linear(f->bind, intermediate, hidden, bias, "layers.%zu.%s.gate_proj", i, part),
        .up = bind_linear(f->bind, intermediate, hidden, bias, "layers.%zu.%s.up_proj", i, part),
        .down = bind_linear(f->bind, hidden, intermediate, bias, "layers.%zu.%s.down_proj", i, part),
    };
}

plan_experts *family_layer_experts_named(family *f, const plan_experts *shape, size_t i, const char *router)
{
    char base[64], stacked[64];
    plan_experts *x = &f->plan->layers[i].experts;
    *x = *shape;
    (void)snprintf(base, sizeof base, "layers.%zu.mlp.experts", i);
    (void)snprintf(stacked, sizeof stacked, "layers.%zu.mlp.switch_mlp", i);
    x->router = bind_matrix(f->bind, x->n_experts, f->plan->hidden, "layers.%zu.%s.weight", i, router);
    bind_experts(f->bind, x, f->plan->hidden, 0, base, stacked);
    return x;
}

plan_experts *family_layer_experts(family *f, const plan_experts *shape, size_t i)
{
    return family_layer_experts_named(f, shape, i, "mlp.gate");
}

plan_mlp family_mlp(family *f, size_t i, size_t intermediate, assay_activation activation, bool bias)
{
    return family_mlp_below(f, i, "mlp", intermediate, activation, bias);
}

/* Parts common to Gemma 3n and Gemma 4 (transformers, models/gemma3n and models/gemma4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/gemma.h"

#include <math.h>

#include "model/checkpoint/config_value.h"
#include "model/families/families.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

void family_gemma_producers(family *f, const bool *sliding, size_t n_shared, size_t *producer)
{
    size_t n = f->plan->n_layers;
    if (n_shared >= n && n_shared > 0) {
        config_fail(f->config, ASSAY_EFORMAT,
                    "num_kv_shared_layers: found %zu, expected less than the %zu layers", n_shared, n);
        return;
    }
    size_t first = n - n_shared;
    for (size_t i = 0; i < n; i++) {
        producer[i] = i;
        if (i < first) continue;
        size_t source = first;
        while (source > 0 && sliding[source - 1] != sliding[i]) source--;
        if (source == 0) {
            config_fail(f->config, ASSAY_EFORMAT,
                        "num_kv_shared_layers: layer %zu shares, but none of the first %zu "
                        "layers has its type",
                        i, first);
            return;
        }
        producer[i] = source - 1;
    }
}

/* Published checkpoints still contain key and value tensors of layers that share those of another
 * layer. */
static void ignore_shared(family *f, size_t i)
{
    static const char *const NAMES[] = {"k_proj", "v_proj", "k_norm", "v_norm"};
    char start[64];
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
        (void)snprintf(start, sizeof start, "layers.%zu.self_attn.%s.", i, NAMES[k]);
        bind_ignore(f->bind, f->config->notes, start, "the layer reads another layer's keys and values");
    }
}

void family_gemma_soft_cap(family *f, double fallback)
{
    static const char NAME[] = "final_logit_softcapping";
    config *c = f->config;
    f->plan->soft_cap = config_has(c, NAME) ? config_positive(c, NAME)
                        : config_is_null(c, NAME) || fallback == 0
                            ? 0
                            : config_not_negative_or(c, NAME, fallback);
}

void family_gemma_inputs(family *f, size_t width, size_t table_rows, double epsilon)
{
    plan *p = f->plan;
    size_t all = p->n_layers * width;
    p->layer_inputs = (plan_layer_inputs){
        .present = true,
        .width = width,
        .table = bind_matrix(f->bind, table_rows, all, "embed_tokens_per_layer.weight"),
        .table_scale = sqrt((double)width),
        .projection = bind_linear(f->bind, all, p->hidden, false, "per_layer_model_projection"),
        .projection_factor = 1 / sqrt((double)p->hidden),
        .norm = bind_norm(f->bind, width, epsilon, "per_layer_projection_norm"),
    };
}

plan_layer_input family_gemma_input(family *f, size_t i, size_t width, double epsilon,
                                    assay_activation activation)
{
    size_t hidden = f->plan->hidden;
    return (plan_layer_input){
        .present = true,
        .activation = activation,
        .gate = bind_linear(f->bind, width, hidden, false, "layers.%zu.per_layer_input_gate", i),
        .projection = bind_linear(f->bind, hidden, width, false, "layers.%zu.per_layer_projection", i),
        .out_norm = bind_norm(f->bind, hidden, epsilon, "layers.%zu.post_per_layer_input_norm", i),
    };
}

plan_norm family_gemma_norm(family *f, size_t i, double epsilon, const char *name)
{
    return bind_norm(f->bind, f->plan->hidden, epsilon, "layers.%zu.%s", i, name);
}

static void bind_keys(family *f, size_t i, const family_gemma_attention *s, plan_attention *a)
{
    bind *b = f->bind;
    size_t hidden = f->plan->hidden, kv = s->n_kv_heads * s->head_dim;
    a->value_is_key = s->value_is_key;
    a->k = bind_linear(b, kv, hidden, s->bias, "layers.%zu.self_attn.k_proj", i);
    if (!s->value_is_key) a->v = bind_linear(b, kv, hidden, s->bias, "layers.%zu.self_attn.v_proj", i);
    a->k_norm = bind_norm(b, s->head_dim, s->epsilon, "layers.%zu.self_attn.k_norm", i);
    a->v_norm = (plan_norm){.present = true, .epsilon = s->epsilon};
}

void family_gemma_layer(family *f, size_t i, const family_gemma_attention *s)
{
    plan_layer *layer = &f->plan->layers[i];
    size_t hidden = f->plan->hidden, q = s->n_heads * s->head_dim;
    layer->mixer_in = family_gemma_norm(f, i, s->epsilon, "input_layernorm");
    layer->mixer_out = family_gemma_norm(f, i, s->epsilon, "post_attention_layernorm");
    layer->mlp_in = family_gemma_norm(f, i, s->epsilon, "pre_feedforward_layernorm");
    layer->mlp_out = family_gemma_norm(f, i, s->epsilon, "post_feedforward_layernorm");
    layer->mixer.kind = PLAN_MIXER_ATTENTION;
    layer->mixer.attention = (plan_attention){
        .n_heads = s->n_heads,
        .n_kv_heads = s->n_kv_heads,
        .head_dim = s->head_dim,
        .scale = 1,
        .window = s->window,
        .rope = s->rope,
        .cache_layer = s->producer,
        .q = bind_linear(f->bind, q, hidden, s->bias, "layers.%zu.self_attn.q_proj", i),
        .o = bind_linear(f->bind, hidden, q, s->bias, "layers.%zu.self_attn.o_proj", i),
        .q_norm = bind_norm(f->bind, s->head_dim, s->epsilon, "layers.%zu.self_attn.q_norm", i),
    };
    if (s->producer == i) bind_keys(f, i, s, &layer->mixer.attention);
    else ignore_shared(f, i);
}

/* Llama 3.2 Vision (transformers 4.54.1, models/mllama/modeling_mllama.py): Llama, some of whose layers
 * attend to images instead of tokens, and a tower for images of tiles. The states of earlier layers that the
 * tower adds to its features are the inputs of the layers that the config names, as in Meta's reference;
 * later classes of transformers take their outputs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/tiles_parts.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

enum { MORE_EMBEDDINGS = 8 }; /* than vocab_size, in the published class */

static const size_t CROSS_LAYERS[] = {3, 8, 13, 18, 23, 28, 33, 38};
enum { N_CROSS_LAYERS = sizeof CROSS_LAYERS / sizeof *CROSS_LAYERS };

static plan_linear bind_product(family *f, size_t i, size_t rows, size_t cols, const char *name)
{
    return bind_linear(f->bind, rows, cols, false, "layers.%zu.cross_attn.%s", i, name);
}

static void bind_cross(family *f, const family_decoder *d, size_t i)
{
    plan_layer *layer = &f->plan->layers[i];
    const size_t hidden = f->plan->hidden, q = d->n_heads * d->head_dim, kv = d->n_kv_heads * d->head_dim;
    family_decoder_norms(f, d, i);
    layer->mixer.kind = PLAN_MIXER_CROSS;
    layer->mixer.attention = (plan_attention){
        .n_heads = d->n_heads,
        .n_kv_heads = d->n_kv_heads,
        .head_dim = d->head_dim,
        .scale = d->scale,
        .mask = PLAN_MASK_NONE,
        .rope = PLAN_NONE,
        .cache_layer = i,
        .q = bind_product(f, i, q, hidden, "q_proj"),
        .k = bind_product(f, i, kv, hidden, "k_proj"),
        .v = bind_product(f, i, kv, hidden, "v_proj"),
        .o = bind_product(f, i, hidden, q, "o_proj"),
        .q_norm = bind_norm(f->bind, d->head_dim, d->epsilon, "layers.%zu.cross_attn.q_norm", i),
        .k_norm = bind_norm(f->bind, d->head_dim, d->epsilon, "layers.%zu.cross_attn.k_norm", i)};
    layer->mixer_gate = bind_vector(f->bind, 1, "layers.%zu.cross_attn_attn_gate", i);
    layer->mlp_gate = bind_vector(f->bind, 1, "layers.%zu.cross_attn_mlp_gate", i);
}

static bool contains(const size_t *list, size_t n, size_t i)
{
    size_t k = 0;
    while (k < n && list[k] != i) k++;
    return k < n;
}

static void read_layers(family *f, const family_decoder *d)
{
    size_t list[PLAN_COLLECTED_MAX];
    const size_t n = family_layer_list(f->config, "cross_attention_layers", f->plan->n_layers, CROSS_LAYERS,
                                       N_CROSS_LAYERS, list);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        if (contains(list, n, i)) bind_cross(f, d, i);
        else family_decoder_attention(f, d, i);
        family_decoder_mlp(f, d, i);
    }
}

static void read_text(family *f)
{
    f->more_embeddings = MORE_EMBEDDINGS;
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true});
    if (family_ok(f) && d.n_heads * d.head_dim != f->plan->hidden)
        config_fail(
            f->config, ASSAY_EUNSUPPORTED,
            "head_dim: found %zu, expected hidden_size / num_attention_heads, which the published class "
            "takes",
            d.head_dim);
    if (family_ok(f) && f->plan->tied)
        config_fail(
            f->config, ASSAY_EUNSUPPORTED,
            "tie_word_embeddings: found true, expected false: the embedding has more rows than the head");
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 500000, .old_scaling = true});
    read_layers(f, &d);
    if (!f->outer && family_ok(f))
        config_note(f->config->notes,
                    "cross_attention_layers: left out, because the text part alone has no images");
}

static void read_family(family *f)
{
    family_vision v;
    read_text(f);
    family_tiles_begin(&v, f);
    family_tiles_bind(&v);
    family_tiles_token(&v, 128256);
    family_vision_end(&v);
}

const family_reader family_mllama = {
    .types = {{.model_type = "mllama_text_model", .read = read_text},
              {.model_type = "mllama", .read = read_family, .text_type = "mllama_text_model"}},
};

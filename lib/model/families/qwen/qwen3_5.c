/* Qwen3.5 (transformers, models/qwen3_5/modeling_qwen3_5.py and models/qwen3_5_moe): gated delta nets in most
 * layers, gated attention in the others, and a shared expert beside the chosen ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_delta.h"
#include "model/families/parts/qwen_tower.h"
#include "model/families/parts/vision.h"
#include "model/plan/bind_vector.h"

/* The tower of the wrapper around a text_config, if the checkpoint has one. */
static void read_tower(family *f, const char *type)
{
    if (!f->outer || !config_has(f->outer, "vision_config")) return;
    if (family_vision_is_stored_qwen(f)) family_qwen3_tower(f, type, false, 248056, 248057);
    else config_note(f->config->notes, "vision_config: the checkpoint has no tower, text alone");
}

static void read_family(family *f, bool has_experts)
{
    family_qwen_delta g = {.f = f};
    family_qwen_delta_read(
        &g, has_experts,
        &(config_rope_request){.sections = ROPE_SECTIONS_INTERLEAVED, .default_section = {11, 11, 10}});
    if (has_experts) family_qwen_delta_read_experts(&g, true);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        if (g.is_delta[i]) family_qwen_delta_bind(&g, i);
        else family_decoder_attention(f, &g.d, i);
        if (has_experts) family_qwen_delta_bind_experts(&g, i);
        else family_decoder_mlp(f, &g.d, i);
    }
    read_tower(f, has_experts ? "qwen3_5_moe_vision" : "qwen3_5_vision");
    bind_ignore(f->bind, f->config->notes, "mtp.", "the published class does not read it");
    free(g.is_delta);
}

static void read_dense(family *f)
{
    read_family(f, false);
}

static void read_moe(family *f)
{
    read_family(f, true);
}

/* In published files, but not read by the class, in which they are constant or belong to the prediction of
 * several tokens; the type of the recurrent state of other programs. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"attn_output_gate", "true"},
    {"decoder_sparse_step", "1"},
    {"language_model_only", NULL},
    {"mamba_ssm_dtype", NULL},
    {"mlp_only_layers", "[]"},
    {"mtp_num_hidden_layers", NULL},
    {"mtp_use_dedicated_embeddings", NULL},
    {"norm_topk_prob", "true"},
};
static const config_harmless_group UNREAD = {"is constant in the published class, or not read by it",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_qwen3_5 = {
    .types = {{.model_type = "qwen3_5_text", .read = read_dense},
              {.model_type = "qwen3_5", .read = read_dense, .text_type = "qwen3_5_text"},
              {.model_type = "qwen3_5_moe_text", .read = read_moe},
              {.model_type = "qwen3_5_moe", .read = read_moe, .text_type = "qwen3_5_moe_text"}},
    .harmless = {&UNREAD, &family_harmless_qwen3, &family_harmless_marks, &family_harmless_media},
};

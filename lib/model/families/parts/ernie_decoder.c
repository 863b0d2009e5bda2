/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/ernie_decoder.h"

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"

family_decoder family_ernie_decoder_read(family *f, bool needs_head_dim)
{
    family_decoder d = family_decoder_read(
        f, &(family_class){
               .epsilon = 1e-5, .needs_kv_heads = true, .needs_head_dim = needs_head_dim, .tied = true});
    d.qkv_bias = d.o_bias = d.mlp_bias = config_flag_or(f->config, "use_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 500000, .old_scaling = true});
    if (family_ok(f)) f->plan->ropes[d.rope].pairing = ROPE_PAIRS_ADJACENT;
    return d;
}

static const config_harmless_member UNREAD[] = {
    {"compression_ratio", "1"},
    {"freq_allocation", NULL},
    {"fuse_rope", NULL},
    {"moe_capacity", NULL},
    {"moe_gate", NULL},
    {"moe_gate_act", "\"softmax\""},
    {"moe_multimodal_dispatch_use_allgather", NULL},
    {"moe_norm_gate_logits", "true"},
    {"moe_use_aux_free", "true"},
    {"num_nextn_predict_layers", NULL},
    {"rope_3d", "true"},
    {"use_sparse_flash_attn", NULL},
};
const config_harmless_group family_harmless_ernie = {"is constant in the published class, or not read by it",
                                                     CONFIG_HARMLESS(UNREAD), .of = "ernie4_5"};

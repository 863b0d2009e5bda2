/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/hunyuan_decoder.h"

#include "model/checkpoint/config_value.h"

family_decoder family_hunyuan_decoder_read(family *f, const family_class *published,
                                           const config_rope_request *sections)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(f, published);
    config_rope_request request = *sections;
    request.head_dim = d.head_dim;
    request.default_theta = 10000;
    request.old_scaling = request.has_alpha = true;
    config_expect_size(c, "attention_head_dim", d.head_dim, "that of head_dim");
    config_expect_size(c, "org_vocab_size", f->plan->vocab, "that of vocab_size");
    if (config_has(c, "use_qk_norm") && !config_flag_or(c, "use_qk_norm", true))
        config_fail_member(c, ASSAY_EUNSUPPORTED, "use_qk_norm",
                           "expected true: the published class has these norms");
    d.qkv_bias = d.o_bias = config_flag_or(c, "attention_bias", false);
    d.rope = family_ok(f) ? family_rope(f, &request) : 0;
    d.qk_norms = FAMILY_QK_PER_HEAD;
    d.norms_after_rope = true;
    d.q_norm = "query_layernorm";
    d.k_norm = "key_layernorm";
    return d;
}

static const config_harmless_member UNREAD[] = {
    {"add_classification_head", "false"},
    {"capacity_factor", NULL},
    {"cla_share_factor", NULL},
    {"class_num", NULL},
    {"dense_list", NULL},
    {"eod_token_id", NULL},
    {"group_limited_greedy", "false"},
    {"im_end_id", NULL},
    {"im_newline_id", NULL},
    {"im_start_id", NULL},
    {"kv_lora_rank", NULL},
    {"mask_init_id", NULL},
    {"moe_drop_tokens", "false"},
    {"moe_intermediate_size", NULL},
    {"moe_layer_num_skipped", "0"},
    {"moe_random_routing_dropped_token", "false"},
    {"norm_topk_prob", "true"},
    {"norm_type", "\"rms\""},
    {"num_media_embeds", NULL},
    {"pad_id", NULL},
    {"pool_type", NULL},
    {"position_embedding_xdrope", "false"},
    {"q_lora_rank", NULL},
    {"qk_nope_head_dim", NULL},
    {"qk_rope_head_dim", NULL},
    {"routed_scaling_factor", "1.0"},
    {"sep_token_id", NULL},
    {"skip_cls_token", NULL},
    {"text_end_id", NULL},
    {"text_start_id", NULL},
    {"topk_group", NULL},
    {"use_cla", "false"},
    {"use_mla", "false"},
    {"use_rotary_pos_emb", "true"},
    {"v_head_dim", NULL},
    {"video_end_id", NULL},
    {"video_start_id", NULL},
    {"vit_add_patchemb_bias", NULL},
    {"vit_input_resolution", NULL},
    {"vit_mapping_type", NULL},
    {"vit_norm_type", NULL},
    {"vit_patch", NULL},
    {"vit_path", NULL},
    {"vit_remove_prenorm", NULL},
    {"vit_token", NULL},
    {"vit_type", NULL},
    {"vit_used_rms_norm", NULL},
    {"xdrope_section", NULL},
};
const config_harmless_group family_harmless_hunyuan_v1 = {"is not read by the published class",
                                                          CONFIG_HARMLESS(UNREAD), .of = "hunyuan_v1"};

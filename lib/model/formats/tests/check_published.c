/* quantization_config of published checkpoints, as their writers spell it: read, or refused for what it says.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/quantization.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"

#define ACT_NULLS                                                                                            \
    "\"actorder\": null, \"block_structure\": null, \"group_size\": null, \"observer_kwargs\": {}, "
#define FP8_INPUTS                                                                                           \
    "{" ACT_NULLS "\"dynamic\": true, \"num_bits\": 8, \"observer\": null, \"strategy\": \"token\", "        \
    "\"symmetric\": true, \"type\": \"float\"}"
#define FP8_CHANNEL                                                                                          \
    "{" ACT_NULLS "\"dynamic\": false, \"num_bits\": 8, \"observer\": \"minmax\", \"strategy\": "            \
    "\"channel\", \"symmetric\": true, \"type\": \"float\"}"
#define INT4_WEIGHTS                                                                                         \
    "{\"actorder\": \"weight\", \"block_structure\": null, \"dynamic\": false, \"group_size\": 128, "        \
    "\"num_bits\": 4, \"observer\": \"minmax\", \"observer_kwargs\": {}, \"strategy\": \"group\", "          \
    "\"symmetric\": true, \"type\": \"int\"}"
#define NVFP4(dynamic)                                                                                       \
    "{\"actorder\": null, \"block_structure\": null, \"dynamic\": " dynamic                                  \
    ", \"group_size\": 16, \"num_bits\": 4, \"observer\": \"static_minmax\", \"observer_kwargs\": {}, "      \
    "\"scale_dtype\": \"torch.float8_e4m3fn\", \"strategy\": \"tensor_group\", \"symmetric\": true, "        \
    "\"type\": \"float\", \"zp_dtype\": \"torch.float8_e4m3fn\"}"
#define GROUP(format, inputs, weights)                                                                       \
    "\"quant_method\": \"compressed-tensors\", \"format\": \"" format                                        \
    "\", \"quantization_status\": \"compressed\", \"global_compression_ratio\": null, \"config_groups\": "   \
    "{\"group_0\": {\"input_activations\": " inputs                                                          \
    ", \"output_activations\": null, \"targets\": [\"Linear\"], \"weights\": " weights "}}"
#define MODELOPT                                                                                             \
    "\"quant_method\": \"modelopt\", \"producer\": {\"name\": \"modelopt\", \"version\": \"0.47.0\"}, "

/* path: of a module. format: of its matrices, NULL: it has plain numbers; or, with a reason, the refusal. */
static const struct published {
    const char *who, *text, *path, *format, *reason;
} PUBLISHED[] = {
    {"DeepSeek-V3",
     "{\"activation_scheme\": \"dynamic\", \"fmt\": \"e4m3\", \"quant_method\": \"fp8\", "
     "\"weight_block_size\": [128, 128]}",
     "model.layers.3.mlp.experts.7.up_proj", "FP8", NULL},
    {"DeepSeek-V3.1",
     "{\"activation_scheme\": \"dynamic\", \"fmt\": \"e4m3\", \"quant_method\": \"fp8\", \"scale_fmt\": "
     "\"ue8m0\", \"weight_block_size\": [128, 128]}",
     "model.layers.0.self_attn.o_proj", "FP8", NULL},
    {"DeepSeek-V4, experts",
     "{\"activation_scheme\": \"dynamic\", \"fmt\": \"e4m3\", \"quant_method\": \"fp8\", \"scale_fmt\": "
     "\"ue8m0\", \"weight_block_size\": [128, 128], \"expert_dtype\": \"fp4\"}",
     "model.layers.0.mlp.experts.1.up_proj", "FP4 of experts", NULL},
    {"DeepSeek-V4, others",
     "{\"activation_scheme\": \"dynamic\", \"quant_method\": \"fp8\", \"weight_block_size\": [128, 128], "
     "\"expert_dtype\": \"fp4\"}",
     "model.layers.0.mlp.shared_experts.up_proj", "FP8", NULL},
    {"Qwen3-FP8",
     "{\"activation_scheme\": \"dynamic\", \"modules_to_not_convert\": [\"lm_head\", "
     "\"model.layers.0.input_layernorm\", \"model.layers.0.mlp.gate\"], \"fmt\": \"e4m3\", "
     "\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]}",
     "model.layers.0.mlp.gate_proj", "FP8", NULL},
    {"MiniMax-M2",
     "{\"activation_scheme\": \"dynamic\", \"fmt\": \"float8_e4m3fn\", \"quant_method\": \"fp8\", "
     "\"weight_block_size\": [128, 128], \"modules_to_not_convert\": [\"gate\", "
     "\"e_score_correction_bias\", \"lm_head\"]}",
     "model.layers.0.self_attn.q_proj", "FP8", NULL},
    {"Ministral",
     "{\"activation_scheme\": \"static\", \"dequantize\": false, \"modules_to_not_convert\": "
     "[\"model.vision_tower\", \"model.multi_modal_projector\", \"lm_head\"], \"quant_method\": \"fp8\", "
     "\"weight_block_size\": null}",
     "lm_head", NULL, NULL},
    {"AutoFP8",
     "{\"activation_scheme\": \"static\", \"ignored_layers\": [\"lm_head\"], \"kv_cache_scheme\": "
     "\"static\", \"quant_method\": \"fp8\"}",
     "model.layers.0.self_attn.q_proj", "FP8", NULL},
    {"GLM-4.5-FP8",
     "{" GROUP("float-quantized", FP8_INPUTS,
               FP8_CHANNEL) ", \"ignore\": [\"lm_head\", "
                            "\"model.layers.0.mlp.gate\"], \"kv_cache_scheme\": null}",
     "model.layers.0.mlp.up_proj", "float-quantized", NULL},
    {"llm-compressor 0.7, FP8 and its cache",
     "{" GROUP("float-quantized", FP8_INPUTS,
               FP8_CHANNEL) ", \"ignore\": [\"lm_head\"], "
                            "\"kv_cache_scheme\": {\"num_bits\": 8, \"type\": \"float\", \"strategy\": "
                            "\"tensor\", \"dynamic\": "
                            "false, \"symmetric\": true}, \"sparsity_config\": {}, \"transform_config\": {}, "
                            "\"version\": "
                            "\"0.11.0\"}",
     "lm_head", NULL, NULL},
    {"llm-compressor, W4A16",
     "{" GROUP("pack-quantized", "null", INT4_WEIGHTS) ", \"ignore\": [\"lm_head\", \"re:.*mlp.gate$\"], "
                                                       "\"kv_cache_scheme\": null}",
     "model.layers.0.mlp.gate", NULL, NULL},
    {"Kimi-K2-Thinking",
     "{" GROUP("pack-quantized", "null",
               INT4_WEIGHTS) ", \"ignore\": [\"lm_head\", \"re:.*self_attn.*\", "
                             "\"re:.*shared_experts.*\", \"re:.*mlp\\\\.(gate|up|gate_up|down)_proj.*\"], "
                             "\"kv_cache_scheme\": "
                             "null}",
     "model.layers.1.mlp.experts.0.up_proj", "pack-quantized", NULL},
    {"llm-compressor, NVFP4",
     "{" GROUP("nvfp4-pack-quantized", NVFP4("\"local\""),
               NVFP4("false")) ", \"ignore\": [\"lm_head\"], "
                               "\"sparsity_config\": {}, \"transform_config\": {}}",
     "model.layers.0.mlp.up_proj", "nvfp4-pack-quantized", NULL},
    {"Sparse-Llama, dense",
     "{" GROUP(
         "float-quantized", FP8_INPUTS,
         FP8_CHANNEL) ", \"sparsity_config\": {\"format\": \"dense\", "
                      "\"global_sparsity\": 0.5, \"ignore\": [], \"registry_requires_subclass\": false, "
                      "\"sparsity_structure\": \"2:4\", \"targets\": []}}",
     "model.layers.0.mlp.up_proj", "float-quantized", NULL},
    {"Sparse-Llama, bit masks",
     "{" GROUP("float-quantized", FP8_INPUTS,
               FP8_CHANNEL) ", \"sparsity_config\": {\"format\": "
                            "\"sparse-24-bitmask\", \"global_sparsity\": 0.5}}",
     "", NULL, "sparsity_config"},
    {"SpinQuant",
     "{" GROUP("pack-quantized", "null", INT4_WEIGHTS) ", \"transform_config\": {\"config_groups\": {\"R1\": "
                                                       "{\"type\": \"hadamard\"}}}}",
     "", NULL, "transform_config"},
    {"llm-compressor, attention",
     "{\"quant_method\": \"compressed-tensors\", \"format\": \"float-quantized\", \"config_groups\": "
     "{\"group_0\": {\"targets\": [\"LlamaAttention\"], \"input_activations\": " FP8_INPUTS
     ", \"weights\": null}, \"group_1\": {\"targets\": [\"Linear\"], \"weights\": " FP8_CHANNEL "}}}",
     "model.layers.0.self_attn.k_proj", "float-quantized", NULL},
    {"modelopt, FP8 and its cache",
     "{" MODELOPT "\"config_groups\": {\"group_0\": {\"input_activations\": {\"dynamic\": false, "
     "\"num_bits\": 8, \"type\": \"float\"}, \"weights\": {\"dynamic\": false, \"num_bits\": 8, \"type\": "
     "\"float\"}, \"targets\": [\"Linear\"]}}, \"ignore\": [\"lm_head\"], \"quant_algo\": \"FP8\", "
     "\"kv_cache_scheme\": {\"dynamic\": false, \"num_bits\": 8, \"type\": \"float\"}}",
     "model.layers.0.mlp.up_proj", "float-quantized", NULL},
    {"modelopt, NVFP4 and its cache",
     "{" MODELOPT "\"ignore\": [\"lm_head\", \"model.layers.0.self_attn*\"], \"quant_algo\": \"NVFP4\", "
     "\"kv_cache_scheme\": \"NVFP4\"}",
     "model.layers.0.self_attn.q_proj", NULL, NULL},
    {"modelopt, several",
     "{" MODELOPT "\"quant_algo\": \"MIXED_PRECISION\", \"config_groups\": {}, \"quantized_layers\": "
     "{\"model.layers.0.mlp.up_proj\": {\"quant_algo\": \"W4A8_AWQ\", \"group_size\": 128, "
     "\"has_zero_point\": false, \"pre_quant_scale\": true}, \"model.layers.0.mlp.down_proj\": "
     "{\"quant_algo\": \"FP8\"}}}",
     "model.layers.0.mlp.up_proj", "modelopt INT4", NULL},
    {"Qwen2.5-GPTQ (optimum)",
     "{\"batch_size\": 1, \"bits\": 4, \"block_name_to_quantize\": null, \"cache_block_outputs\": true, "
     "\"damp_percent\": 0.01, \"dataset\": null, \"desc_act\": false, \"exllama_config\": {\"version\": 1}, "
     "\"group_size\": 128, \"max_input_length\": null, \"model_seqlen\": null, "
     "\"module_name_preceding_first_block\": null, \"modules_in_block_to_quantize\": null, "
     "\"pad_token_id\": null, \"quant_method\": \"gptq\", \"sym\": true, \"tokenizer\": null, "
     "\"true_sequential\": true, \"use_cuda_fp16\": false, \"use_exllama\": true}",
     "model.layers.0.mlp.up_proj", "GPTQ", NULL},
    {"AutoGPTQ",
     "{\"bits\": 4, \"group_size\": 128, \"damp_percent\": 0.1, \"desc_act\": true, \"static_groups\": "
     "false, \"sym\": true, \"true_sequential\": true, \"model_name_or_path\": null, "
     "\"model_file_base_name\": \"model\", \"is_marlin_format\": false, \"quant_method\": \"gptq\"}",
     "model.layers.0.mlp.up_proj", "GPTQ", NULL},
    {"AutoGPTQ, Marlin",
     "{\"bits\": 4, \"group_size\": 128, \"is_marlin_format\": true, \"quant_method\": \"gptq\"}", "", NULL,
     "is_marlin_format"},
    {"gptqmodel",
     "{\"bits\": 4, \"group_size\": 128, \"desc_act\": false, \"lm_head\": false, \"method\": \"gptq\", "
     "\"quant_method\": \"gptq\", \"format\": \"gptq\", \"checkpoint_format\": \"gptq\", \"pack_dtype\": "
     "\"int32\", \"rotation\": null, \"dynamic\": {\"-:.*attn.*\": {}, \"-:.*mtp.*\": {}}, \"meta\": "
     "{\"quantizer\": [\"gptqmodel:7.7.0\"], \"damp_percent\": 0.05}, \"sym\": true}",
     "model.layers.0.self_attn.q_proj", NULL, NULL},
    {"Qwen2.5-AWQ",
     "{\"bits\": 4, \"group_size\": 128, \"modules_to_not_convert\": null, \"quant_method\": \"awq\", "
     "\"version\": \"gemm\", \"zero_point\": true}",
     "model.layers.0.mlp.up_proj", "AWQ", NULL},
    {"gptqmodel, AWQ",
     "{\"bits\": 4, \"group_size\": 128, \"desc_act\": false, \"lm_head\": false, \"method\": \"awq\", "
     "\"quant_method\": \"awq\", \"format\": \"gemm\", \"checkpoint_format\": \"gemm\", \"pack_dtype\": "
     "\"int32\", \"meta\": {\"pack_impl\": \"cpu\"}, \"zero_point\": false, \"version\": \"gemm\", \"sym\": "
     "true, \"dynamic\": null}",
     "model.layers.0.mlp.up_proj", "AWQ", NULL},
    {"transformers 5, AWQ saved again",
     "{\"act_group_aware\": true, \"backend\": \"auto\", \"batch_size\": 1, \"bits\": 4, "
     "\"block_name_to_quantize\": null, \"cache_block_outputs\": true, \"damp_percent\": 0.1, \"dataset\": "
     "null, \"desc_act\": false, \"format\": \"gemm\", \"group_size\": 64, \"max_input_length\": null, "
     "\"meta\": null, \"model_seqlen\": null, \"module_name_preceding_first_block\": null, "
     "\"modules_in_block_to_quantize\": null, \"modules_to_not_convert\": [\"visual\"], \"pad_token_id\": "
     "null, \"quant_method\": \"awq\", \"sym\": true, \"tokenizer\": null, \"true_sequential\": true, "
     "\"version\": \"gemm\", \"zero_point\": true}",
     "visual.blocks.0.mlp.up_proj", NULL, NULL},
    {"AWQ, gemv", "{\"bits\": 4, \"group_size\": 128, \"quant_method\": \"awq\", \"version\": \"gemv\"}", "",
     NULL, "\"gemm\""},
    {"transformers, nf4",
     "{\"_load_in_4bit\": true, \"_load_in_8bit\": false, \"bnb_4bit_compute_dtype\": \"bfloat16\", "
     "\"bnb_4bit_quant_storage\": \"uint8\", \"bnb_4bit_quant_type\": \"nf4\", "
     "\"bnb_4bit_use_double_quant\": true, \"llm_int8_enable_fp32_cpu_offload\": false, "
     "\"llm_int8_has_fp16_weight\": false, \"llm_int8_skip_modules\": [\"lm_head\", "
     "\"model.layers.1.self_attn\"], \"llm_int8_threshold\": 6.0, \"load_in_4bit\": true, \"load_in_8bit\": "
     "false, \"quant_method\": \"bitsandbytes\"}",
     "model.layers.1.self_attn", NULL, NULL},
    {"transformers 4.30, nf4",
     "{\"bnb_4bit_compute_dtype\": \"float16\", \"bnb_4bit_quant_type\": \"nf4\", \"load_in_4bit\": true, "
     "\"load_in_8bit\": false, \"llm_int8_threshold\": 6.0}",
     "model.layers.1.mlp.up_proj", "bitsandbytes nf4", NULL},
    {"gpt-oss",
     "{\"modules_to_not_convert\": [\"model.layers.*.self_attn\", \"model.layers.*.mlp.router\", "
     "\"model.embed_tokens\", \"lm_head\"], \"quant_method\": \"mxfp4\"}",
     "model.layers.11.self_attn.q_proj", NULL, NULL},
    {"Llama-3.1-405B-Instruct-FP8", "{\"activation_scale_ub\": 1200.0, \"quant_method\": \"fbgemm_fp8\"}", "",
     NULL, "\"fbgemm_fp8\""},
    {"auto-round", "{\"bits\": 4, \"data_type\": \"int\", \"quant_method\": \"auto-round\"}", "", NULL,
     "\"auto-round\""},
};

static void expect(const struct published *p, const rules *found, assay_status status, const assay_error *err)
{
    if (p->reason) {
        ck_assert_msg(status == ASSAY_EUNSUPPORTED && strstr(err->text, p->reason), "%s: found %d, \"%s\"",
                      p->who, status, status == ASSAY_OK ? "" : err->text);
        return;
    }
    ck_assert_msg(status == ASSAY_OK, "%s: %s", p->who, err->text);
    const format_module m = rules_find(found, p->path);
    const char *name = m.format ? m.format->name : "plain";
    ck_assert_msg(strcmp(name, p->format ? p->format : "plain") == 0, "%s: found %s", p->who, name);
}

START_TEST(published_settings_are_read)
{
    const struct published *p = &PUBLISHED[_i];
    json_object *root = json_object_new_object(), *inside = json_tokener_parse(p->text);
    config_notes notes = {0};
    assay_error err = {0};
    config c;
    rules found;
    ck_assert_msg(inside, "%s: no JSON", p->who);
    (void)json_object_object_add(root, "quantization_config", inside);
    config_begin(&c, "config.json", "", root, &notes, &err);
    quantization_read(&c, &found);
    expect(p, &found, c.status, &err);
    rules_free(&found);
    config_drop(&c);
    config_notes_free(&notes);
    json_object_put(root);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/formats/published");
    TCase *all = tcase_create("settings");
    tcase_add_loop_test(all, published_settings_are_read, 0, (int)(sizeof PUBLISHED / sizeof *PUBLISHED));
    suite_add_tcase(suite, all);
    return support_run(suite);
}

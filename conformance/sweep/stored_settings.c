/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/stored_settings.h"

#ifndef SWEEP_WITHOUT_LIBRARIES
#include <string.h>

#include "model/formats/quantization.h"

/* A format of safetensors files: quantization_config, or `quantization` where is_mlx. */
typedef struct sweep_setting {
    const char *name, *text;
    bool is_mlx;
} sweep_setting;

#define COMPRESSED(format, weights)                                                                          \
    "{\"quant_method\": \"compressed-tensors\", \"format\": \"" format                                       \
    "\", \"config_groups\": {\"group_0\": {\"targets\": [\"Linear\"], \"weights\": {" weights "}}}}"
#define INTEGERS(bits, symmetric, rest)                                                                      \
    "\"num_bits\": " bits ", \"type\": \"int\", \"symmetric\": " symmetric ", " rest
#define FLOATS(bits, rest) "\"num_bits\": " bits ", \"type\": \"float\", \"symmetric\": true, " rest
#define GROUPS(size)       "\"strategy\": \"group\", \"group_size\": " size
#define CHANNELS           "\"strategy\": \"channel\""
#define GPTQ(bits, rest)   "{\"quant_method\": \"gptq\", \"bits\": " bits ", " rest "}"
#define BITSANDBYTES(rest) "{\"quant_method\": \"bitsandbytes\", " rest "}"
#define TABLE(type, rest)  BITSANDBYTES("\"load_in_4bit\": true, \"bnb_4bit_quant_type\": \"" type "\"" rest)
#define MLX(bits, group)                                                                                     \
    {                                                                                                        \
        "MLX " bits " bits, groups of " group, "{\"bits\": " bits ", \"group_size\": " group "}", true       \
    }

static const sweep_setting SETTINGS[] = {
    {"fp8 tensor", "{\"quant_method\": \"fp8\"}", false},
    {"fp8 block", "{\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]}", false},
    {"fp8 block 16 x 32", "{\"quant_method\": \"fp8\", \"weight_block_size\": [16, 32]}", false},
    {"float-quantized channel", COMPRESSED("float-quantized", FLOATS("8", CHANNELS)), false},
    {"float-quantized tensor", COMPRESSED("float-quantized", FLOATS("8", "\"strategy\": \"tensor\"")), false},
    {"int-quantized channel", COMPRESSED("int-quantized", INTEGERS("8", "true", CHANNELS)), false},
    {"int-quantized asymmetric", COMPRESSED("int-quantized", INTEGERS("8", "false", CHANNELS)), false},
    {"pack-quantized 3", COMPRESSED("pack-quantized", INTEGERS("3", "true", GROUPS("64"))), false},
    {"pack-quantized 4", COMPRESSED("pack-quantized", INTEGERS("4", "true", GROUPS("32"))), false},
    {"pack-quantized 4 channel", COMPRESSED("pack-quantized", INTEGERS("4", "true", CHANNELS)), false},
    {"pack-quantized 4 asymmetric", COMPRESSED("pack-quantized", INTEGERS("4", "false", GROUPS("128"))),
     false},
    {"pack-quantized 4 g_idx",
     COMPRESSED("pack-quantized", INTEGERS("4", "false", GROUPS("32") ", \"actorder\": \"group\"")), false},
    {"pack-quantized 8", COMPRESSED("pack-quantized", INTEGERS("8", "true", GROUPS("128"))), false},
    {"pack-quantized 8 asymmetric", COMPRESSED("pack-quantized", INTEGERS("8", "false", GROUPS("32"))),
     false},
    {"nvfp4-pack-quantized",
     COMPRESSED("nvfp4-pack-quantized", FLOATS("4", "\"strategy\": \"tensor_group\", \"group_size\": 16")),
     false},
    {"mxfp8-quantized", COMPRESSED("mxfp8-quantized", FLOATS("8", GROUPS("32"))), false},
    {"mxfp4-pack-quantized", COMPRESSED("mxfp4-pack-quantized", FLOATS("4", GROUPS("32"))), false},
    {"modelopt NVFP4", "{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\"}", false},
    {"modelopt FP8 channel",
     "{\"quant_method\": \"modelopt\", \"quant_algo\": \"FP8_PER_CHANNEL_PER_TOKEN\"}", false},
    {"modelopt MXFP8", "{\"quant_method\": \"modelopt\", \"quant_algo\": \"MXFP8\"}", false},
    {"modelopt INT4", "{\"quant_method\": \"modelopt\", \"quant_algo\": \"W4A16_AWQ\", \"group_size\": 128}",
     false},
    {"mxfp4", "{\"quant_method\": \"mxfp4\"}", false},
    {"AWQ", "{\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 32, \"version\": \"gemm\"}", false},
    {"GPTQ 2", GPTQ("2", "\"group_size\": 64"), false},
    {"GPTQ 3", GPTQ("3", "\"group_size\": 32, \"sym\": false"), false},
    {"GPTQ 4", GPTQ("4", "\"group_size\": 128, \"sym\": false"), false},
    {"GPTQ 8", GPTQ("8", "\"group_size\": -1"), false},
    {"GPTQ 2 g_idx", GPTQ("2", "\"group_size\": 32, \"sym\": false, \"desc_act\": true"), false},
    {"GPTQ 3 g_idx", GPTQ("3", "\"group_size\": 32, \"desc_act\": true"), false},
    {"GPTQ 4 g_idx", GPTQ("4", "\"group_size\": 32, \"sym\": false, \"desc_act\": true"), false},
    {"GPTQ 8 g_idx", GPTQ("8", "\"group_size\": 64, \"desc_act\": true"), false},
    {"GPTQ 4, version 2", GPTQ("4", "\"group_size\": 32, \"sym\": false, \"checkpoint_format\": \"gptq_v2\""),
     false},
    {"bitsandbytes nf4", TABLE("nf4", ""), false},
    {"bitsandbytes fp4", TABLE("fp4", ""), false},
    {"bitsandbytes nf4 nested", TABLE("nf4", ", \"bnb_4bit_use_double_quant\": true"), false},
    {"bitsandbytes int8", BITSANDBYTES("\"load_in_8bit\": true"), false},
    MLX("2", "32"),
    MLX("3", "64"),
    MLX("4", "64"),
    MLX("5", "128"),
    MLX("6", "32"),
    MLX("8", "128"),
};
size_t sweep_n_settings(void)
{
    return sizeof SETTINGS / sizeof *SETTINGS;
}

const char *sweep_setting_name(size_t setting)
{
    return SETTINGS[setting].name;
}

bool sweep_setting_read(size_t setting, format_module *out)
{
    const sweep_setting *is = &SETTINGS[setting];
    const char *name = is->is_mlx ? "quantization" : "quantization_config";
    json_object *value = NULL, *document = json_object_new_object();
    config_notes notes = {0};
    assay_error err = {0};
    config c;
    rules all;
    bool ok = json_parse(is->name, is->text, strlen(is->text), &value, &err) == ASSAY_OK;
    json_object_object_add(document, name, value);
    config_begin(&c, is->name, "", document, &notes, &err);
    quantization_read(&c, &all);
    ok = ok && c.status == ASSAY_OK;
    *out = rules_find(&all, "m");
    rules_free(&all);
    config_drop(&c);
    config_notes_free(&notes);
    json_object_put(document);
    return ok && out->format;
}

#else

size_t sweep_n_settings(void)
{
    return 0;
}

const char *sweep_setting_name(size_t setting)
{
    (void)setting;
    return "";
}

bool sweep_setting_read(size_t setting, format_module *out)
{
    (void)setting;
    (void)out;
    return false;
}

#endif

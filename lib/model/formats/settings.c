/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/settings.h"

#include <string.h>

#include "base/choices.h"
#include "model/checkpoint/config_value.h"

size_t setting_choice(config *c, const char *name, const char *const *texts, size_t n)
{
    char expected[400] = "";
    if (!config_has(c, name)) return 0;
    const char *text = config_text(c, name);
    if (c->status != ASSAY_OK) return 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, texts[i]) == 0) return i;
    for (size_t i = 0; i < n; i++) choices_add(expected, sizeof expected, n - 1 - i, "\"%s\"", texts[i]);
    config_fail_member(c, ASSAY_EUNSUPPORTED, name, "expected %s", expected);
    return 0;
}

size_t setting_group(config *c, const char *name, size_t fallback)
{
    json_object *value = config_member(c, name);
    if (!value) return config_is_null(c, name) ? 0 : fallback;
    if (json_object_is_type(value, json_type_int) && json_object_get_int64(value) == -1) return 0;
    return config_size(c, name);
}

void setting_ignore(config *c, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) (void)config_has(c, names[i]);
}

void setting_ignore_search(config *c)
{
    static const char *const NAMES[] = {"meta",
                                        "quantizer",
                                        "damp_percent",
                                        "damp_auto_increment",
                                        "static_groups",
                                        "true_sequential",
                                        "model_seqlen",
                                        "tokenizer",
                                        "dataset",
                                        "batch_size",
                                        "pad_token_id",
                                        "backend",
                                        "model_name_or_path",
                                        "model_file_base_name",
                                        "act_group_aware",
                                        "max_input_length",
                                        "cache_block_outputs",
                                        "module_name_preceding_first_block",
                                        "block_name_to_quantize",
                                        "mse",
                                        "exllama_config",
                                        "use_exllama",
                                        "use_cuda_fp16"};
    setting_ignore(c, NAMES, sizeof NAMES / sizeof *NAMES);
}

/* FP8 of DeepSeek-V3 and of transformers (quant_method "fp8", integrations/finegrained_fp8.py): e4m3 with a
 * scale for each block of a matrix, or one for all of it. weight_scale_inv is multiplied, in spite of its
 * name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include <stdio.h>

#include "model/checkpoint/config_value.h"
#include "model/formats/fields.h"
#include "model/formats/settings.h"

enum { FOURS_GROUP = 32 };

static size_t list_parts(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    (void)reason;
    const uint32_t scales = FORMAT_SCALES | FORMAT_TYPE(ASSAY_F8_E8M0) | FORMAT_TYPE(ASSAY_U8);
    out[0] = (format_part){".weight", FORMAT_TYPE(ASSAY_F8_E4M3), 2, {rows, cols}, false};
    out[1] = (format_part){".weight_scale_inv",
                           scales,
                           m->block_rows ? 2 : 0,
                           {field_blocks(rows, m->block_rows), field_blocks(cols, m->block_cols)},
                           false};
    out[2] = (format_part){".activation_scale", FORMAT_SCALES, 0, {0}, true};
    if (m->block_rows) return 3;
    out[1].is_optional = true;
    out[3] = (format_part){".weight_scale", FORMAT_SCALES, 0, {0}, true};
    out[4] = (format_part){".input_scale", FORMAT_SCALES, 0, {0}, true};
    return 5;
}

/* vLLM's and AutoFP8's name of the scale of a matrix is weight_scale. */
static bool check(const format_matrix *m, char reason[FORMAT_REASON_MAX])
{
    if (m->module->block_rows || !m->part[1] != !m->part[3]) return true;
    (void)snprintf(reason, FORMAT_REASON_MAX, "weight_scale_inv: %s",
                   m->part[1] ? "found, and so is weight_scale" : "missing");
    return false;
}

static void describe(format_matrix *m)
{
    if (!m->part[1]) m->part[1] = m->part[3];
    field_describe_bytes(m);
}

static const weight_format format_fp8 = {"FP8", list_parts, describe, check};

/* DeepSeek-V4's experts: codes of e2m1, the first of two inputs in the low half of a byte. */
static size_t list_fours(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    field_expect_multiple(cols, m->group, reason);
    out[0] =
        (format_part){".weight", FORMAT_TYPE(ASSAY_I8) | FORMAT_TYPE(ASSAY_U8), 2, {rows, cols / 2}, false};
    out[1] = (format_part){".weight_scale_inv",
                           FORMAT_SCALES | FORMAT_TYPE(ASSAY_F8_E8M0) | FORMAT_TYPE(ASSAY_U8),
                           2,
                           {rows, cols / m->group},
                           false};
    return 2;
}

static void describe_fours(format_matrix *m)
{
    field_describe_e2m1(m, m->module->group);
}

static const weight_format format_fours = {"FP4 of experts", list_fours, describe_fours, NULL};

static void read_blocks(config *c, format_module *m)
{
    static const char NAME[] = "weight_block_size";
    size_t size[2];
    if (!config_has(c, NAME)) return;
    if (!config_sizes(c, NAME, false, size, 2)) return;
    if (size[0] == 0 || size[1] == 0)
        config_fail_member(c, ASSAY_EFORMAT, NAME, "expected two positive integers");
    m->block_rows = size[0];
    m->block_cols = size[1];
}

static void read_config(config *c, rules *out)
{
    const format_module fp8 = {.format = &format_fp8, .bits = 8};
    format_module module = fp8;
    read_blocks(c, &module);
    SETTING_EXPECT(c, "fmt", "e4m3", "float8_e4m3fn");
    SETTING_EXPECT(c, "scale_fmt", "float", "ue8m0");
    SETTING_EXPECT(c, "activation_scheme", "dynamic", "static");
    const bool has_fours = SETTING_CHOICE(c, "expert_dtype", "fp8", "fp4") == 1;
    out->has_cache_scales = config_has(c, "kv_cache_scheme");
    (void)config_flag_or(c, "dequantize", false); /* what transformers does, not what is stored */
    (void)config_has(c, "modules_to_convert");
    rules_add_list(out, c, "modules_to_not_convert", RULE_PUBLISHED, &(format_module){0});
    rules_add_list(out, c, "ignored_layers", RULE_PUBLISHED, &(format_module){0});
    if (has_fours)
        rules_add(out, c, "expert_dtype", RULE_EXPRESSION, ".*\\.experts(\\.|$)",
                  &(format_module){.format = &format_fours, .bits = 4, .group = FOURS_GROUP});
    rules_add(out, c, "quant_method", RULE_ALL, "", &module);
}

const quantization_method quantization_fp8 = {"fp8", read_config};

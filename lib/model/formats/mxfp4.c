/* MXFP4 as gpt-oss has it (transformers, integrations/mxfp4.py): of stacks of experts, X_blocks and X_scales.
 * Element 2i of a block of 32 is in the low half of byte i.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include "model/checkpoint/config_value.h"
#include "model/formats/fields.h"

enum { BLOCK = 32 };

static size_t list_parts(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    (void)m;
    field_expect_multiple(cols, BLOCK, reason);
    out[0] = (format_part){"_blocks", FORMAT_TYPE(ASSAY_U8), 3, {rows, cols / BLOCK, BLOCK / 2}, false};
    out[1] = (format_part){
        "_scales", FORMAT_TYPE(ASSAY_U8) | FORMAT_TYPE(ASSAY_F8_E8M0), 2, {rows, cols / BLOCK}, false};
    return 2;
}

static void describe(format_matrix *m)
{
    field_describe_e2m1(m, BLOCK);
}

static const weight_format format_mxfp4 = {"MXFP4", list_parts, describe, NULL};

static void read_config(config *c, rules *out)
{
    (void)config_flag_or(c, "dequantize", false); /* what transformers does, not what is stored */
    rules_add_list(out, c, "modules_to_not_convert", RULE_PUBLISHED, &(format_module){0});
    rules_add(out, c, "quant_method", RULE_ALL, "",
              &(format_module){.format = &format_mxfp4, .bits = 4, .group = BLOCK});
}

const quantization_method quantization_mxfp4 = {"mxfp4", read_config};

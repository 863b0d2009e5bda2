/* AWQ (autoawq 0.2.9, modules/linear/gemm.py, version "gemm"): the words of a row of qweight, [K, N / 8],
 * hold eight outputs in the order 0 2 4 6 1 3 5 7, and so do those of qzeros.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include <stdio.h>

#include "model/checkpoint/config_value.h"
#include "model/formats/fields.h"
#include "model/formats/settings.h"

enum { WORD = 8 }; /* outputs of a word */

static size_t list_parts(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    const size_t n = field_blocks(cols, m->group);
    if (rows % WORD != 0)
        (void)snprintf(reason, FORMAT_REASON_MAX, "found %zu outputs, expected a multiple of %d", rows, WORD);
    else if (m->group && cols % m->group != 0)
        (void)snprintf(reason, FORMAT_REASON_MAX,
                       "found rows of %zu elements, expected a multiple of group_size %zu", cols, m->group);
    out[0] = (format_part){".qweight", FORMAT_TYPE(ASSAY_I32), 2, {cols, rows / WORD}, false};
    out[1] = (format_part){".scales", FORMAT_SCALES, 2, {n, rows}, false};
    out[2] = (format_part){".qzeros", FORMAT_TYPE(ASSAY_I32), 2, {n, rows / WORD}, false};
    return 3;
}

/* Codes of 4 bits; a row of words for `group` inputs. */
static void set_words(format_matrix *m, assay_field *to, const assay_tensor *t, size_t group)
{
    const assay_layout layout = {.number = ASSAY_U8,
                                 .n_planes = 1,
                                 .times = 1,
                                 .planes = {{4,
                                             4,
                                             0,
                                             {FIELD_COLUMNS(group, m->rows * 4),
                                              FIELD_ROWS(WORD, 32),
                                              {ASSAY_INDEX_ROW, 1, 0, 1, 2, 16},
                                              {ASSAY_INDEX_ROW, 1, 0, 2, WORD / 2, 4}}}}};
    field_set(m, to, t, &layout);
}

static void describe(format_matrix *m)
{
    const size_t group = m->module->group ? m->module->group : m->cols;
    set_words(m, &m->stored.codes, m->part[0], 1);
    set_words(m, &m->stored.zero, m->part[2], group);
    field_set_turned(m, &m->stored.scale, m->part[1], group);
}

static const weight_format format_awq = {"AWQ", list_parts, describe, NULL};

static void read_config(config *c, rules *out)
{
    static const char *const HARMLESS[] = {
        "do_fuse", "fuse_max_seq_len", "modules_to_fuse", "sym", "modules_in_block_to_quantize", "lm_head"};
    format_module module = {.format = &format_awq};
    config_expect_size(c, "bits", 4, "the only width of AWQ's words");
    SETTING_EXPECT(c, "version", "gemm", "GEMM");
    SETTING_EXPECT(c, "format", "gemm");
    SETTING_EXPECT(c, "checkpoint_format", "gemm");
    SETTING_EXPECT(c, "method", "awq");
    SETTING_EXPECT(c, "pack_dtype", "int32");
    module.bits = 4;
    module.group = setting_group(c, "group_size", 128);
    module.is_asymmetric = config_flag_or(c, "zero_point", true);
    setting_ignore(c, HARMLESS, sizeof HARMLESS / sizeof *HARMLESS);
    setting_ignore_search(c);
    config_refuse(c, "desc_act");
    config_refuse(c, "dynamic");
    config_refuse(c, "rotation");
    rules_add_list(out, c, "modules_to_not_convert", RULE_PUBLISHED, &(format_module){0});
    rules_add(out, c, "quant_method", RULE_ALL, "", &module);
}

const quantization_method quantization_awq = {"awq", read_config};

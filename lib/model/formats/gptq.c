/* GPTQ (gptqmodel 7.7.0, nn_modules/qlinear/__init__.py, utils/model.py): qweight, [K · bits / 32, N], has of
 * each output a stream of bits down its column; qzeros, [groups, N · bits / 32], a stream along a row.
 * Checkpoints of format "gptq" store zero points less 1, those of "gptq_v2" as they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "model/checkpoint/config_value.h"
#include "model/formats/fields.h"
#include "model/formats/settings.h"

static size_t n_words(size_t n, size_t bits)
{
    return (n * bits + 31) / 32;
}

static size_t list_parts(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    const size_t n = field_blocks(cols, m->group);
    if (cols * m->bits % 32 != 0 || rows * m->bits % 32 != 0)
        (void)snprintf(reason, FORMAT_REASON_MAX,
                       "found %zu x %zu codes of %zu bits, expected whole words of 32 bits", rows, cols,
                       m->bits);
    out[0] = (format_part){".qweight", FORMAT_TYPE(ASSAY_I32), 2, {n_words(cols, m->bits), rows}, false};
    out[1] = (format_part){".scales", FORMAT_SCALES, 2, {n, rows}, false};
    out[2] = (format_part){".qzeros", FORMAT_TYPE(ASSAY_I32), 2, {n, n_words(rows, m->bits)}, false};
    out[3] = (format_part){".g_idx", FORMAT_TYPE(ASSAY_I32), 1, {cols}, !m->is_ordered};
    return 4;
}

static bool check(const format_matrix *m, char reason[FORMAT_REASON_MAX])
{
    return field_check_groups(m->part[3], field_blocks(m->cols, m->module->group), "g_idx", reason);
}

/* Whether input k is of group k / group, so that g_idx says nothing. */
static bool is_in_order(const format_matrix *m, size_t group)
{
    for (size_t k = 0; m->part[3] && k < m->cols; k++)
        if (dtype_integer(m->part[3], k) != (int64_t)(k / group)) return false;
    return true;
}

static void set_codes(format_matrix *m)
{
    assay_layout layout = {
        .number = ASSAY_U8, .n_planes = (uint32_t)field_planes(m->module->bits), .times = 1};
    for (size_t p = 0; p < layout.n_planes; p++) {
        field_set_stream(&layout.planes[p], p, m->module->bits, ASSAY_INDEX_COLUMN, 32 * m->rows);
        layout.planes[p].digits[layout.planes[p].n_digits++] = (assay_digit)FIELD_ROW(32);
    }
    field_set(m, &m->stored.codes, m->part[0], &layout);
}

/* group: 1 where g_idx has replaced the column. */
static void set_zeros(format_matrix *m, size_t group, bool is_less_one)
{
    const size_t bits = m->module->bits, n = (size_t)1 << bits;
    double table[256];
    for (size_t code = 0; code < n; code++) table[code] = (double)((code + 1) % n);
    assay_layout layout = {.number = ASSAY_U8, .n_planes = (uint32_t)field_planes(bits), .times = 1};
    if (is_less_one && !(layout.table = layouts_keep_table(m->layouts, table, n))) m->is_short = true;
    for (size_t p = 0; p < layout.n_planes; p++) {
        field_set_stream(&layout.planes[p], p, bits, ASSAY_INDEX_ROW, 32);
        layout.planes[p].digits[layout.planes[p].n_digits++] =
            (assay_digit)FIELD_COLUMNS(group, n_words(m->rows, bits) * 32);
    }
    field_set(m, &m->stored.zero, m->part[2], &layout);
}

/* Whether all words of qzeros are full of codes of 2^(bits - 1): zero points as they are, of symmetric codes.
 */
static bool has_whole_zeros(const format_matrix *m)
{
    const size_t bits = m->module->bits;
    const unsigned char *bytes = m->part[2]->data;
    if (32 % bits != 0) return false;
    const unsigned half = 1U << (bits - 1), byte = bits == 8 ? half : bits == 4 ? half * 0x11U : half * 0x55U;
    for (size_t i = 0; i < dtype_elements(m->part[2]) * 4; i++)
        if (bytes[i] != byte) return false;
    return true;
}

static void describe(format_matrix *m)
{
    const format_module *is = m->module;
    const size_t group = is->group ? is->group : m->cols;
    const bool in_order = is_in_order(m, group);
    const size_t columns = in_order ? group : 1;
    const bool is_mislabelled = is->is_stored_less_one && !is->is_asymmetric && has_whole_zeros(m);
    if (is_mislabelled)
        m->note = "checkpoint_format is \"gptq\", but the zero points are those of \"gptq_v2\"";
    if (!in_order) m->stored.group_of = m->part[3]->data;
    set_codes(m);
    set_zeros(m, columns, is->is_stored_less_one && !is_mislabelled);
    field_set_turned(m, &m->stored.scale, m->part[1], columns);
}

static const weight_format format_gptq = {"GPTQ", list_parts, describe, check};

static size_t read_bits(config *c)
{
    const size_t bits = config_size(c, "bits");
    if (c->status == ASSAY_OK && bits != 2 && bits != 3 && bits != 4 && bits != 8)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "bits", "expected 2, 3, 4 or 8");
    return bits;
}

/* Members of `dynamic`: "-:EXPRESSION" leaves modules out, "+:EXPRESSION" or "EXPRESSION" gives them other
 * settings. */
static void read_dynamic(config *c, const format_module *standard, rules *out)
{
    static const char NAME[] = "dynamic";
    json_object *all = config_member(c, NAME);
    if (!all || c->status != ASSAY_OK) return;
    if (!json_object_is_type(all, json_type_object)) {
        config_fail_member(c, ASSAY_EFORMAT, NAME, "expected an object");
        return;
    }
    struct json_object_iterator at = json_object_iter_begin(all), end = json_object_iter_end(all);
    for (; c->status == ASSAY_OK && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *text = json_object_iter_peek_name(&at);
        format_module module = *standard;
        if (strncmp(text, "-:", 2) == 0) module = (format_module){0};
        else {
            config inside;
            config_begin_inside(&inside, c, "quantization_config.dynamic.", json_object_iter_peek_value(&at));
            if (config_has(&inside, "bits")) module.bits = read_bits(&inside);
            module.group = setting_group(&inside, "group_size", standard->group);
            module.is_asymmetric = !config_flag_or(&inside, "sym", !standard->is_asymmetric);
            module.is_ordered = config_flag_or(&inside, "desc_act", standard->is_ordered);
            config_end_strict(&inside, "expected only bits, group_size, sym and desc_act");
        }
        const bool is_marked = strncmp(text, "-:", 2) == 0 || strncmp(text, "+:", 2) == 0;
        rules_add(out, c, NAME, RULE_EXPRESSION, is_marked ? text + 2 : text, &module);
    }
}

static void read_config(config *c, rules *out)
{
    format_module module = {.format = &format_gptq};
    module.bits = read_bits(c);
    module.group = setting_group(c, "group_size", 128);
    module.is_ordered = config_flag_or(c, "desc_act", false);
    module.is_asymmetric = !config_flag_or(c, "sym", true);
    const char *name = config_has(c, "checkpoint_format") ? "checkpoint_format" : "format";
    SETTING_EXPECT(c, "checkpoint_format", "gptq", "gptq_v2");
    SETTING_EXPECT(c, "format", "gptq", "gptq_v2");
    SETTING_EXPECT(c, "pack_dtype", "int32");
    SETTING_EXPECT(c, "method", "gptq");
    if (c->status == ASSAY_OK)
        module.is_stored_less_one = strcmp(config_text_or(c, name, "gptq"), "gptq") == 0;
    setting_ignore_search(c);
    config_refuse(c, "is_marlin_format");
    config_refuse(c, "rotation");
    (void)config_has(c, "modules_in_block_to_quantize"); /* others have no tensors of the format */
    (void)config_flag_or(c, "lm_head", false);
    read_dynamic(c, &module, out);
    rules_add(out, c, "quant_method", RULE_ALL, "", &module);
}

const quantization_method quantization_gptq = {"gptq", read_config};

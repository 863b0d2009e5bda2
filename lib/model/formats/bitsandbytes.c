/* bitsandbytes 0.50.2 (functional.py, QuantState): 4-bit codes of a table that the checkpoint holds, with a
 * scale for each block of elements, counted through the whole matrix; or int8 with a scale for each row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "base/json.h"
#include "model/checkpoint/config_value.h"
#include "model/formats/fields.h"
#include "model/formats/settings.h"

enum { CODES, ABSMAX, MAP, STATE, NESTED_ABSMAX, NESTED_MAP };

static size_t list_table(const format_module *m, size_t rows, size_t cols, const char *state,
                         format_part *out)
{
    static const uint32_t U8 = FORMAT_TYPE(ASSAY_U8), F32 = FORMAT_TYPE(ASSAY_F32);
    out[CODES] = (format_part){".weight", U8, 2, {(rows * cols + 1) / 2, 1}, false};
    out[ABSMAX] = (format_part){".weight.absmax", m->is_nested ? U8 : F32, 1, {FORMAT_ANY}, false};
    out[MAP] = (format_part){".weight.quant_map", F32, 1, {16}, false};
    out[STATE] = (format_part){state, U8, 1, {FORMAT_ANY}, false};
    if (!m->is_nested) return STATE + 1;
    out[NESTED_ABSMAX] = (format_part){".weight.nested_absmax", F32, 1, {FORMAT_ANY}, false};
    out[NESTED_MAP] = (format_part){".weight.nested_quant_map", F32, 1, {256}, false};
    return NESTED_MAP + 1;
}

static size_t list_nf4(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                       char reason[FORMAT_REASON_MAX])
{
    (void)reason;
    return list_table(m, rows, cols, ".weight.quant_state.bitsandbytes__nf4", out);
}

static size_t list_fp4(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                       char reason[FORMAT_REASON_MAX])
{
    (void)reason;
    return list_table(m, rows, cols, ".weight.quant_state.bitsandbytes__fp4", out);
}

/* The document in quant_state. */
typedef struct quant_state {
    size_t block, nested_block;
    double offset;
    int64_t shape[2];
} quant_state;

static size_t state_size(json_object *root, const char *name)
{
    json_object *value = NULL;
    if (!json_object_object_get_ex(root, name, &value) || !json_object_is_type(value, json_type_int))
        return 0;
    const int64_t size = json_object_get_int64(value);
    return size > 0 && size <= INT32_MAX ? (size_t)size : 0;
}

static bool read_state(const format_matrix *m, quant_state *out, char reason[FORMAT_REASON_MAX])
{
    const assay_tensor *t = m->part[STATE];
    json_object *root = NULL, *shape = NULL, *offset = NULL;
    assay_error err = {0};
    *out = (quant_state){0};
    if (json_parse("quant_state", t->data, t->shape[0], &root, &err) != ASSAY_OK) {
        (void)snprintf(reason, FORMAT_REASON_MAX, "%.*s", FORMAT_REASON_MAX - 1, err.text);
        return false;
    }
    out->block = state_size(root, "blocksize");
    out->nested_block = state_size(root, "nested_blocksize");
    if (json_object_object_get_ex(root, "nested_offset", &offset))
        out->offset = json_object_get_double(offset);
    if (json_object_object_get_ex(root, "shape", &shape) && json_object_is_type(shape, json_type_array) &&
        json_object_array_length(shape) == 2)
        for (size_t i = 0; i < 2; i++)
            out->shape[i] = json_object_get_int64(json_object_array_get_idx(shape, i));
    json_object_put(root);
    return true;
}

static bool check_blocks(const assay_tensor *t, size_t n, size_t block, const char *name, char *reason)
{
    if (t->shape[0] == field_blocks(n, block)) return true;
    (void)snprintf(reason, FORMAT_REASON_MAX,
                   "%s: found %zu scales, expected %zu for %zu elements in blocks of %zu", name, t->shape[0],
                   field_blocks(n, block), n, block);
    return false;
}

static bool check_table(const format_matrix *m, char reason[FORMAT_REASON_MAX])
{
    quant_state s;
    const size_t n = m->rows * m->cols;
    if (!read_state(m, &s, reason)) return false;
    if (s.shape[0] != (int64_t)m->rows || s.shape[1] != (int64_t)m->cols) {
        (void)snprintf(reason, FORMAT_REASON_MAX,
                       "quant_state: shape: found [%lld, %lld], expected [%zu, %zu]", (long long)s.shape[0],
                       (long long)s.shape[1], m->rows, m->cols);
        return false;
    }
    if (!s.block || (m->module->is_nested && (!s.nested_block || !isfinite(s.offset)))) {
        (void)snprintf(reason, FORMAT_REASON_MAX, "quant_state: expected blocksize%s",
                       m->module->is_nested ? ", nested_blocksize and nested_offset" : "");
        return false;
    }
    if (!check_blocks(m->part[ABSMAX], n, s.block, "absmax", reason)) return false;
    return !m->module->is_nested || check_blocks(m->part[NESTED_ABSMAX], m->part[ABSMAX]->shape[0],
                                                 s.nested_block, "nested_absmax", reason);
}

/* One number of t for `block` elements of the matrix. */
static void set_blocks(format_matrix *m, assay_field *to, const assay_tensor *t, size_t block,
                       const double *table)
{
    const size_t width = dtype_size(t->dtype) * 8;
    const assay_layout layout = {
        .number = t->dtype,
        .n_planes = 1,
        .table = table,
        .times = 1,
        .planes = {{(uint32_t)width, 1, 0, {{ASSAY_INDEX_ELEMENT, 1, 0, block, 0, width}}}}};
    field_set(m, to, t, &layout);
}

static const double *keep_numbers(format_matrix *m, const assay_tensor *t)
{
    double table[256];
    const size_t n = dtype_elements(t);
    dtype_to_f64(table, t->data, t->dtype, n);
    const double *kept = layouts_keep_table(m->layouts, table, n);
    if (!kept) m->is_short = true;
    return kept;
}

/* Element 2i is in the high half of byte i. */
static void describe_table(format_matrix *m)
{
    quant_state s;
    char reason[FORMAT_REASON_MAX];
    if (!read_state(m, &s, reason)) return;
    const assay_layout codes = {
        .number = ASSAY_U8,
        .n_planes = 1,
        .table = keep_numbers(m, m->part[MAP]),
        .times = 1,
        .planes = {{4, 2, 0, {{ASSAY_INDEX_ELEMENT, 1, 0, 2, 0, 8}, {ASSAY_INDEX_ELEMENT, 1, 1, 1, 2, 4}}}}};
    field_set(m, &m->stored.codes, m->part[CODES], &codes);
    set_blocks(m, &m->stored.scale, m->part[ABSMAX], s.block,
               m->module->is_nested ? keep_numbers(m, m->part[NESTED_MAP]) : NULL);
    if (!m->module->is_nested) return;
    set_blocks(m, &m->stored.scale2, m->part[NESTED_ABSMAX], s.block * s.nested_block, NULL);
    field_set_constant(m, &m->stored.offset, (double)(float)s.offset);
}

static size_t list_int8(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                        char reason[FORMAT_REASON_MAX])
{
    (void)m;
    (void)reason;
    out[0] = (format_part){".weight", FORMAT_TYPE(ASSAY_I8), 2, {rows, cols}, false};
    out[1] = (format_part){".SCB", FORMAT_TYPE(ASSAY_F32), 1, {rows}, false};
    out[2] = (format_part){".weight_format", FORMAT_TYPE(ASSAY_U8), 0, {0}, true};
    return 3;
}

static bool check_int8(const format_matrix *m, char reason[FORMAT_REASON_MAX])
{
    if (!m->part[2] || *(const unsigned char *)m->part[2]->data == 0) return true;
    (void)snprintf(reason, FORMAT_REASON_MAX, "weight_format: found %u, expected 0, rows one after the other",
                   *(const unsigned char *)m->part[2]->data);
    return false;
}

static void describe_int8(format_matrix *m)
{
    field_set_grid(m, &m->stored.codes, m->part[0], 1, 1);
    field_set_grid(m, &m->stored.scale, m->part[1], 1, 0);
    field_set_constant(m, &m->stored.scale2, 127);
    m->stored.scale2_divides = true;
}

static const weight_format NF4 = {"bitsandbytes nf4", list_nf4, describe_table, check_table},
                           FP4 = {"bitsandbytes fp4", list_fp4, describe_table, check_table},
                           INT8 = {"bitsandbytes int8", list_int8, describe_int8, check_int8};

static void read_config(config *c, rules *out)
{
    static const char *const HARMLESS[] = {"_load_in_4bit",
                                           "_load_in_8bit",
                                           "bnb_4bit_compute_dtype",
                                           "llm_int8_enable_fp32_cpu_offload",
                                           "llm_int8_has_fp16_weight",
                                           "llm_int8_threshold"};
    static const char *const TYPES[] = {"fp4", "nf4"}; /* fp4 is the default */
    const bool is_4bit = config_flag_or(c, "load_in_4bit", false),
               is_8bit = config_flag_or(c, "load_in_8bit", false);
    const bool is_nf4 = setting_choice(c, "bnb_4bit_quant_type", TYPES, 2) == 1;
    format_module module = {.format = is_8bit ? &INT8 : is_nf4 ? &NF4 : &FP4, .bits = is_8bit ? 8 : 4};
    module.is_nested = config_flag_or(c, "bnb_4bit_use_double_quant", false) && is_4bit;
    SETTING_EXPECT(c, "bnb_4bit_quant_storage", "uint8");
    setting_ignore(c, HARMLESS, sizeof HARMLESS / sizeof *HARMLESS);
    if (is_4bit == is_8bit)
        config_fail(c, ASSAY_EFORMAT, "expected one of load_in_4bit and load_in_8bit to be true");
    rules_add_list(out, c, "llm_int8_skip_modules", RULE_PUBLISHED, &(format_module){0});
    rules_add(out, c, "quant_method", RULE_ALL, "", &module);
}

const quantization_method quantization_bitsandbytes = {"bitsandbytes", read_config};

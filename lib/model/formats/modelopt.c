/* NVIDIA's modelopt 0.47.0 (torch/export/quant_utils.py, torch/quantization/qtensor): quant_method "modelopt"
 * in config.json, or the members of hf_quant_config.json.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "model/checkpoint/config_value.h"
#include "model/formats/compressed.h"
#include "model/formats/fields.h"
#include "model/formats/settings.h"

enum { NVFP4_GROUP = 16, MX_GROUP = 32, FP8_BLOCK = 128 };

static const uint32_t E4M3 = FORMAT_TYPE(ASSAY_F8_E4M3), U8 = FORMAT_TYPE(ASSAY_U8),
                      F32 = FORMAT_TYPE(ASSAY_F32);

static size_t list_channel(const format_module *m, size_t rows, size_t cols,
                           format_part out[FORMAT_PARTS_MAX], char reason[FORMAT_REASON_MAX])
{
    (void)m;
    (void)reason;
    out[0] = (format_part){".weight", E4M3 | FORMAT_TYPE(ASSAY_I8), 2, {rows, cols}, false};
    out[1] = (format_part){".weight_scale", FORMAT_SCALES, 1, {rows}, false};
    out[2] = (format_part){".input_scale", FORMAT_SCALES, 0, {0}, true};
    out[3] = (format_part){".pre_quant_scale", FORMAT_SCALES, 1, {cols}, true};
    return 4;
}

/* Inputs are multiplied by pre_quant_scale first. */
static void set_input_scale(format_matrix *m, const assay_tensor *t)
{
    if (t) field_set_grid(m, &m->stored.scale2, t, 0, 1);
}

static void describe_channel(format_matrix *m)
{
    field_set_grid(m, &m->stored.codes, m->part[0], 1, 1);
    field_set_grid(m, &m->stored.scale, m->part[1], 1, 0);
    set_input_scale(m, m->part[3]);
}

/* Codes of e2m1 and their scales. */
static void list_e2m1(const format_module *m, size_t rows, size_t cols, uint32_t scales, format_part *out,
                      char *reason)
{
    field_expect_multiple(cols, m->group, reason);
    out[0] = (format_part){".weight", U8, 2, {rows, cols / 2}, false};
    out[1] = (format_part){".weight_scale", scales, 2, {rows, cols / m->group}, false};
}

static size_t list_nvfp4(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    list_e2m1(m, rows, cols, E4M3, out, reason);
    out[2] = (format_part){".weight_scale_2", F32, 0, {0}, false};
    out[3] = (format_part){".input_scale", F32, 0, {0}, true};
    out[4] = (format_part){".pre_quant_scale", FORMAT_SCALES, 1, {cols}, true};
    return 5;
}

static void describe_nvfp4(format_matrix *m)
{
    double whole;
    field_describe_e2m1(m, m->module->group);
    if (!m->part[4]) {
        field_set_grid(m, &m->stored.scale2, m->part[2], 0, 0);
        return;
    }
    dtype_to_f64(&whole, m->part[2]->data, ASSAY_F32, 1);
    set_input_scale(m, m->part[4]);
    field_scale(m, &m->stored.scale2, whole);
}

static size_t list_mxfp4(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    list_e2m1(m, rows, cols, U8 | FORMAT_TYPE(ASSAY_F8_E8M0), out, reason);
    out[2] = (format_part){".input_scale", F32, 0, {0}, true};
    return 3;
}

static void describe_mxfp4(format_matrix *m)
{
    field_describe_e2m1(m, m->module->group);
}

static size_t list_blocks(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                          char reason[FORMAT_REASON_MAX])
{
    (void)reason;
    const size_t n = field_blocks(rows, m->block_rows), k = field_blocks(cols, m->block_cols);
    out[0] = (format_part){".weight", E4M3, 2, {rows, cols}, false};
    out[1] = (format_part){".weight_scale", FORMAT_SCALES, 4, {n, 1, k, 1}, false};
    return 2;
}

/* pack_int4_in_uint8: two neighbouring outputs in a byte, the first in the low half, in two's complement. */
static size_t list_int4(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                        char reason[FORMAT_REASON_MAX])
{
    if (rows % 2 != 0 || (m->group && cols % m->group != 0))
        (void)snprintf(reason, FORMAT_REASON_MAX,
                       "found %zu x %zu elements, expected an even number and groups of %zu", rows, cols,
                       m->group);
    out[0] = (format_part){".weight", U8, 2, {rows / 2, cols}, false};
    out[1] = (format_part){".weight_scale", FORMAT_SCALES, 2, {rows, field_blocks(cols, m->group)}, false};
    out[2] = (format_part){".input_scale", FORMAT_SCALES, 0, {0}, true};
    out[3] = (format_part){".pre_quant_scale", FORMAT_SCALES, 1, {cols}, true};
    out[4] = (format_part){".weight_scale_2", F32, 0, {0}, true}; /* of codes that become e4m3 to compute */
    return 5;
}

static void describe_int4(format_matrix *m)
{
    double table[16];
    for (int code = 0; code < 16; code++) table[code] = code < 8 ? code : code - 16;
    const double *kept = layouts_keep_table(m->layouts, table, 16);
    const assay_layout codes = {
        .number = ASSAY_U8,
        .n_planes = 1,
        .table = kept,
        .times = 1,
        .planes = {
            {4, 3, 0, {FIELD_ROWS(2, m->cols * 8), {ASSAY_INDEX_ROW, 1, 0, 1, 2, 4}, FIELD_COLUMN(8)}}}};
    if (!kept) m->is_short = true;
    field_set(m, &m->stored.codes, m->part[0], &codes);
    field_set_grid(m, &m->stored.scale, m->part[1], 1, m->module->group);
    set_input_scale(m, m->part[3]);
}

static const weight_format CHANNEL = {"modelopt channel", list_channel, describe_channel, NULL},
                           NVFP4 = {"modelopt NVFP4", list_nvfp4, describe_nvfp4, NULL},
                           MXFP4 = {"modelopt MXFP4", list_mxfp4, describe_mxfp4, NULL},
                           BLOCKS = {"modelopt FP8 by block", list_blocks, field_describe_bytes, NULL},
                           INT4 = {"modelopt INT4", list_int4, describe_int4, NULL};

/* Algorithms and their formats; NULL: a format of compressed-tensors with the same tensors. */
static const struct algorithm {
    const char *name;
    const weight_format *format;
    const char *compressed;
    size_t bits, group; /* group 0: that of the config, or none */
} ALGORITHMS[] = {
    {"FP8", NULL, "float-quantized", 8, 0},
    {"FP8_PER_CHANNEL_PER_TOKEN", &CHANNEL, NULL, 8, 0},
    {"FP8_PB_WO", &BLOCKS, NULL, 8, 0}, /* of vLLM; modelopt's own export writes it in lower case */
    {"fp8_pb_wo", &BLOCKS, NULL, 8, 0},
    {"W8A16", &CHANNEL, NULL, 8, 0},
    {"W8A8_SQ_PER_CHANNEL", &CHANNEL, NULL, 8, 0},
    {"MXFP8", NULL, "mxfp8-quantized", 8, MX_GROUP},
    {"NVFP4", &NVFP4, NULL, 4, NVFP4_GROUP},
    {"NVFP4_AWQ", &NVFP4, NULL, 4, NVFP4_GROUP},
    {"W4A16_NVFP4", &NVFP4, NULL, 4, NVFP4_GROUP},
    {"W4A8_NVFP4_FP8", &NVFP4, NULL, 4, MX_GROUP},
    {"mxfp4", &MXFP4, NULL, 4, MX_GROUP},
    {"W4A8_MXFP4_FP8", &MXFP4, NULL, 4, MX_GROUP},
    {"W4A16_AWQ", &INT4, NULL, 4, 0},
    {"W4A8_AWQ", &INT4, NULL, 4, 0},
};
enum { N_ALGORITHMS = sizeof ALGORITHMS / sizeof *ALGORITHMS };

/* fixed: the algorithm's own group; 0: the config states it. */
static void read_group(config *c, size_t fixed, format_module *m)
{
    static const char NAME[] = "group_size";
    if (!fixed && !config_has(c, NAME))
        config_fail(c, ASSAY_EFORMAT, "%s: missing here and in hf_quant_config.json, expected a number",
                    NAME);
    m->group = config_has(c, NAME) ? config_size(c, NAME) : fixed;
    m->block_rows = 1;
    m->block_cols = m->group;
    if (c->status == ASSAY_OK && fixed && m->group != fixed)
        config_fail_member(c, ASSAY_EUNSUPPORTED, NAME, "expected %zu", fixed);
}

/* Reads quant_algo and group_size of an object. */
static format_module read_algorithm(config *c)
{
    const char *names[N_ALGORITHMS];
    format_module m = {0};
    for (size_t i = 0; i < N_ALGORITHMS; i++) names[i] = ALGORITHMS[i].name;
    if (!config_has(c, "quant_algo"))
        config_fail(c, ASSAY_EFORMAT, "quant_algo: missing, expected an algorithm");
    if (config_has(c, "quant_algo") && strcmp(config_text(c, "quant_algo"), "NVFP4_SVD") == 0)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "quant_algo",
                           "whose low-rank part is a product of its own, which no stored matrix holds");
    const struct algorithm *a = &ALGORITHMS[setting_choice(c, "quant_algo", names, N_ALGORITHMS)];
    m.format = a->format ? a->format : compressed_format_find(a->compressed, true);
    m.bits = a->bits;
    if (a->group || a->format == &INT4) read_group(c, a->group, &m);
    if (a->format == &BLOCKS) m.block_rows = m.block_cols = FP8_BLOCK;
    (void)config_has(c, "group_size");
    config_refuse(c, "has_zero_point");
    (void)config_flag_or(c, "pre_quant_scale", false); /* its tensors tell */
    return m;
}

/* Adds a rule for each module of quantized_layers. */
static void read_layers(config *c, rules *out)
{
    char prefix[160];
    json_object *layers = config_member(c, "quantized_layers");
    if (!layers || !json_object_is_type(layers, json_type_object)) {
        config_fail(c, ASSAY_EFORMAT,
                    "quantized_layers: missing, expected an object with quant_algo MIXED_PRECISION");
        return;
    }
    struct json_object_iterator at = json_object_iter_begin(layers), end = json_object_iter_end(layers);
    for (; c->status == ASSAY_OK && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        config inside;
        const char *path = json_object_iter_peek_name(&at);
        json_object *value = json_object_iter_peek_value(&at);
        (void)snprintf(prefix, sizeof prefix, "%squantized_layers.%.80s.", c->prefix, path);
        if (!json_object_is_type(value, json_type_object)) {
            config_fail(c, ASSAY_EFORMAT, "quantized_layers.%.80s: expected an object", path);
            return;
        }
        config_begin_inside(&inside, c, prefix, value);
        format_module module = read_algorithm(&inside);
        config_end_strict(&inside,
                          "expected only quant_algo, group_size, has_zero_point and pre_quant_scale");
        module.is_named = true;
        rules_add(out, c, "quantized_layers", RULE_PATH, path, &module);
    }
}

/* What config_groups repeats of the algorithm: the bits of a code. Its group_size is not that of all
 * algorithms. */
static void check_groups(config *c, size_t bits)
{
    static const char NAME[] = "config_groups";
    json_object *groups = config_member(c, NAME), *weights = NULL, *found = NULL;
    if (!groups || c->status != ASSAY_OK) return;
    if (!json_object_is_type(groups, json_type_object)) {
        config_fail_member(c, ASSAY_EFORMAT, NAME, "expected an object");
        return;
    }
    struct json_object_iterator at = json_object_iter_begin(groups), end = json_object_iter_end(groups);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        json_object *group = json_object_iter_peek_value(&at);
        if (!json_object_is_type(group, json_type_object) ||
            !json_object_object_get_ex(group, "weights", &weights) ||
            !json_object_is_type(weights, json_type_object) ||
            !json_object_object_get_ex(weights, "num_bits", &found))
            continue;
        if (!json_object_is_type(found, json_type_int) || json_object_get_int64(found) != (int64_t)bits)
            config_fail(c, ASSAY_EFORMAT,
                        "config_groups.%.40s.weights.num_bits: found %.20s, expected %zu, as quant_algo says",
                        json_object_iter_peek_name(&at), json_object_to_json_string(found), bits);
    }
}

static void read_config(config *c, rules *out)
{
    static const char *const HARMLESS[] = {"producer", "version"};
    out->has_cache_scales = config_has(c, "kv_cache_quant_algo") || config_has(c, "kv_cache_scheme");
    (void)config_has(c, "kv_cache_scheme");
    setting_ignore(c, HARMLESS, sizeof HARMLESS / sizeof *HARMLESS);
    rules_add_list(out, c, "ignore", RULE_WILDCARD, &(format_module){0});
    rules_add_list(out, c, "exclude_modules", RULE_WILDCARD, &(format_module){0});
    const char *algorithm = config_has(c, "quant_algo") ? config_text(c, "quant_algo") : "";
    if (c->status == ASSAY_OK && strcmp(algorithm, "MIXED_PRECISION") == 0) {
        (void)config_has(c, "config_groups");
        read_layers(c, out);
        return;
    }
    (void)config_has(c, "quantized_layers");
    const format_module module = read_algorithm(c);
    check_groups(c, module.bits);
    rules_add(out, c, "quant_algo", RULE_ALL, "", &module);
}

const quantization_method quantization_modelopt = {"modelopt", read_config};

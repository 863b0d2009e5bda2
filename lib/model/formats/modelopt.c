/* NVIDIA's modelopt 0.47.0 (torch/export/quant_utils.py, torch/quantization/qtensor): quant_method "modelopt"
 * in config.json, or the members of hf_quant_config.json.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include <stdio.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/formats/compressed.h"
#include "model/formats/fields.h"
#include "model/formats/settings.h"

enum { NVFP4_GROUP = 16, MXFP8_GROUP = 32 };

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

static size_t list_nvfp4(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    (void)m;
    if (cols % NVFP4_GROUP != 0)
        (void)snprintf(reason, FORMAT_REASON_MAX, "found rows of %zu elements, expected a multiple of %d",
                       cols, NVFP4_GROUP);
    out[0] = (format_part){".weight", U8, 2, {rows, cols / 2}, false};
    out[1] = (format_part){".weight_scale", E4M3, 2, {rows, cols / NVFP4_GROUP}, false};
    out[2] = (format_part){".weight_scale_2", F32, 0, {0}, false};
    out[3] = (format_part){".input_scale", F32, 0, {0}, true};
    return 4;
}

static void describe_nvfp4(format_matrix *m)
{
    field_set_e2m1(m, &m->stored.codes, m->part[0]);
    field_set_grid(m, &m->stored.scale, m->part[1], 1, NVFP4_GROUP);
    field_set_grid(m, &m->stored.scale2, m->part[2], 0, 0);
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
    return 4;
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
    {"W8A16", &CHANNEL, NULL, 8, 0},
    {"W8A8_SQ_PER_CHANNEL", &CHANNEL, NULL, 8, 0},
    {"MXFP8", NULL, "mxfp8-quantized", 8, MXFP8_GROUP},
    {"NVFP4", &NVFP4, NULL, 4, NVFP4_GROUP},
    {"W4A16_NVFP4", &NVFP4, NULL, 4, NVFP4_GROUP},
    {"W4A16_AWQ", &INT4, NULL, 4, 0},
};
enum { N_ALGORITHMS = sizeof ALGORITHMS / sizeof *ALGORITHMS };

/* Reads quant_algo and group_size of an object. */
static format_module read_algorithm(config *c)
{
    const char *names[N_ALGORITHMS];
    format_module m = {0};
    for (size_t i = 0; i < N_ALGORITHMS; i++) names[i] = ALGORITHMS[i].name;
    if (!config_has(c, "quant_algo"))
        config_fail(c, ASSAY_EFORMAT, "quant_algo: missing, expected an algorithm");
    const struct algorithm *a = &ALGORITHMS[setting_choice(c, "quant_algo", names, N_ALGORITHMS)];
    const bool is_grouped = a->group || a->format == &INT4;
    m.format = a->format ? a->format : compressed_format_find(a->compressed, true);
    m.bits = a->bits;
    if (is_grouped) {
        m.group = config_has(c, "group_size") ? config_size(c, "group_size") : a->group;
        m.block_rows = 1;
        m.block_cols = m.group;
        if (c->status == ASSAY_OK && a->group && m.group != a->group)
            config_fail_member(c, ASSAY_EUNSUPPORTED, "group_size", "expected %zu", a->group);
    }
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

static void read_config(config *c, rules *out)
{
    static const char *const HARMLESS[] = {"producer", "config_groups", "version"};
    out->has_cache_scales = config_has(c, "kv_cache_quant_algo") || config_has(c, "kv_cache_scheme");
    (void)config_has(c, "kv_cache_scheme");
    setting_ignore(c, HARMLESS, sizeof HARMLESS / sizeof *HARMLESS);
    rules_add_list(out, c, "ignore", RULE_WILDCARD, &(format_module){0});
    rules_add_list(out, c, "exclude_modules", RULE_WILDCARD, &(format_module){0});
    const char *algorithm = config_has(c, "quant_algo") ? config_text(c, "quant_algo") : "";
    if (c->status == ASSAY_OK && strcmp(algorithm, "MIXED_PRECISION") == 0) {
        read_layers(c, out);
        return;
    }
    (void)config_has(c, "quantized_layers");
    const format_module module = read_algorithm(c);
    rules_add(out, c, "quant_algo", RULE_ALL, "", &module);
}

const quantization_method quantization_modelopt = {"modelopt", read_config};

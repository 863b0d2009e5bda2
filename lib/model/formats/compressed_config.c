/* quantization_config of compressed-tensors (quantization/quant_config.py, quant_args.py): groups of modules,
 * each with a scheme of weights and of activations. Schemes of activations and caches do not change what is
 * stored.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include <stdio.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/formats/compressed.h"
#include "model/formats/settings.h"

/* The strategies, in this order. */
enum { TENSOR, CHANNEL, GROUP, TENSOR_GROUP, BLOCK };

static size_t read_strategy(config *c)
{
    static const char *const STRATEGIES[] = {"tensor", "channel", "group", "tensor_group", "block"};
    if (config_has(c, "strategy")) return setting_choice(c, "strategy", STRATEGIES, 5);
    if (!config_has(c, "group_size")) return TENSOR; /* QuantizationArgs.validate_model_after */
    return setting_group(c, "group_size", 0) ? GROUP : CHANNEL;
}

/* Sets the grid of the scales. */
static void read_grid(config *c, format_module *m)
{
    size_t block[2] = {0, 0};
    const size_t strategy = read_strategy(c);
    if (strategy == CHANNEL) m->block_rows = 1;
    if (strategy == GROUP || strategy == TENSOR_GROUP) {
        m->block_rows = 1;
        m->group = m->block_cols = config_size(c, "group_size");
    } else if (config_has(c, "group_size") && setting_group(c, "group_size", 0) != 0) {
        config_fail_member(c, ASSAY_EFORMAT, "group_size", "expected null, as strategy says");
    }
    if (strategy != BLOCK) {
        config_refuse(c, "block_structure");
        return;
    }
    (void)config_sizes(c, "block_structure", false, block, 2);
    if (c->status == ASSAY_OK && (!block[0] || !block[1]))
        config_fail(c, ASSAY_EFORMAT,
                    "block_structure: expected two positive integers with strategy \"block\"");
    m->block_rows = block[0];
    m->block_cols = block[1];
}

/* actorder: "group" lists the groups in g_idx; until 2026 true and "dynamic" were other names for it. */
static bool read_order(config *c)
{
    static const char *const ORDERS[] = {"weight", "static", "group", "dynamic"};
    static const char NAME[] = "actorder";
    json_object *value = config_member(c, NAME);
    if (!value) return false;
    if (json_object_is_type(value, json_type_boolean)) return json_object_get_boolean(value);
    return setting_choice(c, NAME, ORDERS, 4) >= 2;
}

static void read_weights(config *c, const char *format, format_module *m)
{
    static const char *const HARMLESS[] = {"observer", "observer_kwargs", "scale_dtype", "zp_dtype"};
    static const char *const TYPES[] = {"int", "float"};
    const bool is_float = setting_choice(c, "type", TYPES, 2) == 1;
    m->bits = config_size(c, "num_bits");
    if (c->status == ASSAY_OK && m->bits > 8)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "num_bits", "expected at most 8");
    m->is_asymmetric = !config_flag_or(c, "symmetric", true);
    read_grid(c, m);
    m->is_ordered = read_order(c);
    config_refuse(c, "dynamic");
    setting_ignore(c, HARMLESS, sizeof HARMLESS / sizeof *HARMLESS);
    compressed_format_check(c, format, is_float, m);
    if (c->status == ASSAY_OK) m->format = compressed_format_find(format, is_float);
}

/* Adds the rules of the targets that are compared in this way: paths, "re:EXPRESSION", or the class "Linear".
 */
static void add_targets(config *c, const char *member, rule_match wanted, const format_module *module,
                        rules *out)
{
    json_object *list = config_member(c, member);
    if (list && !json_object_is_type(list, json_type_array)) {
        config_fail_member(c, ASSAY_EFORMAT, member, "expected an array of strings");
        return;
    }
    for (size_t i = 0; list && c->status == ASSAY_OK && i < json_object_array_length(list); i++) {
        json_object *value = json_object_array_get_idx(list, i);
        if (!json_object_is_type(value, json_type_string)) {
            config_fail_member(c, ASSAY_EFORMAT, member, "expected an array of strings");
            return;
        }
        const char *text = json_object_get_string(value);
        const bool is_expression = strncmp(text, "re:", 3) == 0;
        const rule_match match = is_expression                 ? RULE_EXPRESSION
                                 : strcmp(text, "Linear") == 0 ? RULE_ALL
                                                               : RULE_PATH;
        if (match == wanted) rules_add(out, c, member, match, is_expression ? text + 3 : text, module);
    }
}

static const char *find_name(config *c, const char *member, const char *fallback)
{
    char names[300];
    if (!config_has(c, member)) return fallback;
    const char *name = config_text(c, member);
    if (c->status != ASSAY_OK || strcmp(name, "mixed-precision") == 0 || compressed_format_find(name, false))
        return name;
    compressed_format_names(names, sizeof names);
    config_fail_member(c, ASSAY_EUNSUPPORTED, member, "expected %s", names);
    return name;
}

/* Marks a scheme of activations or of a cache as read: an object or null. */
static bool read_scheme(config *c, const char *name)
{
    json_object *value = config_member(c, name);
    if (value && !json_object_is_type(value, json_type_object))
        config_fail_member(c, ASSAY_EFORMAT, name, "expected an object");
    return value;
}

/* One member of config_groups. */
static void read_group(config *c, const char *whole, rule_match wanted, rules *out)
{
    config weights;
    char prefix[160];
    format_module module = {0};
    const char *format = find_name(c, "format", whole);
    (void)read_scheme(c, "input_activations");
    (void)read_scheme(c, "output_activations");
    if (config_is_null(c, "weights")) { /* a group of attention's inputs or of caches alone */
        out->has_cache_scales = true;
        (void)config_has(c, "targets");
        return;
    }
    json_object *value = config_member(c, "weights");
    if (c->status == ASSAY_OK && !json_object_is_type(value, json_type_object))
        config_fail(c, ASSAY_EFORMAT, "weights: %s, expected an object",
                    value ? "found another type" : "missing");
    if (c->status != ASSAY_OK) return;
    (void)snprintf(prefix, sizeof prefix, "%sweights.", c->prefix);
    config_begin_inside(&weights, c, prefix, value);
    read_weights(&weights, format, &module);
    config_end_strict(&weights, "expected only members of QuantizationArgs");
    if (c->status == ASSAY_OK && !module.format)
        config_fail(c, ASSAY_EFORMAT,
                    "format: found \"mixed-precision\" or none, expected that of the group");
    add_targets(c, "targets", wanted, &module, out);
}

/* Paths come before expressions and these before classes, as compressed-tensors matches them. */
static void read_groups(config *c, const char *whole, rule_match wanted, rules *out)
{
    char prefix[128];
    json_object *groups = config_member(c, "config_groups");
    if (!groups || !json_object_is_type(groups, json_type_object)) {
        config_fail(c, ASSAY_EFORMAT, "config_groups: missing, expected an object");
        return;
    }
    struct json_object_iterator at = json_object_iter_begin(groups), end = json_object_iter_end(groups);
    for (; c->status == ASSAY_OK && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        config inside;
        const char *name = json_object_iter_peek_name(&at);
        json_object *value = json_object_iter_peek_value(&at);
        (void)snprintf(prefix, sizeof prefix, "%sconfig_groups.%.40s.", c->prefix, name);
        if (!json_object_is_type(value, json_type_object)) {
            config_fail(c, ASSAY_EFORMAT, "config_groups.%.40s: expected an object", name);
            return;
        }
        config_begin_inside(&inside, c, prefix, value);
        read_group(&inside, whole, wanted, out);
        config_end_strict(&inside, "expected only members of QuantizationScheme");
    }
}

/* Weights of format "dense" have all their zeros. */
static void read_sparsity(config *c)
{
    static const char NAME[] = "sparsity_config";
    json_object *value = config_member(c, NAME), *format = NULL;
    if (json_object_is_type(value, json_type_object) && json_object_object_get_ex(value, "format", &format) &&
        json_object_is_type(format, json_type_string) && strcmp(json_object_get_string(format), "dense") == 0)
        return;
    config_refuse(c, NAME);
}

static void read_config(config *c, rules *out)
{
    static const char *const HARMLESS[] = {"global_compression_ratio", "version",
                                           "quantization_status",      "run_compressed",
                                           "use_optimized_inference",  "dequantize"};
    static const rule_match ORDER[] = {RULE_PATH, RULE_EXPRESSION, RULE_ALL};
    const char *whole = find_name(c, "format", "mixed-precision");
    out->has_cache_scales = read_scheme(c, "kv_cache_scheme");
    read_sparsity(c);
    config_refuse(c, "transform_config");
    config_refuse(c, "moe_sparsity_config");
    setting_ignore(c, HARMLESS, sizeof HARMLESS / sizeof *HARMLESS);
    for (size_t i = 0; i < 3; i++) add_targets(c, "ignore", ORDER[i], &(format_module){0}, out);
    for (size_t i = 0; i < 3 && c->status == ASSAY_OK; i++) read_groups(c, whole, ORDER[i], out);
}

const quantization_method quantization_compressed = {"compressed-tensors", read_config};

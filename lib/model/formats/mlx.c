/* MLX's affine groups (mlx.core.quantize, mode "affine"): see numerics/affine.h.
 *
 * The member `quantization` of mlx-lm (mlx_lm/utils.py, quantize_model and load_model): group_size, bits and
 * mode of all modules, and in the same object the paths of modules, each with members of its own or with
 * false.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

#include <stdio.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/numerics/stored.h"

static size_t list_parts(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    if (cols % m->group != 0)
        (void)snprintf(reason, FORMAT_REASON_MAX,
                       "found rows of %zu elements, expected a multiple of group_size %zu", cols, m->group);
    out[0] = (format_part){".weight", FORMAT_TYPE(ASSAY_U32), 2, {rows, affine_words(cols, m->bits)}, false};
    out[1] = (format_part){".scales", FORMAT_SCALES, 2, {rows, cols / m->group}, false};
    out[2] = (format_part){".biases", FORMAT_SCALES, 2, {rows, cols / m->group}, false};
    return 3;
}

static void describe(format_matrix *m)
{
    const assay_tensor *scales = m->part[1], *biases = m->part[2];
    const affine groups = {m->module->bits, m->module->group, scales->data,
                           biases->data,    scales->dtype,    biases->dtype};
    m->is_short = !stored_of_affine(m->layouts, &groups, m->part[0]->data, m->rows, m->cols, &m->stored);
}

static const weight_format format_mlx = {"MLX affine", list_parts, describe, NULL};

enum { SHOWN_MAX = 120 };

/* The members of one object. A member that a module omits has MLX's default (4 bits, groups of 64:
 * mlx/nn/layers/quantized.py), not the value for all modules. */
static format_module read_members(config *c, bool is_module)
{
    format_module a = {.format = &format_mlx};
    a.group = is_module ? config_size_or(c, "group_size", 64) : config_size(c, "group_size");
    a.bits = is_module ? config_size_or(c, "bits", 4) : config_size(c, "bits");
    const char *mode = config_has(c, "mode") ? config_text(c, "mode") : "affine";
    if (c->status != ASSAY_OK) return a;
    if (strcmp(mode, "affine") != 0) config_fail_member(c, ASSAY_EUNSUPPORTED, "mode", "expected \"affine\"");
    if (!affine_knows_bits(a.bits))
        config_fail_member(c, ASSAY_EUNSUPPORTED, "bits", "expected 2, 3, 4, 5, 6 or 8");
    if (!affine_knows_group(a.group))
        config_fail_member(c, ASSAY_EUNSUPPORTED, "group_size", "expected 32, 64 or 128");
    return a;
}

static format_module read_module(config *c, const char *path, json_object *value)
{
    config d;
    char prefix[SHOWN_MAX + 64];
    (void)snprintf(prefix, sizeof prefix, "%s%.*s.", c->prefix, SHOWN_MAX, path);
    config_begin_inside(&d, c, prefix, value);
    const format_module a = read_members(&d, true);
    config_end_strict(&d, "expected only group_size, bits and mode");
    return a;
}

/* Adds a rule for every other member, the path of a module. */
static void read_modules(config *all, const format_module *standard, rules *out)
{
    if (all->status != ASSAY_OK) return;
    struct json_object_iterator at = json_object_iter_begin(all->object),
                                end = json_object_iter_end(all->object);
    for (; all->status == ASSAY_OK && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        json_object *value = json_object_iter_peek_value(&at);
        format_module module = {0};
        if (json_object_object_get_ex(all->used, name, NULL)) continue;
        if (json_object_is_type(value, json_type_boolean)) {
            if (json_object_get_boolean(value)) module = *standard;
        } else if (json_object_is_type(value, json_type_object)) {
            module = read_module(all, name, value);
        } else {
            config_fail_member(all, ASSAY_EUNSUPPORTED, name,
                               "expected group_size, bits, mode or the path of a module with an object or a "
                               "boolean");
        }
        module.is_named = true;
        rules_add(out, all, name, RULE_PATH, name, &module);
    }
}

/* Whether quantization_config is a copy of MLX's own member and not that of another method. */
bool mlx_is_own(json_object *value)
{
    return json_object_is_type(value, json_type_object) && json_object_object_get_ex(value, "bits", NULL) &&
           json_object_object_get_ex(value, "group_size", NULL) &&
           !json_object_object_get_ex(value, "quant_method", NULL);
}

/* A module that the object does not name has the standard setting if its tensors are quantised. */
void mlx_read(config *c, const char *name, json_object *value, rules *out)
{
    config all;
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "%s%s.", c->prefix, name);
    config_begin_inside(&all, c, prefix, value);
    const format_module standard = read_members(&all, false);
    read_modules(&all, &standard, out);
    if (all.status == ASSAY_OK) rules_add(out, &all, name, RULE_ALL, "", &standard);
    config_drop(&all);
}

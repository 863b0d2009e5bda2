/* The member `quantization` of mlx-lm (mlx_lm/utils.py, quantize_model and load_model): group_size,
 * bits and mode of all modules, and in the same object the paths of modules, each with members of its
 * own or with false.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_quantization.h"

#include <stdio.h>
#include <string.h>

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_value.h"
#include "model/numerics/affine.h"

enum { SHOWN_MAX = 120 };

/* The members of one object. A member that a module omits has MLX's default (4 bits, groups of 64:
 * mlx/nn/layers/quantized.py), not the value for all modules. */
static config_affine read_members(config *c, bool is_module)
{
    config_affine a = {0};
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

static config_affine read_module(config *c, const char *path, json_object *value)
{
    config d;
    char prefix[SHOWN_MAX + 64];
    (void)snprintf(prefix, sizeof prefix, "%s%.*s.", c->prefix, SHOWN_MAX, path);
    config_begin_inside(&d, c, prefix, value);
    const config_affine a = read_members(&d, true);
    config_end_strict(&d, "expected only group_size, bits and mode");
    return a;
}

/* Checks that every other member is the path of a module. */
static void check_modules(config *all)
{
    if (all->status != ASSAY_OK) return;
    struct json_object_iterator at = json_object_iter_begin(all->object),
                                end = json_object_iter_end(all->object);
    for (; all->status == ASSAY_OK && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        json_object *value = json_object_iter_peek_value(&at);
        if (json_object_object_get_ex(all->used, name, NULL)) continue;
        if (json_object_is_type(value, json_type_boolean)) continue;
        if (json_object_is_type(value, json_type_object)) (void)read_module(all, name, value);
        else
            config_fail_member(all, ASSAY_EUNSUPPORTED, name,
                               "expected group_size, bits, mode or the path of a module with an object or a "
                               "boolean");
    }
}

/* Whether quantization_config is a copy of MLX's own member and not that of another method. */
static bool is_own(json_object *value)
{
    return json_object_is_type(value, json_type_object) && json_object_object_get_ex(value, "bits", NULL) &&
           json_object_object_get_ex(value, "group_size", NULL) &&
           !json_object_object_get_ex(value, "quant_method", NULL);
}

void config_quantization_read(config *c, config_quantization *out)
{
    static const char NAME[] = "quantization", COPY[] = "quantization_config";
    json_object *own = config_member(c, NAME), *copy = config_member(c, COPY);
    *out = (config_quantization){0};
    if (own && copy && !json_object_equal(own, copy)) {
        config_fail_member(c, ASSAY_EFORMAT, COPY, "expected what %s says", NAME);
        return;
    }
    if (!own && copy && !is_own(copy)) {
        config_refuse(c, COPY);
        return;
    }
    if (!own && !copy) return;
    if (own && !json_object_is_type(own, json_type_object)) {
        config_fail_member(c, ASSAY_EFORMAT, NAME, "expected an object");
        return;
    }
    config all;
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "%s%s.", c->prefix, own ? NAME : COPY);
    config_begin_inside(&all, c, prefix, own ? own : copy);
    out->standard = read_members(&all, false);
    check_modules(&all);
    out->modules = all.status == ASSAY_OK ? all.object : NULL;
    config_drop(&all);
}

/* The object was checked when it was read. */
static size_t member_or(json_object *object, const char *name, size_t fallback)
{
    json_object *value = NULL;
    return json_object_object_get_ex(object, name, &value) && value ? (size_t)json_object_get_int64(value)
                                                                    : fallback;
}

bool config_quantization_of(const config_quantization *q, const char *module, config_affine *out)
{
    json_object *value = NULL;
    *out = q->standard;
    if (!q->modules || !json_object_object_get_ex(q->modules, module, &value)) return false;
    if (json_object_is_type(value, json_type_object))
        *out = (config_affine){member_or(value, "bits", 4), member_or(value, "group_size", 64)};
    else if (!json_object_is_type(value, json_type_boolean)) return false;
    else if (!json_object_get_boolean(value)) *out = (config_affine){0};
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/quantization.h"

#include <string.h>

#include "base/choices.h"
#include "model/checkpoint/config_value.h"
#include "model/formats/methods.h"

static const char OWN[] = "quantization", PUBLISHED[] = "quantization_config", METHOD[] = "quant_method";

bool quantization_is_stated(config *c)
{
    return config_has(c, OWN) || config_has(c, PUBLISHED);
}

void quantization_refuse(config *c)
{
    config_refuse(c, OWN);
    config_refuse(c, PUBLISHED);
}

/* Early checkpoints of bitsandbytes do not name it (transformers, quantizers/auto.py). */
static bool is_unnamed_bitsandbytes(config *c)
{
    return !json_object_object_get_ex(c->object, METHOD, NULL) &&
           (config_flag_or(c, "load_in_4bit", false) || config_flag_or(c, "load_in_8bit", false));
}

static const quantization_method *find_method(config *c)
{
    char names[300] = "";
    if (is_unnamed_bitsandbytes(c)) return &quantization_bitsandbytes;
    const char *name = config_text(c, METHOD);
    if (c->status != ASSAY_OK) return NULL;
    for (size_t i = 0; i < QUANTIZATION_METHODS_N; i++)
        if (strcmp(name, QUANTIZATION_METHODS[i]->name) == 0) return QUANTIZATION_METHODS[i];
    for (size_t i = 0; i < QUANTIZATION_METHODS_N; i++)
        choices_add(names, sizeof names, QUANTIZATION_METHODS_N - 1 - i, "%s", QUANTIZATION_METHODS[i]->name);
    config_fail(c, ASSAY_EUNSUPPORTED, "%s: found \"%.60s\", expected %s", METHOD, name, names);
    return NULL;
}

static void read_published(config *c, json_object *value, rules *out)
{
    config inside;
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "%s%s.", c->prefix, PUBLISHED);
    config_begin_inside(&inside, c, prefix, value);
    const quantization_method *method = find_method(&inside);
    if (method) {
        out->method = method->name;
        method->read(&inside, out);
    }
    config_end_strict(&inside, "expected only members that the method has");
}

void quantization_read(config *c, rules *out)
{
    json_object *own = config_member(c, OWN), *copy = config_member(c, PUBLISHED);
    *out = (rules){0};
    if (own && copy && !json_object_equal(own, copy))
        config_fail_member(c, ASSAY_EFORMAT, PUBLISHED, "expected what %s says", OWN);
    else if (own && !json_object_is_type(own, json_type_object))
        config_fail_member(c, ASSAY_EFORMAT, OWN, "expected an object");
    else if (copy && !json_object_is_type(copy, json_type_object))
        config_fail_member(c, ASSAY_EFORMAT, PUBLISHED, "expected an object");
    else if (own || (copy && mlx_is_own(copy))) mlx_read(c, own ? OWN : PUBLISHED, own ? own : copy, out);
    else if (copy) read_published(c, copy, out);
}

void quantization_each_path(const rules *all, void (*use)(void *context, const char *path), void *context)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->rule[i].match == RULE_PATH) use(context, all->rule[i].text);
}

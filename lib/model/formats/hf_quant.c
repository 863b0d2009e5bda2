/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/hf_quant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static const char CONFIG[] = "quantization_config", METHOD[] = "quant_method", MODELOPT[] = "modelopt";

/* Members that both documents may have. */
static const char *const SHARED[] = {"quant_algo", "group_size", "quantized_layers"};
enum { N_SHARED = sizeof SHARED / sizeof *SHARED };

/* Members that this document has besides. */
static const char *const OWN[] = {"exclude_modules", "ignore", "has_zero_point", "pre_quant_scale",
                                  "kv_cache_quant_algo"};

static json_object *member(json_object *in, const char *name)
{
    json_object *value = NULL;
    return json_object_is_type(in, json_type_object) && json_object_object_get_ex(in, name, &value) ? value
                                                                                                    : NULL;
}

/* Fails unless the config has the same value, or none. */
static assay_status compare_member(const char *path, json_object *stated, json_object *in_config,
                                   const char *name, assay_error *err)
{
    json_object *own = member(in_config, name), *here = member(stated, name);
    if (!own || !here || json_object_equal(own, here)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: quantization.%s: found %.60s, expected %.60s, which config.json states", path,
                      name, json_object_to_json_string(here), json_object_to_json_string(own));
}

static bool is_listed(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Fails for a member that the method does not have. */
static assay_status check_known(const char *path, json_object *stated, assay_error *err)
{
    struct json_object_iterator at = json_object_iter_begin(stated), end = json_object_iter_end(stated);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        if (!is_listed(name, SHARED, N_SHARED) && !is_listed(name, OWN, sizeof OWN / sizeof *OWN))
            return assay_fail(err, ASSAY_EUNSUPPORTED,
                              "%s: quantization.%.60s: found %.60s, expected only members that modelopt has",
                              path, name, json_object_to_json_string(json_object_iter_peek_value(&at)));
    }
    return ASSAY_OK;
}

static assay_status compare(const char *path, json_object *stated, json_object *in_config, assay_error *err)
{
    json_object *method = member(in_config, METHOD);
    const char *name = method ? json_object_get_string(method) : NULL;
    if (name && strcmp(name, MODELOPT) != 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: found, but config.json states quant_method \"%.60s\"",
                          path, name);
    assay_status rc = check_known(path, stated, err);
    for (size_t i = 0; rc == ASSAY_OK && i < N_SHARED; i++)
        rc = compare_member(path, stated, in_config, SHARED[i], err);
    return rc;
}

/* modelopt's export leaves group_size of integers out of config.json. */
static assay_status add_missing(const char *path, json_object *stated, json_object *in_config,
                                assay_error *err)
{
    for (size_t i = 0; i < N_SHARED; i++) {
        json_object *here = member(stated, SHARED[i]);
        if (!here || member(in_config, SHARED[i])) continue;
        if (json_object_object_add(in_config, SHARED[i], json_object_get(here)) != 0)
            return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    return ASSAY_OK;
}

/* The members of `quantization` are those that quantization_config may have. */
static assay_status add_config(const char *path, json_object *stated, json_object *config, assay_error *err)
{
    json_object *all = NULL;
    if (json_object_deep_copy(stated, &all, NULL) != 0 ||
        json_object_object_add(all, METHOD, json_object_new_string(MODELOPT)) != 0 ||
        json_object_object_add(config, CONFIG, all) != 0) {
        json_object_put(all);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    return ASSAY_OK;
}

static assay_status join(const char *path, json_object *root, json_object *config, assay_error *err)
{
    json_object *stated = member(root, "quantization");
    if (!json_object_is_type(stated, json_type_object))
        return assay_fail(err, ASSAY_EFORMAT, "%s: quantization: found %.60s, expected an object", path,
                          stated ? json_object_to_json_string(stated) : "nothing");
    if (!member(stated, "quant_algo")) return ASSAY_OK;
    json_object *own = member(config, CONFIG);
    if (!own) return add_config(path, stated, config, err);
    const assay_status rc = compare(path, stated, own, err);
    return rc == ASSAY_OK ? add_missing(path, stated, own, err) : rc;
}

assay_status hf_quant_join(const char *dir, json_object *config, assay_error *err)
{
    char *path = NULL;
    json_object *root = NULL;
    if (asprintf(&path, "%s/hf_quant_config.json", dir) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = ASSAY_OK;
    if (access(path, F_OK) == 0) {
        rc = json_read(path, &root, err);
        if (rc == ASSAY_OK) rc = join(path, root, config, err);
    }
    json_object_put(root);
    free(path);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/engine.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/abi/module.h"
#include "conformance/support/text.h"

const char *const conf_engine_bundled[] = {"ref64", "ref32", "fastpath", NULL};
const char *const conf_engine_replaceable[] = {"fastpath", NULL};
const char *const conf_engine_computing[] = {"fastpath", NULL};

bool conf_engine_is_bundled(const char *name)
{
    for (const char *const *at = conf_engine_bundled; *at; at++)
        if (strcmp(*at, name) == 0) return true;
    return false;
}

const char *const *conf_engine_usual(bool with_kernels, bool computing)
{
    if (with_kernels) return conf_engine_replaceable;
    return computing ? conf_engine_computing : conf_engine_bundled;
}

const char *conf_engine_label(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 3 && strcmp(name + n - 3, ".so") == 0);
}

static assay_status not_found(const char *name, const conf_strings *dirs, assay_error *err)
{
    char where[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < dirs->n && n < sizeof where; i++)
        n += (size_t)snprintf(where + n, sizeof where - n, "%s%s", i ? ", " : "", dirs->at[i]);
    size_t n_bundled = 0;
    while (conf_engine_bundled[n_bundled]) n_bundled++;
    const char *meant = conf_text_suggest(name, conf_engine_bundled, n_bundled);
    if (meant && strcmp(meant, name) != 0)
        return assay_fail(err, ASSAY_EIO, "engine %s: did you mean %s? There is no %s.so in %s", name, meant,
                          name, where);
    return assay_fail(err, ASSAY_EIO, "engine %s: there is no %s.so in %s", name, name, where);
}

assay_status conf_engine_find(const char *name, const conf_strings *dirs, char **path, assay_error *err)
{
    char *found = NULL;
    if (is_path(name)) {
        /* Without a slash dlopen would search the system's libraries. */
        if (asprintf(&found, "%s%s", strchr(name, '/') ? "" : "./", name) < 0)
            return assay_fail(err, ASSAY_ENOMEM, "engine %s: out of memory", name);
        *path = found;
        return ASSAY_OK;
    }
    for (size_t i = 0; i < dirs->n; i++) {
        if (asprintf(&found, "%s/%s.so", dirs->at[i], name) < 0)
            return assay_fail(err, ASSAY_ENOMEM, "engine %s: out of memory", name);
        if (access(found, R_OK) == 0) {
            *path = found;
            return ASSAY_OK;
        }
        free(found);
    }
    return not_found(name, dirs, err);
}

/* What version 1 of the ABI began with; everything behind it may be missing. */
#define LEAST_TABLE offsetof(assay_engine, session_override)

static assay_status check_table(const char *path, const assay_engine *e, assay_error *err)
{
    if (!e) return assay_fail(err, ASSAY_EFORMAT, "%s: %s returned no table", path, ASSAY_ENGINE_SYMBOL);
    if (e->abi != ASSAY_ENGINE_ABI)
        return assay_fail(err, ASSAY_EFORMAT, "%s: built for engine ABI %u, expected %u", path, e->abi,
                          ASSAY_ENGINE_ABI);
    if (e->size < LEAST_TABLE)
        return assay_fail(err, ASSAY_EFORMAT, "%s: its table has %u bytes, expected at least %zu", path,
                          e->size, LEAST_TABLE);
    if (e->logits_dtype != ASSAY_F32 && e->logits_dtype != ASSAY_F64)
        return assay_fail(err, ASSAY_EFORMAT, "%s: logits_dtype is %d, expected ASSAY_F32 or ASSAY_F64", path,
                          (int)e->logits_dtype);
    const struct {
        const char *name;
        bool there;
    } required[] = {
        {"name", e->name != NULL},
        {"version", e->version != NULL},
        {"model_open", e->model_open != NULL},
        {"model_free", e->model_free != NULL},
        {"model_vocab", e->model_vocab != NULL},
        {"session_open", e->session_open != NULL},
        {"session_free", e->session_free != NULL},
        {"prefill", e->prefill != NULL},
        {"decode", e->decode != NULL},
    };
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!required[i].there)
            return assay_fail(err, ASSAY_EFORMAT, "%s: its table lacks %s, which every engine must have",
                              path, required[i].name);
    return ASSAY_OK;
}

assay_status conf_engine_open(const char *path, const assay_engine **out, assay_error *err)
{
    assay_engine_fn *table_of;
    assay_status rc = conf_module_find(path, ASSAY_ENGINE_SYMBOL, &table_of, err);
    if (rc != ASSAY_OK) return rc;
    if (!table_of)
        return assay_fail(err, ASSAY_EFORMAT, "%s: no engine: it does not export %s", path,
                          ASSAY_ENGINE_SYMBOL);
    const assay_engine *e = table_of();
    rc = check_table(path, e, err);
    if (rc != ASSAY_OK) return rc;
    if (e->size < sizeof *e) e = conf_module_lengthen(e, e->size, sizeof *e);
    if (!e) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    *out = e;
    return ASSAY_OK;
}

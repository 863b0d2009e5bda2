/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/engine.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/abi/table.h"
#include "conformance/exec/engine.h"
#include "conformance/support/text.h"

const char *const conf_engine_bundled[] = {"ref64", "ref32", "fastpath", NULL};
const char *const conf_engine_with_kernels[] = {"fastpath", NULL};
const char *const conf_engine_with_compute[] = {"fastpath", NULL};

bool conf_engine_is_bundled(const char *name)
{
    for (const char *const *at = conf_engine_bundled; *at; at++)
        if (strcmp(*at, name) == 0) return true;
    return false;
}

bool conf_engine_are_bundled(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!conf_engine_is_bundled(names[i])) return false;
    return true;
}

const char *const *conf_engine_default(bool with_kernels, bool computing)
{
    if (with_kernels) return conf_engine_with_kernels;
    return computing ? conf_engine_with_compute : conf_engine_bundled;
}

const char *conf_engine_label(const char *name)
{
    if (exec_engine_is(name)) return exec_engine_command(name);
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* A name with a slash, or that of a shared object: "x.so", or "x.so.1" with a version. */
static bool is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || strstr(name, ".so.") || (n > 3 && strcmp(name + n - 3, ".so") == 0);
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
    if (exec_engine_is(name)) {
        const char *command = exec_engine_command(name);
        if (command[strspn(command, " \t")] == '\0')
            return assay_fail(err, ASSAY_EIO, "engine %s: found no command, expected exec:COMMAND", name);
        *path = strdup(name);
        return *path ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "engine %s: out of memory", name);
    }
    if (is_path(name)) {
        /* dlopen searches the system's library path for a name without a slash. */
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

static const conf_table_member required[] = {
    CONF_TABLE_MEMBER(assay_engine, name),         CONF_TABLE_MEMBER(assay_engine, version),
    CONF_TABLE_MEMBER(assay_engine, model_open),   CONF_TABLE_MEMBER(assay_engine, model_free),
    CONF_TABLE_MEMBER(assay_engine, model_vocab),  CONF_TABLE_MEMBER(assay_engine, session_open),
    CONF_TABLE_MEMBER(assay_engine, session_free), CONF_TABLE_MEMBER(assay_engine, step),
};

static assay_status check_dtype(const char *path, const void *table, assay_error *err)
{
    const assay_engine *e = table;
    if (e->logits_dtype == ASSAY_F32 || e->logits_dtype == ASSAY_F64) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: logits_dtype is %d, expected ASSAY_F32 or ASSAY_F64", path,
                      (int)e->logits_dtype);
}

static const conf_table_kind kind = {
    .symbol = ASSAY_ENGINE_SYMBOL,
    .missing = "no engine",
    .abi_name = "engine",
    .name = "its table",
    .abi = ASSAY_ENGINE_ABI,
    .size_least = offsetof(assay_engine, model_stop_ids) /* a minimal engine */,
    .size = sizeof(assay_engine),
    .check = check_dtype,
    .required = required,
    .n_required = sizeof required / sizeof *required,
};

assay_status conf_engine_open(const char *path, const assay_engine **out, assay_error *err)
{
    const void *table;
    assay_status rc = conf_table_open(path, &kind, &table, err);
    if (rc == ASSAY_OK) *out = table;
    return rc;
}

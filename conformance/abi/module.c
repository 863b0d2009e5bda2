/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/exec/engine.h"

#define OPENBLAS_THREADS "OPENBLAS_NUM_THREADS"

/* Sets OPENBLAS_NUM_THREADS before a reference engine loads OpenBLAS. The engines use one thread, but
 * OpenBLAS would start one per processor, each with a buffer of 128 MiB, and hang if that memory cannot
 * be allocated. */
static void limit_openblas(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strcmp(name, "ref32.so") == 0 || strcmp(name, "ref64.so") == 0)
        (void)setenv(OPENBLAS_THREADS, "1", 1);
}

void conf_module_load_early(const char *path)
{
    const char *set = getenv(OPENBLAS_THREADS);
    char *before = set ? strdup(set) : NULL;
    limit_openblas(path);
    (void)dlopen(path, RTLD_NOW | RTLD_LOCAL); /* it stays loaded */
    if (before) (void)setenv(OPENBLAS_THREADS, before, 1);
    else (void)unsetenv(OPENBLAS_THREADS);
    free(before);
}

static const assay_engine *exec_table;

static const assay_engine *table_of_program(void)
{
    return exec_table;
}

/* A program has the functions of an engine, and no others. */
static assay_status find_in_program(const char *name, const char *symbol, void *out, assay_error *err)
{
    assay_engine_fn *found = NULL;
    if (strcmp(symbol, ASSAY_ENGINE_SYMBOL) == 0) {
        const assay_status rc = exec_engine_open(name, &exec_table, err);
        if (rc != ASSAY_OK) return rc;
        found = table_of_program;
    }
    memcpy(out, &found, sizeof found);
    return ASSAY_OK;
}

assay_status conf_module_find(const char *path, const char *symbol, void *out, assay_error *err)
{
    if (exec_engine_is(path)) return find_in_program(path, symbol, out, err);
    limit_openblas(path);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) return assay_fail(err, ASSAY_EIO, "%s", dlerror());
    void *found = dlsym(module, symbol);
    memcpy(out, &found, sizeof found); /* ISO C has no cast from an object to a function */
    return ASSAY_OK;
}

void *conf_module_lengthen(const void *shorter, size_t has, size_t wants)
{
    static struct longer {
        struct longer *next;
        max_align_t table[];
    } * all;
    struct longer *made = calloc(1, sizeof *made + wants);
    if (!made) return NULL;
    memcpy(made->table, shorter, has / sizeof(void *) * sizeof(void *));
    made->next = all;
    all = made;
    return made->table;
}

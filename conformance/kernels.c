/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/kernels.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/compute.h"
#include "model/error.h"

/* What a table cannot do without; every operation behind it may be missing. */
#define LEAST_TABLE offsetof(assay_kernels, matmul_f32)

static assay_status check_head(const char *path, const assay_kernels *k, assay_error *err)
{
    if (k->abi != ASSAY_KERNELS_ABI)
        return assay_fail(err, ASSAY_EFORMAT, "%s: built for kernel ABI %u, expected %u", path, k->abi,
                          ASSAY_KERNELS_ABI);
    if (k->size < LEAST_TABLE)
        return assay_fail(err, ASSAY_EFORMAT, "%s: its table has %u bytes, expected at least %zu", path,
                          k->size, LEAST_TABLE);
    if (!k->name || !k->version)
        return assay_fail(err, ASSAY_EFORMAT, "%s: its table lacks %s, which every one must have", path,
                          k->name ? "version" : "name");
    return ASSAY_OK;
}

static assay_status check_matmul(const char *path, const char *name, const assay_matmul *m, bool has_codes,
                                 assay_error *err)
{
    if (m->panel == 0) return ASSAY_OK;
    if (m->panel > ASSAY_PANEL_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s.panel is %zu, expected at most %zu", path, name,
                          m->panel, ASSAY_PANEL_MAX);
    const char *lacks = !m->panel_bytes ? "panel_bytes" : !m->pack ? "pack" : !m->unpack ? "unpack" : NULL;
    if (lacks)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s.panel is %zu, but %s is missing", path, name, m->panel,
                          lacks);
    if (m->i8 && !has_codes)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s.i8 is given, which only affine groups have", path,
                          name);
    if (!m->f32 && !m->bf16 && !m->i8)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has a layout, but no product", path, name);
    return ASSAY_OK;
}

static assay_status check_products(const char *path, const assay_kernels *k, assay_error *err)
{
    assay_status rc = check_matmul(path, "matmul_f32", &k->matmul_f32, false, err);
    if (rc == ASSAY_OK) rc = check_matmul(path, "matmul_f16", &k->matmul_f16, false, err);
    if (rc == ASSAY_OK) rc = check_matmul(path, "matmul_bf16", &k->matmul_bf16, false, err);
    if (rc == ASSAY_OK) rc = check_matmul(path, "matmul_affine", &k->matmul_affine, true, err);
    return rc;
}

/* A table of today's size; like the library it stays for the rest of the process. */
static assay_kernels *lengthen(const assay_kernels *shorter)
{
    static struct longer {
        assay_kernels table;
        struct longer *next;
    } * all;
    struct longer *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    const size_t whole = shorter->size / sizeof(assay_norm_fn *) * sizeof(assay_norm_fn *); /* members */
    memcpy(&made->table, shorter, whole);
    made->table.size = sizeof made->table;
    made->next = all;
    all = made;
    return &made->table;
}

assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return assay_fail(err, ASSAY_EIO, "%s", dlerror());
    void *symbol = dlsym(library, ASSAY_KERNELS_SYMBOL);
    if (!symbol)
        return assay_fail(err, ASSAY_EFORMAT, "%s: no kernel library: it does not export %s", path,
                          ASSAY_KERNELS_SYMBOL);
    assay_kernels_fn *table_of;
    memcpy(&table_of, &symbol, sizeof table_of); /* ISO C has no cast from an object to a function */
    const assay_kernels *k = table_of();
    if (!k) return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: it has no kernels for this processor", path);
    assay_status rc = check_head(path, k, err);
    if (rc != ASSAY_OK) return rc;
    if (k->size < sizeof *k) k = lengthen(k);
    if (!k) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    rc = check_products(path, k, err);
    if (rc == ASSAY_OK) *out = k;
    return rc;
}

const char *const conf_kernels_refusal = "it takes no kernels from outside: its table lacks model_open_with";

const char *conf_kernels_refused_option(const char *reason)
{
    return strcmp(reason, conf_compute_refusal) == 0 ? "--compute" : "--kernels";
}

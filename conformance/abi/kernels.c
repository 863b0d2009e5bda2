/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/kernels.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/module.h"

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

/* Null where there is no memory for it. */
static const assay_kernels *lengthen(const assay_kernels *shorter)
{
    assay_kernels *k = conf_module_lengthen(shorter, shorter->size, sizeof *k);
    if (k) k->size = sizeof *k;
    return k;
}

assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err)
{
    assay_kernels_fn *table_of;
    assay_status rc = conf_module_find(path, ASSAY_KERNELS_SYMBOL, &table_of, err);
    if (rc != ASSAY_OK) return rc;
    if (!table_of)
        return assay_fail(err, ASSAY_EFORMAT, "%s: no kernel library: it does not export %s", path,
                          ASSAY_KERNELS_SYMBOL);
    const assay_kernels *k = table_of();
    if (!k) return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: it has no kernels for this processor", path);
    rc = check_head(path, k, err);
    if (rc != ASSAY_OK) return rc;
    if (k->size < sizeof *k) k = lengthen(k);
    if (!k) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    rc = check_products(path, k, err);
    if (rc == ASSAY_OK) *out = k;
    return rc;
}

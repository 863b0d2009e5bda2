/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/kernels.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/table.h"

static const conf_table_member required[] = {
    CONF_TABLE_MEMBER(assay_kernels, name),
    CONF_TABLE_MEMBER(assay_kernels, version),
};

static const conf_table_kind kind = {
    .symbol = ASSAY_KERNELS_SYMBOL,
    .missing = "no kernel library",
    .unavailable = "it has no kernels for this processor",
    .abi_name = "kernel",
    .name = "its table",
    .abi = ASSAY_KERNELS_ABI,
    .size_least = offsetof(assay_kernels, matmul_f32) /* every operation may be missing */,
    .size = sizeof(assay_kernels),
    .required = required,
    .n_required = sizeof required / sizeof *required,
};

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

assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err)
{
    const void *table;
    assay_status rc = conf_table_open(path, &kind, &table, err);
    if (rc == ASSAY_OK) rc = check_products(path, table, err);
    if (rc == ASSAY_OK) *out = table;
    return rc;
}

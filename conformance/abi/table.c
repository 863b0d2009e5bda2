/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/table.h"

#include <string.h>

#include "base/error.h"
#include "conformance/abi/module.h"

/* The first members of every table. */
typedef struct table_head {
    uint32_t abi, size;
} table_head;

static assay_status find_table(const char *path, const conf_table_kind *kind, const void **out,
                               assay_error *err)
{
    const void *(*table_of)(void);
    assay_status rc = conf_module_find(path, kind->symbol, &table_of, err);
    if (rc != ASSAY_OK) return rc;
    if (!table_of && kind->optional)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: it does not export %s", kind->missing, kind->symbol);
    if (!table_of)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: it does not export %s", path, kind->missing,
                          kind->symbol);
    *out = table_of();
    if (*out) return ASSAY_OK;
    if (kind->unavailable) return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: %s", path, kind->unavailable);
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s returned no table", path, kind->symbol);
}

static assay_status check_head(const char *path, const conf_table_kind *kind, const void *table,
                               assay_error *err)
{
    const table_head *head = table;
    if (head->abi != kind->abi)
        return assay_fail(err, ASSAY_EFORMAT, "%s: built for %s ABI %u, expected %u", path, kind->abi_name,
                          head->abi, kind->abi);
    if (head->size < kind->size_least)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %u bytes, expected at least %zu", path, kind->name,
                          head->size, kind->size_least);
    const assay_status rc = kind->check ? kind->check(path, table, err) : ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < kind->n_required; i++) {
        const void *member;
        memcpy(&member, (const char *)table + kind->required[i].offset, sizeof member);
        if (!member)
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s lacks the required %s", path, kind->name,
                              kind->required[i].name);
    }
    return rc;
}

assay_status conf_table_open(const char *path, const conf_table_kind *kind, const void **out,
                             assay_error *err)
{
    const void *table;
    assay_status rc = find_table(path, kind, &table, err);
    if (rc == ASSAY_OK) rc = check_head(path, kind, table, err);
    if (rc != ASSAY_OK) return rc;
    const size_t size = ((const table_head *)table)->size;
    if (size < kind->size) table = conf_module_lengthen(table, size, kind->size);
    if (!table) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    *out = table;
    return ASSAY_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/streams.h"

#include "conformance/abi/table.h"

static const conf_table_member required[] = {
    CONF_TABLE_MEMBER(assay_streams, name),           CONF_TABLE_MEMBER(assay_streams, version),
    CONF_TABLE_MEMBER(assay_streams, device_count),   CONF_TABLE_MEMBER(assay_streams, new_stream),
    CONF_TABLE_MEMBER(assay_streams, default_stream), CONF_TABLE_MEMBER(assay_streams, set_default_stream),
    CONF_TABLE_MEMBER(assay_streams, scope_enter),    CONF_TABLE_MEMBER(assay_streams, scope_leave),
    CONF_TABLE_MEMBER(assay_streams, clear_streams),  CONF_TABLE_MEMBER(assay_streams, synchronize),
    CONF_TABLE_MEMBER(assay_streams, make),           CONF_TABLE_MEMBER(assay_streams, array_free),
    CONF_TABLE_MEMBER(assay_streams, eval),           CONF_TABLE_MEMBER(assay_streams, read),
};

static const conf_table_kind kind = {
    .symbol = ASSAY_STREAMS_SYMBOL,
    .missing = "it has no streams",
    .optional = true,
    .abi_name = "stream",
    .name = "its stream table",
    .abi = ASSAY_STREAMS_ABI,
    .size_least = sizeof(assay_streams),
    .size = sizeof(assay_streams),
    .required = required,
    .n_required = sizeof required / sizeof *required,
};

assay_status conf_streams_open(const char *path, const assay_streams **out, assay_error *err)
{
    const void *table;
    assay_status rc = conf_table_open(path, &kind, &table, err);
    if (rc == ASSAY_OK) *out = table;
    return rc;
}

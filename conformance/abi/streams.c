/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/streams.h"

#include "base/error.h"
#include "conformance/abi/module.h"

static assay_status check_table(const char *path, const assay_streams *s, assay_error *err)
{
    if (!s) return assay_fail(err, ASSAY_EFORMAT, "%s: %s returned no table", path, ASSAY_STREAMS_SYMBOL);
    if (s->abi != ASSAY_STREAMS_ABI)
        return assay_fail(err, ASSAY_EFORMAT, "%s: built for stream ABI %u, expected %u", path, s->abi,
                          ASSAY_STREAMS_ABI);
    if (s->size < sizeof *s)
        return assay_fail(err, ASSAY_EFORMAT, "%s: its table of streams has %u bytes, expected at least %zu",
                          path, s->size, sizeof *s);
    const struct {
        const char *name;
        bool there;
    } required[] = {
        {"name", s->name != NULL},
        {"version", s->version != NULL},
        {"device_count", s->device_count != NULL},
        {"new_stream", s->new_stream != NULL},
        {"default_stream", s->default_stream != NULL},
        {"set_default_stream", s->set_default_stream != NULL},
        {"scope_enter", s->scope_enter != NULL},
        {"scope_leave", s->scope_leave != NULL},
        {"clear_streams", s->clear_streams != NULL},
        {"synchronize", s->synchronize != NULL},
        {"make", s->make != NULL},
        {"array_free", s->array_free != NULL},
        {"eval", s->eval != NULL},
        {"read", s->read != NULL},
    };
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!required[i].there)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: its table of streams lacks %s, which every one must have", path,
                              required[i].name);
    return ASSAY_OK;
}

assay_status conf_streams_open(const char *path, const assay_streams **out, assay_error *err)
{
    assay_streams_fn *table_of;
    assay_status rc = conf_module_find(path, ASSAY_STREAMS_SYMBOL, &table_of, err);
    if (rc != ASSAY_OK) return rc;
    if (!table_of)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "it has no streams: it does not export %s",
                          ASSAY_STREAMS_SYMBOL);
    const assay_streams *s = table_of();
    rc = check_table(path, s, err);
    if (rc == ASSAY_OK) *out = s;
    return rc;
}

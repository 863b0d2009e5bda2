/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/tools.h"

#include "base/error.h"
#include "dialogue/tools/formats.h"
#include "dialogue/tools/state.h"

#include <stdlib.h>

assay_status serve_tools_open(const char *name, assay_text request, serve_tools **out, assay_error *err)
{
    const serve_tools_format *format;
    assay_status rc = serve_tools_find(name, &format, err);
    if (rc != ASSAY_OK) return rc;
    serve_tools_request *tools;
    rc = serve_tools_request_open(request, &tools, err);
    if (rc != ASSAY_OK) return rc;
    serve_tools *t = calloc(1, sizeof *t);
    if (!t || !serve_tools_start(t, format, tools)) {
        serve_tools_request_free(tools);
        free(t);
        return assay_fail(err, ASSAY_ENOMEM, "tool parser '%s': out of memory", name);
    }
    *out = t;
    return ASSAY_OK;
}

void serve_tools_free(serve_tools *t)
{
    if (!t) return;
    serve_tools_request_free(t->request);
    serve_tools_stop(t);
    free(t);
}

bool serve_tools_reads_messages(const serve_tools *t)
{
    return t->format->reads_messages;
}

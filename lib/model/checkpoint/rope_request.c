/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/rope_request.h"

#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "model/checkpoint/config.h"
#include "model/checkpoint/config_rope.h"

enum { N_AXES = 3 };

size_t rope_request_length(const assay_rope_request *request)
{
    int32_t last = 0;
    for (size_t i = 0; i < request->n_axes * request->n_positions; i++)
        if (request->position[i] > last) last = request->position[i];
    return (size_t)last + 1;
}

assay_status rope_request_read(const assay_rope_request *request, rope *out, assay_error *err)
{
    json_object *document = NULL;
    config_notes notes = {0};
    config c;
    *out = (rope){0};
    if (request->n_axes != 1 && request->n_axes != N_AXES)
        return assay_fail(err, ASSAY_EINVAL, "rope: found %zu axes, expected 1 or 3", request->n_axes);
    assay_status rc = json_parse("config", request->config, strlen(request->config), &document, err);
    if (rc != ASSAY_OK) return rc;
    config_begin(&c, "config", "", document, &notes, err);
    config_rope_standalone(&c, request->head_dim, out);
    config_end(&c);
    rc = c.status;
    config_notes_free(&notes);
    json_object_put(document);
    return rc;
}

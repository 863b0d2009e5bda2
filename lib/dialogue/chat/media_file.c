/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/media_file.h"

#include "base/error.h"
#include "base/file.h"

assay_status serve_media_go_on(const serve_media_limits *limits, const char *name, assay_error *err)
{
    if (!limits->goes_on || limits->goes_on(limits->context)) return ASSAY_OK;
    return assay_fail(err, ASSAY_ESTOPPED, "%s: no longer wanted", name);
}

assay_status serve_media_file_read(const serve_media_file *file, size_t file_max, const uint8_t **bytes,
                                   size_t *n, char **owned, assay_error *err)
{
    *owned = NULL;
    *bytes = file->bytes;
    *n = file->n;
    if (file->bytes) return ASSAY_OK;
    const assay_status rc = file_read(file->name, file_max, owned, n, err);
    *bytes = (const uint8_t *)*owned;
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/file.h"

#include "base/error.h"

assay_status conf_h5_memory_take(const conf_h5 *file, const char *name, size_t bytes, assay_error *err)
{
    size_t *left = &file->state->left.unpacked;
    if (bytes > *left)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s unpacks to %zu bytes; a file of %zu bytes may unpack to %zu, of which %zu "
                          "are left",
                          file->path, name, bytes, file->size, file->most, *left);
    *left -= bytes;
    return ASSAY_OK;
}

const char *conf_h5_path(const conf_h5 *file)
{
    return file->path;
}

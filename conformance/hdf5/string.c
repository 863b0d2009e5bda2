/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/string.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/hdf5/file.h"
#include "conformance/hdf5/heap.h"

/* Copies a fixed-length string without the padding of its storage. */
static char *copy_fixed(const conf_h5_type *type, const unsigned char *element)
{
    size_t n = strnlen((const char *)element, type->size);
    while (type->space_padded && n > 0 && element[n - 1] == ' ') n--;
    return strndup((const char *)element, n);
}

assay_status conf_h5_element_text(const conf_h5 *file, const char *name, const conf_h5_type *type,
                                  const unsigned char *element, char **out, assay_error *err)
{
    bool is_fixed = type->class == CONF_H5_TEXT;
    *out = NULL;
    if (!is_fixed && type->class != CONF_H5_TEXT_VARIABLE) return ASSAY_OK;
    conf_bytes b = conf_bytes_of(element, type->size);
    size_t length = is_fixed ? type->size : (size_t)conf_bytes_number(&b, 4);
    if (length > CONF_H5_STRING_BYTES_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s holds a text of %zu bytes; at most %zu are read",
                          file->path, name, length, CONF_H5_STRING_BYTES_MAX);
    if (!is_fixed) {
        uint64_t address = conf_bytes_number(&b, 8);
        unsigned index = (unsigned)conf_bytes_number(&b, 4);
        bool is_empty = length == 0 || address == 0 || address == CONF_H5_UNDEFINED;
        if (!is_empty) return conf_global_text_read(file, name, address, index, length, out, err);
    }
    *out = is_fixed ? copy_fixed(type, element) : strdup("");
    return *out ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
}

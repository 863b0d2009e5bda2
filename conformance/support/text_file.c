/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/text_file.h"

#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define CAPACITY_MIN ((size_t)64 << 10)

/* A compressed file, and its decompressed text. */
typedef struct unpacking {
    const char *path, *packed;
    size_t n_packed, most;
    struct libdeflate_decompressor *inflater;
    char *text; /* [n] */
    size_t n;
} unpacking;

/* libdeflate reports truncated and damaged data by the same result. */
static assay_status check_result(const unpacking *u, enum libdeflate_result result, size_t taken,
                                 assay_error *err)
{
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: unpacks to more than %zu bytes, expected at most that", u->path, u->most);
    if (result != LIBDEFLATE_SUCCESS)
        return assay_fail(err, ASSAY_EFORMAT, "%s: its %zu packed bytes are damaged, cut short, or no gzip",
                          u->path, u->n_packed);
    if (taken != u->n_packed)
        return assay_fail(err, ASSAY_EFORMAT, "%s: found %zu bytes after the packed ones, expected none",
                          u->path, u->n_packed - taken);
    return ASSAY_OK;
}

/* Does not use the size that the file states: the buffer is doubled until the text fits. */
static assay_status inflate_text(unpacking *u, assay_error *err)
{
    enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
    size_t taken = 0;
    size_t capacity = u->n_packed < u->most / 4 ? 4 * u->n_packed : u->most;
    if (capacity < CAPACITY_MIN) capacity = CAPACITY_MIN < u->most ? CAPACITY_MIN : u->most;
    while (true) {
        free(u->text);
        u->text = malloc(capacity ? capacity : 1);
        if (!u->text) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", u->path);
        result = libdeflate_gzip_decompress_ex(u->inflater, u->packed, u->n_packed, u->text, capacity, &taken,
                                               &u->n);
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE || capacity == u->most) break;
        capacity = capacity < u->most / 2 ? 2 * capacity : u->most;
    }
    return check_result(u, result, taken, err);
}

static assay_status unpack_text(const char *path, const char *packed, size_t n_packed, size_t most,
                                char **text, size_t *n, assay_error *err)
{
    unpacking u = {.path = path,
                   .packed = packed,
                   .n_packed = n_packed,
                   .most = most,
                   .inflater = libdeflate_alloc_decompressor()};
    assay_status rc =
        u.inflater ? inflate_text(&u, err) : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    if (u.inflater) libdeflate_free_decompressor(u.inflater);
    if (rc != ASSAY_OK) {
        free(u.text);
        return rc;
    }
    *text = u.text;
    *n = u.n;
    return ASSAY_OK;
}

assay_status conf_text_file_read(const char *path, size_t most, char **text, size_t *n, assay_error *err)
{
    char *bytes;
    size_t n_bytes;
    const char *dot = strrchr(path, '.');
    assay_status rc = file_read(path, most, &bytes, &n_bytes, err);
    if (rc != ASSAY_OK) return rc;
    if (!dot || strcmp(dot, ".gz") != 0) {
        *text = bytes;
        *n = n_bytes;
        return ASSAY_OK;
    }
    rc = unpack_text(path, bytes, n_bytes, most, text, n, err);
    free(bytes);
    return rc;
}

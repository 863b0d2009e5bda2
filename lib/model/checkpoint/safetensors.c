/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/safetensors.h"

#include "base/dtype.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_scan.h"
#include "model/checkpoint/safetensors_header.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_SIZE    8 /* size of the header's length field, which precedes it */
#define NAME_SHOWN_MAX 120

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors are used where they lie, in the little-endian order of the format"
#endif

struct safetensors {
    char *path;
    const unsigned char *bytes; /* the mapping */
    size_t n_bytes;
    safetensors_header header;
};

size_t safetensors_bytes(const assay_tensor *tensor)
{
    size_t bytes = dtype_size(tensor->dtype);
    for (size_t i = 0; i < tensor->rank; i++) bytes *= tensor->shape[i];
    return bytes;
}

/* By begin, then by end, so that an empty tensor precedes a tensor with the same offset. */
static int compare_places(const void *a, const void *b)
{
    const assay_tensor *x = a, *y = b;
    const unsigned char *p = x->data, *q = y->data;
    if (p != q) return p < q ? -1 : 1;
    const size_t n = safetensors_bytes(x), m = safetensors_bytes(y);
    if (n != m) return n < m ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int shown_length(const char *name)
{
    return json_scan_clip(name, strlen(name), NAME_SHOWN_MAX);
}

/* The rule of the format: in the order of offsets, each tensor begins at the end of the previous one,
 * and the last one ends with the file. */
static assay_status check_layout(const safetensors *f, const unsigned char *data, size_t n_data,
                                 assay_error *err)
{
    size_t expected = 0;
    const char *before = NULL;
    for (size_t i = 0; i < f->header.n; i++) {
        const assay_tensor *t = &f->header.tensors[i];
        const size_t begin = (size_t)((const unsigned char *)t->data - data), n = safetensors_bytes(t);
        const char *fault = begin < expected ? "overlap" : "leave a gap after";
        if (begin != expected && before)
            return assay_fail(
                err, ASSAY_EFORMAT,
                "%s: tensor '%.*s': data_offsets [%zu, %zu] %s tensor '%.*s', expected to begin at its "
                "end, %zu",
                f->path, shown_length(t->name), t->name, begin, begin + n, fault, shown_length(before),
                before, expected);
        if (begin != expected)
            return assay_fail(
                err, ASSAY_EFORMAT,
                "%s: tensor '%.*s': data_offsets [%zu, %zu] leave a gap, expected the first tensor to "
                "begin at 0",
                f->path, shown_length(t->name), t->name, begin, begin + n);
        expected = begin + n;
        before = t->name;
    }
    if (expected == n_data) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: found %zu bytes of data, expected the %zu that its tensors account for", f->path,
                      n_data, expected);
}

static assay_status read_length(const safetensors *f, size_t *length, assay_error *err)
{
    if (f->n_bytes < LENGTH_SIZE)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: found %zu bytes, expected at least %d for the header's length", f->path,
                          f->n_bytes, LENGTH_SIZE);
    uint64_t n;
    memcpy(&n, f->bytes, sizeof n);
    if (n == 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: header of 0 bytes, expected at least '{}'", f->path);
    if (n > SAFETENSORS_HEADER_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: header of %" PRIu64 " bytes, expected at most %zu",
                          f->path, n, SAFETENSORS_HEADER_MAX);
    if (n > f->n_bytes - LENGTH_SIZE)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: header of %" PRIu64 " bytes, expected at most the %zu after its "
                          "length",
                          f->path, n, f->n_bytes - LENGTH_SIZE);
    *length = (size_t)n;
    return ASSAY_OK;
}

static assay_status read_tensors(safetensors *f, assay_error *err)
{
    size_t length = 0;
    assay_status rc = read_length(f, &length, err);
    if (rc != ASSAY_OK) return rc;
    const unsigned char *data = f->bytes + LENGTH_SIZE + length;
    const size_t n_data = f->n_bytes - LENGTH_SIZE - length;
    rc = safetensors_header_parse(f->path, (const char *)f->bytes + LENGTH_SIZE, length, data, n_data,
                                  &f->header, err);
    if (rc != ASSAY_OK) return rc;
    if (f->header.n > 1) qsort(f->header.tensors, f->header.n, sizeof *f->header.tensors, compare_places);
    return check_layout(f, data, n_data, err);
}

assay_status safetensors_open(const char *path, safetensors **out, assay_error *err)
{
    safetensors *f = calloc(1, sizeof *f);
    if (f) f->path = strdup(path);
    if (!f || !f->path) {
        free(f);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    assay_status rc = file_map(path, &f->bytes, &f->n_bytes, err);
    if (rc == ASSAY_OK) rc = read_tensors(f, err);
    if (rc != ASSAY_OK) {
        safetensors_free(f);
        return rc;
    }
    *out = f;
    return ASSAY_OK;
}

void safetensors_free(safetensors *file)
{
    if (!file) return;
    file_unmap(file->bytes, file->n_bytes);
    safetensors_header_free(&file->header);
    free(file->path);
    free(file);
}

size_t safetensors_count(const safetensors *file)
{
    return file->header.n;
}

const assay_tensor *safetensors_at(const safetensors *file, size_t index)
{
    assert(index < file->header.n);
    return &file->header.tensors[index];
}

const char *safetensors_path(const safetensors *file)
{
    return file->path;
}

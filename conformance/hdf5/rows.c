/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/rows.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/hdf5/data.h"
#include "conformance/hdf5/file.h"

#define N_AXES 3

struct conf_h5_rows {
    const conf_h5 *file;
    conf_data data; /* [B, T, V] */
};

/* Type and shape; the dataset may be as large as a file of that size can unpack to, so that reading time is
 * bounded by the file's size. */
static assay_status check_dataset(const conf_h5_dataset *d, conf_h5_types types, assay_error *err)
{
    char found[32];
    conf_h5_type_print(found, sizeof found, &d->type);
    if (d->type.class != CONF_H5_NUMBER || !(types & CONF_H5_FLOATS & CONF_H5_TYPE(d->type.dtype)))
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has type %s, expected F64%s", d->file->path, d->name,
                          found, types & CONF_H5_TYPE(ASSAY_F16) ? ", F32, F16 or BF16" : " or F32");
    if (d->space.rank > N_AXES)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %zu axes; at most 3 are compared", d->file->path,
                          d->name, d->space.rank);
    double bytes = (double)d->type.size;
    for (size_t i = 0; i < d->space.rank; i++) bytes *= (double)d->space.shape[i];
    if (bytes - CONF_H5_STREAMED_BYTES > (double)d->file->size * CONF_H5_STREAMED_RATIO)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s unpacks to %.0f bytes, more than a file of %zu can hold", d->file->path,
                          d->name, bytes, d->file->size);
    return ASSAY_OK;
}

assay_status conf_h5_rows_open_types(const conf_h5 *file, const char *name, conf_h5_types types,
                                     conf_h5_rows **out, assay_error *err)
{
    conf_h5_dataset d;
    conf_h5_rows *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    s->file = file;
    assay_status rc = conf_h5_dataset_open(file, name, &d, err);
    if (rc == ASSAY_OK) {
        rc = check_dataset(&d, types, err);
        if (rc == ASSAY_OK) rc = conf_data_open(&d, N_AXES, PTRDIFF_MAX / 2, &s->data, err);
        else conf_h5_dataset_close(&d);
    }
    if (rc != ASSAY_OK) conf_h5_rows_close(s);
    else *out = s;
    return rc;
}

assay_status conf_h5_rows_open(const conf_h5 *file, const char *name, conf_h5_rows **out, assay_error *err)
{
    return conf_h5_rows_open_types(file, name, CONF_H5_TYPE(ASSAY_F64) | CONF_H5_TYPE(ASSAY_F32), out, err);
}

void conf_h5_rows_close(conf_h5_rows *s)
{
    if (!s) return;
    conf_data_close(&s->data);
    free(s);
}

const char *conf_h5_rows_path(const conf_h5_rows *s)
{
    return s->file->path;
}

const char *conf_h5_rows_name(const conf_h5_rows *s)
{
    return s->data.d.name;
}

assay_dtype conf_h5_rows_dtype(const conf_h5_rows *s)
{
    return conf_h5_type_widened(&s->data.d.type);
}

assay_dtype conf_h5_rows_stored_dtype(const conf_h5_rows *s)
{
    return s->data.d.type.dtype;
}

const size_t *conf_h5_rows_shape(const conf_h5_rows *s)
{
    return s->data.shape;
}

size_t conf_h5_rows_row_bytes(const conf_h5_rows *s)
{
    return s->data.shape[2] * s->data.element;
}

bool conf_h5_rows_is_plain(const conf_h5_rows *s)
{
    return conf_data_is_plain(&s->data);
}

const size_t *conf_h5_rows_step(const conf_h5_rows *s)
{
    return s->data.step;
}

size_t conf_h5_rows_chunk_bytes(const conf_h5_rows *s)
{
    return s->data.chunk_bytes;
}

static conf_region region_of(const conf_h5_rows *s, const conf_rect *rect)
{
    return (conf_region){.lo = {rect->b0, rect->t0, 0}, .hi = {rect->b1, rect->t1, s->data.shape[2]}};
}

size_t conf_h5_rows_n_parts(const conf_h5_rows *s, const conf_rect *rect)
{
    conf_region region = region_of(s, rect);
    if (rect->b0 == rect->b1 || rect->t0 == rect->t1 || s->data.shape[2] == 0) return 0;
    return conf_data_n_parts(&s->data, &region);
}

assay_status conf_h5_rows_read_part(const conf_h5_rows *s, const conf_rect *rect, size_t part, void *into,
                                    conf_unpacker *u, assay_error *err)
{
    assert(rect->b1 <= s->data.shape[0] && rect->t1 <= s->data.shape[1]);
    conf_region region = region_of(s, rect);
    return conf_data_read_part(&s->data, &region, part, into, u, err);
}

assay_status conf_h5_rows_read(const conf_h5_rows *s, const conf_rect *rect, void *into, assay_error *err)
{
    conf_region region = region_of(s, rect);
    return conf_data_read(&s->data, &region, into, err);
}

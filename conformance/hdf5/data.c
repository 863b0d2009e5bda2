/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/data.h"

#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/hdf5/file.h"

#define PART_BYTES  ((size_t)1 << 20) /* of a part of data without chunks */
#define PIECE_BYTES ((size_t)1 << 13) /* size of a piece that is read and converted */

static bool is_contiguous(const conf_data *data)
{
    return data->d.layout.storage == CONF_STORAGE_CONTIGUOUS && data->d.layout.address != CONF_H5_UNDEFINED;
}

static bool is_chunked(const conf_data *data)
{
    return data->d.layout.storage == CONF_STORAGE_CHUNKED;
}

bool conf_data_is_plain(const conf_data *data)
{
    return is_contiguous(data) && conf_h5_type_is_native(&data->d.type);
}

static assay_status find_shape(conf_data *data, size_t n_axes, size_t most, assay_error *err)
{
    const conf_h5_space *space = &data->d.space;
    const char *path = data->d.file->path, *name = data->d.name;
    if (space->is_null) return assay_fail(err, ASSAY_EFORMAT, "%s: %s has no shape", path, name);
    if (space->rank > ASSAY_TENSOR_RANK_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %zu axes; at most %u are read", path, name,
                          space->rank, ASSAY_TENSOR_RANK_MAX);
    data->rank = space->rank > n_axes ? space->rank : n_axes;
    data->n = 1;
    for (size_t i = 0; i < data->rank; i++) {
        size_t axis = i + space->rank - data->rank; /* wraps around for axes that the dataset lacks */
        bool lacks = i < data->rank - space->rank;
        uint64_t length = lacks ? 1 : space->shape[axis];
        if (length > most || (length > 0 && data->n > most / data->d.type.size / length))
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s is larger than %zu MiB", path, name, most >> 20);
        data->shape[i] = (size_t)length;
        data->step[i] = lacks || !is_chunked(data) ? 1 : (size_t)data->d.layout.chunk[axis];
        data->n *= (size_t)length;
    }
    return ASSAY_OK;
}

/* The size of data without chunks must be exactly that of the shape. */
static assay_status check_bytes(const conf_data *data, assay_error *err)
{
    const conf_h5_layout *l = &data->d.layout;
    const char *path = data->d.file->path, *name = data->d.name;
    size_t bytes = data->n * data->d.type.size;
    bool written = l->storage == CONF_STORAGE_COMPACT || is_contiguous(data);
    if (written && l->bytes != bytes && bytes > 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is stored in %llu bytes, expected %zu: damaged", path,
                          name, (unsigned long long)l->bytes, bytes);
    if (is_contiguous(data) && !conf_h5_is_inside_file(data->d.file, l->address, bytes))
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its %zu bytes reach beyond the file's end: cut short",
                          path, name, bytes);
    return ASSAY_OK;
}

assay_status conf_data_open(conf_h5_dataset *d, size_t n_axes, size_t most, conf_data *out, assay_error *err)
{
    conf_data data = {.d = *d};
    *d = (conf_h5_dataset){0};
    assay_status rc = find_shape(&data, n_axes, most, err);
    bool is_number = data.d.type.class == CONF_H5_NUMBER;
    data.element = is_number ? dtype_size(conf_h5_type_widened(&data.d.type)) : data.d.type.size;
    if (rc == ASSAY_OK && is_chunked(&data)) {
        data.chunk_bytes = (size_t)conf_h5_chunk_bytes(&data.d);
        rc = conf_h5_chunks_read(&data.d, &data.chunks, err);
    } else if (rc == ASSAY_OK) {
        rc = check_bytes(&data, err);
    }
    if (rc != ASSAY_OK) conf_data_close(&data);
    else *out = data;
    return rc;
}

void conf_data_close(conf_data *data)
{
    conf_h5_chunks_free(&data->chunks);
    conf_h5_dataset_close(&data->d);
    *data = (conf_data){0};
}

conf_region conf_data_whole(const conf_data *data)
{
    conf_region whole = {0};
    for (size_t i = 0; i < data->rank; i++) whole.hi[i] = data->shape[i];
    return whole;
}

/* Data without chunks are read in runs: elements that are consecutive both in the file and in the region. */
typedef struct runs {
    size_t axis; /* the last axis that the region does not cover; a run includes all axes after it */
    size_t n;    /* runs */
    size_t length, per_part, parts_of_run;
} runs;

static runs find_runs(const conf_data *data, const conf_region *region)
{
    runs r = {.axis = data->rank - 1, .n = 1};
    while (r.axis > 0 && region->lo[r.axis] == 0 && region->hi[r.axis] == data->shape[r.axis]) r.axis--;
    r.length = region->hi[r.axis] - region->lo[r.axis];
    for (size_t i = r.axis + 1; i < data->rank; i++) r.length *= data->shape[i];
    for (size_t i = 0; i < r.axis; i++) r.n *= region->hi[i] - region->lo[i];
    r.per_part = PART_BYTES / data->element ? PART_BYTES / data->element : 1;
    r.parts_of_run = (r.length + r.per_part - 1) / r.per_part;
    return r;
}

/* Chunks that part [lo, hi) of an axis touches. */
static size_t n_touched(size_t lo, size_t hi, size_t step)
{
    return (hi - 1) / step - lo / step + 1;
}

size_t conf_data_n_parts(const conf_data *data, const conf_region *region)
{
    size_t n = 1;
    if (!is_chunked(data)) {
        runs r = find_runs(data, region);
        return r.n * r.parts_of_run;
    }
    for (size_t i = 0; i < data->rank; i++) n *= n_touched(region->lo[i], region->hi[i], data->step[i]);
    return n;
}

static void fill_unstored(const conf_data *data, char *into, size_t n)
{
    for (size_t i = 0; i < n; i++)
        conf_h5_type_convert(&data->d.type, into + i * data->element, data->d.fill, 1);
}

/* Reads n elements from element `first` of contiguous data. */
static bool read_contiguous(const conf_data *data, size_t first, char *into, size_t n)
{
    const conf_h5 *file = data->d.file;
    size_t size = data->d.type.size;
    uint64_t at = file->base + data->d.layout.address + (uint64_t)first * size;
    unsigned char piece[PIECE_BYTES];
    if (conf_h5_type_is_native(&data->d.type)) return conf_h5_bytes_read(file, into, n * size, at);
    for (size_t count; n > 0; n -= count) {
        count = n < PIECE_BYTES / size ? n : PIECE_BYTES / size;
        if (!conf_h5_bytes_read(file, piece, count * size, at)) return false;
        conf_h5_type_convert(&data->d.type, into, piece, count);
        into += count * data->element;
        at += count * size;
    }
    return true;
}

static assay_status fail_read(const conf_data *data, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its data cannot be read: cut short or damaged",
                      data->d.file->path, data->d.name);
}

static assay_status read_run(const conf_data *data, const conf_region *region, size_t part, char *into,
                             assay_error *err)
{
    runs r = find_runs(data, region);
    size_t run = part / r.parts_of_run, from = part % r.parts_of_run * r.per_part, first = 0, rest = run;
    size_t n = r.length - from < r.per_part ? r.length - from : r.per_part, scale = 1;
    size_t coordinates[ASSAY_TENSOR_RANK_MAX] = {0};
    for (size_t i = r.axis; i-- > 0;) {
        size_t length = region->hi[i] - region->lo[i];
        coordinates[i] = rest % length;
        rest /= length;
    }
    for (size_t i = data->rank; i-- > 0; scale *= data->shape[i])
        first += (region->lo[i] + coordinates[i]) * scale;
    into += (run * r.length + from) * data->element;
    first += from;
    if (is_contiguous(data)) return read_contiguous(data, first, into, n) ? ASSAY_OK : fail_read(data, err);
    if (data->d.layout.storage == CONF_STORAGE_COMPACT)
        conf_h5_type_convert(&data->d.type, into, data->d.layout.compact + first * data->d.type.size, n);
    else fill_unstored(data, into, n);
    return ASSAY_OK;
}

/* The intersection of a chunk and a region, on each axis, in the dataset's coordinates. */
typedef struct overlap {
    size_t start[ASSAY_TENSOR_RANK_MAX]; /* of the chunk */
    size_t lo[ASSAY_TENSOR_RANK_MAX], hi[ASSAY_TENSOR_RANK_MAX];
    uint64_t number; /* of the chunk */
    bool whole;      /* the chunk does not reach beyond the dataset */
} overlap;

static overlap find_overlap(const conf_data *data, const conf_region *region, size_t part)
{
    overlap o = {.whole = true};
    for (size_t i = data->rank; i-- > 0;) {
        size_t step = data->step[i], n = n_touched(region->lo[i], region->hi[i], step);
        size_t start = (region->lo[i] / step + part % n) * step;
        part /= n;
        o.start[i] = start;
        o.lo[i] = start > region->lo[i] ? start : region->lo[i];
        o.hi[i] = region->hi[i] - start > step ? start + step : region->hi[i];
        if (data->shape[i] - start < step) o.whole = false;
    }
    for (size_t i = 0; i < data->rank; i++)
        o.number = o.number * ((data->shape[i] - 1) / data->step[i] + 1) + o.start[i] / data->step[i];
    return o;
}

/* Copies the overlap from the chunk, or from the fill value if chunk is NULL. */
static void copy_overlap(const conf_data *data, const conf_region *region, const overlap *o,
                         const char *chunk, char *into)
{
    size_t last = data->rank - 1, n = o->hi[last] - o->lo[last], n_rows = 1;
    for (size_t i = 0; i < last; i++) n_rows *= o->hi[i] - o->lo[i];
    for (size_t row = 0; row < n_rows; row++) {
        size_t rest = row, to = o->lo[last] - region->lo[last], from = o->lo[last] - o->start[last];
        size_t to_scale = region->hi[last] - region->lo[last], from_scale = data->step[last];
        for (size_t i = last; i-- > 0;) {
            size_t at = o->lo[i] + rest % (o->hi[i] - o->lo[i]);
            rest /= o->hi[i] - o->lo[i];
            to += (at - region->lo[i]) * to_scale;
            from += (at - o->start[i]) * from_scale;
            to_scale *= region->hi[i] - region->lo[i];
            from_scale *= data->step[i];
        }
        if (chunk)
            conf_h5_type_convert(&data->d.type, into + to * data->element, chunk + from * data->d.type.size,
                                 n);
        else fill_unstored(data, into + to * data->element, n);
    }
}

static assay_status fail_chunk(const conf_data *data, const overlap *o, const assay_error *reason,
                               assay_error *err)
{
    char place[160];
    size_t skip = data->rank - data->d.space.rank;
    conf_shape_print(place, sizeof place, o->start + skip, data->d.space.rank);
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s: the chunk at %s is damaged: %s", data->d.file->path,
                      data->d.name, place, reason->text);
}

static assay_status read_chunk(const conf_data *data, const conf_region *region, size_t part, char *into,
                               conf_unpacker *u, assay_error *err)
{
    overlap o = find_overlap(data, region, part);
    const conf_h5_chunk *found = conf_h5_chunk_find(&data->chunks, o.number);
    if (!found) {
        copy_overlap(data, region, &o, NULL, into);
        return ASSAY_OK;
    }
    assay_error reason = {0};
    void *packed = conf_unpacker_clear(u, data->chunk_bytes);
    if (found->bytes <= conf_packed_max(data->chunk_bytes) &&
        !conf_h5_bytes_read(data->d.file, packed, (size_t)found->bytes, data->d.file->base + found->address))
        return fail_read(data, err);
    uint32_t skipped = data->d.layout.plain_at_end && !o.whole ? UINT32_MAX : found->skipped;
    const void *chunk =
        conf_unpack(u, &data->d.pipeline, skipped, (size_t)found->bytes, data->chunk_bytes, &reason);
    if (!chunk) return fail_chunk(data, &o, &reason, err);
    copy_overlap(data, region, &o, chunk, into);
    return ASSAY_OK;
}

assay_status conf_data_read_part(const conf_data *data, const conf_region *region, size_t part, void *into,
                                 conf_unpacker *u, assay_error *err)
{
    return is_chunked(data) ? read_chunk(data, region, part, into, u, err)
                            : read_run(data, region, part, into, err);
}

assay_status conf_data_read(const conf_data *data, const conf_region *region, void *into, assay_error *err)
{
    for (size_t i = 0; i < data->rank; i++)
        if (region->lo[i] == region->hi[i]) return ASSAY_OK;
    conf_unpacker *u = data->chunk_bytes ? conf_unpacker_new(data->chunk_bytes) : NULL;
    if (data->chunk_bytes && !u)
        return assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory for a chunk of %zu bytes",
                          data->d.file->path, data->d.name, data->chunk_bytes);
    size_t n = conf_data_n_parts(data, region);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) rc = conf_data_read_part(data, region, i, into, u, err);
    conf_unpacker_free(u);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/h5_stream.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/h5_file.h"
#include "model/dtype.h"
#include "model/error.h"
#include "model/file.h"

#define PART_BYTES ((size_t)1 << 20) /* of a plain read */

typedef enum way {
    WAY_PLAIN,  /* by pread: one piece of the file, in this machine's byte order */
    WAY_CHUNKS, /* chunks in this machine's byte order */
    WAY_LIBRARY /* by H5Dread */
} way;

struct conf_stream {
    const conf_h5 *file;
    char *name;
    hid_t dataset;
    way way;
    assay_dtype dtype;
    size_t element;  /* bytes */
    size_t rank;     /* in the file */
    size_t shape[3]; /* [B, T, V] */
    size_t step[3];  /* of a chunk */
    int fd;          /* WAY_PLAIN */
    size_t offset;   /* WAY_PLAIN: of the first element in the file */
    conf_pipeline pipeline;
};

/* Around every call of libhdf5 that more than one thread may make. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

/* Where libhdf5 is built for threads, each has an error stack of its own, which prints unless told not to. */
static void enter_library(void)
{
    (void)pthread_mutex_lock(&library);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void leave_library(void)
{
    (void)pthread_mutex_unlock(&library);
}

/* The file's own type is the machine's. */
static bool is_native(const conf_stream *s)
{
    hid_t type = H5Dget_type(s->dataset);
    bool native = type >= 0 && H5Tequal(type, conf_h5_memory_type(s->dtype)) > 0;
    if (type >= 0) (void)H5Tclose(type);
    return native;
}

/* Its filters have been checked when it was opened. */
static void read_pipeline(conf_stream *s, hid_t plist)
{
    int n = H5Pget_nfilters(plist);
    for (int i = 0; i < n && i < CONF_FILTERS_MAX; i++) {
        unsigned flags, config, values[8] = {0};
        size_t n_values = sizeof values / sizeof *values;
        H5Z_filter_t filter = H5Pget_filter2(plist, (unsigned)i, &flags, &n_values, values, 0, NULL, &config);
        s->pipeline.filter[i] = filter == H5Z_FILTER_SHUFFLE   ? CONF_FILTER_SHUFFLE
                                : filter == H5Z_FILTER_DEFLATE ? CONF_FILTER_DEFLATE
                                                               : CONF_FILTER_FLETCHER32;
        if (filter == H5Z_FILTER_SHUFFLE) s->pipeline.element = n_values ? values[0] : 0;
        s->pipeline.n = (size_t)i + 1;
    }
}

static assay_status find_chunks(conf_stream *s, hid_t plist, assay_error *err)
{
    hsize_t chunk[3];
    int rank = H5Pget_chunk(plist, 3, chunk);
    if (rank < 1 || (size_t)rank != s->rank)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its layout is damaged", s->file->path, s->name);
    for (size_t i = 0; i < s->rank; i++) s->step[3 - s->rank + i] = (size_t)chunk[i];
    if (!is_native(s)) return ASSAY_OK;
    s->way = WAY_CHUNKS;
    read_pipeline(s, plist);
    return ASSAY_OK;
}

static assay_status find_piece(conf_stream *s, assay_error *err)
{
    haddr_t offset = H5Dget_offset(s->dataset);
    size_t bytes = s->shape[0] * s->shape[1] * s->shape[2] * s->element;
    if (offset == HADDR_UNDEF || !is_native(s)) return ASSAY_OK; /* never written, or to be converted */
    size_t size;
    assay_status rc = file_open(s->file->path, &s->fd, &size, err);
    if (rc != ASSAY_OK) return rc;
    if (offset > size || bytes > size - offset)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its %zu bytes reach beyond the file's end: cut short",
                          s->file->path, s->name, bytes);
    s->offset = (size_t)offset;
    s->way = WAY_PLAIN;
    return ASSAY_OK;
}

static assay_status find_way(conf_stream *s, assay_error *err)
{
    hid_t plist = H5Dget_create_plist(s->dataset);
    if (plist < 0) return assay_fail(err, ASSAY_EFORMAT, "%s: %s: damaged", s->file->path, s->name);
    H5D_layout_t layout = H5Pget_layout(plist);
    assay_status rc = ASSAY_OK;
    if (layout == H5D_CHUNKED) rc = find_chunks(s, plist, err);
    else if (layout == H5D_CONTIGUOUS) rc = find_piece(s, err);
    (void)H5Pclose(plist);
    return rc;
}

/* Type and shape; as large as a file of that size can unpack to, so that none takes longer than its size. */
static assay_status find_extent(conf_stream *s, assay_error *err)
{
    conf_array extent;
    assay_status rc = conf_h5_describe(s->file, s->name, s->dataset, &extent, err);
    if (rc != ASSAY_OK) return rc;
    if (extent.dtype != ASSAY_F64 && extent.dtype != ASSAY_F32)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has type %s, expected F64 or F32", s->file->path,
                          s->name, dtype_name(extent.dtype));
    if (extent.rank > 3)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %zu axes; at most 3 are compared", s->file->path,
                          s->name, extent.rank);
    s->dtype = extent.dtype;
    s->element = dtype_size(extent.dtype);
    s->rank = extent.rank;
    for (size_t i = 0; i < 3; i++) s->shape[i] = s->step[i] = 1;
    for (size_t i = 0; i < s->rank; i++) s->shape[3 - s->rank + i] = extent.shape[i];
    size_t bytes = extent.n * s->element, allowance = (size_t)1 << 20;
    if (bytes > allowance && (bytes - allowance) / CONF_H5_UNPACKED_RATIO > s->file->size)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s unpacks to %zu bytes, more than a file of %zu can hold",
                          s->file->path, s->name, bytes, s->file->size);
    return ASSAY_OK;
}

assay_status conf_stream_open(const conf_h5 *file, const char *name, conf_stream **out, assay_error *err)
{
    conf_stream *s = calloc(1, sizeof *s);
    if (s)
        *s = (conf_stream){.file = file, .name = strdup(name), .dataset = -1, .way = WAY_LIBRARY, .fd = -1};
    if (!s || !s->name) {
        conf_stream_close(s);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    }
    assay_status rc = conf_h5_dataset_open(file, name, &s->dataset, err);
    if (rc == ASSAY_OK) rc = find_extent(s, err);
    if (rc == ASSAY_OK) rc = find_way(s, err);
    if (rc != ASSAY_OK) conf_stream_close(s);
    else *out = s;
    return rc;
}

void conf_stream_close(conf_stream *s)
{
    if (!s) return;
    if (s->dataset >= 0) (void)H5Dclose(s->dataset);
    if (s->fd >= 0) (void)close(s->fd);
    free(s->name);
    free(s);
}

const char *conf_stream_path(const conf_stream *s)
{
    return s->file->path;
}

const char *conf_stream_name(const conf_stream *s)
{
    return s->name;
}

assay_dtype conf_stream_dtype(const conf_stream *s)
{
    return s->dtype;
}

const size_t *conf_stream_shape(const conf_stream *s)
{
    return s->shape;
}

size_t conf_stream_row_bytes(const conf_stream *s)
{
    return s->shape[2] * s->element;
}

bool conf_stream_is_plain(const conf_stream *s)
{
    return s->way == WAY_PLAIN;
}

const size_t *conf_stream_step(const conf_stream *s)
{
    return s->step;
}

size_t conf_stream_chunk_bytes(const conf_stream *s)
{
    return s->way == WAY_CHUNKS ? s->step[0] * s->step[1] * s->step[2] * s->element : 0;
}

/* Chunks that an axis' part [lo, hi) touches. */
static size_t n_touched(size_t lo, size_t hi, size_t step)
{
    return (hi - 1) / step - lo / step + 1;
}

static size_t sample_bytes(const conf_stream *s, const conf_rect *rect)
{
    return (rect->t1 - rect->t0) * s->shape[2] * s->element;
}

/* Bytes that lie behind one another in the file: whole samples together. */
static size_t run_bytes(const conf_stream *s, const conf_rect *rect)
{
    bool whole = rect->t1 - rect->t0 == s->shape[1];
    return sample_bytes(s, rect) * (whole ? rect->b1 - rect->b0 : 1);
}

static size_t n_pieces(size_t run)
{
    return (run + PART_BYTES - 1) / PART_BYTES;
}

size_t conf_stream_n_parts(const conf_stream *s, const conf_rect *rect)
{
    if (rect->b0 == rect->b1 || rect->t0 == rect->t1 || s->shape[2] == 0) return 0;
    if (s->way == WAY_LIBRARY) return rect->b1 - rect->b0;
    if (s->way == WAY_PLAIN)
        return n_pieces(run_bytes(s, rect)) *
               ((rect->b1 - rect->b0) * sample_bytes(s, rect) / run_bytes(s, rect));
    return n_touched(rect->b0, rect->b1, s->step[0]) * n_touched(rect->t0, rect->t1, s->step[1]) *
           n_touched(0, s->shape[2], s->step[2]);
}

static assay_status fail_read(const conf_stream *s, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its data cannot be read: cut short or damaged",
                      s->file->path, s->name);
}

static assay_status read_plain(const conf_stream *s, const conf_rect *rect, size_t part, char *into,
                               assay_error *err)
{
    size_t run = run_bytes(s, rect), n = n_pieces(run), b = part / n, from = part % n * PART_BYTES;
    size_t left = run - from < PART_BYTES ? run - from : PART_BYTES;
    size_t row = (rect->b0 + b) * s->shape[1] + rect->t0;
    size_t at = s->offset + row * s->shape[2] * s->element + from;
    into += b * run + from;
    while (left > 0) {
        ssize_t got = pread(s->fd, into, left, (off_t)at);
        if (got <= 0) return fail_read(s, err);
        into += got;
        at += (size_t)got;
        left -= (size_t)got;
    }
    return ASSAY_OK;
}

/* Fetches the chunk that starts at `start`. *bytes 0: libhdf5 cannot give it as it is; of chunks without
 * filters it says their size even where there are none. False: it is too large to be sound. */
static bool fetch(const conf_stream *s, const hsize_t *start, conf_unpacker *u, uint32_t *skipped,
                  size_t *bytes)
{
    const hsize_t *offset = start + 3 - s->rank;
    hsize_t stored = 0;
    enter_library();
    bool there = H5Dget_chunk_storage_size(s->dataset, offset, &stored) >= 0;
    bool fits = !there || stored <= conf_unpacker_packed_max(u);
    if (there && fits)
        there = stored > 0 &&
                H5Dread_chunk(s->dataset, H5P_DEFAULT, offset, skipped, conf_unpacker_packed(u)) >= 0;
    leave_library();
    *bytes = there ? (size_t)stored : 0;
    return fits;
}

/* What a chunk and a rectangle share, on each axis, in the dataset's coordinates. */
typedef struct overlap {
    size_t lo[3], hi[3];
} overlap;

/* Copies the overlap from the chunk at `start`. */
static void copy_overlap(const conf_stream *s, const conf_rect *rect, const overlap *o, const hsize_t *start,
                         const char *chunk, char *into)
{
    size_t n = o->hi[2] - o->lo[2];
    for (size_t b = o->lo[0]; b < o->hi[0]; b++)
        for (size_t t = o->lo[1]; t < o->hi[1]; t++) {
            size_t row = (b - rect->b0) * (rect->t1 - rect->t0) + t - rect->t0;
            size_t from = ((b - (size_t)start[0]) * s->step[1] + t - (size_t)start[1]) * s->step[2];
            memcpy(into + (row * s->shape[2] + o->lo[2]) * s->element, chunk + from * s->element,
                   n * s->element);
        }
}

/* Lets libhdf5 read the part `o` of rect: what was never written is the dataset's fill value, or zero where
 * it has none; where an index is damaged, it says so. */
static bool read_overlap(const conf_stream *s, const conf_rect *rect, const overlap *o, char *into)
{
    const hsize_t whole[3] = {rect->b1 - rect->b0, rect->t1 - rect->t0, s->shape[2]};
    hsize_t from[3], to[3], count[3];
    for (size_t i = 0; i < 3; i++) {
        from[i] = o->lo[i];
        to[i] = o->lo[i] - (i == 0 ? rect->b0 : i == 1 ? rect->t0 : 0);
        count[i] = o->hi[i] - o->lo[i];
    }
    for (size_t b = 0; b < count[0]; b++)
        for (size_t t = 0; t < count[1]; t++)
            memset(into + (((to[0] + b) * whole[1] + to[1] + t) * whole[2] + to[2]) * s->element, 0,
                   count[2] * s->element);
    size_t skip = 3 - s->rank;
    enter_library();
    hid_t space = H5Dget_space(s->dataset), memory = H5Screate_simple(3, whole, NULL);
    bool ok = space >= 0 && memory >= 0;
    if (ok && s->rank > 0)
        ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, from + skip, NULL, count + skip, NULL) >= 0;
    ok = ok && H5Sselect_hyperslab(memory, H5S_SELECT_SET, to, NULL, count, NULL) >= 0;
    ok = ok && H5Dread(s->dataset, conf_h5_memory_type(s->dtype), memory, space, H5P_DEFAULT, into) >= 0;
    if (space >= 0) (void)H5Sclose(space);
    if (memory >= 0) (void)H5Sclose(memory);
    leave_library();
    return ok;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static assay_status read_chunk(const conf_stream *s, const conf_rect *rect, size_t part, char *into,
                               conf_unpacker *u, assay_error *err)
{
    const size_t lo[3] = {rect->b0, rect->t0, 0}, hi[3] = {rect->b1, rect->t1, s->shape[2]};
    hsize_t start[3];
    overlap o;
    for (size_t i = 3; i-- > 0;) {
        size_t n = n_touched(lo[i], hi[i], s->step[i]);
        size_t at = (lo[i] / s->step[i] + part % n) * s->step[i];
        part /= n;
        start[i] = at;
        o.lo[i] = larger(at, lo[i]);
        o.hi[i] = smaller(at + s->step[i], hi[i]);
    }
    uint32_t skipped = 0;
    size_t stored;
    if (!fetch(s, start, u, &skipped, &stored)) return fail_read(s, err);
    if (stored == 0) return read_overlap(s, rect, &o, into) ? ASSAY_OK : fail_read(s, err);
    const char *why;
    const void *chunk = conf_unpack(u, &s->pipeline, skipped, stored, conf_stream_chunk_bytes(s), &why);
    if (!chunk)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: the chunk at [%zu,%zu,%zu] is damaged: %s",
                          s->file->path, s->name, (size_t)start[0], (size_t)start[1], (size_t)start[2], why);
    copy_overlap(s, rect, &o, start, chunk, into);
    return ASSAY_OK;
}

static assay_status read_library(const conf_stream *s, const conf_rect *rect, size_t part, char *into,
                                 assay_error *err)
{
    const overlap o = {.lo = {rect->b0 + part, rect->t0, 0},
                       .hi = {rect->b0 + part + 1, rect->t1, s->shape[2]}};
    return read_overlap(s, rect, &o, into) ? ASSAY_OK : fail_read(s, err);
}

assay_status conf_stream_read_part(const conf_stream *s, const conf_rect *rect, size_t part, void *into,
                                   conf_unpacker *u, assay_error *err)
{
    assert(rect->b1 <= s->shape[0] && rect->t1 <= s->shape[1]);
    if (s->way == WAY_PLAIN) return read_plain(s, rect, part, into, err);
    if (s->way == WAY_LIBRARY) return read_library(s, rect, part, into, err);
    return read_chunk(s, rect, part, into, u, err);
}

assay_status conf_stream_read(const conf_stream *s, const conf_rect *rect, void *into, assay_error *err)
{
    size_t chunk = conf_stream_chunk_bytes(s);
    conf_unpacker *u = chunk ? conf_unpacker_new(chunk) : NULL;
    if (chunk && !u) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", s->file->path);
    size_t n = conf_stream_n_parts(s, rect);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) rc = conf_stream_read_part(s, rect, i, into, u, err);
    conf_unpacker_free(u);
    return rc;
}

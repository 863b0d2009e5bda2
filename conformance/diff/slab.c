/* Two strategies: if all datasets are contiguous, each thread reads its own slabs, whose rows stay in
 * its cache; otherwise all threads fill one slab, chunk by chunk, and then process it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff/slab.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/judge/distance.h"
#include "conformance/support/parallel.h"

#define PLAIN_BYTES ((size_t)1 << 19) /* size of a thread's rows: half of a typical L2 cache */
#define SLAB_BYTES  ((size_t)32 << 20)
#define ROWS_MAX    65536

typedef struct walk {
    conf_h5_rows *const *streams;
    size_t n_streams, n_workers;
    const size_t *shape; /* [B, T, V] of the first */
    conf_slab_fn *fn;
    void *context;
    size_t row_bytes;   /* total of a row of all datasets */
    size_t chunk_bytes; /* of the largest chunk */
    size_t largest;     /* the stream that has it */
    conf_rect size;     /* b1 and t1: rows of a slab */
    size_t n_unpackers;
    conf_unpacker **unpackers; /* [n_unpackers] */
    char **buffers;            /* [n_workers], or one */
    size_t n_buffers;
    size_t slab_bytes;

    pthread_mutex_t mutex;
    assay_status status; /* of the first item that failed */
    size_t failed_item;
    assay_error err;
    bool enough; /* fn has returned false */
} walk;

/* The slab that all threads fill, then process. */
typedef struct shared_slab {
    walk *w;
    conf_slab slab;
    char *data[CONF_SLAB_STREAMS_MAX];
    size_t n_parts[CONF_SLAB_STREAMS_MAX];
    size_t n_rows, n_groups;
} shared_slab;

void conf_slab_place(const conf_slab *slab, size_t i, size_t *sample, size_t *pos)
{
    size_t n = slab->rect.t1 - slab->rect.t0;
    size_t row = (slab->rect.b0 + i / n) * slab->n_tokens + slab->rect.t0 + i % n;
    *sample = row / slab->n_tokens;
    *pos = row % slab->n_tokens;
}

conf_row conf_slab_row(const conf_slab *slab, size_t stream, size_t i)
{
    size_t bytes = slab->n_cols[stream] * dtype_size(slab->dtype[stream]);
    return (conf_row){.dtype = slab->dtype[stream], .data = (const char *)slab->data[stream] + i * bytes};
}

static bool note_failure(walk *w, size_t item, assay_status status, const assay_error *err)
{
    (void)pthread_mutex_lock(&w->mutex);
    if (w->status == ASSAY_OK || item < w->failed_item) {
        w->status = status;
        w->failed_item = item;
        w->err = *err;
    }
    (void)pthread_mutex_unlock(&w->mutex);
    return false;
}

static bool stop_walk(walk *w)
{
    (void)pthread_mutex_lock(&w->mutex);
    w->enough = true;
    (void)pthread_mutex_unlock(&w->mutex);
    return false;
}

/* Describes the slab of `rect`; in `buffer`, the datasets follow one another. */
static size_t describe_slab(const walk *w, const conf_rect *rect, char *buffer, conf_slab *slab, char **data)
{
    size_t n_rows = (rect->b1 - rect->b0) * (rect->t1 - rect->t0);
    *slab = (conf_slab){.rect = *rect, .n_tokens = w->shape[1], .n_streams = w->n_streams};
    for (size_t k = 0; k < w->n_streams; k++) {
        slab->n_cols[k] = conf_h5_rows_shape(w->streams[k])[2];
        slab->dtype[k] = conf_h5_rows_dtype(w->streams[k]);
        slab->data[k] = data[k] = buffer;
        buffer += (n_rows * conf_h5_rows_row_bytes(w->streams[k]) + 63) / 64 * 64;
    }
    return n_rows;
}

static assay_status fail_memory(const walk *w, assay_error *err)
{
    const conf_h5_rows *s = w->streams[w->largest];
    if (!w->chunk_bytes)
        return assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory for %zu bytes of rows",
                          conf_h5_rows_path(s), conf_h5_rows_name(s), w->slab_bytes);
    return assay_fail(
        err, ASSAY_ENOMEM,
        "%s: %s: out of memory for a chunk of %zu bytes, which takes %zu to unpack, and %zu bytes of rows",
        conf_h5_rows_path(s), conf_h5_rows_name(s), w->chunk_bytes, conf_unpacker_bytes(w->chunk_bytes),
        w->slab_bytes);
}

static bool walk_plain(void *context, size_t item, size_t worker)
{
    walk *w = context;
    size_t per_sample = (w->shape[1] + w->size.t1 - 1) / w->size.t1;
    conf_rect rect = {.b0 = item / per_sample * w->size.b1, .t0 = item % per_sample * w->size.t1};
    rect.b1 = rect.b0 + w->size.b1 < w->shape[0] ? rect.b0 + w->size.b1 : w->shape[0];
    rect.t1 = rect.t0 + w->size.t1 < w->shape[1] ? rect.t0 + w->size.t1 : w->shape[1];
    if (!w->buffers[worker]) w->buffers[worker] = malloc(w->slab_bytes);
    assay_error err = {0};
    if (!w->buffers[worker]) return note_failure(w, item, fail_memory(w, &err), &err);
    conf_slab slab;
    char *data[CONF_SLAB_STREAMS_MAX];
    size_t n_rows = describe_slab(w, &rect, w->buffers[worker], &slab, data);
    for (size_t k = 0; k < w->n_streams; k++) {
        assay_status rc = conf_h5_rows_read(w->streams[k], &rect, data[k], &err);
        if (rc != ASSAY_OK) return note_failure(w, item, rc, &err);
    }
    return w->fn(w->context, &slab, 0, n_rows) ? true : stop_walk(w);
}

static bool fill_part(void *context, size_t item, size_t worker)
{
    shared_slab *s = context;
    walk *w = s->w;
    size_t k = 0, part = item;
    for (; part >= s->n_parts[k]; k++) part -= s->n_parts[k];
    assay_error err = {0};
    if (w->chunk_bytes && !w->unpackers[worker]) w->unpackers[worker] = conf_unpacker_new(w->chunk_bytes);
    if (w->chunk_bytes && !w->unpackers[worker]) return note_failure(w, item, fail_memory(w, &err), &err);
    assay_status rc =
        conf_h5_rows_read_part(w->streams[k], &s->slab.rect, part, s->data[k], w->unpackers[worker], &err);
    return rc == ASSAY_OK ? true : note_failure(w, item, rc, &err);
}

static bool process_group(void *context, size_t item, size_t worker)
{
    (void)worker;
    shared_slab *s = context;
    size_t from = s->n_rows * item / s->n_groups, to = s->n_rows * (item + 1) / s->n_groups;
    return s->w->fn(s->w->context, &s->slab, from, to) ? true : stop_walk(s->w);
}

/* Processes one slab with all threads. */
static void walk_slab(walk *w, const conf_rect *rect)
{
    shared_slab s = {.w = w};
    size_t n_parts = 0;
    s.n_rows = describe_slab(w, rect, w->buffers[0], &s.slab, s.data);
    for (size_t k = 0; k < w->n_streams; k++) {
        s.n_parts[k] = conf_h5_rows_n_parts(w->streams[k], rect);
        n_parts += s.n_parts[k];
    }
    conf_parallel(w->n_unpackers, n_parts, fill_part, &s);
    if (w->status != ASSAY_OK) return;
    s.n_groups = s.n_rows < 8 * w->n_workers ? s.n_rows : 8 * w->n_workers;
    conf_parallel(w->n_workers, s.n_groups, process_group, &s);
}

static void walk_chunked(walk *w)
{
    for (size_t b = 0; b < w->shape[0]; b += w->size.b1)
        for (size_t t = 0; t < w->shape[1]; t += w->size.t1) {
            conf_rect rect = {.b0 = b, .t0 = t, .b1 = b + w->size.b1, .t1 = t + w->size.t1};
            if (rect.b1 > w->shape[0]) rect.b1 = w->shape[0];
            if (rect.t1 > w->shape[1]) rect.t1 = w->shape[1];
            walk_slab(w, &rect);
            if (w->status != ASSAY_OK || w->enough) return;
        }
}

/* Chooses slabs of at most n rows: whole samples, or a part of one, a multiple of step if possible. */
static void size_of_rows(walk *w, size_t n, size_t step)
{
    size_t n_tokens = w->shape[1];
    if (n < 1) n = 1;
    if (n > ROWS_MAX) n = ROWS_MAX;
    w->size = (conf_rect){.b1 = n >= n_tokens ? n / n_tokens : 1, .t1 = n >= n_tokens ? n_tokens : n};
    if (w->size.b1 > w->shape[0]) w->size.b1 = w->shape[0];
    if (w->size.t1 < n_tokens && w->size.t1 > step) w->size.t1 -= w->size.t1 % step;
}

/* Slabs consist of whole chunks if memory allows; otherwise a chunk is unpacked for every slab that it
 * overlaps. */
static void size_of_chunks(walk *w)
{
    size_t step[2] = {1, 1};
    for (size_t k = 0; k < w->n_streams; k++)
        for (size_t i = 0; i < 2; i++) {
            size_t of_chunk = conf_h5_rows_step(w->streams[k])[i];
            if (of_chunk > w->shape[i]) of_chunk = w->shape[i];
            if (of_chunk > step[i]) step[i] = of_chunk;
        }
    size_of_rows(w, SLAB_BYTES / w->row_bytes, step[1]);
    if (step[0] == 1 && step[1] <= w->size.t1) return;
    size_t most = CONF_SLAB_BYTES_MAX / w->row_bytes;
    if (w->chunk_bytes > CONF_CHUNK_BYTES) most = w->chunk_bytes * CONF_SLAB_CHUNKS / w->row_bytes;
    if (most > ROWS_MAX) most = ROWS_MAX;
    if (step[1] > most / step[0]) {
        size_of_rows(w, most, 1);
        return;
    }
    size_t n = SLAB_BYTES / w->row_bytes / step[0];
    w->size = (conf_rect){.b1 = step[0], .t1 = n > step[1] ? n - n % step[1] : step[1]};
    if (w->size.t1 > w->shape[1]) w->size.t1 = w->shape[1];
}

/* Size of a slab's rows, including the gaps between datasets. */
static size_t bytes_of_slab(const walk *w)
{
    return w->size.b1 * w->size.t1 * w->row_bytes + w->n_streams * 64;
}

static assay_status prepare_walk(walk *w, bool plain, assay_error *err)
{
    if (w->row_bytes > CONF_SLAB_BYTES_MAX)
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: %s: a row of %zu takes %zu MiB with what it is compared with; at most %zu are held",
            conf_h5_rows_path(w->streams[0]), conf_h5_rows_name(w->streams[0]), w->shape[2],
            w->row_bytes >> 20, CONF_SLAB_BYTES_MAX >> 20);
    if (plain) size_of_rows(w, PLAIN_BYTES / w->row_bytes, 1);
    else size_of_chunks(w);
    w->slab_bytes = bytes_of_slab(w);
    const size_t most = CONF_UNPACK_BYTES_MAX / conf_unpacker_bytes(w->chunk_bytes);
    w->n_unpackers = w->n_workers < most ? w->n_workers : most ? most : 1;
    if (plain && w->n_workers > CONF_SLAB_BYTES_MAX / w->slab_bytes)
        w->n_workers = w->slab_bytes > CONF_SLAB_BYTES_MAX ? 1 : CONF_SLAB_BYTES_MAX / w->slab_bytes;
    w->n_buffers = plain ? w->n_workers : 1;
    w->buffers = calloc(w->n_buffers, sizeof *w->buffers);
    w->unpackers = calloc(w->n_unpackers, sizeof(conf_unpacker *));
    if (w->buffers && !plain) w->buffers[0] = malloc(w->slab_bytes);
    if (w->buffers && w->unpackers && (plain || w->buffers[0])) return ASSAY_OK;
    return fail_memory(w, err);
}

static void free_walk(walk *w)
{
    for (size_t i = 0; w->buffers && i < w->n_buffers; i++) free(w->buffers[i]);
    for (size_t i = 0; w->unpackers && i < w->n_unpackers; i++) conf_unpacker_free(w->unpackers[i]);
    free(w->buffers);
    free(w->unpackers);
    (void)pthread_mutex_destroy(&w->mutex);
}

assay_status conf_slabs_walk(conf_h5_rows *const *streams, size_t n_streams, size_t n_workers,
                             conf_slab_fn *fn, void *context, assay_error *err)
{
    walk w = {.streams = streams,
              .n_streams = n_streams,
              .n_workers = n_workers ? n_workers : 1,
              .shape = conf_h5_rows_shape(streams[0]),
              .fn = fn,
              .context = context};
    bool plain = true;
    for (size_t k = 0; k < n_streams; k++) {
        size_t chunk = conf_h5_rows_chunk_bytes(streams[k]);
        w.row_bytes += conf_h5_rows_row_bytes(streams[k]);
        if (chunk > w.chunk_bytes) {
            w.chunk_bytes = chunk;
            w.largest = k;
        }
        plain = plain && conf_h5_rows_is_plain(streams[k]);
    }
    if (w.row_bytes == 0 || w.shape[0] == 0 || w.shape[1] == 0) return ASSAY_OK;
    (void)pthread_mutex_init(&w.mutex, NULL);
    assay_status rc = prepare_walk(&w, plain, err);
    if (rc == ASSAY_OK && plain) {
        size_t per_sample = (w.shape[1] + w.size.t1 - 1) / w.size.t1;
        size_t n_blocks = (w.shape[0] + w.size.b1 - 1) / w.size.b1;
        conf_parallel(w.n_workers, n_blocks * per_sample, walk_plain, &w);
    } else if (rc == ASSAY_OK) {
        walk_chunked(&w);
    }
    if (rc == ASSAY_OK && w.status != ASSAY_OK) rc = assay_fail(err, w.status, "%s", w.err.text);
    free_walk(&w);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/hdf5/btree.h"
#include "conformance/hdf5/file.h"
#include "conformance/hdf5/index_array.h"

/* A key of a B-tree of version 1: bytes, skipped filters, and the coordinates of the chunk's first element.
 */
static assay_status add_key(void *context, const unsigned char *key, uint64_t address, assay_error *err)
{
    conf_h5_index_reader *r = context;
    conf_bytes b = conf_bytes_of(key, 8 + 8 * (r->rank + 1));
    conf_h5_chunk chunk = {.address = address, .bytes = conf_bytes_number(&b, 4)};
    chunk.skipped = (uint32_t)conf_bytes_number(&b, 4);
    uint64_t coordinates[CONF_H5_RANK_MAX];
    for (size_t i = 0; i < r->rank; i++) {
        uint64_t first = conf_bytes_number(&b, 8);
        if (first % r->d->layout.chunk[i]) return conf_h5_index_fail(r, err);
        coordinates[i] = first / r->d->layout.chunk[i];
    }
    return conf_h5_index_add(r, coordinates, &chunk, err);
}

/* A record of a B-tree of version 2. */
static assay_status add_record(void *context, conf_bytes record, assay_error *err)
{
    conf_h5_index_reader *r = context;
    conf_h5_chunk chunk = {.address = conf_bytes_number(&record, 8), .bytes = conf_h5_chunk_bytes(r->d)};
    if (r->d->pipeline.n > 0) {
        size_t rest = 4 + 8 * r->rank;
        chunk.bytes =
            conf_bytes_number(&record, record.n > rest && record.n - rest <= 8 ? record.n - rest : 0);
        chunk.skipped = (uint32_t)conf_bytes_number(&record, 4);
    }
    uint64_t coordinates[CONF_H5_RANK_MAX];
    for (size_t i = 0; i < r->rank; i++) coordinates[i] = conf_bytes_number(&record, 8);
    return record.bad ? conf_h5_index_fail(r, err) : conf_h5_index_add(r, coordinates, &chunk, err);
}

static assay_status add_single(conf_h5_index_reader *r, assay_error *err)
{
    const conf_h5_layout *l = &r->d->layout;
    conf_h5_chunk chunk = {.address = l->address, .bytes = conf_h5_chunk_bytes(r->d), .skipped = l->skipped};
    for (size_t i = 0; i < r->rank; i++)
        if (r->grid[i] != 1) return conf_h5_index_fail(r, err);
    if (r->d->pipeline.n > 0) chunk.bytes = l->bytes;
    return conf_h5_index_add(r, (const uint64_t[CONF_H5_RANK_MAX]){0}, &chunk, err);
}

/* Adds chunks that are stored consecutively, for the maximum shape of the dataset. */
static assay_status add_implicit(conf_h5_index_reader *r, assay_error *err)
{
    uint64_t n = 1, bytes = conf_h5_chunk_bytes(r->d), most = r->d->file->size / bytes;
    for (size_t i = 0; i < r->rank; i++) {
        if (r->maximum[i] > most / n) return conf_h5_index_fail(r, err);
        n *= r->maximum[i];
    }
    assay_status rc = ASSAY_OK;
    for (uint64_t i = 0; i < n && rc == ASSAY_OK; i++) {
        uint64_t coordinates[CONF_H5_RANK_MAX];
        conf_h5_chunk chunk = {.address = r->d->layout.address + i * bytes, .bytes = bytes};
        if (!conf_h5_index_coordinates(r, i, coordinates)) return conf_h5_index_fail(r, err);
        rc = conf_h5_index_add(r, coordinates, &chunk, err);
    }
    return rc;
}

static assay_status read_index(conf_h5_index_reader *r, assay_error *err)
{
    const conf_h5_dataset *d = r->d;
    switch (d->layout.index) {
    case CONF_INDEX_BTREE1:
        return conf_btree1_walk(d->file, d->name, d->layout.address, CONF_BTREE1_CHUNKS,
                                8 + 8 * (r->rank + 1), add_key, r, err);
    case CONF_INDEX_BTREE2:
        return conf_btree2_walk(d->file, d->name, d->layout.address,
                                d->pipeline.n ? CONF_BTREE2_FILTERED : CONF_BTREE2_CHUNKS, add_record, r,
                                err);
    case CONF_INDEX_SINGLE: return add_single(r, err);
    case CONF_INDEX_IMPLICIT: return add_implicit(r, err);
    case CONF_INDEX_FIXED: return conf_h5_fixed_read(r, err);
    default: return conf_h5_extensible_read(r, err);
    }
}

static int compare_chunks(const void *a, const void *b)
{
    uint64_t x = ((const conf_h5_chunk *)a)->number, y = ((const conf_h5_chunk *)b)->number;
    return (x > y) - (x < y);
}

static uint64_t divide_up(uint64_t n, uint64_t by)
{
    return n / by + (n % by != 0);
}

assay_status conf_h5_chunks_read(const conf_h5_dataset *d, conf_h5_chunks *out, assay_error *err)
{
    conf_h5_chunks chunks = {0};
    conf_h5_index_reader r = {.d = d, .chunks = &chunks, .rank = d->layout.rank};
    bool empty = d->layout.address == CONF_H5_UNDEFINED;
    for (size_t i = 0; i < r.rank; i++) {
        r.grid[i] = divide_up(d->space.shape[i], d->layout.chunk[i]);
        r.maximum[i] =
            d->space.most[i] == UINT64_MAX ? UINT64_MAX : divide_up(d->space.most[i], d->layout.chunk[i]);
        if (r.grid[i] == 0) empty = true;
    }
    assay_status rc = empty ? ASSAY_OK : read_index(&r, err);
    if (rc == ASSAY_OK && chunks.n) qsort(chunks.at, chunks.n, sizeof *chunks.at, compare_chunks);
    for (size_t i = 1; i < chunks.n && rc == ASSAY_OK; i++)
        if (chunks.at[i - 1].number == chunks.at[i].number) rc = conf_h5_index_fail(&r, err);
    if (rc != ASSAY_OK) conf_h5_chunks_free(&chunks);
    else *out = chunks;
    return rc;
}

void conf_h5_chunks_free(conf_h5_chunks *chunks)
{
    free(chunks->at);
    *chunks = (conf_h5_chunks){0};
}

const conf_h5_chunk *conf_h5_chunk_find(const conf_h5_chunks *chunks, uint64_t number)
{
    const conf_h5_chunk key = {.number = number};
    return chunks->n ? bsearch(&key, chunks->at, chunks->n, sizeof key, compare_chunks) : NULL;
}

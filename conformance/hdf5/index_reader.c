/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/index_reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/hdf5/file.h"

uint64_t conf_h5_chunk_bytes(const conf_h5_dataset *d)
{
    uint64_t bytes = d->type.size;
    for (size_t i = 0; i < d->layout.rank; i++) bytes *= d->layout.chunk[i];
    return bytes;
}

assay_status conf_h5_index_fail(const conf_h5_index_reader *r, assay_error *err)
{
    return conf_h5_fail_damaged(r->d->file, r->d->name, "its chunk index", err);
}

static assay_status check_place(const conf_h5_index_reader *r, const uint64_t *coordinates,
                                const conf_h5_chunk *chunk, assay_error *err)
{
    char place[160];
    size_t first[CONF_H5_RANK_MAX];
    if (conf_h5_is_inside_file(r->d->file, chunk->address, chunk->bytes)) return ASSAY_OK;
    for (size_t i = 0; i < r->rank; i++) first[i] = (size_t)(coordinates[i] * r->d->layout.chunk[i]);
    conf_shape_print(place, sizeof place, first, r->rank);
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: %s: the chunk at %s is damaged: its %" PRIu64 " bytes at address %" PRIu64
                      " reach beyond the file's end at %zu",
                      r->d->file->path, r->d->name, place, chunk->bytes, chunk->address, r->d->file->size);
}

assay_status conf_h5_index_add(conf_h5_index_reader *r, const uint64_t *coordinates,
                               const conf_h5_chunk *chunk, assay_error *err)
{
    conf_h5_chunks *chunks = r->chunks;
    conf_h5_chunk added = *chunk;
    added.number = 0;
    if (chunk->address == CONF_H5_UNDEFINED) return ASSAY_OK;
    for (size_t i = 0; i < r->rank; i++) {
        if (coordinates[i] >= r->grid[i]) return ASSAY_OK;
        added.number = added.number * r->grid[i] + coordinates[i];
    }
    assay_status rc = check_place(r, coordinates, chunk, err);
    if (rc != ASSAY_OK) return rc;
    if (chunks->n > r->d->file->size / 8)
        return conf_h5_index_fail(r, err); /* each takes 8 bytes of an index */
    conf_h5_chunk *grown = grow_by_one(chunks->at, chunks->n, sizeof *grown);
    if (!grown) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", r->d->file->path);
    chunks->at = grown;
    chunks->at[chunks->n++] = added;
    return ASSAY_OK;
}

bool conf_h5_index_coordinates(const conf_h5_index_reader *r, uint64_t index, uint64_t *coordinates)
{
    size_t first = 0;
    for (size_t i = 0; i < r->rank; i++)
        if (r->maximum[i] == UINT64_MAX) first = i;
    for (size_t i = r->rank; i-- > 0;) {
        if (i == first) continue;
        if (r->maximum[i] == 0) return false;
        coordinates[i] = index % r->maximum[i];
        index /= r->maximum[i];
    }
    coordinates[first] = index;
    return true;
}

assay_status conf_h5_index_add_element(conf_h5_index_reader *r, uint64_t index, conf_bytes element,
                                       assay_error *err)
{
    uint64_t coordinates[CONF_H5_RANK_MAX];
    conf_h5_chunk chunk = {.address = conf_bytes_number(&element, 8), .bytes = conf_h5_chunk_bytes(r->d)};
    if (r->d->pipeline.n > 0) {
        chunk.bytes = conf_bytes_number(&element, element.n > 4 ? element.n - 4 : 0);
        chunk.skipped = (uint32_t)conf_bytes_number(&element, 4);
    }
    if (element.bad || !conf_h5_index_coordinates(r, index, coordinates)) return conf_h5_index_fail(r, err);
    return conf_h5_index_add(r, coordinates, &chunk, err);
}

/* Undoes the filters of one stored chunk of a dataset. Pure functions on untrusted bytes; threads may run
 * them concurrently, each with its own conf_unpacker.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_CHUNK_H
#define CONFORMANCE_HDF5_CHUNK_H

#include <assay/status.h>

#include <stddef.h>
#include <stdint.h>

#define CONF_FILTERS_MAX 3

typedef enum conf_filter { CONF_FILTER_SHUFFLE, CONF_FILTER_DEFLATE, CONF_FILTER_FLETCHER32 } conf_filter;

/* The filters that a chunk went through when it was written, in that order, each at most once. */
typedef struct conf_pipeline {
    size_t n;
    conf_filter filter[CONF_FILTERS_MAX];
    size_t element; /* bytes of an element, as the shuffle filter took it */
} conf_pipeline;

/* The largest stored size of a chunk of `bytes`: incompressible data take a little more than their size. */
size_t conf_packed_max(size_t bytes);

/* The buffers that a thread needs to unpack chunks of up to `bytes`. */
typedef struct conf_unpacker conf_unpacker;

/* NULL: out of memory. */
conf_unpacker *conf_unpacker_new(size_t bytes);
void conf_unpacker_free(conf_unpacker *u);

/* Bytes of memory that an unpacker for chunks of `bytes` takes. */
size_t conf_unpacker_bytes(size_t bytes);

/* The buffer for a packed chunk, of conf_packed_max(bytes), which the caller fills. It is overwritten with
 * bits that are NaN in every floating type and -1 or the largest number in every integer type, so that data
 * left by an earlier chunk of `bytes` cannot be mistaken for this chunk's. */
void *conf_unpacker_clear(conf_unpacker *u, size_t bytes);

/* Undoes the filters on the n_packed bytes in the buffer from conf_unpacker_clear. skipped: bit i is set if
 * filter i was not applied to this chunk. Returns the chunk's `bytes` bytes, which live until the unpacker
 * is used again; NULL if the chunk is damaged, if the stored data are too short or too long, or if they
 * unpack to another size: err (may be NULL) says how ("found 4 bytes, expected 96"). */
const void *conf_unpack(conf_unpacker *u, const conf_pipeline *pipeline, uint32_t skipped, size_t n_packed,
                        size_t bytes, assay_error *err);

/* HDF5's variant of Fletcher's checksum: over big-endian words of 16 bits; an odd last byte is the high byte
 * of a word. */
uint32_t conf_fletcher32(const void *data, size_t n);

#endif

/* One chunk of a dataset as it is stored, and the way back through its filters. Pure functions on bytes that
 * nobody vouches for; any thread may run them, each with buffers of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_H5_CHUNK_H
#define CONFORMANCE_H5_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#define CONF_FILTERS_MAX 3

typedef enum conf_filter { CONF_FILTER_SHUFFLE, CONF_FILTER_DEFLATE, CONF_FILTER_FLETCHER32 } conf_filter;

/* The filters that a chunk went through when it was written, in that order, each at most once. */
typedef struct conf_pipeline {
    size_t n;
    conf_filter filter[CONF_FILTERS_MAX];
    size_t element; /* bytes of what shuffle took for an element */
} conf_pipeline;

/* What a worker needs to unpack chunks of up to `bytes`. */
typedef struct conf_unpacker conf_unpacker;

/* NULL: no memory. */
conf_unpacker *conf_unpacker_new(size_t bytes);
void conf_unpacker_free(conf_unpacker *u);

/* Bytes of memory that an unpacker for chunks of `bytes` takes. */
size_t conf_unpacker_bytes(size_t bytes);

/* Where the caller puts a packed chunk, and how large it may be. */
void *conf_unpacker_packed(conf_unpacker *u);
size_t conf_unpacker_packed_max(const conf_unpacker *u);

/* Undoes the filters on the n_packed bytes at conf_unpacker_packed. skipped: bit i is set where filter i was
 * left out of this chunk. Returns the chunk's `bytes` bytes, which live until the unpacker is used again;
 * NULL where the chunk is damaged: *why then says how ("its checksum is wrong"). */
const void *conf_unpack(conf_unpacker *u, const conf_pipeline *pipeline, uint32_t skipped, size_t n_packed,
                        size_t bytes, const char **why);

/* HDF5's variant of Fletcher's checksum: over big-endian words of 16 bits, an odd last byte as a word's
 * first.
 */
uint32_t conf_fletcher32(const void *data, size_t n);

#endif

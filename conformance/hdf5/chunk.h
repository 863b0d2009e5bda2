/* One chunk of a dataset as it is stored, and the way back through its filters. Pure functions on untrusted
 * bytes; any thread may run them, each with buffers of its own.
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
    size_t element; /* bytes of what shuffle took for an element */
} conf_pipeline;

/* The most bytes that a chunk of `bytes` may be stored in: what does not shrink is stored with a little more
 * than its size. */
size_t conf_packed_max(size_t bytes);

/* What a worker needs to unpack chunks of up to `bytes`. */
typedef struct conf_unpacker conf_unpacker;

/* NULL: out of memory. */
conf_unpacker *conf_unpacker_new(size_t bytes);
void conf_unpacker_free(conf_unpacker *u);

/* Bytes of memory that an unpacker for chunks of `bytes` takes. */
size_t conf_unpacker_bytes(size_t bytes);

/* Where the caller puts a packed chunk, of at most conf_packed_max(bytes). All that an earlier chunk of
 * `bytes` left is overwritten with bits that are NaN in every floating type and -1 or the largest number in
 * every integer, so that nothing of it can be taken for data. */
void *conf_unpacker_clear(conf_unpacker *u, size_t bytes);

/* Undoes the filters on the n_packed bytes at conf_unpacker_clear. skipped: bit i is set where filter i was
 * left out of this chunk. Returns the chunk's `bytes` bytes, which live until the unpacker is used again;
 * NULL where the chunk is damaged, where what is stored is too short or too long, or where it unpacks to
 * another size: err (may be NULL) says how ("found 4 bytes, expected 96"). */
const void *conf_unpack(conf_unpacker *u, const conf_pipeline *pipeline, uint32_t skipped, size_t n_packed,
                        size_t bytes, assay_error *err);

/* HDF5's variant of Fletcher's checksum: over big-endian words of 16 bits, an odd last byte as a word's
 * first.
 */
uint32_t conf_fletcher32(const void *data, size_t n);

#endif

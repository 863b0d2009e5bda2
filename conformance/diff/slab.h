/* Reads datasets of equal B and T in parallel, slab by slab. Memory use does not grow with the
 * datasets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_SLAB_H
#define CONFORMANCE_DIFF_SLAB_H

#include "conformance/hdf5/stream.h"
#include "conformance/judge/distance.h"

#define CONF_SLAB_STREAMS_MAX 3

#define CONF_SLAB_BYTES_MAX   ((size_t)80 << 20) /* rows of all datasets in memory at once */
#define CONF_UNPACK_BYTES_MAX ((size_t)64 << 20) /* chunks being unpacked at once */
#define CONF_CHUNK_BYTES_MAX  ((size_t)24 << 20)

/* The rows of the same rectangle `rect` of every dataset, in memory. */
typedef struct conf_slab {
    conf_rect rect;
    size_t n_tokens; /* T of the datasets */
    size_t n_streams;
    size_t n_cols[CONF_SLAB_STREAMS_MAX];
    assay_dtype dtype[CONF_SLAB_STREAMS_MAX];
    const void *data[CONF_SLAB_STREAMS_MAX]; /* [b1 - b0, t1 - t0, V] */
} conf_slab;

/* Sets the sample and the position (column of T) of row i of the slab. */
void conf_slab_place(const conf_slab *slab, size_t i, size_t *sample, size_t *pos);
conf_row conf_slab_row(const conf_slab *slab, size_t stream, size_t i);

/* Processes rows [from, to) of a slab; called from several threads at once. Returns false to stop:
 * calls that have already begun finish, no further rows are processed. */
typedef bool conf_slab_fn(void *context, const conf_slab *slab, size_t from, size_t to);

/* Calls fn for every row of streams[n_streams] once; all streams have the same B and T. Calls begin in
 * row order. Fails with ASSAY_EFORMAT if a file is damaged (of several errors the one reported does not
 * depend on the threads) or if its rows or chunks exceed the limits above, and with ASSAY_ENOMEM. */
assay_status conf_slabs_walk(conf_stream *const *streams, size_t n_streams, size_t n_workers,
                             conf_slab_fn *fn, void *context, assay_error *err);

#endif

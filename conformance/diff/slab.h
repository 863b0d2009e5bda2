/* Walking over datasets of the same samples and rows, side by side, in memory that does not grow with them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_SLAB_H
#define CONFORMANCE_DIFF_SLAB_H

#include "conformance/hdf5/stream.h"
#include "conformance/judge/distance.h"

#define CONF_SLAB_STREAMS_MAX 3

#define CONF_SLAB_BYTES_MAX   ((size_t)80 << 20) /* rows of all datasets that are in memory at once */
#define CONF_UNPACK_BYTES_MAX ((size_t)64 << 20) /* chunks that are being unpacked */
#define CONF_CHUNK_BYTES_MAX  ((size_t)24 << 20)

/* Rows of every dataset that are in memory at once: rect of each. */
typedef struct conf_slab {
    conf_rect rect;
    size_t n_tokens; /* T: of the datasets */
    size_t n_streams;
    size_t n_cols[CONF_SLAB_STREAMS_MAX];
    assay_dtype dtype[CONF_SLAB_STREAMS_MAX];
    const void *data[CONF_SLAB_STREAMS_MAX]; /* [b1 - b0, t1 - t0, V] */
} conf_slab;

/* Row i of the slab: its sample and its place in it. */
void conf_slab_place(const conf_slab *slab, size_t i, size_t *sample, size_t *pos);
conf_row conf_slab_row(const conf_slab *slab, size_t stream, size_t i);

/* Looks at rows [from, to) of a slab; called on many threads at once. False: nothing further is looked at,
 * except what has been begun. */
typedef bool conf_slab_fn(void *context, const conf_slab *slab, size_t from, size_t to);

/* Shows fn every row of streams[n_streams], whose B and T are the same, once; earlier rows are begun earlier.
 * Fails with ASSAY_EFORMAT where a file is damaged (which one of several places is named does not depend on
 * the threads) or its rows or chunks are too large for the memory that there is, and with ASSAY_ENOMEM. */
assay_status conf_slabs_walk(conf_stream *const *streams, size_t n_streams, size_t n_workers,
                             conf_slab_fn *fn, void *context, assay_error *err);

#endif

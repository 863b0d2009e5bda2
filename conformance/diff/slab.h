/* Processes datasets with the same samples and rows in parallel, in memory that does not grow with them, but
 * with a chunk: a chunk is unpacked as a whole, and unpacked again for each slab that it overlaps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_SLAB_H
#define CONFORMANCE_DIFF_SLAB_H

#include "conformance/hdf5/rows.h"
#include "conformance/judge/distance.h"

#define CONF_SLAB_STREAMS_MAX 3

#define CONF_SLAB_BYTES_MAX   ((size_t)80 << 20) /* maximum size of the rows of all datasets in memory */
#define CONF_UNPACK_BYTES_MAX ((size_t)64 << 20) /* maximum size of the chunks being unpacked */
#define CONF_CHUNK_BYTES      ((size_t)24 << 20) /* the largest chunk that keeps these limits */
#define CONF_SLAB_CHUNKS      4 /* a slab of larger chunks has at most this many times their size */

/* The rows of every dataset that are in memory: the same rect of each. */
typedef struct conf_slab {
    conf_rect rect;
    size_t n_tokens; /* T: of the datasets */
    size_t n_streams;
    size_t n_cols[CONF_SLAB_STREAMS_MAX];
    assay_dtype dtype[CONF_SLAB_STREAMS_MAX];
    const void *data[CONF_SLAB_STREAMS_MAX]; /* [b1 - b0, t1 - t0, V] */
} conf_slab;

/* Gets the sample and the position of row i of the slab. */
void conf_slab_place(const conf_slab *slab, size_t i, size_t *sample, size_t *pos);
conf_row conf_slab_row(const conf_slab *slab, size_t stream, size_t i);

/* Processes rows [from, to) of a slab; called concurrently on several threads. False stops the pass
 * after the calls in progress. */
typedef bool conf_slab_fn(void *context, const conf_slab *slab, size_t from, size_t to);

/* Calls fn once for every row of streams[n_streams], which have the same B and T; earlier rows are
 * started earlier. Fails with ASSAY_EFORMAT if a file is damaged (of several places always the same one
 * is named) or its rows exceed CONF_SLAB_BYTES_MAX; with ASSAY_ENOMEM, naming the chunk that was to be
 * unpacked. */
assay_status conf_slabs_walk(conf_h5_rows *const *streams, size_t n_streams, size_t n_workers,
                             conf_slab_fn *fn, void *context, assay_error *err);

#endif

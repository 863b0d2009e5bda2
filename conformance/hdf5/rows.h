/* Datasets of logits too large for memory, read as rectangles of rows by several threads, which also unpack
 * the chunks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_ROWS_H
#define CONFORMANCE_HDF5_ROWS_H

#include "conformance/hdf5/chunk.h"
#include "conformance/hdf5/hdf5.h"

typedef struct conf_h5_rows conf_h5_rows;

/* Rows [t0, t1) of each of the samples [b0, b1) of a dataset [B, T, V]. */
typedef struct conf_rect {
    size_t b0, b1, t0, t1;
} conf_rect;

/* Opens a dataset of float64 or float32 by the rules of conf_h5_read, but of any size that its file can
 * hold. Also fails with ASSAY_EFORMAT if it has more than 3 axes; missing axes count as leading axes of
 * length 1. file is borrowed until conf_h5_rows_close. */
assay_status conf_h5_rows_open(const conf_h5 *file, const char *name, conf_h5_rows **out, assay_error *err);

/* The same for a set of floating types, a part of CONF_H5_FLOATS. */
assay_status conf_h5_rows_open_types(const conf_h5 *file, const char *name, conf_h5_types types,
                                     conf_h5_rows **out, assay_error *err);
void conf_h5_rows_close(conf_h5_rows *s);

const char *conf_h5_rows_path(const conf_h5_rows *s);
const char *conf_h5_rows_name(const conf_h5_rows *s);
/* Of rows in memory: F64 or F32. */
assay_dtype conf_h5_rows_dtype(const conf_h5_rows *s);
/* Of the file: also F16 or BF16. */
assay_dtype conf_h5_rows_stored_dtype(const conf_h5_rows *s);
/* [B, T, V] */
const size_t *conf_h5_rows_shape(const conf_h5_rows *s);
size_t conf_h5_rows_row_bytes(const conf_h5_rows *s);

/* Whether every part is a plain read of the file, so that reading more at once gains nothing. */
bool conf_h5_rows_is_plain(const conf_h5_rows *s);

/* [3]: the best granularity for rectangles: the lengths of a chunk, or 1 without chunks. */
const size_t *conf_h5_rows_step(const conf_h5_rows *s);

/* Bytes of a chunk; 0 if there are no chunks. */
size_t conf_h5_rows_chunk_bytes(const conf_h5_rows *s);

/* In how many parts a rectangle is read; threads may read them concurrently. rect must lie inside the
 * dataset. */
size_t conf_h5_rows_n_parts(const conf_h5_rows *s, const conf_rect *rect);

/* Reads part `part` of rect into its elements of into: [b1 - b0, t1 - t0, V], dense. u: the calling
 * thread's, for chunks of conf_h5_rows_chunk_bytes; NULL if there are no chunks. Fails with ASSAY_EFORMAT if
 * the file is damaged. */
assay_status conf_h5_rows_read_part(const conf_h5_rows *s, const conf_rect *rect, size_t part, void *into,
                                    conf_unpacker *u, assay_error *err);

/* Reads all parts on the calling thread, with a temporary unpacker. */
assay_status conf_h5_rows_read(const conf_h5_rows *s, const conf_rect *rect, void *into, assay_error *err);

#endif

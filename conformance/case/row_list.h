/* The list of recorded rows of prefill, for cases that do not record all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_ROW_LIST_H
#define CONFORMANCE_CASE_ROW_LIST_H

#include "conformance/case/case.h"

/* Reads /expect/rows, int32 [R, 2] of (sample, position), into d->rows.listed, listed_at and place, if the
 * case has it. d->length and d->n_decode must be set. Fails with ASSAY_EFORMAT if it is empty, lists a row
 * that does not exist, or a row twice. */
assay_status conf_row_list_read(const conf_h5 *file, conf_decoder *d, assay_error *err);

/* The index in d->rows of a row: of a sample's prompt at position `pos`, or after its forced token number
 * `pos` if `decode`. SIZE_MAX if it is not recorded. d->rows.place must be set. */
size_t conf_row_find(const conf_decoder *d, size_t sample, bool decode, size_t pos);

/* The index of row `row` of d->rows in its array of the file: prefill [B * T] or [R], decode [B * N].
 * d->rows.place must be set. */
size_t conf_row_in_file(const conf_decoder *d, size_t row);

/* The shape of prefill in the file: [B, T, V], or [R, V] if rows are listed. Returns its rank. */
size_t conf_prefill_shape(const conf_decoder *d, size_t n_cols, size_t shape[3]);

#endif

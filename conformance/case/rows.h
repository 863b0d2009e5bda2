/* Reading the rows of logits that a case expects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_ROWS_H
#define CONFORMANCE_CASE_ROWS_H

#include "conformance/case/case.h"

/* Fills d->rows from /expect/rows, /expect/truth/{prefill,decode} and, of every compute type that is known
 * (judge/compute.h), /expect/<run>/{prefill,decode} or /expect/<run>/noise; float32 must have logits.
 * d->tokens, d->length and d->n_decode must be set. */
assay_status conf_rows_read(const conf_h5 *file, conf_decoder *d, assay_error *err);

/* Like conf_rows_read, but sets only d->rows.n_rows and n_cols and, if rows are listed, the list and their
 * places. */
assay_status conf_rows_count(const conf_h5 *file, conf_decoder *d, assay_error *err);

/* The logits [R, V] of the run in this type, in float32 for CONF_COMPUTE_NONE; NULL if they were not
 * recorded. */
const double *conf_rows_noise(const conf_rows *rows, conf_compute compute);
void conf_rows_free(conf_rows *rows);

#endif

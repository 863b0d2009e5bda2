/* Reading the rows of logits that a case expects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_ROWS_H
#define CONFORMANCE_CASE_ROWS_H

#include "conformance/case/case.h"

/* Fills d->rows from /expect/rows and /expect/{truth,float32,bfloat16,int8}/{prefill,decode}. d->tokens,
 * d->length and d->n_decode must be set. */
assay_status conf_rows_read(const conf_h5 *file, conf_decoder *d, assay_error *err);

/* Like conf_rows_read, but sets only d->rows.n_rows and n_cols and, if rows are listed, the list and their
 * places. */
assay_status conf_rows_count(const conf_h5 *file, conf_decoder *d, assay_error *err);

/* The run whose distance from the truth is the noise for candidates that compute in this type: float32
 * unless `compute` is bfloat16 or int8. NULL if it was not recorded. */
const double *conf_rows_noise(const conf_rows *rows, assay_dtype compute);
void conf_rows_free(conf_rows *rows);

#endif

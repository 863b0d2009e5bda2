/* Writes the expected rows of a reduced case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_CUT_WRITE_ROWS_H
#define CONFORMANCE_REDUCE_CUT_WRITE_ROWS_H

#include "conformance/reduce/cut/cut.h"
#include "conformance/replay/h5_writer.h"

/* Writes /expect/rows, if the whole case lists its rows, and truth and runs. truth: as in conf_values. Fails
 * with ASSAY_ENOMEM. */
assay_status conf_cut_write_rows(const conf_whole *whole, const conf_cut *cut, const double *truth,
                                 conf_h5_writer *w, assay_error *err);

#endif

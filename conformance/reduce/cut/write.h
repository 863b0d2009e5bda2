/* Writes a reduced case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_CUT_WRITE_H
#define CONFORMANCE_REDUCE_CUT_WRITE_H

#include "conformance/reduce/cut/cut.h"

/* Where the expected values of a reduced case come from. truth: [n_rows, V] of the whole, for the rows that
 * the cut keeps; NULL: the recorded ones. Computed rows get the recorded noise of the same token and id: the
 * runs are moved with the truth. reduced: the text of the attribute of that name.
 * What the whole case catches is left out: the reduced one may not catch it. */
typedef struct conf_values {
    const double *truth;
    const char *reduced;
    bool has_tensors; /* the recorded tensors of sample 0 come along, as far as they are those of the cut */
} conf_values;

/* Writes the case to `path`; its checkpoint is conf_model_name beside it. The cut must be a case
 * (conf_cut_is_case) with rows (conf_cut_has_rows). Fails with ASSAY_EIO or ASSAY_ENOMEM. */
assay_status conf_cut_write(const conf_whole *whole, const conf_cut *cut, const conf_values *values,
                            const char *path, assay_error *err);

/* Whether recorded tensors are those of the cut. */
bool conf_cut_has_tensors(const conf_whole *whole, const conf_cut *cut);

#endif

/* The items of a reduced case, with the sizes and values of its cut.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_CUT_INPUTS_H
#define CONFORMANCE_REDUCE_CUT_INPUTS_H

#include "conformance/reduce/cut/cut.h"

/* items: [items of the whole], also those that are not kept. data: [n_tensors], of tensors with other data
 * than in the whole case; NULL: the tensor's are the case's. */
typedef struct conf_cut_inputs {
    assay_item *items;
    assay_tensor *tensors;
    void **data;
    size_t n_tensors;
} conf_cut_inputs;

/* The whole must live longer than *out, which the caller frees with conf_cut_inputs_free, also after a
 * failure. Fails with ASSAY_ENOMEM. */
assay_status conf_cut_inputs_open(const conf_whole *whole, const conf_cut *cut, conf_cut_inputs *out,
                                  assay_error *err);
void conf_cut_inputs_free(conf_cut_inputs *inputs);

/* The simplest filling that the values of an item of the whole case are already. */
conf_filling conf_filling_of(const conf_whole *whole, size_t item);

/* "own", "rounded to multiples of 1/4", "1", "0" */
const char *conf_filling_name(conf_filling filling);

#endif

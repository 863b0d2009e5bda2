/* Writes the inputs of a reduced case: prompts, steps, and the items of its samples.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_CUT_WRITE_INPUTS_H
#define CONFORMANCE_REDUCE_CUT_WRITE_INPUTS_H

#include "conformance/reduce/cut/cut.h"
#include "conformance/replay/h5_writer.h"

/* Writes /input. Fails with ASSAY_ENOMEM. */
assay_status conf_cut_write_inputs(const conf_whole *whole, const conf_cut *cut, conf_h5_writer *w,
                                   assay_error *err);

#endif

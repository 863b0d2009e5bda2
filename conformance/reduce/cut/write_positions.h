/* Writes the expected positions of a reduced case of kind positions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_CUT_WRITE_POSITIONS_H
#define CONFORMANCE_REDUCE_CUT_WRITE_POSITIONS_H

#include "conformance/reduce/cut/cut.h"
#include "conformance/replay/h5_writer.h"

/* Writes /expect/position and /expect/delta of the kept samples, which keep their whole prompts. Fails with
 * ASSAY_ENOMEM. */
assay_status conf_cut_write_positions(const conf_whole *whole, const conf_cut *cut, conf_h5_writer *w,
                                      assay_error *err);

#endif

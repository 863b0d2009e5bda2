/* Reading cases of kind positions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_POSITIONS_H
#define CONFORMANCE_CASE_POSITIONS_H

#include "conformance/case/case.h"

/* Fills the prompts and inputs of c->decoder, and c->positions. After a failure conf_decoder_free and
 * conf_positions_free must still be called. */
assay_status conf_positions_read(const conf_h5 *file, conf_case *c, assay_error *err);
void conf_positions_free(conf_positions *p);

/* The recorded position on an axis of token t of a sample's prompt, padding not counted. */
int32_t conf_positions_at(const conf_case *c, size_t axis, size_t sample, size_t t);

#endif

/* Reading cases of kind logits and generate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_DECODER_H
#define CONFORMANCE_CASE_DECODER_H

#include "conformance/case/case.h"

/* Fills c->decoder. frame: only the frame (conf_case_read_frame). After a failure conf_decoder_free
 * must still be called. */
assay_status conf_decoder_read(const conf_h5 *file, conf_case *c, bool frame, assay_error *err);

/* Fills only the tokens, lengths and other inputs of c->decoder. Fails likewise. */
assay_status conf_decoder_read_prompts(const conf_h5 *file, conf_case *c, assay_error *err);
void conf_decoder_free(conf_decoder *d);

#endif

/* Textual cases of kind dialogue: prompts to a checkpoint, and what must become of them: the tokens, the
 * text, what ended it, what was counted, and the message that a client is to see.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_DIALOGUE_H
#define CONFORMANCE_TEXTUAL_DIALOGUE_H

#include "conformance/textual/textual.h"

/* For conf_textual. */
assay_status conf_dialogue_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                 assay_error *err);
const void *conf_dialogue_open(const char *module, conf_verdict *v);
void conf_dialogue_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                          const conf_json_at *at, conf_verdict *v);

#endif

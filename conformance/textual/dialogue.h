/* Textual cases of kind dialogue: a prompt for a checkpoint, and the expected generation: token ids,
 * text, finish reason, token counts, and the parsed message.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_DIALOGUE_H
#define CONFORMANCE_TEXTUAL_DIALOGUE_H

#include "conformance/textual/textual.h"

/* The members of conf_textual for kind dialogue. */
assay_status conf_dialogue_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                 assay_error *err);
const void *conf_dialogue_open(const char *module, conf_verdict *v);
void conf_dialogue_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                          const conf_json_at *at, conf_verdict *v);

/* As conf_textual.answer. */
assay_status conf_dialogue_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                  assay_error *err);

#endif

/* Textual cases of kinds reasoning and tools: generated text, and the expected fields of the parsed
 * message, however the text is cut into deltas.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_REPLY_H
#define CONFORMANCE_TEXTUAL_REPLY_H

#include "conformance/textual/textual.h"

/* The members of conf_textual for kinds reasoning and tools. */
assay_status conf_reasoning_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                  assay_error *err);
assay_status conf_tools_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                              assay_error *err);
const void *conf_reply_open(const char *module, conf_verdict *v);
void conf_reply_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                       const conf_json_at *at, conf_verdict *v);

/* As conf_textual.answer. */
assay_status conf_reply_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                               assay_error *err);

#endif

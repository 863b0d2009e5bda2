/* Textual cases of kinds reasoning and tools: what a model generated, and the fields of the message that a
 * client must see, however the text was cut.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_REPLY_H
#define CONFORMANCE_TEXTUAL_REPLY_H

#include "conformance/textual/textual.h"

/* For conf_textual, of kind reasoning and of kind tools. */
assay_status conf_reasoning_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                  assay_error *err);
assay_status conf_tools_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                              assay_error *err);
const void *conf_reply_open(const char *module, conf_verdict *v);
void conf_reply_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                       const conf_json_at *at, conf_verdict *v);

#endif

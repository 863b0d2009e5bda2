/* Textual cases of kind template: a chat template and its variables, and the expected text or error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_RENDERING_H
#define CONFORMANCE_TEXTUAL_RENDERING_H

#include "conformance/textual/textual.h"

/* The members of conf_textual for kind template. */
assay_status conf_rendering_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                  assay_error *err);
const void *conf_rendering_open(const char *module, conf_verdict *v);
void conf_rendering_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                           const conf_json_at *at, conf_verdict *v);

/* As conf_textual.answer. */
assay_status conf_rendering_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                   assay_error *err);

#endif

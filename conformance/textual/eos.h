/* Textual cases of kind eos: the JSON documents of a checkpoint, and the expected stop set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_EOS_H
#define CONFORMANCE_TEXTUAL_EOS_H

#include "conformance/textual/textual.h"

/* The members of conf_textual for kind eos. */
assay_status conf_eos_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                            assay_error *err);
const void *conf_eos_open(const char *module, conf_verdict *v);
void conf_eos_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                     const conf_json_at *at, conf_verdict *v);

/* As conf_textual.answer. */
assay_status conf_eos_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                             assay_error *err);

#endif

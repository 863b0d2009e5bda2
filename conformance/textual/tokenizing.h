/* Textual cases of kind tokenizer: encoding a text, decoding ids, and the pieces of text that a
 * detokenizer emits after each id.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_TOKENIZING_H
#define CONFORMANCE_TEXTUAL_TOKENIZING_H

#include "conformance/textual/textual.h"

/* The members of conf_textual for kind tokenizer. */
assay_status conf_tokenizing_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                   assay_error *err);
const void *conf_tokenizing_open(const char *module, conf_verdict *v);
void conf_tokenizing_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                            const conf_json_at *at, conf_verdict *v);
void conf_tokenizing_finish(const void *offered);

/* As conf_textual.answer. */
assay_status conf_tokenizing_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                    assay_error *err);

#endif

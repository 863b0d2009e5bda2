/* Textual cases of kind preprocess: the config of an image processor and the size of an image, and the
 * expected resized size, grid of patches and number of tokens; those of audio clips are in
 * preprocess_audio.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_PREPROCESS_H
#define CONFORMANCE_TEXTUAL_PREPROCESS_H

#include "conformance/textual/textual.h"

/* The members of conf_textual for kind preprocess. */
assay_status conf_preprocess_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                   assay_error *err);
const void *conf_preprocess_open(const char *module, conf_verdict *v);
void conf_preprocess_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                            const conf_json_at *at, conf_verdict *v);

/* As conf_textual.answer. */
assay_status conf_preprocess_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                    assay_error *err);

#endif

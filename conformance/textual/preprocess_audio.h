/* Vectors of kind preprocess that are of an audio clip: the config of a feature extractor and numbers of
 * samples, and the expected numbers of frames and tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_PREPROCESS_AUDIO_H
#define CONFORMANCE_TEXTUAL_PREPROCESS_AUDIO_H

#include <assay/serving.h>

#include "conformance/textual/textual.h"

/* Whether a vector is of an audio clip: its input has `samples`. */
bool conf_preprocess_is_audio(const conf_json_at *at);

/* As conf_preprocess_check. */
assay_status conf_preprocess_audio_check(const conf_vector *vector, const conf_json_at *at,
                                         conf_strings *unknown, assay_error *err);

/* Sets *v, which is CONF_SKIPPED if the table lacks sound_size. */
void conf_preprocess_audio_replay(const assay_serving *serving, const conf_json_at *at, conf_verdict *v);

/* As conf_textual.answer, of an audio clip. */
assay_status conf_preprocess_audio_answer(const assay_serving *serving, const conf_json_at *at,
                                          assay_error *err);

#endif

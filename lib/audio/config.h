/* Reading the config of a feature extractor, the part of a preprocessor_config.json that is about audio
 * clips.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AUDIO_CONFIG_H
#define AUDIO_CONFIG_H

#include <assay/status.h>

#include "audio/settings.h"
#include "base/json.h"

/* Reads text[0..n) as WhisperFeatureExtractor of transformers 5.23 does, called as Qwen3OmniMoeProcessor
 * calls it: without truncation, padded to the longest audio clip. Members that have no effect then are noted,
 * among them chunk_length and those of images; those that would change the result in a way that is not
 * implemented are refused. path: for messages. Fails with ASSAY_EFORMAT or ASSAY_EUNSUPPORTED, naming path,
 * member, found and expected value, or with ASSAY_ENOMEM. *out is untouched on failure; free it with
 * audio_config_free. */
assay_status audio_config_parse(const char *path, const char *text, size_t n, audio_config *out,
                                assay_error *err);

/* The same for a parsed text: `root` is borrowed for the call, NULL for null. */
assay_status audio_config_read(const char *path, json_object *root, audio_config *out, assay_error *err);

/* How much of a config file is read; larger ones are refused. */
extern const json_limits audio_config_limits;

/* Frees the notes. */
void audio_config_free(audio_config *config);

#endif

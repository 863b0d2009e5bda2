/* Audio clips as the items of a step: decoded, and preprocessed as the checkpoint's feature extractor does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_AUDIO_H
#define DIALOGUE_CHAT_AUDIO_H

#include <assay/engine.h>

#include "audio/settings.h"
#include "dialogue/chat/media_file.h"

/* What a checkpoint says about audio clips. chunk: the frames of a chunk of the tower, 2 * n_window. */
typedef struct serve_audio_processor {
    audio_config config;
    size_t chunk;
} serve_audio_processor;

/* Reads the config of the feature extractor of the checkpoint `dir`, and n_window of the audio_config of its
 * config.json or, without one, of its thinker_config. Fails with ASSAY_EUNSUPPORTED if there is no
 * audio_config: the model takes no audio clips; with ASSAY_EFORMAT for an n_window that is no whole number
 * from 1 to 65536; and as audio_config_open and json_read do. Free *out with serve_audio_processor_free. */
assay_status serve_audio_processor_open(const char *dir, serve_audio_processor *out, assay_error *err);
void serve_audio_processor_free(serve_audio_processor *processor);

/* items:     [n], one for each audio clip, of kind ASSAY_ITEM_AUDIO: input_features F32 [1, bins, frames],
 * and feature_attention_mask I32 [1, frames], all ones. n_tokens:  [n], placeholder tokens of each audio
 * clip. n_samples: [n], of each audio clip in its file. n_frames:  [n], of each spectrogram. */
typedef struct serve_audio {
    const assay_item *items;
    const size_t *n_tokens, *n_samples, *n_frames;
    size_t n;
} serve_audio;

/* Reads files[0..n), the audio clips of one prompt: as published, each is extended to the length of the
 * longest. All of them have at most AUDIO_SAMPLES_MAX samples. The caller frees *out with serve_audio_free.
 * Fails with ASSAY_EIO for a file that cannot be read, with ASSAY_EINVAL for more bytes of arrays, with
 * ASSAY_ESTOPPED if goes_on says so, and as audio_samples_read and audio_spectrogram_make do, with the name
 * before the message. */
assay_status serve_audio_open(const serve_audio_processor *processor, const serve_media_file *files, size_t n,
                              const serve_media_limits *limits, serve_audio **out, assay_error *err);

/* The bytes of the arrays of all items. */
size_t serve_audio_bytes(const serve_audio *audios);

void serve_audio_free(serve_audio *audios);

#endif

/* From samples to the log-mel spectrogram that a model takes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AUDIO_SPECTROGRAM_H
#define AUDIO_SPECTROGRAM_H

#include <assay/status.h>

#include "audio/samples.h"
#include "audio/settings.h"

/* The number of frames of an audio clip of n samples among audio clips of which the longest has n_longest
 * samples: what the published attention mask leaves. Of the longest one n / hop_length, rounded down; of
 * others rounded up, but no more than of the longest. */
static inline int64_t audio_frames(const audio_config *config, int64_t n, int64_t n_longest)
{
    const int64_t hop = config->hop_length, whole = n_longest / hop, own = n / hop + (n % hop != 0);
    return own < whole ? own : whole;
}

typedef struct audio_spectrogram {
    float *values; /* [n_mels, n_frames]: input_features; owned */
    size_t n_mels, n_frames;
} audio_spectrogram;

/* Whether audio clips of which the longest has n_longest samples have a spectrogram: fails with
 * ASSAY_EUNSUPPORTED unless n_longest is more than n_fft / 2, which reflection needs, and at least
 * hop_length. */
assay_status audio_spectrogram_check(const audio_config *config, size_t n_longest, assay_error *err);

/* The log-mel spectrogram of WhisperFeatureExtractor of transformers 5.23 as Qwen3OmniMoeProcessor calls it:
 * zeros extend the audio clip to n_longest samples; a frame is centred at each multiple of hop_length, with
 * the samples reflected beyond both ends, and weighted by a periodic Hann window; the powers of its Fourier
 * transform go through the mel filters; log10, at least -10, and at least the largest of all frames minus 8;
 * (x + 4) / 4. The last frame, that of n_longest itself, is dropped, and so are frames beyond audio_frames.
 * All of it in double; the published code has float. n_longest: at least audio clip->n; the number of samples
 * of the longest audio clip of a prompt. Fails as audio_spectrogram_check does, or with ASSAY_ENOMEM. *out is
 * untouched on failure; free it with audio_spectrogram_free. */
assay_status audio_spectrogram_make(const audio_config *config, const audio_samples *audio, size_t n_longest,
                                    audio_spectrogram *out, assay_error *err);
void audio_spectrogram_free(audio_spectrogram *spectrogram);

#endif

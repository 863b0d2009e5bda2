/* The front end of an audio clip: from a spectrogram to the rows of a tower.
 *
 * Notation: B bins, S frames of a chunk.
 *
 * An audio clip [B, n] is cut into chunks of S frames from its first one on; the last may be shorter. A chunk
 * goes through the convolutions on its own, after zeros have extended it to the length of the longest chunk
 * of its clip: a short last chunk after a whole one thus differs from the same audio clip as a clip of its
 * own. Each convolution has 3 × 3 weights over bins and frames, a stride of 2, one zero around its input, a
 * bias, and exact GELU after it; it leaves half as many bins and frames, rounded up. A frame of the last
 * result is a row: of each channel its bins. Rows that no frame of the audio clip has reached by these halves
 * are dropped. (Qwen3-Omni, Qwen3OmniMoeAudioEncoder of transformers.)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_AUDIO_H
#define MODEL_PLAN_AUDIO_H

#include "model/plan/parts.h"

enum { PLAN_AUDIO_CONVOLUTIONS = 3, PLAN_AUDIO_SIDE = 3 };

typedef struct plan_audio_convolution {
    plan_linear product; /* [channels, 9 · channels before]: of each channel before its weights, bin by bin */
    bool channels_last;  /* columns: bin by bin, of each frame all channels before */
} plan_audio_convolution;

typedef struct plan_audio {
    size_t n_bins, chunk; /* B, S */
    plan_audio_convolution convolutions[PLAN_AUDIO_CONVOLUTIONS];
} plan_audio;

/* What one convolution leaves of n bins or frames, and what all of them leave. */
static inline size_t plan_audio_half(size_t n)
{
    return n / 2 + n % 2;
}

static inline size_t plan_audio_rest(size_t n)
{
    for (size_t i = 0; i < PLAN_AUDIO_CONVOLUTIONS; i++) n = plan_audio_half(n);
    return n;
}

/* The number of rows of an audio clip. */
static inline size_t plan_audio_rows(const plan_audio *s, size_t n_frames)
{
    return n_frames / s->chunk * plan_audio_rest(s->chunk) + plan_audio_rest(n_frames % s->chunk);
}

/* The width of a row. */
static inline size_t plan_audio_width(const plan_audio *s)
{
    return s->convolutions[PLAN_AUDIO_CONVOLUTIONS - 1].product.weight.rows * plan_audio_rest(s->n_bins);
}

#endif

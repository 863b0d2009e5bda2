/* The front end of a sound: from a spectrogram to the rows of a tower.
 *
 * Notation: B bins, S frames of a chunk.
 *
 * A clip [B, n] is cut into chunks of S frames from its first one on; the last may be shorter. A chunk goes
 * through the convolutions on its own, after zeros have extended it to the length of the longest chunk of its
 * clip: a short last chunk after a whole one thus differs from the same sound as a clip of its own. Each
 * convolution has 3 × 3 weights over bins and frames, a stride of 2, one zero around its input, a bias, and
 * exact GELU after it; it leaves half as many bins and frames, rounded up. A frame of the last result is a
 * row: of each channel its bins. Rows that no frame of the clip has reached by these halves are dropped.
 * (Qwen3-Omni, Qwen3OmniMoeAudioEncoder of transformers.)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_SOUND_H
#define MODEL_PLAN_SOUND_H

#include "model/plan/parts.h"

enum { PLAN_SOUND_CONVOLUTIONS = 3, PLAN_SOUND_SIDE = 3 };

typedef struct plan_sound_convolution {
    plan_linear product; /* [channels, 9 · channels before]: of each channel before its weights, bin by bin */
    bool channels_last;  /* columns: bin by bin, of each frame all channels before */
} plan_sound_convolution;

typedef struct plan_sound {
    bool present;
    size_t n_bins, chunk; /* B, S */
    plan_sound_convolution convolutions[PLAN_SOUND_CONVOLUTIONS];
} plan_sound;

/* What one convolution leaves of n bins or frames, and what all of them leave. */
static inline size_t plan_sound_half(size_t n)
{
    return n / 2 + n % 2;
}

static inline size_t plan_sound_rest(size_t n)
{
    for (size_t i = 0; i < PLAN_SOUND_CONVOLUTIONS; i++) n = plan_sound_half(n);
    return n;
}

/* The number of rows of a clip. */
static inline size_t plan_sound_rows(const plan_sound *s, size_t n_frames)
{
    return n_frames / s->chunk * plan_sound_rest(s->chunk) + plan_sound_rest(n_frames % s->chunk);
}

/* The width of a row. */
static inline size_t plan_sound_width(const plan_sound *s)
{
    return s->convolutions[PLAN_SOUND_CONVOLUTIONS - 1].product.weight.rows * plan_sound_rest(s->n_bins);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/padding.h"

size_t fp_audio_padded(const plan_audio *audio, size_t n_frames, size_t n)
{
    (void)n;
    return n_frames < audio->chunk ? n_frames : audio->chunk;
}

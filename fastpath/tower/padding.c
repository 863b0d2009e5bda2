/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/padding.h"

size_t fp_sound_padded(const plan_sound *sound, size_t n_frames, size_t n)
{
    (void)n;
    return n_frames < sound->chunk ? n_frames : sound->chunk;
}

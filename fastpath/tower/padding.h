/* How far the chunks of an audio clip are extended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_PADDING_H
#define FASTPATH_TOWER_PADDING_H

#include "model/plan/audio.h"

/* The frames that a chunk of n frames of an audio clip of n_frames is extended to by zeros: those of the
 * clip's longest chunk, and of no other clip's. */
size_t fp_audio_padded(const plan_audio *audio, size_t n_frames, size_t n);

#endif

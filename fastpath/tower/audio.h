/* From the spectrogram of a sound to the rows of its tower: see model/plan/audio.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_VISION_SOUND_H
#define FASTPATH_VISION_SOUND_H

#include "fastpath/tower/pass.h"

/* Evaluates the convolutions of a clip, chunk by chunk. rows: [plan_sound_rows, plan_sound_width]. What a
 * clip gives depends on nothing but the clip. Working memory: the largest result of one chunk, twice, and a
 * block of products. Fails with ASSAY_ENOMEM. */
assay_status fp_sound_rows(fp_vision *v, const media *medium, float *rows);

#endif

/* From the spectrogram of an audio clip to the rows of its tower: see model/plan/audio.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_AUDIO_H
#define FASTPATH_TOWER_AUDIO_H

#include "fastpath/tower/pass.h"

/* Evaluates the convolutions of an audio clip, chunk by chunk. rows: [plan_audio_rows, plan_audio_width].
 * What an audio clip gives depends on nothing but itself. Working memory: the largest result of one chunk,
 * twice, and a block of products. Fails with ASSAY_ENOMEM. */
assay_status fp_audio_rows(fp_tower_pass *v, const medium *m, float *rows);

#endif

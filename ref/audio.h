/* From the spectrogram of a sound to the rows of its tower: see model/plan/audio.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_SOUND_H
#define REF_SOUND_H

#include "model/plan/audio.h"
#include "ref/ops.h"

/* spectrogram: [bins, n_frames], n_frames >= 1. rows: [plan_sound_rows, plan_sound_width]. Fails with
 * ASSAY_ENOMEM. */
assay_status ref_sound_rows(const plan_sound *sound, const double *spectrogram, size_t n_frames,
                            double *rows);

#endif

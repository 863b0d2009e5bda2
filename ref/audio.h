/* From the spectrogram of an audio clip to the rows of its tower: see model/plan/audio.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_AUDIO_H
#define REF_AUDIO_H

#include "model/plan/audio.h"
#include "ref/ops.h"

/* spectrogram: [bins, n_frames], n_frames >= 1. rows: [plan_audio_rows, plan_audio_width]. Fails with
 * ASSAY_ENOMEM. */
assay_status ref_audio_rows(const plan_audio *audio, const double *spectrogram, size_t n_frames,
                            double *rows);

#endif

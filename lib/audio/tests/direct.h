/* A log-mel spectrogram by the definition, without a fast transform, with defects to plant.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AUDIO_TESTS_DIRECT_H
#define AUDIO_TESTS_DIRECT_H

#include <stddef.h>

#include "audio/samples.h"
#include "audio/settings.h"

typedef enum direct_defect {
    DIRECT_NO_DEFECT,
    DIRECT_HANN_SYMMETRIC,  /* a window of n_fft - 1 steps, in place of the periodic one */
    DIRECT_MEL_HTK,         /* the other mel scale */
    DIRECT_NO_NORM,         /* filters of height 1, in place of area 1 */
    DIRECT_NATURAL_LOG,     /* in place of log10 */
    DIRECT_NO_FLOOR,        /* largest - 8 is not applied */
    DIRECT_FLOOR_OF_FRAME,  /* the largest of each frame, in place of all frames */
    DIRECT_AMPLITUDES,      /* in place of powers */
    DIRECT_PADDED_BY_ZEROS, /* in place of reflection */
    DIRECT_EDGE_REPEATED,   /* the first and the last sample are reflected, too */
    DIRECT_NOT_CENTRED,     /* frames begin where they should have their centre */
    DIRECT_NOT_SCALED,      /* (x + 4) / 4 is left out */
    DIRECT_N_DEFECTS
} direct_defect;

extern const char *const direct_names[DIRECT_N_DEFECTS];

/* Writes n_frames frames of an audio clip that zeros extend to n_longest samples.
 * out: [feature_size, n_frames]. A failure to allocate memory fails the test. */
void direct_spectrogram(const audio_config *config, const audio_samples *audio, size_t n_longest,
                        size_t n_frames, direct_defect defect, double *out);

#endif

/* Filters of the mel scale.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AUDIO_MEL_H
#define AUDIO_MEL_H

#include "audio/settings.h"

#define AUDIO_FREQUENCY_MAX 8000.0 /* Hz: the upper end of the last filter, whatever the sampling rate */

/* Writes the triangular filters of a config on Slaney's mel scale (Auditory Toolbox, 1998: linear below 1,000
 * Hz, logarithmic above), each of area 1, from 0 to AUDIO_FREQUENCY_MAX (mel_filter_bank of transformers 5.23
 * with mel_scale and norm "slaney").
 * out: [feature_size, n_fft / 2 + 1]. */
void audio_mel_filters(const audio_config *config, double *out);

#endif

/* The settings of a feature extractor of audio clips, resolved: how samples become the input of a model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AUDIO_SETTINGS_H
#define AUDIO_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

/* Limits of a config. */
#define AUDIO_RATE_MAX 768000
#define AUDIO_FFT_MAX  4096
#define AUDIO_BINS_MAX 1024

/* Members have the names of the JSON members. */
typedef struct audio_config {
    const char *type;          /* the published class, static */
    int64_t sampling_rate;     /* Hz */
    int64_t feature_size;      /* bins of mel */
    int64_t hop_length, n_fft; /* samples; n_fft is even, a product of 2, 3 and 5 */
    char **notes;              /* [n_notes], one line for each member that has no effect; owned */
    size_t n_notes;
} audio_config;

#endif

/* From the bytes of an audio file to samples.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AUDIO_SAMPLES_H
#define AUDIO_SAMPLES_H

#include <assay/status.h>

#include <stddef.h>
#include <stdint.h>

#define AUDIO_SAMPLES_MAX ((size_t)1 << 25) /* of an audio clip: 35 minutes at 16 kHz */

typedef struct audio_samples {
    float *values; /* [n], of one channel; owned */
    size_t n;
} audio_samples;

/* Reads data[0..n), a file of any format that libsndfile reads (WAV, FLAC, Ogg, MP3, AIFF, AU, CAF, …), as
 * load_audio of transformers 5.23 does with soundfile: samples of integers in units of the largest one,
 * channels averaged in float, as many samples as a truncated file has. Nothing is resampled. name: for
 * messages. sampling_rate: Hz, that of the config. Fails with ASSAY_EFORMAT for damaged data, another format,
 * no samples, and samples that are not finite; with ASSAY_EUNSUPPORTED for another rate, what soundfile does
 * not read, and more than AUDIO_SAMPLES_MAX samples (before they are allocated); with ASSAY_ENOMEM. *out is
 * untouched on failure; free it with audio_samples_free. */
assay_status audio_samples_read(const char *name, const uint8_t *data, size_t n, int64_t sampling_rate,
                                audio_samples *out, assay_error *err);
void audio_samples_free(audio_samples *samples);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "audio/mel.h"

#include <math.h>

/* Slaney's scale: 15 mel at 1,000 Hz, and 27 more at 6.4 times of that. */
static const double LOG_HERTZ = 1000, LOG_MEL = 15;

static double log_step(void)
{
    return log(6.4) / 27;
}

static double mel_of(double hertz)
{
    return hertz < LOG_HERTZ ? 3 * hertz / 200 : LOG_MEL + log(hertz / LOG_HERTZ) / log_step();
}

static double hertz_of(double mel)
{
    return mel < LOG_MEL ? 200 * mel / 3 : LOG_HERTZ * exp(log_step() * (mel - LOG_MEL));
}

/* The height at hertz x of the triangle over a, b, c. */
static double triangle(double x, double a, double b, double c)
{
    const double up = (x - a) / (b - a), down = (c - x) / (c - b), least = up < down ? up : down;
    return least > 0 ? least : 0;
}

void audio_mel_filters(const audio_config *config, double *out)
{
    const size_t n_mels = (size_t)config->feature_size, n_bins = (size_t)config->n_fft / 2 + 1;
    const double step = mel_of(AUDIO_FREQUENCY_MAX) / (double)(n_mels + 1);
    const double top = (double)(config->sampling_rate / 2); /* as published: whole hertz */
    for (size_t i = 0; i < n_mels; i++) {
        const double a = hertz_of(step * (double)i), b = hertz_of(step * (double)(i + 1)),
                     c = hertz_of(step * (double)(i + 2));
        for (size_t k = 0; k < n_bins; k++)
            out[i * n_bins + k] = triangle(top * (double)k / (double)(n_bins - 1), a, b, c) * 2 / (c - a);
    }
}

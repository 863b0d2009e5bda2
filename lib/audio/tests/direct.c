/* SPDX-License-Identifier: Apache-2.0 */
#include "audio/tests/direct.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

const char *const direct_names[DIRECT_N_DEFECTS] = {"no defect",
                                                    "a symmetric window",
                                                    "mels of HTK",
                                                    "filters without norm",
                                                    "the natural logarithm",
                                                    "no floor",
                                                    "a floor of each frame",
                                                    "amplitudes",
                                                    "zeros at the ends",
                                                    "the sample at the end repeated",
                                                    "frames that are not centred",
                                                    "no scale"};

static double sample(const audio_samples *s, ptrdiff_t n, ptrdiff_t at, direct_defect d)
{
    const ptrdiff_t shift = d == DIRECT_EDGE_REPEATED;
    if ((at < 0 || at >= n) && d == DIRECT_PADDED_BY_ZEROS) return 0;
    if (at < 0) at = -at - shift;
    if (at >= n) at = 2 * (n - 1) - at + shift;
    return at >= 0 && at < (ptrdiff_t)s->n ? (double)s->values[at] : 0;
}

static double to_mel(double hz, direct_defect d)
{
    if (d == DIRECT_MEL_HTK) return 2595 * log10(1 + hz / 700);
    return hz < 1000 ? hz * 3 / 200 : 15 + 27 * log(hz / 1000) / log(6.4);
}

static double to_hz(double mel, direct_defect d)
{
    if (d == DIRECT_MEL_HTK) return 700 * (pow(10, mel / 2595) - 1);
    return mel < 15 ? mel * 200 / 3 : 1000 * pow(6.4, (mel - 15) / 27);
}

/* The weight of a frequency in filter m. */
static double weight(const audio_config *c, int64_t m, double hz, direct_defect d)
{
    const double step = to_mel(8000, d) / (double)(c->feature_size + 1);
    const double a = to_hz(step * (double)m, d), b = to_hz(step * (double)(m + 1), d),
                 e = to_hz(step * (double)(m + 2), d);
    const double height = hz <= a || hz >= e ? 0 : hz < b ? (hz - a) / (b - a) : (e - hz) / (e - b);
    return d == DIRECT_NO_NORM ? height : height * 2 / (e - a);
}

/* Of one spectrogram. */
typedef struct direct {
    const audio_config *config;
    const audio_samples *audio;
    size_t n_longest, n_all; /* frames */
    direct_defect defect;
    double *filters;       /* [bins, feature_size] */
    double *cosine, *sine; /* [n_fft] */
    double *frame;         /* [n_fft] */
    double *all;           /* [feature_size, n_all] */
} direct;

/* The power of bin k of the frame. */
static double power(const direct *d, size_t k)
{
    const size_t n = (size_t)d->config->n_fft;
    double re = 0, im = 0;
    for (size_t i = 0; i < n; i++) {
        re += d->frame[i] * d->cosine[i * k % n];
        im += d->frame[i] * d->sine[i * k % n];
    }
    return d->defect == DIRECT_AMPLITUDES ? sqrt(re * re + im * im) : re * re + im * im;
}

static void make_frame(const direct *d, size_t f)
{
    const int64_t n_fft = d->config->n_fft, half = d->defect == DIRECT_NOT_CENTRED ? 0 : n_fft / 2;
    const double steps = (double)(d->defect == DIRECT_HANN_SYMMETRIC ? n_fft - 1 : n_fft);
    const size_t n_mels = (size_t)d->config->feature_size;
    double *out = d->all + f;
    for (int64_t i = 0; i < n_fft; i++)
        d->frame[i] = (0.5 - 0.5 * cos(2 * M_PI * (double)i / steps)) *
                      sample(d->audio, (ptrdiff_t)d->n_longest,
                             (ptrdiff_t)f * d->config->hop_length + i - half, d->defect);
    for (size_t k = 0; k <= (size_t)n_fft / 2; k++) {
        const double p = power(d, k);
        for (size_t m = 0; m < n_mels; m++) out[m * d->n_all] += d->filters[k * n_mels + m] * p;
    }
    for (size_t m = 0; m < n_mels; m++) {
        const double x = fmax(out[m * d->n_all], 1e-10);
        out[m * d->n_all] = d->defect == DIRECT_NATURAL_LOG ? log(x) : log10(x);
    }
}

static void open_direct(direct *d)
{
    const audio_config *c = d->config;
    const size_t n = (size_t)c->n_fft, n_mels = (size_t)c->feature_size;
    d->filters = calloc((n / 2 + 1) * n_mels, sizeof *d->filters);
    d->cosine = calloc(n, sizeof *d->cosine);
    d->sine = calloc(n, sizeof *d->sine);
    d->frame = calloc(n, sizeof *d->frame);
    d->all = calloc(n_mels * d->n_all, sizeof *d->all);
    ck_assert(d->filters && d->cosine && d->sine && d->frame && d->all);
    for (size_t i = 0; i < n; i++) {
        d->cosine[i] = cos(2 * M_PI * (double)i / (double)n);
        d->sine[i] = sin(2 * M_PI * (double)i / (double)n);
    }
    for (size_t k = 0; k <= n / 2; k++) {
        const double hz = (double)(c->sampling_rate / 2) * (double)k / (double)(n / 2);
        for (size_t m = 0; m < n_mels; m++) d->filters[k * n_mels + m] = weight(c, (int64_t)m, hz, d->defect);
    }
}

static void close_direct(direct *d)
{
    free(d->filters);
    free(d->cosine);
    free(d->sine);
    free(d->frame);
    free(d->all);
}

static double largest_of(const double *values, size_t n, size_t stride)
{
    double largest = -INFINITY;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, values[i * stride]);
    return largest;
}

void direct_spectrogram(const audio_config *config, const audio_samples *audio, size_t n_longest,
                        size_t n_frames, direct_defect defect, double *out)
{
    const size_t n_mels = (size_t)config->feature_size, n_all = n_longest / (size_t)config->hop_length;
    direct d = {.config = config, .audio = audio, .n_longest = n_longest, .n_all = n_all, .defect = defect};
    ck_assert_uint_le(n_frames, n_all);
    open_direct(&d);
    for (size_t f = 0; f < n_all; f++) make_frame(&d, f);
    const double largest = largest_of(d.all, n_mels * n_all, 1);
    for (size_t f = 0; f < n_frames; f++) {
        const double most = defect == DIRECT_FLOOR_OF_FRAME ? largest_of(d.all + f, n_mels, n_all) : largest;
        for (size_t m = 0; m < n_mels; m++) {
            double x = d.all[m * n_all + f];
            if (defect != DIRECT_NO_FLOOR) x = fmax(x, most - 8);
            out[m * n_frames + f] = defect == DIRECT_NOT_SCALED ? x : (x + 4) / 4;
        }
    }
    close_direct(&d);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "audio/spectrogram.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "audio/fourier.h"
#include "audio/mel.h"
#include "base/error.h"

/* The least power, and the range of logarithms below the largest. */
static const double POWER_MIN = 1e-10, RANGE = 8;

/* What all frames share. */
typedef struct work {
    size_t n_fft, n_bins, n_mels, hop;
    double *window, *frame;      /* [n_fft] */
    double *filters;             /* [n_mels, n_bins] */
    double *powers;              /* [n_bins] */
    fourier_number *transformed; /* [n_fft] */
    fourier *fourier;
} work;

static void close_work(work *w)
{
    free(w->window);
    free(w->frame);
    free(w->filters);
    free(w->powers);
    free(w->transformed);
    fourier_free(w->fourier);
}

/* False if out of memory. */
static bool open_work(const audio_config *config, work *w)
{
    const size_t n = (size_t)config->n_fft, n_bins = n / 2 + 1, n_mels = (size_t)config->feature_size;
    *w = (work){.n_fft = n,
                .n_bins = n_bins,
                .n_mels = n_mels,
                .hop = (size_t)config->hop_length,
                .window = calloc(n, sizeof *w->window),
                .frame = calloc(n, sizeof *w->frame),
                .filters = calloc(n_mels * n_bins, sizeof *w->filters),
                .powers = calloc(n_bins, sizeof *w->powers),
                .transformed = calloc(n, sizeof *w->transformed),
                .fourier = fourier_new(n)};
    if (!w->window || !w->frame || !w->filters || !w->powers || !w->transformed || !w->fourier) return false;
    for (size_t i = 0; i < n; i++) w->window[i] = (1 - cos(2 * M_PI * (double)i / (double)n)) / 2;
    audio_mel_filters(config, w->filters);
    return true;
}

/* The sample at a position that may be before 0 or beyond n_longest, where the audio clip is reflected. */
static double sample_at(const audio_samples *audio, size_t n_longest, ptrdiff_t at)
{
    const ptrdiff_t last = (ptrdiff_t)n_longest - 1;
    if (at < 0) at = -at;
    if (at > last) at = 2 * last - at;
    return at < (ptrdiff_t)audio->n ? (double)audio->values[at] : 0;
}

/* The logarithms of frame f, from one mel to the next `stride` apart. Returns the largest. */
static double make_frame(const work *w, const audio_samples *audio, size_t n_longest, size_t f, double *out,
                         size_t stride)
{
    const ptrdiff_t first = (ptrdiff_t)(f * w->hop) - (ptrdiff_t)(w->n_fft / 2);
    double largest = -INFINITY;
    for (size_t i = 0; i < w->n_fft; i++)
        w->frame[i] = w->window[i] * sample_at(audio, n_longest, first + (ptrdiff_t)i);
    fourier_transform(w->fourier, w->frame, w->transformed);
    for (size_t k = 0; k < w->n_bins; k++) {
        const fourier_number x = w->transformed[k];
        w->powers[k] = x.re * x.re + x.im * x.im;
    }
    for (size_t m = 0; m < w->n_mels; m++) {
        double sum = 0;
        for (size_t k = 0; k < w->n_bins; k++) sum += w->filters[m * w->n_bins + k] * w->powers[k];
        const double x = log10(sum > POWER_MIN ? sum : POWER_MIN);
        out[m * stride] = x;
        if (x > largest) largest = x;
    }
    return largest;
}

/* How many frames have a sample of the audio clip in their window: others have the least power. */
static size_t frames_with_audio(const work *w, size_t n, size_t n_longest)
{
    const size_t all = n_longest / w->hop, with = (n + w->n_fft / 2) / w->hop + 1;
    return with < all ? with : all;
}

/* all: [n_mels, n_all], n_all at least s->n_frames. */
static void scale_frames(const double *all, size_t n_all, double largest, audio_spectrogram *s)
{
    const double least = largest - RANGE;
    for (size_t m = 0; m < s->n_mels; m++)
        for (size_t f = 0; f < s->n_frames; f++) {
            const double x = all[m * n_all + f];
            s->values[m * s->n_frames + f] = (float)(((x > least ? x : least) + 4) / 4);
        }
}

assay_status audio_spectrogram_check(const audio_config *config, size_t n_longest, assay_error *err)
{
    const size_t hop = (size_t)config->hop_length, half = (size_t)config->n_fft / 2;
    if (n_longest > half && n_longest >= hop) return ASSAY_OK;
    return assay_fail(
        err, ASSAY_EUNSUPPORTED,
        "found %zu samples, expected at least %zu: a frame is reflected at the ends of an audio clip",
        n_longest, half + 1 > hop ? half + 1 : hop);
}

assay_status audio_spectrogram_make(const audio_config *config, const audio_samples *audio, size_t n_longest,
                                    audio_spectrogram *out, assay_error *err)
{
    work w;
    const assay_status rc = audio_spectrogram_check(config, n_longest, err);
    if (rc != ASSAY_OK) return rc;
    audio_spectrogram made = {.n_mels = (size_t)config->feature_size,
                              .n_frames =
                                  (size_t)audio_frames(config, (int64_t)audio->n, (int64_t)n_longest)};
    const bool opened = open_work(config, &w);
    const size_t n_all = frames_with_audio(&w, audio->n, n_longest);
    double *all = opened ? calloc(n_all * made.n_mels + 1, sizeof *all) : NULL;
    made.values = calloc(made.n_mels * made.n_frames + 1, sizeof *made.values);
    const bool ok = all && made.values;
    double largest = -INFINITY;
    for (size_t f = 0; ok && f < n_all; f++) {
        const double x = make_frame(&w, audio, n_longest, f, all + f, n_all);
        if (x > largest) largest = x;
    }
    if (ok) scale_frames(all, n_all, largest, &made);
    close_work(&w);
    free(all);
    if (ok) *out = made;
    else audio_spectrogram_free(&made);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "a spectrogram: out of memory");
}

void audio_spectrogram_free(audio_spectrogram *spectrogram)
{
    free(spectrogram->values);
    *spectrogram = (audio_spectrogram){0};
}

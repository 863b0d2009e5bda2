/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/audio.h"

#include <stdlib.h>

/* Values of several channels, [channels, bins, frames], owned. */
typedef struct image {
    ref_real *x;
    size_t n_channels, n_bins, n_frames;
} image;

/* The value at a bin and frame, one less than each; 0 around the image. */
static ref_real padded(const image *i, size_t channel, size_t bin, size_t frame)
{
    const bool is_inside = bin >= 1 && bin <= i->n_bins && frame >= 1 && frame <= i->n_frames;
    return is_inside ? i->x[(channel * i->n_bins + bin - 1) * i->n_frames + frame - 1] : 0;
}

/* The values that each output reads, in the order of the columns of the weight. out: [bins · frames, 9 ·
 * channels], of the output's bins and frames. */
static void gather(const image *from, const plan_audio_convolution *c, ref_real *out)
{
    enum { SIDE = PLAN_AUDIO_SIDE };
    const size_t n = from->n_channels;
    for (size_t b = 0; b < from->n_bins; b += 2)
        for (size_t f = 0; f < from->n_frames; f += 2, out += n * SIDE * SIDE)
            for (size_t channel = 0; channel < n; channel++)
                for (size_t y = 0; y < SIDE; y++)
                    for (size_t x = 0; x < SIDE; x++)
                        out[c->channels_last ? (y * SIDE + x) * n + channel
                                             : (channel * SIDE + y) * SIDE + x] =
                            padded(from, channel, b + y, f + x);
}

/* Replaces the image by gelu(convolution(image)). */
static assay_status convolve(image *i, const plan_audio_convolution *c)
{
    const size_t n_channels = c->product.weight.rows, n_bins = plan_audio_half(i->n_bins),
                 n_frames = plan_audio_half(i->n_frames), n = n_bins * n_frames;
    ref_real *columns = ref_alloc(n, c->product.weight.cols), *y = ref_alloc(n, n_channels),
             *out = ref_alloc(n_channels, n);
    assay_status rc = columns && y && out ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        gather(i, c, columns);
        rc = ref_linear(y, columns, n, &c->product);
    }
    if (rc == ASSAY_OK) ref_activate(y, n * n_channels, ASSAY_GELU);
    for (size_t p = 0; rc == ASSAY_OK && p < n; p++)
        for (size_t channel = 0; channel < n_channels; channel++)
            out[channel * n + p] = y[p * n_channels + channel];
    free(columns);
    free(y);
    free(i->x);
    *i = (image){out, n_channels, n_bins, n_frames};
    return rc;
}

/* One chunk of n frames from `first` on, with zeros after them up to `padded_length`. */
static assay_status convolve_chunk(const plan_audio *s, const double *spectrogram, size_t n_frames,
                                   size_t first, size_t n, size_t padded_length, double *rows)
{
    image i = {ref_alloc(s->n_bins, padded_length), 1, s->n_bins, padded_length};
    assay_status rc = i.x ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t b = 0; rc == ASSAY_OK && b < s->n_bins; b++)
        for (size_t f = 0; f < padded_length; f++)
            i.x[b * padded_length + f] = f < n ? (ref_real)spectrogram[b * n_frames + first + f] : 0;
    for (size_t k = 0; rc == ASSAY_OK && k < PLAN_AUDIO_CONVOLUTIONS; k++)
        rc = convolve(&i, &s->convolutions[k]);
    const size_t width = i.n_channels * i.n_bins;
    for (size_t r = 0; rc == ASSAY_OK && r < plan_audio_rest(n); r++)
        for (size_t k = 0; k < width; k++) rows[r * width + k] = (double)i.x[k * i.n_frames + r];
    free(i.x);
    return rc;
}

assay_status ref_audio_rows(const plan_audio *audio, const double *spectrogram, size_t n_frames, double *rows)
{
    const size_t longest = n_frames < audio->chunk ? n_frames : audio->chunk, width = plan_audio_width(audio);
    assay_status rc = ASSAY_OK;
    for (size_t first = 0; rc == ASSAY_OK && first < n_frames; first += audio->chunk) {
        const size_t left = n_frames - first, n = left < audio->chunk ? left : audio->chunk;
        rc = convolve_chunk(audio, spectrogram, n_frames, first, n, longest,
                            rows + first / audio->chunk * plan_audio_rest(audio->chunk) * width);
    }
    return rc;
}

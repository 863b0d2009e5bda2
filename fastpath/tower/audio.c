/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/audio.h"

#include <string.h>

#include "fastpath/tower/linear.h"
#include "fastpath/tower/padding.h"

/* Values of a chunk: x [n_bins, n_frames, n_channels]. */
typedef struct image {
    float *x;
    size_t n_bins, n_frames, n_channels;
} image;

/* The values that the output at (bin, frame) reads, in the order of the weight's columns. */
static void gather(const image *from, bool channels_last, size_t bin, size_t frame, float *out)
{
    enum { SIDE = PLAN_AUDIO_SIDE };
    const size_t n = from->n_channels, step = channels_last ? 1 : SIDE * SIDE;
    for (size_t j = 0; j < SIDE; j++)
        for (size_t i = 0; i < SIDE; i++) {
            const size_t y = 2 * bin + j, x = 2 * frame + i; /* one more than the place that is read */
            const bool is_inside = y >= 1 && y <= from->n_bins && x >= 1 && x <= from->n_frames;
            const float *at = is_inside ? from->x + ((y - 1) * from->n_frames + x - 1) * n : NULL;
            float *to = out + (j * SIDE + i) * (channels_last ? n : 1);
            for (size_t c = 0; c < n; c++) to[c * step] = at ? at[c] : 0;
        }
}

/* *to = gelu(convolution k of *from), in blocks of rows. to->x has space for it. */
static assay_status convolve(fp_tower_pass *v, size_t k, const image *from, image *to)
{
    const plan_audio_convolution *c = &v->tower->audio.convolutions[k];
    const size_t mark = v->pass.scratch->n, n_in = c->product.weight.cols;
    to->n_bins = plan_audio_half(from->n_bins);
    to->n_frames = plan_audio_half(from->n_frames);
    to->n_channels = c->product.weight.rows;
    const size_t n_rows = to->n_bins * to->n_frames;
    float *columns = fp_scratch_floats(v->pass.scratch, FP_TOWER_ROWS, n_in);
    assay_status rc = columns ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t first = 0; rc == ASSAY_OK && first < n_rows; first += FP_TOWER_ROWS) {
        const size_t n = n_rows - first < FP_TOWER_ROWS ? n_rows - first : FP_TOWER_ROWS;
        for (size_t r = 0; r < n; r++)
            gather(from, c->channels_last, (first + r) / to->n_frames, (first + r) % to->n_frames,
                   columns + r * n_in);
        const fp_tower_linear linear = {&v->packed->convolutions[k], &c->product.clamp};
        rc = fp_tower_linear_activate(&v->pass, to->x + first * to->n_channels, columns, n, linear,
                                      ASSAY_GELU);
    }
    v->pass.scratch->n = mark;
    return rc;
}

/* The most values that a result of one chunk has, the spectrogram included. */
static size_t largest_image(const plan_audio *s, size_t n_frames)
{
    size_t n_bins = s->n_bins, most = n_bins * n_frames;
    for (size_t k = 0; k < PLAN_AUDIO_CONVOLUTIONS; k++) {
        n_bins = plan_audio_half(n_bins);
        n_frames = plan_audio_half(n_frames);
        const size_t n = n_bins * n_frames * s->convolutions[k].product.weight.rows;
        if (n > most) most = n;
    }
    return most;
}

/* An audio clip: its spectrogram [bins, n_frames], and two buffers that a chunk's results take turns in. */
typedef struct audio_clip {
    double *spectrogram;
    float *buffer[2];
    size_t n_frames;
} audio_clip;

/* The rows of the chunk of n frames from `first` on. */
static assay_status run_chunk(fp_tower_pass *v, const audio_clip *c, size_t first, size_t n, float *rows)
{
    const plan_audio *s = &v->tower->audio;
    const size_t padded = fp_audio_padded(s, c->n_frames, n);
    image from = {c->buffer[0], s->n_bins, padded, 1};
    assay_status rc = ASSAY_OK;
    for (size_t b = 0; b < s->n_bins; b++)
        for (size_t f = 0; f < padded; f++)
            from.x[b * padded + f] = f < n ? (float)c->spectrogram[b * c->n_frames + first + f] : 0;
    for (size_t k = 0; rc == ASSAY_OK && k < PLAN_AUDIO_CONVOLUTIONS; k++) {
        image to = {.x = c->buffer[(k + 1) % 2]};
        rc = convolve(v, k, &from, &to);
        from = to;
    }
    const size_t width = from.n_channels * from.n_bins;
    for (size_t r = 0; rc == ASSAY_OK && r < plan_audio_rest(n); r++)
        for (size_t channel = 0; channel < from.n_channels; channel++)
            for (size_t b = 0; b < from.n_bins; b++)
                rows[r * width + channel * from.n_bins + b] =
                    from.x[(b * from.n_frames + r) * from.n_channels + channel];
    return rc;
}

assay_status fp_audio_rows(fp_tower_pass *v, const medium *m, float *rows)
{
    const plan_audio *s = &v->tower->audio;
    const size_t mark = v->pass.scratch->n, width = plan_audio_width(s);
    audio_clip c = {.n_frames = medium_frames(m)};
    const size_t most = largest_image(s, s->chunk);
    c.spectrogram = fp_scratch_alloc(v->pass.scratch, s->n_bins, c.n_frames, sizeof *c.spectrogram);
    c.buffer[0] = c.spectrogram ? fp_scratch_floats(v->pass.scratch, 2, most) : NULL;
    assay_status rc = c.buffer[0] ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        c.buffer[1] = c.buffer[0] + most;
        medium_spectrogram(m, c.spectrogram);
    }
    for (size_t first = 0; rc == ASSAY_OK && first < c.n_frames; first += s->chunk) {
        const size_t left = c.n_frames - first, n = left < s->chunk ? left : s->chunk;
        rc = run_chunk(v, &c, first, n, rows + plan_audio_rows(s, first) * width);
    }
    v->pass.scratch->n = mark;
    return rc;
}

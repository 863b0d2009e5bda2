/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/conv_tower.h"

#include <stdlib.h>
#include <string.h>

#include "ref/conv.h"

/* The images of a pass. */
typedef struct evaluation {
    const plan_tower *tower;
    size_t n;            /* images */
    ref_image *images;   /* [n], the output of the block before */
    ref_image *taken;    /* [n_taken, n] */
    size_t first_traced; /* an image */
    ref_tracer tracer;
} evaluation;

/* [channels, height, width] to [height·width, channels] */
static assay_status read_pixels(ref_image *out, const double *pixels, const size_t grid[3],
                                const plan_patches *p)
{
    *out = (ref_image){grid[1], grid[2], p->channels, ref_alloc(grid[1] * grid[2], p->channels)};
    if (!out->x) return ASSAY_ENOMEM;
    const size_t n = ref_image_pixels(out);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < p->channels; c++)
            out->x[i * p->channels + c] = (ref_real)(pixels[c * n + i] * p->pixel_factor + p->pixel_offset);
    return ASSAY_OK;
}

/* Passes all images to the tap, which may overwrite them. */
static assay_status trace(const evaluation *e, size_t block)
{
    const size_t channels = e->images[0].channels;
    size_t n = 0, at = 0;
    ref_tracer tracer = e->tracer;
    tracer.first_row = 0;
    if (e->first_traced == e->n) return ASSAY_OK;
    for (size_t i = e->first_traced; i < e->n; i++) n += ref_image_pixels(&e->images[i]);
    ref_real *rows = ref_alloc(n, channels);
    if (!rows) return ASSAY_ENOMEM;
    for (size_t i = e->first_traced; i < e->n; at += ref_image_pixels(&e->images[i]) * channels, i++)
        memcpy(rows + at, e->images[i].x, ref_image_pixels(&e->images[i]) * channels * sizeof *rows);
    const assay_status rc = ref_trace(&tracer, rows, n, channels, "vision.%02zu.out", block);
    at = 0;
    for (size_t i = e->first_traced; i < e->n; at += ref_image_pixels(&e->images[i]) * channels, i++)
        memcpy(e->images[i].x, rows + at, ref_image_pixels(&e->images[i]) * channels * sizeof *rows);
    free(rows);
    return rc;
}

static assay_status copy_image(ref_image *to, const ref_image *from)
{
    *to = *from;
    to->x = ref_alloc(ref_image_pixels(from), from->channels);
    if (!to->x) return ASSAY_ENOMEM;
    memcpy(to->x, from->x, ref_image_pixels(from) * from->channels * sizeof *to->x);
    return ASSAY_OK;
}

static assay_status run_blocks(evaluation *e)
{
    const plan_conv_tower *t = &e->tower->conv;
    assay_status rc = ASSAY_OK;
    for (size_t b = 0; rc == ASSAY_OK && b < t->n_blocks; b++) {
        for (size_t i = 0; rc == ASSAY_OK && i < e->n; i++) rc = ref_conv_block(&e->images[i], &t->blocks[b]);
        if (rc == ASSAY_OK) rc = trace(e, b);
        for (size_t k = 0; rc == ASSAY_OK && k < t->n_taken; k++)
            for (size_t i = 0; rc == ASSAY_OK && t->taken[k] == b && i < e->n; i++)
                rc = copy_image(&e->taken[k * e->n + i], &e->images[i]);
    }
    return rc;
}

/* Pixel i of n, resampled from n_in to the nearest (torch.nn.functional.interpolate, whose ratio is
 * float32). */
static size_t nearest(size_t i, size_t n, size_t n_in)
{
    const size_t at = (size_t)floorf((float)i * ((float)n_in / (float)n));
    return at < n_in ? at : n_in - 1;
}

/* Concatenates the taken outputs of image i. */
static assay_status concatenate(const evaluation *e, size_t i, ref_image *out)
{
    const plan_conv_tower *t = &e->tower->conv;
    const ref_image *first = &e->taken[i];
    size_t channels = 0, at = 0;
    for (size_t k = 0; k < t->n_taken; k++) channels += e->taken[k * e->n + i].channels;
    *out = (ref_image){first->height, first->width, channels, ref_alloc(ref_image_pixels(first), channels)};
    if (!out->x) return ASSAY_ENOMEM;
    for (size_t k = 0; k < t->n_taken; k++) {
        const ref_image *from = &e->taken[k * e->n + i];
        for (size_t y = 0; y < out->height; y++)
            for (size_t x = 0; x < out->width; x++) {
                const size_t pixel =
                    nearest(y, out->height, from->height) * from->width + nearest(x, out->width, from->width);
                memcpy(out->x + (y * out->width + x) * channels + at, from->x + pixel * from->channels,
                       from->channels * sizeof *out->x);
            }
        at += from->channels;
    }
    return ASSAY_OK;
}

/* The mean of the rectangle of pixels that becomes pixel (y, x) of side × side. */
static void average(ref_real *out, const ref_image *in, size_t side, size_t y, size_t x)
{
    const size_t high = in->height / side, wide = in->width / side;
    for (size_t c = 0; c < in->channels; c++) {
        double sum = 0;
        for (size_t j = 0; j < high; j++)
            for (size_t i = 0; i < wide; i++)
                sum += (double)in->x[((y * high + j) * in->width + x * wide + i) * in->channels + c];
        out[c] = (ref_real)(sum / (double)(high * wide));
    }
}

/* The two places that pixel i of n reads on an axis of n_in, and the weight of the second. */
typedef struct taps {
    size_t first, second;
    double weight;
} taps;

static taps taps_of(size_t i, size_t n, size_t n_in)
{
    double at = ((double)i + 0.5) * (double)n_in / (double)n - 0.5;
    if (at < 0) at = 0;
    const size_t first = (size_t)at;
    return (taps){first, first + 1 < n_in ? first + 1 : first, at - (double)first};
}

static void interpolate(ref_real *out, const ref_image *in, size_t side, size_t y, size_t x)
{
    const taps row = taps_of(y, side, in->height), column = taps_of(x, side, in->width);
    const ref_real *top = in->x + row.first * in->width * in->channels,
                   *bottom = in->x + row.second * in->width * in->channels;
    for (size_t c = 0; c < in->channels; c++) {
        const size_t left = column.first * in->channels + c, right = column.second * in->channels + c;
        const double above = (1 - column.weight) * (double)top[left] + column.weight * (double)top[right];
        const double below =
            (1 - column.weight) * (double)bottom[left] + column.weight * (double)bottom[right];
        out[c] = (ref_real)((1 - row.weight) * above + row.weight * below);
    }
}

/* out: [side², channels] */
static void resample(ref_real *out, const ref_image *in, size_t side)
{
    const bool divides = in->height % side == 0 && in->width % side == 0;
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++, out += in->channels)
            if (divides) average(out, in, side, y, x);
            else interpolate(out, in, side, y, x);
}

static assay_status fuse(const evaluation *e, ref_real *x)
{
    const plan_conv_tower *t = &e->tower->conv;
    const size_t n_each = t->side * t->side * e->tower->hidden;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < e->n; i++) {
        ref_image image;
        rc = concatenate(e, i, &image);
        if (rc == ASSAY_OK) rc = ref_conv_block(&image, &t->fusion);
        if (rc == ASSAY_OK) resample(x + i * n_each, &image, t->side);
        ref_image_free(&image);
    }
    return rc;
}

assay_status ref_conv_tower(const plan_tower *tower, const double *pixels, const size_t (*grids)[3],
                            size_t n_images, size_t first_traced, ref_tracer tracer, ref_real *x)
{
    const size_t n_taken = tower->conv.n_taken;
    evaluation e = {.tower = tower,
                    .n = n_images,
                    .images = calloc(n_images + 1, sizeof *e.images),
                    .taken = calloc(n_images * n_taken + 1, sizeof *e.taken),
                    .first_traced = first_traced,
                    .tracer = tracer};
    assay_status rc = e.images && e.taken ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t i = 0; rc == ASSAY_OK && i < n_images; i++) {
        rc = read_pixels(&e.images[i], pixels, grids[i], &tower->patches);
        pixels += grids[i][1] * grids[i][2] * tower->patches.channels;
    }
    if (rc == ASSAY_OK) rc = run_blocks(&e);
    if (rc == ASSAY_OK) rc = fuse(&e, x);
    for (size_t i = 0; e.images && i < n_images; i++) ref_image_free(&e.images[i]);
    for (size_t i = 0; e.taken && i < n_images * n_taken; i++) ref_image_free(&e.taken[i]);
    free(e.images);
    free(e.taken);
    return rc;
}

/* The fusion of the outputs of blocks is written from MobileNetV5MultiScaleFusionAdapter of timm and from
 * what the functions of torch that it calls compute.
 *
 * SPDX-License-Identifier: Apache-2.0 */
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

/* F.interpolate(mode="nearest") of an image to the size of out, whose channels from first on it becomes.
 * torch computes the scale, and the product with it, in float32. */
static void interpolate_nearest(ref_image *out, size_t first, const ref_image *image)
{
    const float scale_y = (float)image->height / (float)out->height,
                scale_x = (float)image->width / (float)out->width;
    ref_real *to = out->x + first;
    for (size_t y = 0; y < out->height; y++) {
        const size_t wanted_y = (size_t)((float)y * scale_y), last_y = image->height - 1,
                     from_y = wanted_y < last_y ? wanted_y : last_y;
        for (size_t x = 0; x < out->width; x++, to += out->channels) {
            const size_t wanted_x = (size_t)((float)x * scale_x), last_x = image->width - 1,
                         from_x = wanted_x < last_x ? wanted_x : last_x;
            memcpy(to, image->x + (from_y * image->width + from_x) * image->channels,
                   image->channels * sizeof *to);
        }
    }
}

/* torch.cat over the channels of the taken outputs of image i, each in the size of the first
 * ("high_resolution"). */
static assay_status concatenate(const evaluation *e, size_t i, ref_image *out)
{
    const size_t n_taken = e->tower->conv.n_taken;
    *out = (ref_image){.height = e->taken[i].height, .width = e->taken[i].width};
    for (size_t k = 0; k < n_taken; k++) out->channels += e->taken[k * e->n + i].channels;
    out->x = ref_alloc(ref_image_pixels(out), out->channels);
    if (!out->x) return ASSAY_ENOMEM;
    for (size_t k = 0, first = 0; k < n_taken; first += e->taken[k++ * e->n + i].channels)
        interpolate_nearest(out, first, &e->taken[k * e->n + i]);
    return ASSAY_OK;
}

/* F.avg_pool2d with kernels and strides of height / side and width / side. sum: [side², channels], zero. */
static void average_pool(ref_real *out, const ref_image *in, size_t side, double *sum)
{
    const size_t stride_y = in->height / side, stride_x = in->width / side, n = side * side * in->channels;
    for (size_t y = 0; y < in->height; y++)
        for (size_t x = 0; x < in->width; x++)
            for (size_t c = 0; c < in->channels; c++)
                sum[(y / stride_y * side + x / stride_x) * in->channels + c] +=
                    (double)in->x[(y * in->width + x) * in->channels + c];
    for (size_t k = 0; k < n; k++) out[k] = (ref_real)(sum[k] / (double)(stride_y * stride_x));
}

/* Where output pixel i of n reads on an axis of n_in pixels, and with which weights (torch:
 * align_corners=False). */
typedef struct linear_taps {
    size_t at[2];
    double lambda[2];
} linear_taps;

static linear_taps linear_taps_of(size_t i, size_t n, size_t n_in)
{
    const double source = fmax((double)n_in / (double)n * ((double)i + 0.5) - 0.5, 0), whole = floor(source);
    linear_taps taps = {{(size_t)whole, (size_t)whole}, {1 - (source - whole), source - whole}};
    if (taps.at[0] + 1 < n_in) taps.at[1]++;
    return taps;
}

/* F.interpolate(mode="bilinear") to side x side. sum: [side², channels], zero. */
static void interpolate_bilinear(ref_real *out, const ref_image *in, size_t side, double *sum)
{
    const size_t n = in->channels;
    for (size_t pixel = 0; pixel < side * side; pixel++) {
        const linear_taps y = linear_taps_of(pixel / side, side, in->height),
                          x = linear_taps_of(pixel % side, side, in->width);
        for (size_t corner = 0; corner < 4; corner++) {
            const size_t j = corner / 2, i = corner % 2;
            const ref_real *from = in->x + (y.at[j] * in->width + x.at[i]) * n;
            for (size_t c = 0; c < n; c++) sum[pixel * n + c] += y.lambda[j] * x.lambda[i] * (double)from[c];
        }
    }
    for (size_t k = 0; k < side * side * n; k++) out[k] = (ref_real)sum[k];
}

/* To "output_resolution". out: [side², channels] */
static assay_status resample(ref_real *out, const ref_image *in, size_t side)
{
    double *sum = calloc(side * side * in->channels, sizeof *sum);
    if (!sum) return ASSAY_ENOMEM;
    if (in->height % side != 0 || in->width % side != 0) interpolate_bilinear(out, in, side, sum);
    else average_pool(out, in, side, sum);
    free(sum);
    return ASSAY_OK;
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
        if (rc == ASSAY_OK) rc = resample(x + i * n_each, &image, t->side);
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

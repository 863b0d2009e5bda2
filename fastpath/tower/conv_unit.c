/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/conv_unit.h"

#include <string.h>

#include "fastpath/ops.h"
#include "fastpath/tower/linear.h"

/* A convolution of an image. */
typedef struct sliding {
    const plan_convolution *c;
    const fp_conv_unit *w;
    const fp_image *in, *out;
    size_t top, left; /* zeros before the first row and column */
    size_t first;     /* pixel of `out` whose window is the first of `windows` */
    float *windows;   /* [pixels, columns] */
} sliding;

/* The channels of the pixel under place (j, i) of the kernel; NULL outside of the image. */
static const float *pixel_under(const sliding *s, size_t pixel, size_t j, size_t i)
{
    const size_t y = pixel / s->out->width * s->c->stride + j, x = pixel % s->out->width * s->c->stride + i;
    if (y < s->top || y - s->top >= s->in->height || x < s->left || x - s->left >= s->in->width) return NULL;
    return s->in->x + ((y - s->top) * s->in->width + (x - s->left)) * s->c->n_in;
}

/* Copies the elements under the kernel at one pixel in the order of the weight's columns. */
static void gather_item(void *context, size_t item)
{
    const sliding *job = context;
    const size_t k = job->c->kernel, n = job->c->n_in;
    float *to = job->windows + item * k * k * n;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++) {
            const float *pixel = pixel_under(job, job->first + item, j, i);
            if (job->c->channels_last && pixel) memcpy(to + (j * k + i) * n, pixel, n * sizeof *to);
            else if (job->c->channels_last) memset(to + (j * k + i) * n, 0, n * sizeof *to);
            else
                for (size_t c = 0; c < n; c++) to[(c * k + j) * k + i] = pixel ? pixel[c] : 0;
        }
}

/* One pixel of a depthwise convolution. */
static void depthwise_item(void *context, size_t item)
{
    const sliding *job = context;
    const size_t k = job->c->kernel, n = job->c->n_out;
    float *to = job->out->x + item * n;
    memset(to, 0, n * sizeof *to);
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++) {
            const float *restrict pixel = pixel_under(job, item, j, i);
            const float *restrict kernel = job->w->kernel + (j * k + i) * n;
            for (size_t c = 0; pixel && c < n; c++) to[c] += pixel[c] * kernel[c];
        }
    if (job->w->bias) fp_add(to, job->w->bias, n);
}

static void run_depthwise(fp_tower_pass *v, sliding *s)
{
    const size_t k = s->c->kernel;
    fp_pool_run(v->pass.model->pool, fp_image_pixels(s->out), k * k * s->c->n_out, depthwise_item, s);
}

/* Pixels from `first` on: the product of their windows. A window of one pixel is the pixel. */
static assay_status run_product(fp_tower_pass *v, sliding *s)
{
    const plan_convolution *c = s->c;
    const bool is_pixel = c->kernel == 1 && c->stride == 1;
    const size_t n_pixels = fp_image_pixels(s->out), columns = plan_convolution_columns(c);
    const size_t n_most = n_pixels < FP_TOWER_ROWS ? n_pixels : FP_TOWER_ROWS;
    if (!is_pixel) s->windows = fp_scratch_floats(v->pass.scratch, n_most, columns);
    if (!is_pixel && !s->windows) return ASSAY_ENOMEM;
    assay_status rc = ASSAY_OK;
    for (size_t n; rc == ASSAY_OK && s->first < n_pixels; s->first += n) {
        n = n_pixels - s->first < n_most ? n_pixels - s->first : n_most;
        if (!is_pixel) fp_pool_run(v->pass.model->pool, n, columns, gather_item, s);
        rc = fp_tower_linear_run(&v->pass, s->out->x + s->first * c->n_out,
                                 is_pixel ? s->in->x + s->first * c->n_in : s->windows, n,
                                 (fp_tower_linear){&s->w->product, &c->product.clamp});
    }
    return rc;
}

assay_status fp_conv_unit_run(fp_tower_pass *v, const plan_conv_unit *unit, const fp_conv_unit *w,
                              const fp_image *in, fp_image *out)
{
    const plan_convolution *c = &unit->convolution;
    out->height = plan_convolution_pixels(c, in->height);
    out->width = plan_convolution_pixels(c, in->width);
    out->channels = c->n_out;
    const size_t n = fp_image_pixels(out);
    if (!out->x) out->x = fp_scratch_floats(v->pass.scratch, n, c->n_out);
    if (!out->x) return ASSAY_ENOMEM;
    const size_t mark = v->pass.scratch->n;
    sliding s = {.c = c,
                 .w = w,
                 .in = in,
                 .out = out,
                 .top = plan_convolution_before(c, in->height),
                 .left = plan_convolution_before(c, in->width)};
    assay_status rc = ASSAY_OK;
    if (c->is_depthwise) run_depthwise(v, &s);
    else rc = run_product(v, &s);
    v->pass.scratch->n = mark;
    if (rc != ASSAY_OK) return rc;
    fp_norm_run(&v->pass, out->x, out->x, n, c->n_out, &w->norm);
    if (unit->is_activated) fp_tower_activate(&v->pass, out->x, n, c->n_out, unit->activation);
    return ASSAY_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FRACTION_BITS 22 /* of weights: 32 bits without 8 of the value and 2 for sums beyond its range */

static const char what[] = "resized image";

/* The weights of one axis. */
typedef struct axis {
    size_t n_out, n_taps;
    size_t *first;    /* [n_out], the first input of each output */
    size_t *n_used;   /* [n_out], at most n_taps */
    int32_t *weights; /* [n_out, n_taps] */
} axis;

static double bilinear(double x)
{
    x = fabs(x);
    return x < 1 ? 1 - x : 0;
}

static double bicubic(double x)
{
    const double a = -0.5;
    x = fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

static void axis_free(axis *a)
{
    free(a->first);
    free(a->n_used);
    free(a->weights);
}

/* Weights in fixed point, rounded half away from zero. */
static int32_t fixed_point(double weight)
{
    const double scaled = weight * (1 << FRACTION_BITS);
    return (int32_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

/* The weights of output i. doubles: [n_taps], scratch. */
static void weigh(axis *a, size_t i, size_t n_in, image_filter filter, double *doubles)
{
    const double scale = (double)n_in / (double)a->n_out, stretch = scale < 1 ? 1 : scale;
    const double support = (filter == IMAGE_BICUBIC ? 2 : 1) * stretch;
    const double center = ((double)i + 0.5) * scale, narrow = 1 / stretch;
    const double low = center - support + 0.5, high = center + support + 0.5;
    const size_t first = low < 0 ? 0 : (size_t)low;
    const size_t end = high > (double)n_in ? n_in : (size_t)high;
    double sum = 0;
    for (size_t k = first; k < end; k++) {
        const double x = ((double)k - center + 0.5) * narrow;
        doubles[k - first] = filter == IMAGE_BICUBIC ? bicubic(x) : bilinear(x);
        sum += doubles[k - first];
    }
    a->first[i] = first;
    a->n_used[i] = end - first;
    for (size_t k = 0; k < end - first; k++)
        a->weights[i * a->n_taps + k] = fixed_point(sum != 0 ? doubles[k] / sum : doubles[k]);
}

static assay_status axis_open(size_t n_in, size_t n_out, image_filter filter, axis *out, assay_error *err)
{
    const double scale = (double)n_in / (double)n_out;
    const double support = (filter == IMAGE_BICUBIC ? 2 : 1) * (scale < 1 ? 1 : scale);
    axis a = {.n_out = n_out, .n_taps = (size_t)ceil(support) * 2 + 1};
    double *doubles = malloc(a.n_taps * sizeof *doubles);
    a.first = malloc(n_out * sizeof *a.first);
    a.n_used = malloc(n_out * sizeof *a.n_used);
    a.weights = calloc(n_out, a.n_taps * sizeof *a.weights);
    if (!doubles || !a.first || !a.n_used || !a.weights) {
        free(doubles);
        axis_free(&a);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", what);
    }
    for (size_t i = 0; i < n_out; i++) weigh(&a, i, n_in, filter, doubles);
    free(doubles);
    *out = a;
    return ASSAY_OK;
}

/* The weighted sum of every stride-th value from `in`, rounded and clipped. */
static uint8_t filtered(const uint8_t *in, size_t stride, const int32_t *weights, size_t n)
{
    int32_t sum = 1 << (FRACTION_BITS - 1);
    for (size_t k = 0; k < n; k++) sum += in[k * stride] * weights[k];
    if (sum < 0) return 0;
    sum >>= FRACTION_BITS;
    return (uint8_t)(sum > 255 ? 255 : sum);
}

/* Filters lines of a->n_out values at `out` from lines at `in`; all of a line lie `stride` apart. */
static void filter_line(const axis *a, const uint8_t *in, uint8_t *out, size_t stride)
{
    for (size_t i = 0; i < a->n_out; i++)
        out[i * stride] =
            filtered(in + a->first[i] * stride, stride, a->weights + i * a->n_taps, a->n_used[i]);
}

/* One pass: the width or the height becomes n_out. *in is freed. */
static assay_status resize_axis(image_pixels *in, bool horizontal, size_t n_out, image_filter filter,
                                assay_error *err)
{
    const size_t n_in = horizontal ? in->width : in->height;
    image_pixels out;
    axis a = {0};
    if (n_in == n_out) return ASSAY_OK;
    assay_status rc =
        image_pixels_open(what, horizontal ? in->height : n_out, horizontal ? n_out : in->width, &out, err);
    if (rc != ASSAY_OK) return rc;
    rc = axis_open(n_in, n_out, filter, &a, err);
    if (rc != ASSAY_OK) {
        image_pixels_free(&out);
        return rc;
    }
    const size_t n_lines = horizontal ? in->height : in->width * 3;
    for (size_t i = 0; i < n_lines; i++) {
        if (!horizontal) filter_line(&a, in->rgb + i, out.rgb + i, in->width * 3);
        for (size_t c = 0; horizontal && c < 3; c++)
            filter_line(&a, in->rgb + i * in->width * 3 + c, out.rgb + i * n_out * 3 + c, 3);
    }
    axis_free(&a);
    image_pixels_free(in);
    *in = out;
    return ASSAY_OK;
}

assay_status image_resample(const image_pixels *in, size_t height, size_t width, image_filter filter,
                            image_pixels *out, assay_error *err)
{
    const double rows_lost = (double)in->height - (double)height,
                 columns_lost = (double)in->width - (double)width;
    const bool vertical_first = rows_lost > 0 && rows_lost > 2 * columns_lost;
    image_pixels made;
    assay_status rc = image_pixels_open(what, in->height, in->width, &made, err);
    if (rc != ASSAY_OK) return rc;
    memcpy(made.rgb, in->rgb, in->height * in->width * 3);
    rc = resize_axis(&made, !vertical_first, vertical_first ? height : width, filter, err);
    if (rc == ASSAY_OK) rc = resize_axis(&made, vertical_first, vertical_first ? width : height, filter, err);
    if (rc == ASSAY_OK) *out = made;
    else image_pixels_free(&made);
    return rc;
}

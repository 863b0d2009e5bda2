/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/conv.h"

#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/product.h"
#include "ref/arithmetic/weight.h"

void ref_image_free(ref_image *image)
{
    free(image->x);
    *image = (ref_image){0};
}

static assay_status make_image(ref_image *out, size_t height, size_t width, size_t channels)
{
    *out = (ref_image){height, width, channels, ref_alloc(height * width, channels)};
    if (out->x) return ASSAY_OK;
    *out = (ref_image){0};
    return ASSAY_ENOMEM;
}

/* A kernel's place on an image: its first pixel, which may lie before the image. */
typedef struct place {
    ptrdiff_t row, column;
} place;

static place place_of(const plan_convolution *c, const ref_image *in, size_t y, size_t x)
{
    return (place){(ptrdiff_t)(y * c->stride) - (ptrdiff_t)plan_convolution_before(c, in->height),
                   (ptrdiff_t)(x * c->stride) - (ptrdiff_t)plan_convolution_before(c, in->width)};
}

/* The channels of a pixel; NULL outside of the image. */
static const ref_real *pixel_of(const ref_image *in, ptrdiff_t row, ptrdiff_t column)
{
    if (row < 0 || column < 0 || (size_t)row >= in->height || (size_t)column >= in->width) return NULL;
    return in->x + ((size_t)row * in->width + (size_t)column) * in->channels;
}

/* The elements under a kernel, in the order of the weight's columns. out: [n_in·kernel²] */
static void gather_window(ref_real *out, const plan_convolution *c, const ref_image *in, place at)
{
    const size_t k = c->kernel;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++) {
            const ref_real *pixel = pixel_of(in, at.row + (ptrdiff_t)j, at.column + (ptrdiff_t)i);
            for (size_t n = 0; n < c->n_in; n++)
                out[c->channels_last ? (j * k + i) * c->n_in + n : (n * k + j) * k + i] =
                    pixel ? pixel[n] : 0;
        }
}

static assay_status convolve_all(ref_image *out, const ref_image *in, const plan_convolution *c)
{
    const size_t columns = plan_convolution_columns(c);
    ref_real *windows = ref_alloc(ref_image_pixels(out), columns);
    if (!windows) return ASSAY_ENOMEM;
    for (size_t y = 0; y < out->height; y++)
        for (size_t x = 0; x < out->width; x++)
            gather_window(windows + (y * out->width + x) * columns, c, in, place_of(c, in, y, x));
    const assay_status rc = ref_linear(out->x, windows, ref_image_pixels(out), &c->product);
    free(windows);
    return rc;
}

/* weight: [n_out, kernel²], bias: [n_out]. */
static ref_real convolve_channel(const plan_convolution *c, const ref_image *in, place at, size_t n,
                                 const ref_real *weight)
{
    double sum = 0;
    for (size_t j = 0; j < c->kernel; j++)
        for (size_t i = 0; i < c->kernel; i++) {
            const ref_real *pixel = pixel_of(in, at.row + (ptrdiff_t)j, at.column + (ptrdiff_t)i);
            if (pixel) sum += (double)pixel[n] * (double)weight[(n * c->kernel + j) * c->kernel + i];
        }
    return (ref_real)sum;
}

static assay_status convolve_depthwise(ref_image *out, const ref_image *in, const plan_convolution *c)
{
    ref_real *weight = ref_alloc(c->n_out, plan_convolution_columns(c)), *bias = ref_alloc(1, c->n_out);
    const assay_status rc = weight && bias ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) ref_weight_rows(&c->product.weight, 0, c->n_out, weight);
    if (rc == ASSAY_OK && c->product.bias.data) ref_weight_rows(&c->product.bias, 0, 1, bias);
    for (size_t y = 0; rc == ASSAY_OK && y < out->height; y++)
        for (size_t x = 0; x < out->width; x++)
            for (size_t n = 0; n < c->n_out; n++)
                out->x[(y * out->width + x) * c->n_out + n] =
                    convolve_channel(c, in, place_of(c, in, y, x), n, weight) + bias[n];
    free(weight);
    free(bias);
    return rc;
}

assay_status ref_convolve(ref_image *out, const ref_image *in, const plan_convolution *c)
{
    assay_status rc = make_image(out, plan_convolution_pixels(c, in->height),
                                 plan_convolution_pixels(c, in->width), c->n_out);
    if (rc == ASSAY_OK) rc = c->is_depthwise ? convolve_depthwise(out, in, c) : convolve_all(out, in, c);
    if (rc != ASSAY_OK) ref_image_free(out);
    return rc;
}

assay_status ref_conv_unit(ref_image *out, const ref_image *in, const plan_conv_unit *unit)
{
    assay_status rc = ref_convolve(out, in, &unit->convolution);
    if (rc == ASSAY_OK) rc = ref_norm(out->x, out->x, ref_image_pixels(out), out->channels, &unit->norm);
    if (rc == ASSAY_OK && unit->is_activated)
        ref_activate(out->x, ref_image_pixels(out) * out->channels, unit->activation);
    if (rc != ASSAY_OK) ref_image_free(out);
    return rc;
}

static assay_status run_units(ref_image *out, const ref_image *in, const plan_conv_block *b)
{
    assay_status rc = ref_conv_unit(out, in, &b->units[0]);
    for (size_t i = 1; rc == ASSAY_OK && i < b->n_units; i++) {
        ref_image next;
        rc = ref_conv_unit(&next, out, &b->units[i]);
        ref_image_free(out);
        *out = next;
    }
    return rc;
}

/* The projection of keys or values, of the image itself or of the unit's. out: [pixels, head_dim]; the caller
 * frees it. */
static assay_status project(ref_image *out, const ref_image *normed, const plan_conv_unit *unit,
                            const plan_linear *projection)
{
    ref_image fewer = {0};
    assay_status rc = unit ? ref_conv_unit(&fewer, normed, unit) : ASSAY_OK;
    const ref_image *from = unit ? &fewer : normed;
    *out = (ref_image){0};
    if (rc == ASSAY_OK) rc = make_image(out, from->height, from->width, projection->weight.rows);
    if (rc == ASSAY_OK) rc = ref_linear(out->x, from->x, ref_image_pixels(from), projection);
    ref_image_free(&fewer);
    return rc;
}

/* softmax(scale · q kᵀ) v of each head. q, attn_out: [n, n_heads, head_dim]; k, v: [m, head_dim] */
static assay_status attend(ref_real *attn_out, const ref_real *q, const ref_image *k, const ref_image *v,
                           size_t n, const plan_attention *a)
{
    const size_t m = ref_image_pixels(k), d = a->head_dim, width = a->n_heads * d;
    ref_real *scores = ref_alloc(n, m);
    assay_status rc = scores ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t h = 0; rc == ASSAY_OK && h < a->n_heads; h++) {
        rc = ref_product(scores, m, q + h * d, width, k->x, d, false, n, m, d, a->scale);
        for (size_t i = 0; rc == ASSAY_OK && i < n; i++) ref_softmax(scores + i * m, m);
        if (rc == ASSAY_OK) rc = ref_product(attn_out + h * d, width, scores, m, v->x, d, true, n, d, m, 1);
    }
    free(scores);
    return rc;
}

static assay_status run_attention(ref_image *out, const ref_image *in, const plan_conv_block *b)
{
    const plan_attention *a = &b->attention;
    const size_t n = ref_image_pixels(in), width = a->n_heads * a->head_dim;
    ref_image normed = {0}, k = {0}, v = {0};
    ref_real *q = ref_alloc(n, width), *attn_out = ref_alloc(n, width);
    assay_status rc = q && attn_out ? make_image(out, in->height, in->width, a->o.weight.rows) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = make_image(&normed, in->height, in->width, in->channels);
    if (rc == ASSAY_OK) rc = ref_norm(normed.x, in->x, n, in->channels, &b->norm);
    if (rc == ASSAY_OK) rc = ref_linear(q, normed.x, n, &a->q);
    if (rc == ASSAY_OK) rc = project(&k, &normed, b->has_key_units ? &b->key : NULL, &a->k);
    if (rc == ASSAY_OK) rc = project(&v, &normed, b->has_key_units ? &b->value : NULL, &a->v);
    if (rc == ASSAY_OK) rc = attend(attn_out, q, &k, &v, n, a);
    if (rc == ASSAY_OK) rc = ref_linear(out->x, attn_out, n, &a->o);
    ref_image_free(&normed);
    ref_image_free(&k);
    ref_image_free(&v);
    free(q);
    free(attn_out);
    if (rc != ASSAY_OK) ref_image_free(out);
    return rc;
}

/* x *= scale, for every pixel. */
static assay_status scale_channels(ref_image *image, const plan_weight *scale)
{
    ref_real *factors = ref_alloc(1, image->channels);
    if (!factors) return ASSAY_ENOMEM;
    ref_weight_rows(scale, 0, 1, factors);
    for (size_t p = 0; p < ref_image_pixels(image); p++)
        ref_multiply(image->x + p * image->channels, factors, image->channels);
    free(factors);
    return ASSAY_OK;
}

assay_status ref_conv_block(ref_image *image, const plan_conv_block *b)
{
    ref_image out = {0};
    assay_status rc =
        b->kind == PLAN_CONV_ATTENTION ? run_attention(&out, image, b) : run_units(&out, image, b);
    if (rc == ASSAY_OK && b->scale.data) rc = scale_channels(&out, &b->scale);
    if (rc == ASSAY_OK && b->is_residual) ref_add(out.x, image->x, ref_image_pixels(&out) * out.channels);
    if (rc != ASSAY_OK) {
        ref_image_free(&out);
        return rc;
    }
    ref_image_free(image);
    *image = out;
    return rc;
}

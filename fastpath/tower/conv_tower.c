/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/conv_tower.h"

#include <math.h>
#include <string.h>

#include "fastpath/ops.h"
#include "fastpath/tower/conv.h"

/* The images of a pass; their pixels follow each other. */
typedef struct stack {
    fp_image *image; /* [n] */
    size_t n, n_pixels, channels;
    float *x;
} stack;

typedef struct evaluation {
    fp_tower_pass *v;
    const plan_conv_tower *plan;
    const fp_conv_tower *packed;
    stack now;
    stack taken[PLAN_CONV_TAKEN_MAX];
} evaluation;

static bool alloc_images(fp_scratch *scratch, stack *s, size_t n)
{
    s->n = n;
    s->image = fp_scratch_alloc(scratch, n, 1, sizeof *s->image);
    return s->image;
}

/* Places the images, whose sizes are set, one after the other from x on. */
static void place_images(stack *s, size_t channels, float *x)
{
    s->x = x;
    s->channels = channels;
    s->n_pixels = 0;
    for (size_t i = 0; i < s->n; i++) {
        s->image[i].channels = channels;
        s->image[i].x = x + s->n_pixels * channels;
        s->n_pixels += fp_image_pixels(&s->image[i]);
    }
}

/* Elements of the largest stack of images before or after a block. The sum over images of the largest of each
 * is at least that. */
static size_t largest(const evaluation *e, size_t channels)
{
    size_t sum = 0;
    for (size_t i = 0; i < e->now.n; i++) {
        size_t height = e->now.image[i].height, width = e->now.image[i].width,
               most = height * width * channels;
        for (size_t b = 0; b < e->plan->n_blocks; b++) {
            height = plan_conv_block_pixels(&e->plan->blocks[b], height);
            width = plan_conv_block_pixels(&e->plan->blocks[b], width);
            const size_t n = height * width * plan_conv_block_out(&e->plan->blocks[b]);
            most = n > most ? n : most;
        }
        sum += most;
    }
    return sum;
}

/* [channels, height, width] to [height·width, channels], for every image. */
static void read_pixels(const evaluation *e, double *planes)
{
    const plan_patches *p = &e->v->tower->patches;
    for (size_t i = 0; i < e->now.n; i++) {
        const fp_image *image = &e->now.image[i];
        const size_t n = fp_image_pixels(image);
        medium_pixels(e->v->layout.frames[i].medium, 0, n, planes);
        for (size_t at = 0; at < n; at++)
            for (size_t c = 0; c < p->channels; c++)
                image->x[at * p->channels + c] =
                    (float)(planes[c * n + at] * p->pixel_factor + p->pixel_offset);
    }
}

/* Sets e->now to the pixels of the images, in the first of two buffers of n elements each. */
static assay_status begin(evaluation *e, float **rooms, size_t *n)
{
    fp_scratch *scratch = e->v->pass.scratch;
    const fp_layout *l = &e->v->layout;
    const size_t channels = e->v->tower->patches.channels;
    size_t most_pixels = 0;
    if (!alloc_images(scratch, &e->now, l->n_frames)) return ASSAY_ENOMEM;
    for (size_t i = 0; i < l->n_frames; i++) {
        const size_t *grid = medium_grid(l->frames[i].medium);
        e->now.image[i] = (fp_image){.height = grid[1], .width = grid[2]};
        e->now.n_pixels += grid[1] * grid[2];
        most_pixels = grid[1] * grid[2] > most_pixels ? grid[1] * grid[2] : most_pixels;
    }
    *n = largest(e, channels);
    *rooms = fp_scratch_floats(scratch, 2, *n);
    double *planes = *rooms ? fp_scratch_alloc(scratch, most_pixels, channels, sizeof *planes) : NULL;
    if (!planes) return ASSAY_ENOMEM;
    place_images(&e->now, channels, *rooms);
    read_pixels(e, planes);
    scratch->n--;
    return ASSAY_OK;
}

/* Copies the images for the fusion. */
static assay_status take(evaluation *e, stack *taken)
{
    fp_scratch *scratch = e->v->pass.scratch;
    if (!alloc_images(scratch, taken, e->now.n)) return ASSAY_ENOMEM;
    float *x = fp_scratch_floats(scratch, e->now.n_pixels, e->now.channels);
    if (!x) return ASSAY_ENOMEM;
    memcpy(x, e->now.x, e->now.n_pixels * e->now.channels * sizeof *x);
    memcpy(taken->image, e->now.image, e->now.n * sizeof *taken->image);
    place_images(taken, e->now.channels, x);
    return ASSAY_OK;
}

/* Replaces e->now by the output of block b, in the other half. */
static assay_status run_block(evaluation *e, size_t b, float *to)
{
    const plan_conv_block *block = &e->plan->blocks[b];
    assay_status rc = ASSAY_OK;
    size_t at = 0;
    for (size_t i = 0; rc == ASSAY_OK && i < e->now.n; i++) {
        fp_image out = {.x = to + at};
        rc = fp_conv_block_run(e->v, block, &e->packed->blocks[b], &e->now.image[i], &out);
        e->now.image[i] = out;
        at += rc == ASSAY_OK ? fp_image_pixels(&out) * out.channels : 0;
    }
    if (rc != ASSAY_OK) return rc;
    place_images(&e->now, plan_conv_block_out(block), to);
    return fp_trace(&e->v->pass.tracer, e->now.x, e->now.n_pixels, e->now.channels, "vision.%02zu.out", b);
}

static assay_status run_blocks(evaluation *e, float *rooms, size_t n)
{
    assay_status rc = ASSAY_OK;
    for (size_t b = 0; rc == ASSAY_OK && b < e->plan->n_blocks; b++) {
        rc = run_block(e, b, rooms + (b % 2 == 0 ? n : 0));
        for (size_t k = 0; rc == ASSAY_OK && k < e->plan->n_taken; k++)
            if (e->plan->taken[k] == b) rc = take(e, &e->taken[k]);
    }
    return rc;
}

/* Pixel i of n, resampled from n_in to the nearest. */
static size_t nearest(size_t i, size_t n, size_t n_in)
{
    const size_t at = (size_t)floorf((float)i * ((float)n_in / (float)n));
    return at < n_in ? at : n_in - 1;
}

/* Concatenates the taken outputs of image i. out->x: from the scratch. */
static assay_status concatenate(evaluation *e, size_t i, fp_image *out)
{
    size_t at = 0;
    *out = (fp_image){.height = e->taken[0].image[i].height, .width = e->taken[0].image[i].width};
    for (size_t k = 0; k < e->plan->n_taken; k++) out->channels += e->taken[k].channels;
    out->x = fp_scratch_floats(e->v->pass.scratch, fp_image_pixels(out), out->channels);
    if (!out->x) return ASSAY_ENOMEM;
    for (size_t k = 0; k < e->plan->n_taken; k++) {
        const fp_image *from = &e->taken[k].image[i];
        for (size_t y = 0; y < out->height; y++)
            for (size_t x = 0; x < out->width; x++) {
                const size_t pixel =
                    nearest(y, out->height, from->height) * from->width + nearest(x, out->width, from->width);
                memcpy(out->x + (y * out->width + x) * out->channels + at, from->x + pixel * from->channels,
                       from->channels * sizeof *out->x);
            }
        at += from->channels;
    }
    return ASSAY_OK;
}

/* The mean of the rectangle of pixels that becomes pixel (y, x). */
static void average(float *out, const fp_image *in, size_t side, size_t y, size_t x)
{
    const size_t high = in->height / side, wide = in->width / side;
    for (size_t c = 0; c < in->channels; c++) {
        double sum = 0;
        for (size_t j = 0; j < high; j++)
            for (size_t i = 0; i < wide; i++)
                sum += (double)in->x[((y * high + j) * in->width + x * wide + i) * in->channels + c];
        out[c] = (float)(sum / (double)(high * wide));
    }
}

/* The places that pixel i of n reads on an axis of n_in, and the weight of the second. */
typedef struct pair {
    size_t first, second;
    float weight;
} pair;

static pair pair_of(size_t i, size_t n, size_t n_in)
{
    const float wanted = ((float)i + 0.5F) * ((float)n_in / (float)n) - 0.5F, at = wanted > 0 ? wanted : 0;
    const size_t first = (size_t)at;
    return (pair){first, first + 1 < n_in ? first + 1 : first, at - (float)first};
}

static void interpolate(float *out, const fp_image *in, size_t side, size_t y, size_t x)
{
    const pair row = pair_of(y, side, in->height), column = pair_of(x, side, in->width);
    const float *top = in->x + row.first * in->width * in->channels,
                *bottom = in->x + row.second * in->width * in->channels;
    for (size_t c = 0; c < in->channels; c++) {
        const size_t left = column.first * in->channels + c, right = column.second * in->channels + c;
        const float above = (1 - column.weight) * top[left] + column.weight * top[right];
        const float below = (1 - column.weight) * bottom[left] + column.weight * bottom[right];
        out[c] = (1 - row.weight) * above + row.weight * below;
    }
}

/* out: [side², channels] */
static void resample(float *out, const fp_image *in, size_t side)
{
    const bool divides = in->height % side == 0 && in->width % side == 0;
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++, out += in->channels)
            if (divides) average(out, in, side, y, x);
            else interpolate(out, in, side, y, x);
}

static assay_status fuse(evaluation *e, float *x)
{
    fp_scratch *scratch = e->v->pass.scratch;
    const size_t side = e->plan->side, mark = scratch->n;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < e->now.n; i++) {
        fp_image in, out = {0};
        rc = concatenate(e, i, &in);
        if (rc == ASSAY_OK) {
            out.x = fp_scratch_floats(scratch, fp_image_pixels(&in), plan_conv_block_out(&e->plan->fusion));
            rc = out.x ? fp_conv_block_run(e->v, &e->plan->fusion, &e->packed->fusion, &in, &out)
                       : ASSAY_ENOMEM;
        }
        if (rc == ASSAY_OK) resample(x + i * side * side * out.channels, &out, side);
        scratch->n = mark;
    }
    return rc;
}

/* Every row is a token of its own, and a row of the result. */
static bool lay_out(fp_layout *l, size_t n_rows, fp_scratch *scratch)
{
    l->n_rows = l->n_tokens = l->n_features = n_rows;
    l->n_members = 1;
    l->member = fp_scratch_alloc(scratch, n_rows, 1, sizeof *l->member);
    l->feature = l->member ? fp_scratch_alloc(scratch, n_rows, 1, sizeof *l->feature) : NULL;
    for (size_t r = 0; l->feature && r < n_rows; r++) l->member[r] = l->feature[r] = r;
    return l->feature;
}

assay_status fp_conv_tower_run(fp_tower_pass *v, float **x)
{
    evaluation e = {.v = v, .plan = &v->tower->conv, .packed = &v->packed->conv};
    const size_t n_rows = v->layout.n_frames * e.plan->side * e.plan->side;
    float *rooms;
    size_t n;
    if (!lay_out(&v->layout, n_rows, v->pass.scratch)) return ASSAY_ENOMEM;
    v->pass.n_rows = FP_TOWER_ROWS;
    *x = fp_scratch_floats(v->pass.scratch, n_rows, v->tower->hidden);
    if (!*x || !fp_narrow_alloc(&v->pass)) return ASSAY_ENOMEM;
    const size_t mark = v->pass.scratch->n;
    assay_status rc = begin(&e, &rooms, &n);
    if (rc == ASSAY_OK) rc = run_blocks(&e, rooms, n);
    if (rc == ASSAY_OK) rc = fuse(&e, *x);
    v->pass.scratch->n = mark;
    return rc;
}

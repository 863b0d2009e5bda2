/* SPDX-License-Identifier: Apache-2.0 */
#include "image/patches.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "image/resample.h"
#include "image/tiles.h"

#define LEVELS 256

/* The value of each level of each channel. */
typedef struct levels {
    float value[3][LEVELS];
} levels;

static void fill_levels(const image_config *c, levels *out)
{
    for (size_t channel = 0; channel < 3; channel++)
        for (size_t i = 0; i < LEVELS; i++) {
            float value = c->do_rescale ? (float)((double)i * c->rescale_factor) : (float)i;
            const float mean = (float)c->image_mean[channel], std = (float)c->image_std[channel];
            if (c->do_normalize) value = (value - mean) / std;
            out->value[channel][i] = value;
        }
}

/* The pixels of one patch, whose first pixel is at (y0, x0). frames: copies of the patch. */
static void fill_channels_first(const image_pixels *p, const levels *l, size_t y0, size_t x0, size_t patch,
                                size_t frames, float *row)
{
    for (size_t channel = 0; channel < 3; channel++)
        for (size_t t = 0; t < frames; t++)
            for (size_t y = y0; y < y0 + patch; y++)
                for (size_t x = x0; x < x0 + patch; x++)
                    *row++ = l->value[channel][p->rgb[(y * p->width + x) * 3 + channel]];
}

static void fill_channels_last(const image_pixels *p, const levels *l, size_t y0, size_t x0, size_t patch,
                               float *row)
{
    for (size_t y = y0; y < y0 + patch; y++)
        for (size_t x = x0; x < x0 + patch; x++)
            for (size_t channel = 0; channel < 3; channel++)
                *row++ = l->value[channel][p->rgb[(y * p->width + x) * 3 + channel]];
}

static void fill_blocks(const image_config *c, const image_pixels *p, const levels *l, image_input *in)
{
    const size_t patch = (size_t)c->patch_size, merge = (size_t)c->merge_size, block = patch * merge;
    float *row = in->pixel_values;
    for (size_t y = 0; y < p->height; y += block)
        for (size_t x = 0; x < p->width; x += block)
            for (size_t i = 0; i < merge * merge; i++, row += in->row_width)
                fill_channels_first(p, l, y + i / merge * patch, x + i % merge * patch, patch,
                                    (size_t)c->temporal_patch_size, row);
}

static void fill_squares(const image_config *c, const image_pixels *p, const levels *l, image_input *in)
{
    const size_t patch = (size_t)c->patch_size, w = (size_t)in->size.grid_w;
    for (size_t i = 0; i < in->n_rows; i++)
        fill_channels_first(p, l, i / w * patch, i % w * patch, patch, (size_t)c->temporal_patch_size,
                            in->pixel_values + i * in->row_width);
}

static void fill_pixels(const image_config *c, const image_pixels *p, const levels *l, image_input *in)
{
    const size_t patch = (size_t)c->patch_size, w = (size_t)in->size.grid_w;
    for (size_t i = 0; i < in->n_rows; i++)
        fill_channels_last(p, l, i / w * patch, i % w * patch, patch, in->pixel_values + i * in->row_width);
}

static void fill_whole(const image_pixels *p, const levels *l, float *row)
{
    for (size_t channel = 0; channel < 3; channel++)
        for (size_t i = 0; i < p->height * p->width; i++) *row++ = l->value[channel][p->rgb[i * 3 + channel]];
}

static void fill_raster(const image_config *c, const image_pixels *p, const levels *l, image_input *in)
{
    const size_t patch = (size_t)c->patch_size;
    const size_t h = (size_t)in->size.grid_h, w = (size_t)in->size.grid_w;
    for (size_t i = 0; i < h * w; i++) {
        fill_channels_last(p, l, i / w * patch, i % w * patch, patch, in->pixel_values + i * in->row_width);
        in->positions[2 * i] = (int64_t)(i % w);
        in->positions[2 * i + 1] = (int64_t)(i / w);
    }
    for (size_t i = 2 * h * w; i < 2 * in->n_rows; i++) in->positions[i] = -1;
}

/* The rows of a resized image from `first` on. */
static void fill_flat(const image_config *c, const image_pixels *p, const levels *l, size_t first,
                      image_input *in)
{
    const size_t patch = (size_t)c->patch_size, w = (size_t)in->size.grid_w, n = w * (size_t)in->size.grid_h;
    for (size_t i = 0; i < n; i++)
        fill_channels_first(p, l, i / w * patch, i % w * patch, patch, (size_t)c->temporal_patch_size,
                            in->pixel_values + (first + i) * in->row_width);
}

/* Copies a part of an image. */
static assay_status cut_box(const image_pixels *image, image_box box, image_pixels *out, assay_error *err)
{
    const size_t height = (size_t)(box.bottom - box.top), width = (size_t)(box.right - box.left);
    const assay_status rc = image_pixels_open("crop", height, width, out, err);
    for (size_t y = 0; rc == ASSAY_OK && y < height; y++)
        memcpy(out->rgb + 3 * y * width,
               image->rgb + 3 * (((size_t)box.top + y) * image->width + (size_t)box.left), 3 * width);
    return rc;
}

/* Fills in the rows of frame `index` of the grid. */
static assay_status fill_frame(const image_config *c, const image_pixels *image, const levels *l,
                               size_t index, image_input *in, assay_error *err)
{
    const size_t side = (size_t)c->crop_size;
    image_pixels cut = {0}, resized = {0};
    assay_status rc = ASSAY_OK;
    if (index > 0) {
        const int64_t i = (int64_t)index - 1;
        rc = cut_box(image,
                     image_crops_box(c, (int64_t)image->height, (int64_t)image->width, in->crops,
                                     i / in->crops.columns, i % in->crops.columns),
                     &cut, err);
    }
    if (rc == ASSAY_OK)
        rc = image_resample(index > 0 ? &cut : image, side, side, (image_filter)c->resample, &resized, err);
    if (rc == ASSAY_OK) fill_flat(c, &resized, l, index * (in->n_rows / (size_t)in->size.grid_t), in);
    image_pixels_free(&cut);
    image_pixels_free(&resized);
    return rc;
}

/* Allocates the arrays of in->size. */
static assay_status open_input(const image_config *c, image_input *in, assay_error *err)
{
    const bool raster = c->rows == IMAGE_ROWS_RASTER;
    const size_t frames = raster ? 1 : (size_t)c->temporal_patch_size;
    const size_t budget = raster ? (size_t)(c->max_soft_tokens * c->merge_size * c->merge_size) : 0;
    in->n_rows = (size_t)(in->size.grid_t * in->size.grid_h * in->size.grid_w);
    if (in->n_rows < budget) in->n_rows = budget;
    in->row_width = 3 * frames * (size_t)(c->patch_size * c->patch_size);
    if (c->rows == IMAGE_ROWS_TILES) {
        in->n_rows = (size_t)c->max_image_tiles;
        in->row_width = 3 * (size_t)(c->tile_size * c->tile_size);
    }
    if (c->rows == IMAGE_ROWS_WHOLE) {
        in->row_width *= in->n_rows;
        in->n_rows = 1;
    }
    in->pixel_values = calloc(in->n_rows, in->row_width * sizeof *in->pixel_values);
    in->positions = raster ? calloc(in->n_rows, 2 * sizeof *in->positions) : NULL;
    if (in->pixel_values && (in->positions || !raster)) return ASSAY_OK;
    image_input_free(in);
    return assay_fail(err, ASSAY_ENOMEM, "pixel_values of %zu x %zu: out of memory", in->n_rows,
                      in->row_width);
}

/* Resizes to `size`, in one step or two. */
static assay_status resize_image(const image_config *c, const image_pixels *image, const image_size *size,
                                 image_pixels *out, assay_error *err)
{
    const image_filter filter = (image_filter)c->resample;
    int64_t height = (int64_t)image->height, width = (int64_t)image->width;
    image_pixels first = {0};
    assay_status rc = image_size_first(c, &height, &width, err);
    const bool is_divided = (size_t)height != image->height || (size_t)width != image->width;
    if (rc == ASSAY_OK && is_divided)
        rc = image_resample(image, (size_t)height, (size_t)width, filter, &first, err);
    if (rc == ASSAY_OK)
        rc = image_resample(is_divided ? &first : image, (size_t)size->height, (size_t)size->width, filter,
                            out, err);
    image_pixels_free(&first);
    return rc;
}

/* in: with its size. */
static assay_status make_crops(const image_config *c, const image_pixels *image, image_input *in,
                               image_input *out, assay_error *err)
{
    levels l;
    assay_status rc = open_input(c, in, err);
    if (rc != ASSAY_OK) return rc;
    fill_levels(c, &l);
    in->crops = image_crops_layout(c, (int64_t)image->height, (int64_t)image->width);
    for (size_t i = 0; rc == ASSAY_OK && i < (size_t)in->size.grid_t; i++)
        rc = fill_frame(c, image, &l, i, in, err);
    if (rc == ASSAY_OK) *out = *in;
    else image_input_free(in);
    return rc;
}

assay_status image_patches_make(const image_config *config, const image_pixels *image, image_input *out,
                                assay_error *err)
{
    image_pixels resized;
    image_input in = {0};
    levels l;
    if (config->is_video)
        return assay_fail(err, ASSAY_EINVAL, "%s: expected an image processor", config->type);
    assay_status rc =
        image_size_resolve(config, (int64_t)image->height, (int64_t)image->width, 0, &in.size, err);
    if (rc != ASSAY_OK) return rc;
    if (config->rule == IMAGE_RULE_CROPS) return make_crops(config, image, &in, out, err);
    rc = resize_image(config, image, &in.size, &resized, err);
    if (rc != ASSAY_OK) return rc;
    rc = open_input(config, &in, err);
    if (rc == ASSAY_OK) {
        fill_levels(config, &l);
        if (config->rows == IMAGE_ROWS_BLOCKS) fill_blocks(config, &resized, &l, &in);
        else if (config->rows == IMAGE_ROWS_PIXELS) fill_pixels(config, &resized, &l, &in);
        else if (config->rows == IMAGE_ROWS_TILES)
            image_tiles_fill(config, &in.size, &resized, &l.value[0][0], in.pixel_values);
        else if (config->rows == IMAGE_ROWS_WHOLE) fill_whole(&resized, &l, in.pixel_values);
        else if (config->rows != IMAGE_ROWS_RASTER) fill_squares(config, &resized, &l, &in);
        else fill_raster(config, &resized, &l, &in);
        *out = in;
    }
    image_pixels_free(&resized);
    return rc;
}

void image_input_free(image_input *input)
{
    free(input->pixel_values);
    free(input->positions);
    input->pixel_values = NULL;
    input->positions = NULL;
}

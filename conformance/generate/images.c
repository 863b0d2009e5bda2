/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/generate/images.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "image/decode.h"
#include "image/patches.h"

#define FILE_MAX ((size_t)1 << 30) /* bytes of an image file */

/* One image, and the arrays of its item. */
typedef struct one_image {
    image_input input;
    int32_t grid[3];
    int32_t *positions; /* [n_rows, 2], or NULL */
    assay_tensor tensors[2];
} one_image;

/* conf_images, with what it points to. */
typedef struct images {
    conf_images shown; /* first, so that a conf_images is one of these */
    one_image *image;  /* [n] */
    assay_item *items;
    size_t *sizes; /* [3, n]: n_tokens, height, width */
} images;

static assay_status decode_file(const char *path, image_pixels *out, assay_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    assay_status rc = file_read(path, FILE_MAX, &bytes, &n, err);
    if (rc == ASSAY_OK) rc = image_decode(path, (const uint8_t *)bytes, n, out, err);
    free(bytes);
    return rc;
}

/* Preprocesses a decoded image; the message of an error begins with the path. */
static assay_status make_patches(const image_config *config, const char *path, const image_pixels *pixels,
                                 image_input *out, assay_error *err)
{
    assay_error reason = {0};
    const assay_status rc = image_patches_make(config, pixels, out, &reason);
    return rc == ASSAY_OK ? rc : assay_fail(err, rc, "%s: %s", path, reason.text);
}

static void set_grid(one_image *one)
{
    const size_t rows = one->input.n_rows;
    one->grid[0] = (int32_t)one->input.size.grid_t;
    one->grid[1] = (int32_t)one->input.size.grid_h;
    one->grid[2] = (int32_t)one->input.size.grid_w;
    one->tensors[0] = (assay_tensor){.name = "pixel_values", .dtype = ASSAY_F32, .rank = 2};
    one->tensors[0].shape[0] = rows;
    one->tensors[0].shape[1] = one->input.row_width;
    one->tensors[1] = (assay_tensor){.name = "image_grid_thw", .dtype = ASSAY_I32, .rank = 2};
    one->tensors[1].shape[0] = 1;
    one->tensors[1].shape[1] = 3;
    one->tensors[1].data = one->grid;
}

static void set_positions(one_image *one)
{
    const size_t rows = one->input.n_rows;
    for (size_t i = 0; i < 2 * rows; i++) one->positions[i] = (int32_t)one->input.positions[i];
    one->tensors[0] = (assay_tensor){.name = "pixel_values", .dtype = ASSAY_F32, .rank = 3};
    one->tensors[0].shape[0] = 1;
    one->tensors[0].shape[1] = rows;
    one->tensors[0].shape[2] = one->input.row_width;
    one->tensors[1] = (assay_tensor){.name = "image_position_ids", .dtype = ASSAY_I32, .rank = 3};
    one->tensors[1].shape[0] = 1;
    one->tensors[1].shape[1] = rows;
    one->tensors[1].shape[2] = 2;
    one->tensors[1].data = one->positions;
}

/* Makes the item of image i. */
static assay_status open_image(const image_config *config, const char *path, images *all, size_t i,
                               assay_error *err)
{
    image_pixels pixels;
    one_image *one = &all->image[i];
    assay_status rc = decode_file(path, &pixels, err);
    if (rc != ASSAY_OK) return rc;
    rc = make_patches(config, path, &pixels, &one->input, err);
    image_pixels_free(&pixels);
    if (rc != ASSAY_OK) return rc;
    if (one->input.positions) {
        one->positions = calloc(one->input.n_rows, 2 * sizeof *one->positions);
        if (!one->positions) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
        set_positions(one);
    } else {
        set_grid(one);
    }
    one->tensors[0].data = one->input.pixel_values;
    all->items[i] = (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = one->tensors, .n_tensors = 2};
    all->sizes[i] = (size_t)one->input.size.n_tokens;
    all->sizes[all->shown.n + i] = (size_t)one->input.size.height;
    all->sizes[2 * all->shown.n + i] = (size_t)one->input.size.width;
    return ASSAY_OK;
}

assay_status conf_images_open(const image_config *config, const char *const *paths, size_t n,
                              conf_images **out, assay_error *err)
{
    images *all = calloc(1, sizeof *all);
    if (!all) return assay_fail(err, ASSAY_ENOMEM, "%zu images: out of memory", n);
    all->image = calloc(n + 1, sizeof *all->image);
    all->items = calloc(n + 1, sizeof *all->items);
    all->sizes = calloc(n + 1, 3 * sizeof *all->sizes);
    assay_status rc = ASSAY_OK;
    if (!all->image || !all->items || !all->sizes)
        rc = assay_fail(err, ASSAY_ENOMEM, "%zu images: out of memory", n);
    else all->shown = (conf_images){all->items, all->sizes, all->sizes + n, all->sizes + 2 * n, n};
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) rc = open_image(config, paths[i], all, i, err);
    if (rc == ASSAY_OK) *out = &all->shown;
    else conf_images_free(&all->shown);
    return rc;
}

void conf_images_free(conf_images *shown)
{
    images *all = (images *)(void *)shown;
    if (!all) return;
    for (size_t i = 0; all->image && i < all->shown.n; i++) {
        image_input_free(&all->image[i].input);
        free(all->image[i].positions);
    }
    free(all->image);
    free(all->items);
    free(all->sizes);
    free(all);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/images.h"

#include <stdlib.h>

#include "base/error.h"
#include "image/decode.h"
#include "image/patches.h"
#include "image/tiles.h"

#define CROPS_TOKENS                                                                                         \
    729 /* which the published processor writes for an image with crops, whatever their size */

/* One image, and the arrays of its item. */
typedef struct one_image {
    image_input input;
    int32_t grid[3], layout[2];
    int32_t ratio;     /* of tiles */
    int32_t *integers; /* positions [n_rows, 2], or the mask of tiles [n_rows]; or NULL */
    assay_tensor tensors[3];
    size_t n_tensors;
} one_image;

/* serve_images, with what it points to. */
typedef struct images {
    serve_images shown; /* first, so that a serve_images is one of these */
    one_image *image;   /* [n] */
    assay_item *items;
    size_t *sizes; /* [3, n]: n_tokens, height, width */
} images;

static assay_status decode_file(const serve_media_file *file, size_t file_max, image_pixels *out,
                                assay_error *err)
{
    const uint8_t *bytes = NULL;
    size_t n = 0;
    char *owned = NULL;
    assay_status rc = serve_media_file_read(file, file_max, &bytes, &n, &owned, err);
    if (rc == ASSAY_OK) rc = image_decode(file->name, bytes, n, out, err);
    free(owned);
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

static void set_grid(const image_config *config, one_image *one)
{
    const size_t rows = one->input.n_rows, side = (size_t)config->patch_size;
    one->grid[0] = (int32_t)one->input.size.grid_t;
    one->grid[1] = (int32_t)one->input.size.grid_h;
    one->grid[2] = (int32_t)one->input.size.grid_w;
    one->tensors[0] = (assay_tensor){.name = "pixel_values", .dtype = ASSAY_F32, .rank = 2};
    one->tensors[0].shape[0] = rows;
    one->tensors[0].shape[1] = one->input.row_width;
    if (config->rows == IMAGE_ROWS_SQUARES) {
        one->tensors[0].rank = 4;
        one->tensors[0].shape[1] = one->input.row_width / (side * side);
        one->tensors[0].shape[2] = one->tensors[0].shape[3] = side;
    }
    one->tensors[1] = (assay_tensor){.name = "image_grid_thw", .dtype = ASSAY_I32, .rank = 2};
    one->tensors[1].shape[0] = 1;
    one->tensors[1].shape[1] = 3;
    one->tensors[1].data = one->grid;
    one->layout[0] = (int32_t)one->input.crops.rows;
    one->layout[1] = (int32_t)one->input.crops.columns;
    one->tensors[2] = (assay_tensor){
        .name = "crop_layouts", .dtype = ASSAY_I32, .rank = 2, .shape = {1, 2}, .data = one->layout};
    one->n_tensors = config->rule == IMAGE_RULE_CROPS ? 3 : 2;
}

static void set_tiles(const image_config *config, one_image *one)
{
    const size_t n = one->input.n_rows, side = (size_t)config->tile_size;
    const int64_t rows = one->input.size.grid_h, columns = one->input.size.grid_w;
    one->ratio = (int32_t)image_tiles_ratio(config->max_image_tiles, rows, columns);
    for (size_t i = 0; i < n; i++) one->integers[i] = i < (size_t)(rows * columns);
    one->tensors[0] = (assay_tensor){.name = "pixel_values", .dtype = ASSAY_F32, .rank = 4};
    one->tensors[0].shape[0] = n;
    one->tensors[0].shape[1] = 3;
    one->tensors[0].shape[2] = one->tensors[0].shape[3] = side;
    one->tensors[1] = (assay_tensor){.name = "aspect_ratio_ids", .dtype = ASSAY_I32, .rank = 1};
    one->tensors[1].shape[0] = 1;
    one->tensors[1].data = &one->ratio;
    one->tensors[2] = (assay_tensor){.name = "aspect_ratio_mask", .dtype = ASSAY_I32, .rank = 2};
    one->tensors[2].shape[0] = 1;
    one->tensors[2].shape[1] = n;
    one->tensors[2].data = one->integers;
    one->n_tensors = 3;
}

/* The image alone. */
static void set_whole(one_image *one)
{
    one->tensors[0] = (assay_tensor){.name = "pixel_values", .dtype = ASSAY_F32, .rank = 4};
    one->tensors[0].shape[0] = 1;
    one->tensors[0].shape[1] = 3;
    one->tensors[0].shape[2] = (size_t)one->input.size.height;
    one->tensors[0].shape[3] = (size_t)one->input.size.width;
    one->n_tensors = 1;
}

static void set_positions(one_image *one)
{
    const size_t rows = one->input.n_rows;
    for (size_t i = 0; i < 2 * rows; i++) one->integers[i] = (int32_t)one->input.positions[i];
    one->n_tensors = 2;
    one->tensors[0] = (assay_tensor){.name = "pixel_values", .dtype = ASSAY_F32, .rank = 3};
    one->tensors[0].shape[0] = 1;
    one->tensors[0].shape[1] = rows;
    one->tensors[0].shape[2] = one->input.row_width;
    one->tensors[1] = (assay_tensor){.name = "image_position_ids", .dtype = ASSAY_I32, .rank = 3};
    one->tensors[1].shape[0] = 1;
    one->tensors[1].shape[1] = rows;
    one->tensors[1].shape[2] = 2;
    one->tensors[1].data = one->integers;
}

static assay_status check_crops(const image_config *config, const one_image *one, const char *path,
                                assay_error *err)
{
    const int64_t n = one->input.size.n_tokens;
    if (config->rule != IMAGE_RULE_CROPS || n == CROPS_TOKENS) return ASSAY_OK;
    return assay_fail(
        err, ASSAY_EUNSUPPORTED,
        "%s: found a crop_size of %lld pixels, of %lld tokens, expected one of %d tokens, which the "
        "published processor writes for every image",
        path, (long long)config->crop_size, (long long)n, CROPS_TOKENS);
}

static size_t bytes_of(const one_image *one)
{
    return one->input.n_rows * (one->input.row_width * sizeof(float) + 2 * sizeof *one->integers);
}

/* Makes the item of image i. */
static assay_status open_image(const image_config *config, const serve_media_file *file,
                               const serve_media_limits *limits, images *all, size_t i, assay_error *err)
{
    const char *path = file->name;
    image_pixels pixels;
    one_image *one = &all->image[i];
    assay_status rc = serve_media_go_on(limits, path, err);
    if (rc == ASSAY_OK) rc = decode_file(file, limits->file, &pixels, err);
    if (rc != ASSAY_OK) return rc;
    rc = serve_media_go_on(limits, path, err);
    if (rc == ASSAY_OK) rc = make_patches(config, path, &pixels, &one->input, err);
    image_pixels_free(&pixels);
    if (rc == ASSAY_OK) rc = check_crops(config, one, path, err);
    if (rc == ASSAY_OK && serve_images_bytes(&all->shown) > limits->arrays)
        rc = assay_fail(err, ASSAY_EINVAL,
                        "%s: found an image with which all take %zu bytes, expected at most %zu", path,
                        serve_images_bytes(&all->shown), limits->arrays);
    if (rc != ASSAY_OK) return rc;
    one->integers = calloc(one->input.n_rows, 2 * sizeof *one->integers);
    if (!one->integers) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    if (one->input.positions) set_positions(one);
    else if (config->rows == IMAGE_ROWS_TILES) set_tiles(config, one);
    else if (config->rows == IMAGE_ROWS_WHOLE) set_whole(one);
    else set_grid(config, one);
    one->tensors[0].data = one->input.pixel_values;
    all->items[i] =
        (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = one->tensors, .n_tensors = one->n_tensors};
    all->sizes[i] = (size_t)one->input.size.n_tokens + (config->rule == IMAGE_RULE_CROPS);
    all->sizes[all->shown.n + i] = (size_t)one->input.size.height;
    all->sizes[2 * all->shown.n + i] = (size_t)one->input.size.width;
    return ASSAY_OK;
}

size_t serve_images_bytes(const serve_images *shown)
{
    const images *all = (const images *)(const void *)shown;
    size_t n = 0;
    for (size_t i = 0; i < shown->n; i++) n += bytes_of(&all->image[i]);
    return n;
}

assay_status serve_images_open(const image_config *config, const serve_media_file *files, size_t n,
                               const serve_media_limits *limits, serve_images **out, assay_error *err)
{
    images *all = calloc(1, sizeof *all);
    if (!all) return assay_fail(err, ASSAY_ENOMEM, "%zu images: out of memory", n);
    all->image = calloc(n + 1, sizeof *all->image);
    all->items = calloc(n + 1, sizeof *all->items);
    all->sizes = calloc(n + 1, 3 * sizeof *all->sizes);
    assay_status rc = ASSAY_OK;
    if (!all->image || !all->items || !all->sizes)
        rc = assay_fail(err, ASSAY_ENOMEM, "%zu images: out of memory", n);
    else all->shown = (serve_images){all->items, all->sizes, all->sizes + n, all->sizes + 2 * n, n};
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) rc = open_image(config, &files[i], limits, all, i, err);
    if (rc == ASSAY_OK) *out = &all->shown;
    else serve_images_free(&all->shown);
    return rc;
}

void serve_images_free(serve_images *shown)
{
    images *all = (images *)(void *)shown;
    if (!all) return;
    for (size_t i = 0; all->image && i < all->shown.n; i++) {
        image_input_free(&all->image[i].input);
        free(all->image[i].integers);
    }
    free(all->image);
    free(all->items);
    free(all->sizes);
    free(all);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_rule.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "image/crops.h"

#define FRAMES_MAX ((int64_t)1 << 20)
#define ASPECT_MAX 200

typedef struct sides {
    int64_t height, width;
} sides;

/* Python's round(): to the nearest integer, half to even, whatever the rounding mode. */
static double round_half_even(double x)
{
    const double below = floor(x), part = x - below;
    if (part < 0.5 || (part == 0.5 && fmod(below, 2) == 0)) return below;
    return below + 1;
}

static int64_t ceil_multiple(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static assay_status check_aspect(sides image, assay_error *err)
{
    const int64_t longer = image.height > image.width ? image.height : image.width;
    const int64_t shorter = image.height > image.width ? image.width : image.height;
    const double aspect = (double)longer / (double)shorter;
    if (aspect <= ASPECT_MAX) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "image of %" PRId64 " x %" PRId64 ": the aspect ratio is %g, expected at most %d",
                      image.height, image.width, aspect, ASPECT_MAX);
}

static assay_status check_pixels(double pixels, int64_t n_frames, assay_error *err)
{
    if (pixels * (double)n_frames <= (double)IMAGE_PIXELS_MAX) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "image of %.0f pixels in %" PRId64 " frames: expected at most %" PRId64, pixels,
                      n_frames, IMAGE_PIXELS_MAX);
}

/* n: patches of a frame. */
static assay_status check_patches(double n, int64_t n_frames, assay_error *err)
{
    if (n * (double)n_frames <= (double)IMAGE_PIXELS_MAX) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "resized image of %.0f patches in %" PRId64 " frames: expected at most %" PRId64, n,
                      n_frames, IMAGE_PIXELS_MAX);
}

/* A video with a side shorter than `unit` is scaled in both directions until it is as long. */
static assay_status scale_short(int64_t unit, int64_t n_frames, sides *image, assay_error *err)
{
    if (image->height >= unit && image->width >= unit) return ASSAY_OK;
    const double h = (double)image->height, w = (double)image->width;
    const double scale = fmax((double)unit / h, (double)unit / w);
    const double scaled_h = floor(h * scale), scaled_w = floor(w * scale);
    const assay_status rc = check_pixels(scaled_h * scaled_w, n_frames, err);
    if (rc == ASSAY_OK) *image = (sides){(int64_t)scaled_h, (int64_t)scaled_w};
    return rc;
}

/* The sides of an image of at least 1 x 1 pixels as multiples of `unit`. n_frames and n_frames_rounded: how
 * many frames count for the scale factor and for the comparison. */
static sides fit_area(const image_config *c, sides image, int64_t n_frames, int64_t n_frames_rounded)
{
    const int64_t unit = c->patch_size * c->merge_size;
    const double h = (double)image.height, w = (double)image.width, f = (double)unit;
    sides r = {(int64_t)round_half_even(h / f) * unit, (int64_t)round_half_even(w / f) * unit};
    /* Exact where it is at most IMAGE_PIXELS_MAX, and otherwise larger than any limit. */
    const double area = (double)r.height * (double)r.width * (double)n_frames_rounded;
    const double pixels = (double)(n_frames * image.height * image.width);
    if (area > (double)c->max_pixels) {
        const double beta = sqrt(pixels / (double)c->max_pixels);
        r.height = (int64_t)floor(h / beta / f) * unit;
        r.width = (int64_t)floor(w / beta / f) * unit;
        if (r.height < unit) r.height = unit;
        if (r.width < unit) r.width = unit;
    } else if (area < (double)c->min_pixels) {
        const double beta = sqrt((double)c->min_pixels / pixels);
        r.height = (int64_t)ceil(h * beta / f) * unit;
        r.width = (int64_t)ceil(w * beta / f) * unit;
    }
    return r;
}

static assay_status fit(const image_config *c, sides image, sides *out, assay_error *err)
{
    const assay_status rc = check_aspect(image, err);
    if (rc == ASSAY_OK) *out = fit_area(c, image, 1, 1);
    return rc;
}

/* A side shorter than `unit` becomes as long, and the other one as much longer in proportion: first the
 * height, then the width. */
static assay_status lengthen_short(int64_t unit, sides *image, assay_error *err)
{
    int64_t *const pairs[2][2] = {{&image->height, &image->width}, {&image->width, &image->height}};
    for (size_t i = 0; i < 2; i++) {
        int64_t *side = pairs[i][0], *other = pairs[i][1];
        if (*side >= unit) continue;
        const double scaled = round_half_even((double)*other * (double)unit / (double)*side);
        const assay_status rc = check_pixels(scaled * (double)unit, 1, err);
        if (rc != ASSAY_OK) return rc;
        *side = unit;
        *other = (int64_t)scaled;
    }
    return ASSAY_OK;
}

static assay_status fit_long(const image_config *c, sides image, sides *out, assay_error *err)
{
    const assay_status rc = lengthen_short(c->patch_size * c->merge_size, &image, err);
    return rc == ASSAY_OK ? fit(c, image, out, err) : rc;
}

enum { FIRST_SHORTEST = 64, FIRST_LONGEST = 1024 };

/* Python's int(a * b) or int(a / b). */
static int64_t whole(double x)
{
    return (int64_t)floor(x);
}

/* The sides of an image with one side set to `side`: the width of an upright one, otherwise the height. */
static sides set_side(sides image, double aspect, int64_t side)
{
    return image.width < image.height ? (sides){whole((double)side / aspect), side}
                                      : (sides){side, whole((double)side * aspect)};
}

assay_status image_size_first(const image_config *config, int64_t *height, int64_t *width, assay_error *err)
{
    const sides image = {*height, *width};
    const double aspect = (double)image.width / (double)image.height;
    const int64_t shorter = image.height < image.width ? image.height : image.width;
    const int64_t longer = image.height < image.width ? image.width : image.height;
    if (config->rule != IMAGE_RULE_FIT_TWICE || !config->do_resize ||
        (shorter >= FIRST_SHORTEST && longer <= FIRST_LONGEST))
        return ASSAY_OK;
    sides r = set_side(image, aspect, shorter < FIRST_SHORTEST ? FIRST_SHORTEST : FIRST_LONGEST);
    if (r.width > FIRST_LONGEST) r = (sides){whole(FIRST_LONGEST / aspect), FIRST_LONGEST};
    if (r.height > FIRST_LONGEST) r = (sides){FIRST_LONGEST, whole(FIRST_LONGEST * aspect)};
    if (r.height == 0 || r.width == 0)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "image of %" PRId64 " x %" PRId64 ": its resized size is %" PRId64 " x %" PRId64,
                          image.height, image.width, r.height, r.width);
    *height = r.height;
    *width = r.width;
    return ASSAY_OK;
}

static assay_status fit_twice(const image_config *c, sides image, sides *out, assay_error *err)
{
    const assay_status rc = image_size_first(c, &image.height, &image.width, err);
    if (rc == ASSAY_OK) *out = fit_area(c, image, 1, 1);
    return rc;
}

/* max_pixels of all frames: the limits of a frame, times their number. */
static assay_status cap_pixels(image_config *c, int64_t n_frames, assay_error *err)
{
    const int64_t unit = c->patch_size * c->merge_size, least = (int64_t)((double)c->min_pixels * 1.05);
    int64_t most = c->max_video_tokens * unit * unit;
    if (c->max_pixels / n_frames < most) most = c->max_pixels / n_frames;
    if (most < least) most = least;
    const assay_status rc = check_pixels((double)most, n_frames, err);
    if (rc == ASSAY_OK) c->max_pixels = most * n_frames;
    return rc;
}

static assay_status fit_frames(const image_config *given, sides image, int64_t n_frames, sides *out,
                               assay_error *err)
{
    image_config capped = *given;
    const image_config *c = &capped;
    const int64_t frames_unit = c->temporal_patch_size;
    if (given->cap_pixels_per_frame) {
        const assay_status rc = cap_pixels(&capped, n_frames, err);
        if (rc != ASSAY_OK) return rc;
    }
    if (n_frames < frames_unit)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "video of %" PRId64 " frames: expected at least %" PRId64,
                          n_frames, frames_unit);
    assay_status rc = scale_short(c->patch_size * c->merge_size, n_frames, &image, err);
    if (rc == ASSAY_OK) rc = check_aspect(image, err);
    if (rc != ASSAY_OK) return rc;
    const double rounded = round_half_even((double)n_frames / (double)frames_unit);
    *out = fit_area(c, image, n_frames, (int64_t)rounded * frames_unit);
    return ASSAY_OK;
}

/* The longer side of an image whose shorter side is one unit. */
static int64_t longer_side(int64_t longer, int64_t shorter, int64_t unit, int64_t most)
{
    const double side = floor((double)longer / (double)shorter) * (double)unit;
    return side < (double)most ? (int64_t)side : most;
}

static assay_status fit_budget(const image_config *c, sides image, sides *out, assay_error *err)
{
    const int64_t unit = c->patch_size * c->merge_size;
    const int64_t n_patches = c->max_soft_tokens * c->merge_size * c->merge_size;
    const int64_t most = n_patches * c->patch_size * c->patch_size;
    const double h = (double)image.height, w = (double)image.width;
    const double factor = sqrt((double)most / (double)(image.height * image.width));
    sides r = {(int64_t)floor(factor * h / (double)unit) * unit,
               (int64_t)floor(factor * w / (double)unit) * unit};
    if (r.height == 0 && r.width == 0)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "image of %" PRId64 " x %" PRId64 ": its resized size is 0 x 0", image.height,
                          image.width);
    const int64_t side_most = c->max_soft_tokens * unit;
    if (r.height == 0) r = (sides){unit, longer_side(image.width, image.height, unit, side_most)};
    else if (r.width == 0) r = (sides){longer_side(image.height, image.width, unit, side_most), unit};
    if (r.height * r.width > most)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "image of %" PRId64 " x %" PRId64 ": its resized size is %" PRId64 " x %" PRId64
                          ", expected at most %" PRId64 " patches of %" PRId64 " pixels a side",
                          image.height, image.width, r.height, r.width, n_patches, c->patch_size);
    *out = r;
    return ASSAY_OK;
}

/* Rows and columns of tiles. */
typedef struct canvas {
    int64_t rows, columns;
    double scale; /* of the image, so that it fits */
} canvas;

/* Whether `a` is better than `b`: the smallest scale of at least 1, else the largest; of two with the same
 * scale the smaller. */
static bool is_better(const canvas *a, const canvas *b)
{
    if (a->scale == b->scale) return a->rows * a->columns < b->rows * b->columns;
    if (a->scale >= 1 && b->scale >= 1) return a->scale < b->scale;
    return a->scale > b->scale;
}

static canvas choose_canvas(const image_config *c, sides image)
{
    canvas best = {0};
    for (int64_t rows = 1; rows <= c->max_image_tiles; rows++)
        for (int64_t columns = 1; columns <= c->max_image_tiles / rows; columns++) {
            const double h = (double)(rows * c->tile_size) / (double)image.height,
                         w = (double)(columns * c->tile_size) / (double)image.width;
            const canvas one = {rows, columns, w > h ? h : w};
            if (best.rows == 0 || is_better(&one, &best)) best = one;
        }
    return best;
}

static int64_t clip(int64_t n, int64_t least, int64_t most)
{
    return n < least ? least : n > most ? most : n;
}

/* The side of `n` pixels, scaled: at least 1, at most `most`. */
static int64_t scaled(int64_t n, double scale, int64_t most)
{
    const double side = floor((double)n * scale);
    if (side < 1) return 1;
    return side < (double)most ? (int64_t)side : most;
}

/* get_optimal_tiled_canvas and get_image_size_fit_to_canvas of Mllama. */
static image_size fit_tiles(const image_config *c, sides image)
{
    const canvas on = choose_canvas(c, image);
    const int64_t most_h = clip(image.height, c->tile_size, on.rows * c->tile_size),
                  most_w = clip(image.width, c->tile_size, on.columns * c->tile_size);
    const double h = (double)most_h / (double)image.height, w = (double)most_w / (double)image.width;
    return (image_size){.height = w < h ? scaled(image.height, w, most_h) : most_h,
                        .width = w < h ? most_w : scaled(image.width, h, most_w),
                        .grid_t = 1,
                        .grid_h = on.rows,
                        .grid_w = on.columns,
                        .n_tokens = 1};
}

/* A crop consists of whole patches. */
static assay_status fit_crop(const image_config *c, sides *out, assay_error *err)
{
    if (c->crop_size % c->patch_size != 0)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "crop_size: found %" PRId64 ", expected a multiple of the %" PRId64
                          " pixels of a patch",
                          c->crop_size, c->patch_size);
    *out = (sides){c->crop_size, c->crop_size};
    return ASSAY_OK;
}

/* An image that is not resized must consist of whole patches, and of whole blocks of them if the rows are in
 * block order. */
static assay_status keep_size(const image_config *c, sides image, assay_error *err)
{
    const int64_t unit = c->rows == IMAGE_ROWS_BLOCKS ? c->patch_size * c->merge_size : c->patch_size;
    if (image.height % unit == 0 && image.width % unit == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "image of %" PRId64 " x %" PRId64
                      " without do_resize: expected sides that are multiples of %" PRId64,
                      image.height, image.width, unit);
}

static assay_status check_input(const image_config *c, int64_t height, int64_t width, int64_t n_frames,
                                assay_error *err)
{
    if (height < 1 || width < 1 || height > IMAGE_PIXELS_MAX / width)
        return assay_fail(err, ASSAY_EINVAL,
                          "image of %" PRId64 " x %" PRId64
                          ": expected sides of at least 1 and at most %" PRId64 " pixels",
                          height, width, IMAGE_PIXELS_MAX);
    if (n_frames < (c->is_video ? 1 : 0) || n_frames > (c->is_video ? FRAMES_MAX : 0))
        return assay_fail(err, ASSAY_EINVAL, "%" PRId64 " frames: expected %s", n_frames,
                          c->is_video ? "1 to 2^20 for a video" : "0 for a still image");
    return n_frames > 1 ? check_pixels((double)(height * width), n_frames, err) : ASSAY_OK;
}

assay_status image_size_resolve(const image_config *config, int64_t height, int64_t width, int64_t n_frames,
                                image_size *out, assay_error *err)
{
    const sides image = {height, width};
    sides r = image;
    assay_status rc = check_input(config, height, width, n_frames, err);
    if (rc != ASSAY_OK) return rc;
    if (config->rule == IMAGE_RULE_TILES) {
        *out = fit_tiles(config, image);
        return ASSAY_OK;
    }
    if (!config->do_resize) rc = keep_size(config, image, err);
    else if (config->rule == IMAGE_RULE_FIXED) r = (sides){config->size_height, config->size_width};
    else if (config->rule == IMAGE_RULE_CROPS) rc = fit_crop(config, &r, err);
    else if (config->rule == IMAGE_RULE_BUDGET) rc = fit_budget(config, image, &r, err);
    else if (config->rule == IMAGE_RULE_FIT_LONG) rc = fit_long(config, image, &r, err);
    else if (config->rule == IMAGE_RULE_FIT_TWICE) rc = fit_twice(config, image, &r, err);
    else if (config->rule == IMAGE_RULE_FIT_FRAMES)
        rc = fit_frames(config, image, n_frames > 0 ? n_frames : config->temporal_patch_size, &r, err);
    else rc = fit(config, image, &r, err);
    if (rc != ASSAY_OK) return rc;

    image_size s = {.height = r.height, .width = r.width, .grid_t = 1};
    if (n_frames > 0)
        s.grid_t = ceil_multiple(n_frames, config->temporal_patch_size) / config->temporal_patch_size;
    const int64_t n_images = s.grid_t;
    if (config->rule == IMAGE_RULE_CROPS) {
        const image_layout layout = image_crops_layout(config, height, width);
        s.grid_t += layout.rows * layout.columns;
    }
    s.grid_h = r.height / config->patch_size;
    s.grid_w = r.width / config->patch_size;
    rc = check_patches((double)(s.grid_h * s.grid_w), s.grid_t, err);
    if (rc != ASSAY_OK) return rc;
    s.n_tokens = config->rows == IMAGE_ROWS_WHOLE
                     ? config->image_seq_length
                     : n_images * (s.grid_h * s.grid_w / (config->merge_size * config->merge_size));
    if (config->ends_rows) s.n_tokens += s.grid_h / config->merge_size + 2;
    *out = s;
    return ASSAY_OK;
}

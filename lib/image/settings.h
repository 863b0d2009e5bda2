/* The settings of an image processor, resolved: how an image becomes the input of a model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_SETTINGS_H
#define IMAGE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of a config, so that sizes can be computed in int64_t and, exactly, in double. */
#define IMAGE_PIXELS_MAX (((int64_t)1 << 53) - 1)
#define IMAGE_PATCH_MAX  1024
#define IMAGE_MERGE_MAX  64
#define IMAGE_CROPS_MAX  64
#define IMAGE_TOKENS_MAX ((int64_t)1 << 20) /* max_video_tokens */
#define IMAGE_TILES_MAX  64
#define IMAGE_TILE_MAX   4096

/* How the resized size follows from the size of an image. */
typedef enum image_rule {
    IMAGE_RULE_FIT,        /* both sides rounded to multiples of patch * merge; scaled if the area is outside
                            * min_pixels … max_pixels (smart_resize of Qwen2-VL) */
    IMAGE_RULE_FIT_LONG,   /* the same, after a side shorter than patch * merge has been set to that, and the
                            * other one scaled with it (smart_resize of PaddleOCR-VL) */
    IMAGE_RULE_FIT_FRAMES, /* both sides scaled up where one is shorter than patch * merge, then as FIT with
                            * the area of all frames; a still image has temporal_patch_size of them
                            * (smart_resize of Qwen3-VL's videos and of GLM-4.1V) */
    IMAGE_RULE_FIT_TWICE,  /* the image is resized so that no side is longer than 1,024 pixels and, where that
                            * is possible, none shorter than 64, and the result again as FIT says, whatever
                            * its aspect ratio (mlx-vlm's Falcon-OCR) */
    IMAGE_RULE_BUDGET,     /* the largest size of at most max_soft_tokens * merge^2 patches (Gemma 4) */
    IMAGE_RULE_FIXED,      /* size_height x size_width, whatever the shape of the image (SigLIP) */
    IMAGE_RULE_TILES,      /* within rows x columns of tiles (tiles.h) */
    IMAGE_RULE_CROPS       /* the image and crops of it, all resized to crop_size x crop_size (mlx-vlm's
                            * Moondream 3) */
} image_rule;

/* Filters by the numbers of PIL's Image.Resampling. */
typedef enum image_filter { IMAGE_BILINEAR = 2, IMAGE_BICUBIC = 3 } image_filter;

/* The layout of the rows of pixel_values. */
typedef enum image_rows {
    IMAGE_ROWS_BLOCKS,  /* blocks of merge x merge patches, row by row; elements (channel, frame, y, x) */
    IMAGE_ROWS_SQUARES, /* patches row by row; elements (channel, frame, y, x), as images of their own */
    IMAGE_ROWS_FLAT,    /* the same, each a row of elements */
    IMAGE_ROWS_PIXELS,  /* patches row by row; elements (y, x, channel) */
    IMAGE_ROWS_RASTER,  /* patches row by row; elements (y, x, channel); padded to the patch budget */
    IMAGE_ROWS_WHOLE,   /* the image as one row; elements (channel, y, x) */
    IMAGE_ROWS_TILES /* a row is a tile (channel, y, x), row by row; then rows of zeros up to max_image_tiles
                      */
} image_rows;

/* Members have the names of the JSON members, except merge_size, which is pooling_kernel_size in Gemma 4. */
typedef struct image_config {
    const char *type; /* the published class, static */
    bool is_video;
    image_rule rule;
    image_rows rows;
    int64_t patch_size, merge_size, temporal_patch_size;
    int64_t min_pixels, max_pixels; /* of the rules that fit */
    bool cap_pixels_per_frame; /* of IMAGE_RULE_FIT_FRAMES: max_pixels follows from the number of frames */
    int64_t max_video_tokens;  /* of a frame, with cap_pixels_per_frame */
    int64_t max_soft_tokens;   /* of IMAGE_RULE_BUDGET; of a frame */
    int64_t unused;            /* of a member that the published class checks, and does not use */
    bool ends_rows; /* one token more for each row of merged patches, and two for an image (HunYuanVL) */
    int64_t max_image_tiles, tile_size; /* of IMAGE_RULE_TILES; tile_size is size.height and size.width */
    int64_t size_height, size_width;    /* of IMAGE_RULE_FIXED: members of `size` */
    int64_t image_seq_length; /* tokens of an image, of IMAGE_ROWS_WHOLE: a member of processor_config.json */
    int64_t crop_size, max_crops, overlap_margin; /* of IMAGE_RULE_CROPS: side of a crop in pixels; how many,
                                                     the whole image included; overlap in patches */
    int64_t resample;                             /* image_filter */
    bool do_resize, do_rescale, do_normalize;
    double rescale_factor, image_mean[3], image_std[3];
    char **notes; /* [n_notes], one line for each member that has no effect; owned */
    size_t n_notes;
} image_config;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "image/processors.h"

#include <string.h>

#define CLIP_MEAN                                                                                            \
    {                                                                                                        \
        0.48145466, 0.4578275, 0.40821073                                                                    \
    }
#define CLIP_STD                                                                                             \
    {                                                                                                        \
        0.26862954, 0.26130258, 0.27577711                                                                   \
    }
#define NO_MEAN                                                                                              \
    {                                                                                                        \
        0, 0, 0                                                                                              \
    }
#define HALVES                                                                                               \
    {                                                                                                        \
        0.5, 0.5, 0.5                                                                                        \
    }
#define ONES                                                                                                 \
    {                                                                                                        \
        1, 1, 1                                                                                              \
    }
#define N_PROCESSORS       (sizeof processors / sizeof *processors)
#define AT(member)         offsetof(image_config, member)
#define RESIZED_AS_DEFAULT .resample = IMAGE_BICUBIC, .do_resize = true, .do_rescale = true

static const int64_t filters[] = {IMAGE_BILINEAR, IMAGE_BICUBIC, 0};
static const int64_t soft_tokens[] = {70, 140, 280, 560, 1120, 0};

/* Members that transformers' base classes accept and that no processor of the table reads are ignored only if
 * they cannot change the result. */
const image_member image_members_shared[] = {
    {"do_resize", IMAGE_MEMBER_SWITCH, AT(do_resize), 0, 0, NULL},
    {"resample", IMAGE_MEMBER_CHOICE, AT(resample), 0, 0, filters},
    {"do_rescale", IMAGE_MEMBER_SWITCH, AT(do_rescale), 0, 0, NULL},
    {"rescale_factor", IMAGE_MEMBER_NUMBER, AT(rescale_factor), 0, 0, NULL},
    {"do_normalize", IMAGE_MEMBER_SWITCH, AT(do_normalize), 0, 0, NULL},
    {"image_mean", IMAGE_MEMBER_TRIPLE, AT(image_mean), 0, 0, NULL},
    {"image_std", IMAGE_MEMBER_TRIPLE, AT(image_std), 0, 0, NULL},
    {"patch_size", IMAGE_MEMBER_WHOLE, AT(patch_size), 1, IMAGE_PATCH_MAX, NULL},
    {"do_center_crop", IMAGE_MEMBER_OFF, 0, 0, 0, NULL},
    {"do_pad", IMAGE_MEMBER_OFF, 0, 0, 0, NULL},
    {"crop_size", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL}, /* only with do_center_crop */
    {"pad_size", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},  /* only with do_pad */
    {"data_format", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"input_data_format", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"disable_grouping", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"return_tensors", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"device", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"do_convert_rgb", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"default_to_square", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"image_processor_type", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"video_processor_type", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"feature_extractor_type", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {"processor_class", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
};

static const image_member fit_members[] = {
    {"merge_size", IMAGE_MEMBER_WHOLE, AT(merge_size), 1, IMAGE_MERGE_MAX, NULL},
    {"temporal_patch_size", IMAGE_MEMBER_WHOLE, AT(temporal_patch_size), 1, IMAGE_MERGE_MAX, NULL},
    {NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
};

/* The published class takes IMAGE_BICUBIC, whatever a file says. */
static const image_member hunyuan_members[] = {
    {"merge_size", IMAGE_MEMBER_WHOLE, AT(merge_size), 1, IMAGE_MERGE_MAX, NULL},
    {"temporal_patch_size", IMAGE_MEMBER_WHOLE, AT(temporal_patch_size), 1, IMAGE_MERGE_MAX, NULL},
    {"resample", IMAGE_MEMBER_WHOLE, AT(unused), 0, 5, NULL},
    {NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
};
static const image_member crops_members[] = {
    {"crop_size", IMAGE_MEMBER_WHOLE, AT(crop_size), 14, IMAGE_PATCH_MAX, NULL},
    {"max_crops", IMAGE_MEMBER_WHOLE, AT(max_crops), 1, IMAGE_CROPS_MAX, NULL},
    {"overlap_margin", IMAGE_MEMBER_WHOLE, AT(overlap_margin), 0, IMAGE_CROPS_MAX, NULL},
    {NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
};
static const image_member no_members[] = {{NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL}};

static const image_member fit_frames_members[] = {
    {"merge_size", IMAGE_MEMBER_WHOLE, AT(merge_size), 1, IMAGE_MERGE_MAX, NULL},
    {"temporal_patch_size", IMAGE_MEMBER_WHOLE, AT(temporal_patch_size), 1, IMAGE_MERGE_MAX, NULL},
    {"cap_pixels_per_frame", IMAGE_MEMBER_SWITCH, AT(cap_pixels_per_frame), 0, 0, NULL},
    {"max_video_tokens", IMAGE_MEMBER_WHOLE, AT(max_video_tokens), 1, IMAGE_TOKENS_MAX, NULL},
    {NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
};

static const image_member budget_members[] = {
    {"resample", IMAGE_MEMBER_CHOICE, AT(resample), IMAGE_BILINEAR, 0, filters},
    {"pooling_kernel_size", IMAGE_MEMBER_WHOLE, AT(merge_size), 1, IMAGE_MERGE_MAX, NULL},
    {"max_soft_tokens", IMAGE_MEMBER_CHOICE, AT(max_soft_tokens), 0, 0, soft_tokens},
    {NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
};

static const image_member tiles_members[] = {
    {"do_resize", IMAGE_MEMBER_ON, 0, 0, 0, NULL},
    {"do_pad", IMAGE_MEMBER_ON, 0, 0, 0, NULL},
    {"resample", IMAGE_MEMBER_CHOICE, AT(resample), IMAGE_BILINEAR, 0, filters},
    {"max_image_tiles", IMAGE_MEMBER_WHOLE, AT(max_image_tiles), 1, IMAGE_TILES_MAX, NULL},
    {"patch_size", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
};

static const char *const mllama_image[] = {"MllamaImageProcessor", "MllamaImageProcessorFast",
                                           "MllamaImageProcessorPil", NULL};
/* An image has no patches. */
static const image_member fixed_members[] = {
    {"patch_size", IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
    {NULL, IMAGE_MEMBER_IGNORED, 0, 0, 0, NULL},
};

static const char *const siglip_image[] = {"SiglipImageProcessor", "SiglipImageProcessorFast",
                                           "SiglipImageProcessorPil", NULL};
static const char *const qwen2_image[] = {"Qwen2VLImageProcessor", "Qwen2VLImageProcessorFast",
                                          "Qwen2VLImageProcessorPil", NULL};
static const char *const paddleocr_image[] = {"PaddleOCRVLImageProcessor", "PaddleOCRVLImageProcessorFast",
                                              "PaddleOCRVLImageProcessorPil", NULL};
static const char *const glm4v_image[] = {"Glm4vImageProcessor",
                                          "Glm4vImageProcessorFast",
                                          "Glm4vImageProcessorPil",
                                          "Glm46VImageProcessor",
                                          "Glm46VImageProcessorFast",
                                          "Glm46VImageProcessorPil",
                                          NULL};
static const char *const ernie_image[] = {"Ernie4_5_VLMoeImageProcessor",
                                          "Ernie4_5_VLMoeImageProcessorFast",
                                          "Ernie4_5_VLMoeImageProcessorPil",
                                          "Ernie4_5_VL_MoeImageProcessor",
                                          "Ernie4_5_VL_MoeImageProcessorFast",
                                          "Ernie4_5_VL_MoeImageProcessorPil",
                                          NULL};
static const char *const hunyuan_image[] = {"HunYuanVLImageProcessor", "HunYuanVLImageProcessorFast",
                                            "HunYuanVLImageProcessorPil", NULL};
static const char *const falcon_image[] = {"FalconOCRProcessor", NULL};
static const char *const moondream_image[] = {"Moondream3Processor", NULL};
static const char *const qwen2_video[] = {"Qwen2VLVideoProcessor", NULL};
static const char *const qwen3_video[] = {"Qwen3VLVideoProcessor", NULL};
static const char *const gemma4_video[] = {"Gemma4VideoProcessor", NULL};
static const char *const gemma4_image[] = {"Gemma4ImageProcessor", "Gemma4ImageProcessorFast",
                                           "Gemma4ImageProcessorPil", NULL};

/* Defaults are those of the classes in transformers 5.23; Falcon-OCR's and Moondream's of mlx-vlm 0.7.10. */
static const image_processor processors[] = {
    {qwen2_image,
     fit_members,
     true,
     {.rule = IMAGE_RULE_FIT,
      .rows = IMAGE_ROWS_BLOCKS,
      .patch_size = 14,
      .merge_size = 2,
      .temporal_patch_size = 2,
      .min_pixels = 56 * 56,
      .max_pixels = 28 * 28 * 1280,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = CLIP_MEAN,
      .image_std = CLIP_STD}},
    {paddleocr_image,
     fit_members,
     true,
     {.rule = IMAGE_RULE_FIT_LONG,
      .rows = IMAGE_ROWS_SQUARES,
      .patch_size = 14,
      .merge_size = 2,
      .temporal_patch_size = 1,
      .min_pixels = 384 * 384,
      .max_pixels = 1536 * 1536,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = CLIP_MEAN,
      .image_std = CLIP_STD}},
    {glm4v_image,
     fit_members,
     false,
     {.rule = IMAGE_RULE_FIT_FRAMES,
      .rows = IMAGE_ROWS_BLOCKS,
      .patch_size = 14,
      .merge_size = 2,
      .temporal_patch_size = 2,
      .min_pixels = 112 * 112,
      .max_pixels = 28 * 28 * 15000,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = CLIP_MEAN,
      .image_std = CLIP_STD}},
    {ernie_image,
     fit_members,
     false,
     {.rule = IMAGE_RULE_FIT,
      .rows = IMAGE_ROWS_BLOCKS,
      .patch_size = 14,
      .merge_size = 2,
      .temporal_patch_size = 1,
      .min_pixels = 56 * 56,
      .max_pixels = 28 * 28 * 6177,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = CLIP_MEAN,
      .image_std = CLIP_STD}},
    {hunyuan_image,
     hunyuan_members,
     true,
     {.rule = IMAGE_RULE_FIT,
      .rows = IMAGE_ROWS_FLAT,
      .ends_rows = true,
      .patch_size = 16,
      .merge_size = 2,
      .temporal_patch_size = 1,
      .min_pixels = 512 * 512,
      .max_pixels = 2048 * 2048,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = CLIP_MEAN,
      .image_std = CLIP_STD}},
    {falcon_image,
     no_members,
     false,
     {.rule = IMAGE_RULE_FIT_TWICE,
      .rows = IMAGE_ROWS_PIXELS,
      .patch_size = 16,
      .merge_size = 1,
      .temporal_patch_size = 1,
      .min_pixels = 56 * 56,
      .max_pixels = 28 * 28 * 1280,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = HALVES,
      .image_std = HALVES}},
    {mllama_image,
     tiles_members,
     false,
     {.rule = IMAGE_RULE_TILES,
      .rows = IMAGE_ROWS_TILES,
      .patch_size = 1,
      .merge_size = 1,
      .temporal_patch_size = 1,
      .max_image_tiles = 4,
      .tile_size = 224,
      .resample = IMAGE_BILINEAR,
      .do_resize = true,
      .do_rescale = true,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = HALVES,
      .image_std = HALVES}},
    {siglip_image,
     fixed_members,
     false,
     {.rule = IMAGE_RULE_FIXED,
      .rows = IMAGE_ROWS_WHOLE,
      .patch_size = 1,
      .merge_size = 1,
      .temporal_patch_size = 1,
      .size_height = 224,
      .size_width = 224,
      .image_seq_length = 256,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = HALVES,
      .image_std = HALVES}},
    {moondream_image,
     crops_members,
     false,
     {.rule = IMAGE_RULE_CROPS,
      .rows = IMAGE_ROWS_FLAT,
      .patch_size = 14,
      .merge_size = 1,
      .temporal_patch_size = 1,
      .crop_size = 378,
      .max_crops = 12,
      .overlap_margin = 4,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = HALVES,
      .image_std = HALVES}},
    {qwen2_video,
     fit_members,
     true,
     {.is_video = true,
      .rule = IMAGE_RULE_FIT,
      .rows = IMAGE_ROWS_BLOCKS,
      .patch_size = 14,
      .merge_size = 2,
      .temporal_patch_size = 2,
      .min_pixels = 128 * 28 * 28,
      .max_pixels = 28 * 28 * 768,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = CLIP_MEAN,
      .image_std = CLIP_STD}},
    {qwen3_video,
     fit_frames_members,
     false,
     {.is_video = true,
      .rule = IMAGE_RULE_FIT_FRAMES,
      .max_video_tokens = 768,
      .rows = IMAGE_ROWS_BLOCKS,
      .patch_size = 16,
      .merge_size = 2,
      .temporal_patch_size = 2,
      .min_pixels = 128 * 32 * 32,
      .max_pixels = 32 * 32 * 768,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = HALVES,
      .image_std = HALVES}},
    {gemma4_image,
     budget_members,
     false,
     {.rule = IMAGE_RULE_BUDGET,
      .rows = IMAGE_ROWS_RASTER,
      .patch_size = 16,
      .merge_size = 3,
      .temporal_patch_size = 1,
      .max_soft_tokens = 280,
      RESIZED_AS_DEFAULT,
      .do_normalize = false,
      .rescale_factor = 1 / 255.0,
      .image_mean = NO_MEAN,
      .image_std = ONES}},
    {gemma4_video,
     budget_members,
     false,
     {.is_video = true,
      .rule = IMAGE_RULE_BUDGET,
      .rows = IMAGE_ROWS_RASTER,
      .patch_size = 16,
      .merge_size = 3,
      .temporal_patch_size = 1,
      .max_soft_tokens = 70,
      RESIZED_AS_DEFAULT,
      .do_normalize = true,
      .rescale_factor = 1 / 255.0,
      .image_mean = NO_MEAN,
      .image_std = ONES}},
};

const image_processor *image_processor_find(const char *name, bool is_video)
{
    for (size_t i = 0; i < N_PROCESSORS; i++) {
        if (processors[i].defaults.is_video != is_video) continue;
        for (const char *const *at = processors[i].names; *at; at++)
            if (strcmp(*at, name) == 0) return &processors[i];
    }
    return NULL;
}

const image_member *image_member_find(const image_processor *processor, const char *name)
{
    const image_member *const tables[] = {processor->members, image_members_shared};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const image_member *m = tables[t]; m->name; m++)
            if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

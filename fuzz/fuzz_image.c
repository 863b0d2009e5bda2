/* Input: an image file. A byte before it chooses one of a few configs, by which the pixels become patches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "image/config.h"
#include "image/decode.h"
#include "image/patches.h"

#define PIXELS_MAX 65536 /* of images that are resized as well */

/* Seeds hold indices into this table: add to its end only. */
static const char *const CONFIGS[] = {
    "{\"image_processor_type\":\"Qwen2VLImageProcessor\",\"patch_size\":2,\"min_pixels\":16,\"max_pixels\":"
    "4096}",
    "{\"image_processor_type\":\"Qwen2VLImageProcessor\",\"patch_size\":4,\"do_resize\":false}",
    "{\"image_processor_type\":\"Gemma4ImageProcessor\",\"patch_size\":2,\"max_soft_tokens\":70}",
    "{\"image_processor_type\":\"Qwen2VLImageProcessor\",\"patch_size\":1,\"merge_size\":3,\"resample\":2,"
    "\"min_pixels\":9,\"max_pixels\":900}"};
enum { N_CONFIGS = sizeof CONFIGS / sizeof *CONFIGS };

static void make_patches(const char *text, const image_pixels *pixels)
{
    image_config config;
    image_input input = {.n_rows = 7};
    assay_error err = {0};
    assay_status rc = image_config_parse("config", text, strlen(text), false, &config, &err);
    fuzz_require(rc == ASSAY_OK, "the config is valid");
    rc = image_patches_make(&config, pixels, &input, &err);
    image_config_free(&config);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, input.n_rows == 7);
        return;
    }
    fuzz_require(input.n_rows >= (size_t)(input.size.grid_h * input.size.grid_w), "every patch has a row");
    for (size_t i = 0; i < input.n_rows * input.row_width; i++)
        fuzz_require(input.pixel_values[i] == input.pixel_values[i], "every value is a number");
    image_input_free(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    image_pixels pixels = {7, 7, NULL};
    assay_error err = {0};
    if (size == 0) return 0;
    const assay_status rc = image_decode("image", data + 1, size - 1, &pixels, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, pixels.height == 7 && !pixels.rgb);
        return 0;
    }
    fuzz_require(pixels.height > 0 && pixels.width > 0, "an image has pixels");
    if (pixels.height * pixels.width <= PIXELS_MAX) make_patches(CONFIGS[data[0] % N_CONFIGS], &pixels);
    image_pixels_free(&pixels);
    return 0;
}

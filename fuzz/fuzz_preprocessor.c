/* Input: whether the config is that of a video (1 byte), height, width and number of frames (4 bytes each,
 * little-endian), and the text of the config.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "image/config.h"
#include "image/resize_rule.h"

#define HEAD_BYTES 13

static int64_t number(const uint8_t *at)
{
    return (int64_t)at[0] | (int64_t)at[1] << 8 | (int64_t)at[2] << 16 | (int64_t)at[3] << 24;
}

static void resolve(const image_config *config, int64_t height, int64_t width, int64_t n_frames)
{
    image_size s = {.height = -7};
    assay_error err = {0};
    const assay_status rc = image_size_resolve(config, height, width, n_frames, &s, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, s.height == -7);
        return;
    }
    fuzz_require(s.height >= 1 && s.width >= 1, "sides are positive");
    if (config->rule == IMAGE_RULE_TILES)
        fuzz_require(s.height <= s.grid_h * config->tile_size && s.width <= s.grid_w * config->tile_size &&
                         s.grid_h * s.grid_w <= config->max_image_tiles,
                     "the image is within its tiles");
    else
        fuzz_require(s.height == s.grid_h * config->patch_size && s.width == s.grid_w * config->patch_size,
                     "sides are whole patches");
    fuzz_require(s.grid_t >= 1 && s.n_tokens >= 0, "counts are not negative");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    image_config config, before;
    assay_error err = {0};
    if (size < HEAD_BYTES) return 0;
    memset(&config, 7, sizeof config);
    before = config;
    const assay_status rc = image_config_parse("preprocessor_config.json", (const char *)data + HEAD_BYTES,
                                               size - HEAD_BYTES, data[0] & 1, &config, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, memcmp(&config, &before, sizeof config) == 0);
        return 0;
    }
    resolve(&config, number(data + 1), number(data + 5), number(data + 9));
    resolve(&config, number(data + 1) << 22, number(data + 5), number(data + 9));
    image_config_free(&config);
    return 0;
}

/* Reading a preprocessor_config.json or video_preprocessor_config.json. Everything that depends on the
 * published class is data of image/processors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_CONFIG_H
#define IMAGE_CONFIG_H

#include <assay/status.h>

#include "base/json.h"
#include "image/settings.h"

/* Reads text[0..n). A member that is null counts as absent and takes the default of the published class,
 * except do_resize, do_rescale and do_normalize, which the published classes take for false, and resample,
 * which Gemma 4's takes for bilinear. Members that the published class does not read are noted; those that
 * would change the result in a way that is not implemented are refused.
 * path:     for messages.
 * is_video: the text is a video_preprocessor_config.json.
 * Fails with ASSAY_EFORMAT or ASSAY_EUNSUPPORTED, naming path, member, found and expected value, or with
 * ASSAY_ENOMEM. *out is untouched on failure; free it with image_config_free. */
assay_status image_config_parse(const char *path, const char *text, size_t n, bool is_video,
                                image_config *out, assay_error *err);

/* The same for a parsed text: `root` is borrowed for the call, NULL for null. */
assay_status image_config_read(const char *path, json_object *root, bool is_video, image_config *out,
                               assay_error *err);

/* How much of a config file is read; image_config_parse refuses larger ones. */
extern const json_limits image_config_limits;

/* Frees the notes. */
void image_config_free(image_config *config);

#endif

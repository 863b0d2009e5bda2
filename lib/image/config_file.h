/* Finding the processor config of a checkpoint, as transformers 5.23 does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_CONFIG_FILE_H
#define IMAGE_CONFIG_FILE_H

#include "image/config.h"

/* Reads the config of the image processor of the checkpoint `dir`: the member image_processor of its
 * processor_config.json or, if that is missing, its preprocessor_config.json; of a checkpoint whose
 * config.json has the model_type moondream3 members of its vision_config and of processor_config.json, and if
 * it has falcon_ocr the member spatial_patch_size there, which alone its processor reads. is_video: the
 * config of the video processor: the member video_processor, then video_preprocessor_config.json, then
 * preprocessor_config.json. Fails with ASSAY_EIO if there is none, naming the files, and as
 * image_config_parse does. *out is untouched on failure; free it with image_config_free. */
assay_status image_config_open(const char *dir, bool is_video, image_config *out, assay_error *err);

#endif

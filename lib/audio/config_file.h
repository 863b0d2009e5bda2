/* Finding the config of the feature extractor of a checkpoint, as transformers 5.23 does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AUDIO_CONFIG_FILE_H
#define AUDIO_CONFIG_FILE_H

#include "audio/config.h"

/* Reads the config of the feature extractor of the checkpoint `dir`: the member feature_extractor of its
 * processor_config.json or, without that member, audio_processor; if that is missing or null, its
 * preprocessor_config.json. Fails with ASSAY_EIO if there is none of these, and as audio_config_read and
 * json_read do; free *out with audio_config_free. */
assay_status audio_config_open(const char *dir, audio_config *out, assay_error *err);

#endif

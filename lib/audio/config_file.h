/* Finding the config of the feature extractor of a checkpoint, as transformers 5.23 does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SOUND_CONFIG_FILE_H
#define SOUND_CONFIG_FILE_H

#include "audio/config.h"

/* Reads the config of the feature extractor of the checkpoint `dir`: the member feature_extractor of its
 * processor_config.json or, without that member, audio_processor; if that is missing or null, its
 * preprocessor_config.json. Fails with ASSAY_EIO if there is none of these, and as sound_config_read and
 * json_read do; free *out with sound_config_free. */
assay_status sound_config_open(const char *dir, sound_config *out, assay_error *err);

#endif

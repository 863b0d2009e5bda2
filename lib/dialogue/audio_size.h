/* Frames and tokens of audio clips behind the serving ABI.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_AUDIO_SIZE_H
#define DIALOGUE_AUDIO_SIZE_H

#include <assay/serving.h>

/* The member sound_size of assay_serving. */
assay_status serve_audio_size(const assay_sound_options *options, assay_sound_size *out, assay_error *err);

#endif

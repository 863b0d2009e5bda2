/* Reading the settings of MLX's affine quantisation from a config.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_QUANTIZATION_H
#define MODEL_CHECKPOINT_CONFIG_QUANTIZATION_H

#include "model/checkpoint/config.h"

/* Reads `quantization`, or `quantization_config` if it is MLX's own (group_size and bits, no
 * quant_method); if both are present they must be equal. Refuses every mode but "affine", bit widths
 * and group sizes that MLX does not support, and unknown members. */
void config_quantization_read(config *c, config_quantization *out);

/* The settings of the module of that path; bits 0: not quantised. Returns whether the document names the
 * module; if not, *out is the standard setting, and applies only if the module's tensors are quantised. */
bool config_quantization_of(const config_quantization *q, const char *module, config_affine *out);

#endif

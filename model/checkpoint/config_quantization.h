/* What a config says of MLX's affine groups.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_QUANTIZATION_H
#define MODEL_CHECKPOINT_CONFIG_QUANTIZATION_H

#include "model/checkpoint/config.h"

/* Reads `quantization`, or `quantization_config` where it is MLX's own (group_size and bits, no
 * quant_method); where both are there they must be equal. Refuses every mode but "affine", widths and groups
 * that MLX has not, and members that it does not know. */
void config_quantization_read(config *c, config_quantization *out);

/* What the document says of the module of that path; bits 0: not quantised. Returns whether it names the
 * module: if not, *out is what holds for all, and the module is quantised if its tensors are. */
bool config_quantization_of(const config_quantization *q, const char *module, config_affine *out);

#endif

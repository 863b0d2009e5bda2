/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/parts.h"

const conf_part *const conf_parts[] = {
    &conf_part_samples, &conf_part_steps,  &conf_part_ends, &conf_part_inputs, &conf_part_sizes,
    &conf_part_tokens,  &conf_part_layers, &conf_part_ids,  &conf_part_values, NULL};

/* hf_quant_config.json, in which modelopt states the quantisation of a checkpoint beside config.json, or
 * alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_HF_QUANT_H
#define MODEL_FORMATS_HF_QUANT_H

#include "base/json.h"

/* Adds what dir/hf_quant_config.json says to the config as its quantization_config, if it has none; nothing
 * if there is no such file, or if it states no algorithm. ASSAY_EFORMAT if the two contradict, and as
 * json_read fails. */
assay_status hf_quant_join(const char *dir, json_object *config, assay_error *err);

#endif

/* The table of quantisation methods: a row a method.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_METHODS_H
#define MODEL_FORMATS_METHODS_H

#include "model/formats/rules.h"

/* A published method: the value of quant_method, and the function that reads the object's members into rules.
 * It refuses members and values that it does not know. The object is read to its end afterwards: a member
 * that has not been asked for is refused by name. */
typedef struct quantization_method {
    const char *name;
    void (*read)(config *c, rules *out);
} quantization_method;

extern const quantization_method quantization_awq, quantization_bitsandbytes, quantization_compressed,
    quantization_fp8, quantization_gptq, quantization_modelopt, quantization_mxfp4;

extern const quantization_method *const QUANTIZATION_METHODS[];
extern const size_t QUANTIZATION_METHODS_N;

/* MLX's own member has no quant_method: whether a quantization_config is a copy of it (bits and group_size,
 * no quant_method), and its reader. name: of the member. */
bool mlx_is_own(json_object *value);
void mlx_read(config *c, const char *name, json_object *value, rules *out);

#endif

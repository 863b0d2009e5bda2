/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/methods.h"

const quantization_method *const QUANTIZATION_METHODS[] = {
    &quantization_awq,  &quantization_bitsandbytes, &quantization_compressed, &quantization_fp8,
    &quantization_gptq, &quantization_modelopt,     &quantization_mxfp4,
};
const size_t QUANTIZATION_METHODS_N = sizeof QUANTIZATION_METHODS / sizeof *QUANTIZATION_METHODS;

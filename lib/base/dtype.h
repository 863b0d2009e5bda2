/* Element types of checkpoints and of the engine ABI: names, sizes, conversion.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include <assay/engine.h>

#include <stdbool.h>

/* Bytes of one element; 0 for ASSAY_DTYPE_NONE. */
size_t dtype_size(assay_dtype dtype);

/* "F32", "BF16", …: the spelling of safetensors; "NONE" for ASSAY_DTYPE_NONE. */
const char *dtype_name(assay_dtype dtype);

/* The type that safetensors spells name[0..n); ASSAY_DTYPE_NONE if assay_dtype has no type of that name. */
assay_dtype dtype_from_name(const char *name, size_t n);

/* Whether it is one of F64, F32, F16, BF16. */
bool dtype_is_float(assay_dtype dtype);

/* IEEE 754 binary16 and bfloat16, exactly (NaN payloads and subnormals included). */
float dtype_f16_to_f32(uint16_t bits);
float dtype_bf16_to_f32(uint16_t bits);

/* Converts n elements of a floating type to float or double, exactly except for F64 to float, which rounds
 * to nearest. src may be unaligned; dst and src must not overlap. */
void dtype_to_f32(float *dst, const void *src, assay_dtype dtype, size_t n);
void dtype_to_f64(double *dst, const void *src, assay_dtype dtype, size_t n);

/* The number of elements of a tensor: the product of its shape. */
size_t dtype_elements(const assay_tensor *t);

/* Element i of a tensor of I32 or I64, row by row. Its data may be unaligned. */
int64_t dtype_integer(const assay_tensor *t, size_t i);

/* Converts n numbers to a floating type, rounding to nearest, ties to even; a number that is too large
 * becomes infinite. dst may be unaligned; dst and src must not overlap. */
void dtype_from_f64(void *dst, const double *src, assay_dtype dtype, size_t n);

#endif

/* The types to which published systems round the inputs of products with a stored matrix.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_INPUTS_H
#define MODEL_FORMATS_INPUTS_H

#include <assay/stored.h>

#include <stdbool.h>

/* The compute types that format_inputs knows, NULL-terminated: ggml's "q8_0", "q8_1" and "q8_K", which mean
 * the same (the type of each matrix decides), and "int8-token". */
extern const char *const FORMAT_COMPUTES[];

/* *type: that of the inputs of products with w in a compute type of FORMAT_COMPUTES: "q8_0", "q8_1", "q8_K",
 * "int8-token", "f16", "bf16", or "f32": not rounded. False, with *type untouched, if w has no type in it:
 * ggml has products with its own types only. */
bool format_inputs(const char *compute, const assay_stored *w, const char **type);

#endif

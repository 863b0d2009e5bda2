/* The formats of compressed-tensors 0.20.1.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_COMPRESSED_H
#define MODEL_FORMATS_COMPRESSED_H

#include "model/checkpoint/config.h"
#include "model/formats/format.h"

/* The row of a published name, such as "pack-quantized"; NULL: unknown. is_float: of the weights' type, which
 * "naive-quantized" does not tell. */
const weight_format *compressed_format_find(const char *name, bool is_float);

/* Fails, naming the member of `weights` that c reads, if the format of that name cannot hold such weights: of
 * that type, and of m's bits, group and symmetry. */
void compressed_format_check(config *c, const char *name, bool is_float, const format_module *m);

/* "float-quantized, int-quantized or …" */
void compressed_format_names(char *out, size_t size);

#endif

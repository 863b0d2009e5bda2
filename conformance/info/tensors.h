/* The tensors of a checkpoint, as its files store them, whatever its family.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_INFO_TENSORS_H
#define CONFORMANCE_INFO_TENSORS_H

#include <json-c/json.h>
#include <stdio.h>

#include "model/checkpoint/weights.h"

/* Prints a line for each tensor: its name, type, shape and file. */
void conf_info_print_tensors(FILE *out, const weights *w);

/* Adds the member tensors, an array: {name, type, shape, file}. Returns false if it runs out of memory. */
bool conf_info_add_tensors(json_object *to, const weights *w);

#endif

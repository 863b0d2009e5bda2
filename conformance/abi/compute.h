/* The type in which an engine is requested to compute activations, and the recorded run whose noise then
 * gives its bound. ASSAY_DTYPE_NONE: no type is requested; the engine chooses, and is judged as float32
 * (or as float64 if its logits are float64).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_COMPUTE_H
#define CONFORMANCE_ABI_COMPUTE_H

#include <assay/engine.h>
#include <assay/kernel.h>

#include <stdbool.h>
#include <stdio.h>

/* "f32", "bf16", "int8": as --compute spells them; "" for ASSAY_DTYPE_NONE. */
const char *conf_compute_name(assay_dtype compute);

/* The names that --compute accepts, NULL-terminated. */
extern const char *const conf_compute_names[];

/* The type with this name; ASSAY_DTYPE_NONE if the name is unknown. */
assay_dtype conf_compute_of(const char *name);

/* The group below /expect that holds the run in this type: "float32", "bfloat16" or "int8". Its
 * distance from the truth is the noise. */
const char *conf_compute_run(assay_dtype compute);

/* Whether the type is narrower than float32. A case need not have a run in a narrower type. */
bool conf_compute_is_narrow(assay_dtype compute);

/* The unit of reported errors, for messages: "the noise", "the noise in bfloat16", "the noise in
 * int8". */
const char *conf_compute_unit(assay_dtype compute);

/* Prints " --allow-unknown MEMBER" for each member, quoted for a shell. allowed: NULL-terminated, or
 * NULL. */
void conf_compute_print_allowed(FILE *out, const char *const *allowed);

#endif

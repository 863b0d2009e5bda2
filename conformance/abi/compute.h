/* The type of activations that an engine is asked to compute in, and the recorded run that then judges it.
 * ASSAY_DTYPE_NONE: no type is requested; the engine chooses, and is judged as float32 (or as float64 if its
 * logits are float64).
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

/* Those names, NULL-terminated. */
extern const char *const conf_compute_names[];

/* The type of that name; ASSAY_DTYPE_NONE if there is none. */
assay_dtype conf_compute_of(const char *name);

/* The group below /expect with the run whose distance from the truth is the noise: "float32", … */
const char *conf_compute_run(assay_dtype compute);

/* Whether it is narrower than float32, and so has a run of its own or none. */
bool conf_compute_is_narrow(assay_dtype compute);

/* What multiples count, for messages: "the noise", "the noise in bfloat16", … */
const char *conf_compute_unit(assay_dtype compute);

/* The message that an engine without model_open_with cannot be asked for a type. */
extern const char *const conf_compute_refusal;

/* The message that an engine without model_open_with cannot be given kernels. */
extern const char *const conf_kernels_refusal;

/* The option, --compute or --kernels, that a module refused when it was loaded with both (conf_evaluate).
 * reason: of its verdict. */
const char *conf_kernels_refused_option(const char *reason);

/* Opens a checkpoint with the options, whose size need not be set. Fails as the engine does, and with
 * ASSAY_EUNSUPPORTED if the engine offers no choice of types or kernels: a requested type or kernel is never
 * silently replaced. An engine without model_open_with does not receive allow_unknown. */
assay_status conf_compute_open(const assay_engine *engine, const assay_model_options *asked, const char *dir,
                               assay_model **out, assay_error *err);

/* " --allow-unknown MEMBER" for each of them, quoted for a shell. allowed: NULL-terminated, or NULL. */
void conf_compute_print_allowed(FILE *out, const char *const *allowed);

#endif

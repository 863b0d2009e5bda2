/* Loading what is to be evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_LOAD_H
#define CONFORMANCE_EVALUATE_LOAD_H

#include <assay/kernel.h>

#include "conformance/judge/verdict.h"

/* Loads a module and notes in the verdict what it is to compute in, and so is judged by; NULL where the
 * verdict is CONF_BROKEN instead, or CONF_SKIPPED because the engine has no such choice. */
const assay_engine *conf_evaluate_load(const char *engine, assay_dtype compute, conf_verdict *v);

/* Opens the library whose kernels the engine is given, NULL being none: then *out is left as it is. False
 * where the verdict is CONF_BROKEN instead, or CONF_SKIPPED because the engine takes none. */
bool conf_evaluate_kernels(const char *library, const assay_engine *engine, const assay_kernels **out,
                           conf_verdict *v);

#endif

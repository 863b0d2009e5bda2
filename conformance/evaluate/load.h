/* Loads the engine and the kernels to be evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_LOAD_H
#define CONFORMANCE_EVALUATE_LOAD_H

#include <assay/kernel.h>

#include "conformance/judge/verdict.h"

/* Loads a module, and stores in the verdict the type that it is asked to compute in and judged by. NULL if
 * the verdict is CONF_BROKEN. */
const assay_engine *conf_evaluate_load(const char *engine, conf_compute compute, conf_verdict *v);

/* Opens the library of kernels for an engine; library NULL leaves *out as it is. False if the verdict is
 * CONF_BROKEN. */
bool conf_evaluate_kernels(const char *library, const assay_kernels **out, conf_verdict *v);

#endif

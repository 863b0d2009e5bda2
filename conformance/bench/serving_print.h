/* The report on parsers as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_SERVING_PRINT_H
#define CONFORMANCE_BENCH_SERVING_PRINT_H

#include "conformance/bench/serving.h"

/* Prints the table. */
void conf_bench_serving_print(const conf_bench_serving *bench, const conf_context *context);

#endif

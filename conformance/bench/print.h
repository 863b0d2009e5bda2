/* The report as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_PRINT_H
#define CONFORMANCE_BENCH_PRINT_H

#include "conformance/bench/bench.h"

/* Prints the table. */
void conf_bench_print(const conf_bench *bench, const conf_context *context);

#endif

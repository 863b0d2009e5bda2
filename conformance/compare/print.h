/* What a comparison prints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_PRINT_H
#define CONFORMANCE_COMPARE_PRINT_H

#include "conformance/compare/comparison.h"

/* Prints the runs, the remarks, the cases of each change, the speed and the totals. Each line starts with
 * `prefix`. Every failure is named; of cases in one run only, the first few. */
void conf_comparison_print(FILE *out, const char *prefix, const conf_context *context,
                           const conf_comparison *c);

#endif

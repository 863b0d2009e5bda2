/* The line of a summary on manners of evaluation that were left out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_LEFT_OUT_H
#define CONFORMANCE_REPORT_LEFT_OUT_H

#include "conformance/report/results.h"

/* Prints one line with the manners of evaluation that an engine lacks or refuses, or that do not fit a case,
 * each with the reason and the number of cases; nothing if there are none. With several engines it names the
 * engine. At most four reasons are named. */
void conf_report_left_out(FILE *out, const char *prefix, const conf_results *results, size_t engine);

#endif

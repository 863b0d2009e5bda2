/* Where results come from: the last part of a page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_HTML_ORIGIN_H
#define CONFORMANCE_REPORT_HTML_ORIGIN_H

#include "conformance/report/results.h"

/* Writes when the run ended, its settings, kernels and machines. False if out of memory. */
bool conf_html_origin(FILE *out, const conf_results *results);

/* The same of what this process itself has found: its version and its machine. */
void conf_html_origin_here(FILE *out);

#endif

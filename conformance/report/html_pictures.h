/* The pictures of an engine on the HTML page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_HTML_PICTURES_H
#define CONFORMANCE_REPORT_HTML_PICTURES_H

#include "conformance/report/results.h"

/* Writes the largest error of each case in multiples of the bound, of at most 12 cases, and how many cases
 * have an error of each magnitude. Nothing if no case was measured. false: out of memory. */
bool conf_html_pictures(FILE *out, const conf_results *results, size_t engine);

#endif

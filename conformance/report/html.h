/* The results as one HTML page that needs no other file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_HTML_H
#define CONFORMANCE_REPORT_HTML_H

#include "conformance/report/results.h"

/* Writes the page: counts by engine, family and property, pictures of the largest errors, each failure with
 * its texts and the command that reproduces it, what was skipped, and where the results come from. Texts of
 * engines and cases are never markup. Fails with ASSAY_ENOMEM. */
assay_status conf_html_print(FILE *out, const conf_results *results, assay_error *err);

#endif

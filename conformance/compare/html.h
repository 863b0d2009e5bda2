/* A comparison as a page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_HTML_H
#define CONFORMANCE_COMPARE_HTML_H

#include "conformance/compare/comparison.h"

/* Writes each change, what makes the runs hard to compare, and the seconds. Fails with ASSAY_ENOMEM. */
assay_status conf_comparison_print_html(FILE *out, const conf_comparison *c, assay_error *err);

#endif

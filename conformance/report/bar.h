/* Errors in a terminal, as numbers and as bars.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_BAR_H
#define CONFORMANCE_REPORT_BAR_H

#include <stddef.h>
#include <stdio.h>

/* A multiple in at most 8 characters. */
void conf_multiple_print(char *text, size_t size, double multiple);

#define CONF_BAR_LEAST 10 /* columns, below which bars are not worth their place */

/* Draws an error in multiples of its bound as a bar of at most `width` columns, of which the last `|` or "#"
 * is printed and nothing after it. The scale is logarithmic, from a hundredth of the bound to `largest`, the
 * largest error that is drawn; "|" is the bound. NaN has no bar, infinity a full one. */
void conf_bar_print(FILE *out, double multiple, double largest, size_t width);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/bar.h"

#include <math.h>
#include <stdbool.h>

static const double LOWEST = -2; /* log10 of the multiple where a bar begins */

void conf_multiple_print(char *text, size_t size, double multiple)
{
    if (isinf(multiple)) (void)snprintf(text, size, "inf");
    else if (multiple >= 1000 || (multiple > 0 && multiple < 0.01))
        (void)snprintf(text, size, "%.1e", multiple);
    else (void)snprintf(text, size, multiple < 10 ? "%.2f" : "%.0f", multiple);
}

/* The columns up to an error, at most width. */
static size_t column_of(double multiple, double highest, size_t width)
{
    if (isnan(multiple) || multiple <= 0) return 0;
    const double place = (log10(multiple) - LOWEST) / (highest - LOWEST);
    return place <= 0 ? 0 : place >= 1 ? width : (size_t)ceil(place * (double)width);
}

void conf_bar_print(FILE *out, double multiple, double largest, size_t width)
{
    const double highest = fmax(1, isfinite(largest) && largest > 0 ? log10(largest) : 1);
    const size_t n = column_of(multiple, highest, width), bound = column_of(1, highest, width);
    const size_t n_printed = n > bound ? n : bound;
    for (size_t i = 1; i <= n_printed; i++) {
        const bool is_bound = i == bound && n <= bound;
        (void)fputc(is_bound ? '|' : i <= n ? '#' : ' ', out);
    }
}

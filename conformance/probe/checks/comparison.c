/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/comparison.h"

#include <stdarg.h>
#include <stdio.h>

probe_finding *probe_comparison_report(const probe_comparison *c, const char *what, probe_verdict verdict,
                                       probe_grade grade, const char *format, ...)
{
    char text[PROBE_TEXT_MAX];
    va_list args;
    PROBE_LABEL(check, "%.100s/%s", c->check, what);
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return probe_report(c->r, c->x, check, verdict, grade, "%s", text);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "serving/grammar/breach.h"

#include <stdarg.h>
#include <stdio.h>

assay_status serve_breach_set(serve_breach *breach, const char *rule, size_t event, size_t offset,
                              const char *format, ...)
{
    va_list arguments;
    breach->rule = rule;
    breach->event = event;
    breach->offset = offset;
    breach->excerpt[0] = '\0';
    va_start(arguments, format);
    (void)vsnprintf(breach->text, sizeof breach->text, format, arguments);
    va_end(arguments);
    return ASSAY_EFORMAT;
}

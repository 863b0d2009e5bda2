/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/fail.h"

#include <stdarg.h>
#include <stdio.h>

bool conf_evaluate_fail(conf_verdict *v, conf_class class, const char *format, ...)
{
    char reason[CONF_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (v->outcome == CONF_FAILED) {
        conf_verdict_note(v, "also %s", reason);
        return false;
    }
    conf_verdict_fail(v, class, "%s", reason);
    return true;
}

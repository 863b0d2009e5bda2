/* For test modules that break a rule: MODULE_FAULT names the rule that the process breaks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_RULE_H
#define CONFORMANCE_TESTS_ENGINES_RULE_H

#include <assay/status.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool errs(const char *fault)
{
    const char *asked = getenv("MODULE_FAULT");
    return asked && strcmp(asked, fault) == 0;
}

__attribute__((format(printf, 3, 4))) static inline assay_status fail(assay_error *err, assay_status status,
                                                                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (err) (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (err) err->status = status;
    return status;
}

#endif

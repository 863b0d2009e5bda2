/* Failing with a reason, for the test engines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_FAIL_H
#define CONFORMANCE_TESTS_ENGINES_FAIL_H

#include <assay/status.h>

#include <stdarg.h>
#include <stdio.h>

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

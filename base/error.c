/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

assay_status assay_fail(assay_error *err, assay_status status, const char *format, ...)
{
    if (!err) return status;
    va_list args;
    va_start(args, format);
    err->status = status;
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    /* Names from untrusted files are part of this text: it stays one line without control characters. */
    for (char *c = err->text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    return status;
}

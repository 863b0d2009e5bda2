/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/shown.h"

const char *assay_status_print(assay_status status, char text[STATUS_TEXT_MAX])
{
    static const char *const names[] = {[ASSAY_OK] = "ASSAY_OK",
                                        [ASSAY_EINVAL] = "ASSAY_EINVAL",
                                        [ASSAY_EIO] = "ASSAY_EIO",
                                        [ASSAY_EFORMAT] = "ASSAY_EFORMAT",
                                        [ASSAY_EUNSUPPORTED] = "ASSAY_EUNSUPPORTED",
                                        [ASSAY_ENOMEM] = "ASSAY_ENOMEM",
                                        [ASSAY_EINTERNAL] = "ASSAY_EINTERNAL",
                                        [ASSAY_ESTREAM] = "ASSAY_ESTREAM",
                                        [ASSAY_ETIMEDOUT] = "ASSAY_ETIMEDOUT",
                                        [ASSAY_ESTOPPED] = "ASSAY_ESTOPPED"};
    const size_t i = (size_t)status;
    if (i < sizeof names / sizeof *names) (void)snprintf(text, STATUS_TEXT_MAX, "%s", names[i]);
    else (void)snprintf(text, STATUS_TEXT_MAX, "status %d", (int)status);
    return text;
}

assay_status assay_fail(assay_error *err, assay_status status, const char *format, ...)
{
    if (!err) return status;
    va_list args;
    va_start(args, format);
    err->status = status;
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    /* names from untrusted files are part of it */
    shown_clean(err->text, sizeof err->text);
    return status;
}

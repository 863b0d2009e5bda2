/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

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

/* Names from untrusted files are part of error texts: control characters and bytes that are not UTF-8 become
 * '?', so that a text stays one line that any terminal can show. */
static void clean_text(char *text)
{
    for (size_t n = strlen(text), length; n > 0; text += length, n -= length) {
        uint32_t c;
        bool valid;
        length = utf8_decode(text, n, &c, &valid);
        if (!valid || c < 0x20 || (c >= 0x7f && c < 0xa0)) memset(text, '?', length);
    }
}

assay_status assay_fail(assay_error *err, assay_status status, const char *format, ...)
{
    if (!err) return status;
    va_list args;
    va_start(args, format);
    err->status = status;
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    clean_text(err->text);
    return status;
}

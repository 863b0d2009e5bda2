/* SPDX-License-Identifier: Apache-2.0 */
#include "base/choices.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"

void choices_add(char *text, size_t size, size_t left, const char *format, ...)
{
    const size_t used = strlen(text);
    const char *before = used == 0 ? "" : left ? ", " : " or ";
    va_list arguments;
    (void)snprintf(text + used, size - used, "%s", before);
    const size_t at = strlen(text);
    va_start(arguments, format);
    (void)vsnprintf(text + at, size - at, format, arguments);
    va_end(arguments);
}

void choices_of_types(char *text, size_t size, uint32_t types)
{
    text[0] = '\0';
    for (unsigned dtype = 0; types >> dtype; dtype++)
        if (types >> dtype & 1U)
            choices_add(text, size, types >> dtype >> 1, "%s", dtype_name((assay_dtype)dtype));
}

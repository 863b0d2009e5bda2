/* How texts begin and end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <assay/serving.h>

#include <stdbool.h>
#include <string.h>

static inline bool text_begins_with(assay_text text, assay_text begin)
{
    return text.n >= begin.n && (begin.n == 0 || memcmp(text.at, begin.at, begin.n) == 0);
}

static inline bool text_ends_with(assay_text text, assay_text end)
{
    return text.n >= end.n && (end.n == 0 || memcmp(text.at + text.n - end.n, end.at, end.n) == 0);
}

/* The same of terminated texts. */
static inline bool string_begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static inline bool string_ends_with(const char *text, const char *end)
{
    return text_ends_with((assay_text){text, strlen(text)}, (assay_text){end, strlen(end)});
}

#endif

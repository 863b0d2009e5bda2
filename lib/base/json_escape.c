/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_escape.h"

#include <stdio.h>

#include "base/json_text.h"

static void escape_ascii(buffer *b, char c)
{
    static const char NAMED[] = "\"\\\b\f\n\r\t", LETTER[] = "\"\\bfnrt";
    const char *named = c != '\0' ? strchr(NAMED, c) : NULL;
    if (named) {
        const char escape[] = {'\\', LETTER[named - NAMED]};
        buffer_append(b, escape, sizeof escape);
        return;
    }
    char unit[8];
    snprintf(unit, sizeof unit, "\\u%04x", (unsigned)c);
    buffer_append_string(b, unit);
}

void json_append_escaped(buffer *b, assay_text text)
{
    if (text.n == 0) return;
    for (const char *at = text.at, *end = text.at + text.n;; at++) {
        const char *plain = at;
        at = json_text_skip_plain(at, end);
        buffer_append(b, plain, (size_t)(at - plain));
        if (at == end) break;
        if ((unsigned char)*at >= 0x80) buffer_append_string(b, "\xEF\xBF\xBD");
        else escape_ascii(b, *at);
    }
}

void json_append_quoted(buffer *b, assay_text text)
{
    buffer_append(b, "\"", 1);
    json_append_escaped(b, text);
    buffer_append(b, "\"", 1);
}

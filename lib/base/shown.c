/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shown.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Characters that change how others are shown, or are not shown themselves: controls, marks and overrides of
 * direction, invisible characters and tags (categories Cc and Cf of Unicode, and separators of lines), and
 * what XML cannot represent. */
static bool is_hidden(uint32_t code)
{
    static const uint32_t RANGES[][2] = {{0, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},
                                         {0x61C, 0x61C},   {0x180E, 0x180E}, {0x200B, 0x200F},
                                         {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                                         {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++)
        if (code >= RANGES[i][0] && code <= RANGES[i][1]) return true;
    return false;
}

size_t shown_character(const char *text, size_t n, char shown[SHOWN_CHARACTER_MAX])
{
    uint32_t code;
    bool valid;
    const size_t taken = utf8_decode(text, n, &code, &valid);
    if (!valid) (void)strcpy(shown, "?");
    else if (code == ' ' || (code >= '\t' && code <= '\r')) (void)strcpy(shown, " ");
    else if (is_hidden(code))
        (void)snprintf(shown, SHOWN_CHARACTER_MAX, code < 0x10000 ? "\\u%04X" : "\\U%08X", code);
    else {
        memcpy(shown, text, taken);
        shown[taken] = '\0';
    }
    return taken;
}

void shown_clean(char *text, size_t size)
{
    size_t n = strlen(text), at = 0;
    n -= utf8_unfinished(text, n);
    while (at < n) {
        char shown[SHOWN_CHARACTER_MAX];
        const size_t taken = shown_character(text + at, n - at, shown), length = strlen(shown);
        if (at + length >= size) break;
        size_t rest = n - at - taken;
        if (rest > size - 1 - at - length) rest = size - 1 - at - length;
        if (length != taken) memmove(text + at + length, text + at + taken, rest);
        memcpy(text + at, shown, length);
        at += length;
        n = at + rest;
        if (length > taken) n -= utf8_unfinished(text, n);
    }
    text[at] = '\0';
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Characters that change how others are shown, or are not shown themselves: controls, marks and overrides of
 * direction, invisible characters and tags (categories Cc and Cf of Unicode, and separators of lines). */
static bool is_hidden(uint32_t code)
{
    static const uint32_t RANGES[][2] = {{0, 0x1F},        {0x7F, 0x9F},      {0xAD, 0xAD},
                                         {0x61C, 0x61C},   {0x180E, 0x180E},  {0x200B, 0x200F},
                                         {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                                         {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++)
        if (code >= RANGES[i][0] && code <= RANGES[i][1]) return true;
    return false;
}

/* Length in bytes of the UTF-8 sequence that text begins with, and its character; 0 if it is invalid. *cut:
 * text ends within the sequence. */
static size_t decode(const unsigned char *text, uint32_t *out, bool *cut)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char c = text[0];
    *cut = false;
    *out = c;
    if (c < 0x80) return 1;
    size_t n = c >= 0xF0 && c <= 0xF4 ? 4 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xC2 && c < 0xE0 ? 2 : 0;
    uint32_t code = n ? c & (0x7FU >> n) : 0;
    for (size_t i = 1; i < n; i++) {
        if (text[i] == '\0') *cut = true;
        if ((text[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3FU);
    }
    if (n == 0 || code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
    *out = code;
    return n;
}

/* Replaces a hidden character of n bytes by as many: a blank, U+FFFD, or question marks. */
static void mask(unsigned char *at, size_t n)
{
    if (n == 3) memcpy(at, "\xEF\xBF\xBD", 3);
    else memset(at, n == 1 ? ' ' : '?', n);
}

void conf_text_clean(char *text)
{
    unsigned char *at = (unsigned char *)text;
    while (*at) {
        bool cut;
        uint32_t code;
        size_t n = decode(at, &code, &cut);
        if (cut) {
            *at = '\0';
            return;
        }
        if (n == 0) {
            *at++ = '?';
            continue;
        }
        if (is_hidden(code)) mask(at, n);
        at += n;
    }
}

size_t conf_text_width(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

/* Length in bytes of the part at the start of text that conf_text_clean leaves unchanged. */
static size_t clean_length(const char *text)
{
    size_t at = 0, n;
    bool cut;
    uint32_t code;
    for (; text[at]; at += n) {
        n = decode((const unsigned char *)text + at, &code, &cut);
        if (n == 0 || is_hidden(code)) break;
    }
    return at;
}

/* Writes a hidden character as an escape; white space as a blank. */
static void print_hidden(FILE *out, uint32_t code)
{
    if (code == ' ' || (code >= '\t' && code <= '\r')) (void)fputc(' ', out);
    else (void)fprintf(out, code < 0x10000 ? "\\u%04X" : "\\U%08X", (unsigned)code);
}

void conf_text_print_clean(FILE *out, const char *text)
{
    while (*text) {
        bool cut;
        uint32_t code;
        size_t n = clean_length(text);
        (void)fwrite(text, 1, n, out);
        text += n;
        if (!*text) return;
        n = decode((const unsigned char *)text, &code, &cut);
        if (n > 0) print_hidden(out, code);
        else (void)fputc('?', out);
        text += n ? n : 1;
    }
}

void conf_text_print_fitted(FILE *out, const char *text, size_t width)
{
    size_t n = conf_text_width(text);
    if (n > width && width > 0) {
        for (size_t drop = n - width + 1; drop > 0; drop--) do
                text++;
            while (((unsigned char)*text & 0xC0) == 0x80);
        (void)fputs("…", out);
        n = width;
    }
    conf_text_print_clean(out, text);
    for (; n < width; n++) (void)fputc(' ', out);
}

/* Writes text as $'…' (POSIX.1-2024, bash, zsh, ksh): bytes that are not printable text, quotes and
 * backslashes are escaped. */
static void print_dollar_quoted(FILE *out, const char *text)
{
    (void)fputs("$'", out);
    while (*text) {
        const size_t n = strcspn(text, "'\\"), clean = clean_length(text), plain = n < clean ? n : clean;
        (void)fwrite(text, 1, plain, out);
        text += plain;
        if (*text) (void)fprintf(out, "\\%03o", (unsigned)(unsigned char)*text++);
    }
    (void)fputc('\'', out);
}

void conf_text_print_quoted(FILE *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (*text && text[strspn(text, plain)] == '\0') {
        (void)fputs(text, out);
        return;
    }
    if (text[clean_length(text)]) {
        print_dollar_quoted(out, text);
        return;
    }
    (void)fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') (void)fputs("'\\''", out);
        else (void)fputc(*text, out);
    }
    (void)fputc('\'', out);
}

#define WORD_MAX 64

/* Edit distance (Damerau, adjacent transpositions once each) of words shorter than WORD_MAX. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= m; j++) rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *conf_text_suggest(const char *word, const char *const *candidates, size_t n)
{
    const char *nearest = NULL;
    size_t length = strlen(word), least = length / 3 + 2;
    if (length == 0 || length > WORD_MAX) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (strlen(candidates[i]) > WORD_MAX) continue;
        size_t d = edit_distance(word, candidates[i]);
        if (d >= least || d >= strlen(candidates[i])) continue;
        least = d;
        nearest = candidates[i];
    }
    return nearest;
}

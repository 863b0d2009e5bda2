/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/utf8.h"

char *conf_text_cleaned(const char *text)
{
    size_t n = strlen(text), end = 0;
    n -= utf8_unfinished(text, n);
    char *out = malloc(n * (SHOWN_CHARACTER_MAX - 1) + 1);
    if (!out) return NULL;
    for (size_t at = 0; at < n;) {
        char shown[SHOWN_CHARACTER_MAX];
        at += shown_character(text + at, n - at, shown);
        const size_t length = strlen(shown);
        memcpy(out + end, shown, length);
        end += length;
    }
    out[end] = '\0';
    return out;
}

size_t conf_text_width(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

/* Length in bytes of the part at the start of text that shown_clean leaves unchanged. */
static size_t clean_length(const char *text)
{
    const size_t n = strlen(text);
    size_t at = 0;
    while (at < n) {
        char shown[SHOWN_CHARACTER_MAX];
        const size_t taken = shown_character(text + at, n - at, shown);
        if (strncmp(shown, text + at, taken) != 0 || shown[taken]) break;
        at += taken;
    }
    return at;
}

bool conf_text_is_clean(const char *text)
{
    return text[clean_length(text)] == '\0';
}

void conf_text_print_part(FILE *out, const char *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        char shown[SHOWN_CHARACTER_MAX];
        at += shown_character(text + at, n - at, shown);
        (void)fputs(shown, out);
    }
}

void conf_text_print_clean(FILE *out, const char *text)
{
    conf_text_print_part(out, text, strlen(text));
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
    if (!conf_text_is_clean(text)) {
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

static const char *end_of(const char *text)
{
    const size_t n = strlen(text);
    return text + (n > WORD_MAX ? n - WORD_MAX : 0);
}

size_t conf_text_distance(const char *long_a, const char *long_b)
{
    const char *a = end_of(long_a), *b = end_of(long_b);
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
        size_t d = conf_text_distance(word, candidates[i]);
        if (d >= least || d >= strlen(candidates[i])) continue;
        least = d;
        nearest = candidates[i];
    }
    return nearest;
}

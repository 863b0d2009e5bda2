/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/text.h"

#include <stdint.h>
#include <string.h>

/* Length in bytes of the UTF-8 sequence that text begins with; 0 if it is invalid. *cut: text ends within
 * the sequence. */
static size_t sequence_length(const unsigned char *text, int *cut)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char c = text[0];
    *cut = 0;
    if (c < 0x80) return 1;
    size_t n = c >= 0xF0 && c <= 0xF4 ? 4 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xC2 && c < 0xE0 ? 2 : 0;
    uint32_t code = n ? c & (0x7FU >> n) : 0;
    for (size_t i = 1; i < n; i++) {
        if (text[i] == '\0') *cut = 1;
        if ((text[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3FU);
    }
    if (n == 0 || code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
    return n;
}

void conf_text_clean(char *text)
{
    unsigned char *at = (unsigned char *)text;
    while (*at) {
        int cut;
        size_t n = sequence_length(at, &cut);
        if (cut) {
            *at = '\0';
            return;
        }
        if (n == 0) {
            *at++ = '?';
            continue;
        }
        if (n == 1 && (*at < 0x20 || *at == 0x7F)) *at = ' ';
        if (n == 2 && at[0] == 0xC2 && at[1] < 0xA0) at[0] = at[1] = '?'; /* C1 controls */
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
    int cut;
    for (; text[at]; at += n) {
        const unsigned char *c = (const unsigned char *)text + at;
        n = sequence_length(c, &cut);
        if (n == 0 || (n == 1 && (*c < 0x20 || *c == 0x7F)) || (n == 2 && c[0] == 0xC2 && c[1] < 0xA0)) break;
    }
    return at;
}

void conf_text_print_clean(FILE *out, const char *text)
{
    while (*text) {
        const size_t n = clean_length(text);
        (void)fwrite(text, 1, n, out);
        text += n;
        if (!*text) return;
        (void)fputc((unsigned char)*text < 0x20 || *text == 0x7F ? ' ' : '?', out);
        text++;
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

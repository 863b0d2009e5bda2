/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/normal_form.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "tokenizer/text/chars.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define DECOMPOSED_MAX 32 /* characters of one decomposition; the longest is 18 (U+FDFA) */
#define SHORT_RUN      16

void tokenizer_normal_chars_free(normal_chars *c)
{
    free(c->chars);
    free(c->sorted);
    *c = (normal_chars){0};
}

static bool push_char(normal_chars *c, uint32_t codepoint, int32_t change)
{
    normal_char *chars = grow_to(c->chars, &c->capacity, c->n + 1, sizeof *chars);
    if (!chars) return false;
    c->chars = chars;
    c->chars[c->n++] = (normal_char){codepoint, change, chars_class(codepoint)};
    return true;
}

static bool decompose_codepoint(normal_chars *c, uint32_t codepoint, bool compatible)
{
    utf8proc_int32_t parts[DECOMPOSED_MAX];
    int last_class = 0;
    utf8proc_ssize_t n = 0;
    if (codepoint >= 0xa0 && !chars_is_whole(codepoint))
        n = utf8proc_decompose_char((utf8proc_int32_t)codepoint, parts, DECOMPOSED_MAX,
                                    UTF8PROC_DECOMPOSE | UTF8PROC_STABLE | (compatible ? UTF8PROC_COMPAT : 0),
                                    &last_class);
    if (n < 1 || n > DECOMPOSED_MAX) return push_char(c, codepoint, 0);
    for (utf8proc_ssize_t i = 0; i < n; i++)
        if (!push_char(c, (uint32_t)parts[i], i > 0)) return false;
    return true;
}

/* Sorts a run of marks by combining class, stably: insertion sort if short, else counting sort. */
static bool sort_run(normal_chars *c, size_t from, size_t to)
{
    normal_char *run = c->chars + from;
    const size_t n = to - from;
    if (n <= SHORT_RUN) {
        for (size_t i = 1; i < n; i++)
            for (size_t j = i; j > 0 && run[j - 1].class > run[j].class; j--) {
                const normal_char moved = run[j];
                run[j] = run[j - 1];
                run[j - 1] = moved;
            }
        return true;
    }
    normal_char *sorted = grow_to(c->sorted, &c->sorted_capacity, n, sizeof *sorted);
    if (!sorted) return false;
    c->sorted = sorted;
    size_t place[257] = {0};
    for (size_t i = 0; i < n; i++) place[run[i].class + 1]++;
    for (size_t k = 1; k < 257; k++) place[k] += place[k - 1];
    for (size_t i = 0; i < n; i++) c->sorted[place[run[i].class]++] = run[i];
    memcpy(run, c->sorted, n * sizeof *run);
    return true;
}

static bool sort_marks(normal_chars *c)
{
    for (size_t from = 0; from < c->n;) {
        size_t to = from;
        while (to < c->n && c->chars[to].class != 0) to++;
        if (to > from + 1 && !sort_run(c, from, to)) return false;
        from = to + 1;
    }
    return true;
}

/* The canonical composition of a and b, or 0. */
static uint32_t compose_pair(uint32_t a, uint32_t b)
{
    if (b < 0x300) return 0;
    utf8proc_int32_t both[2] = {(utf8proc_int32_t)a, (utf8proc_int32_t)b};
    const utf8proc_ssize_t n = utf8proc_normalize_utf32(both, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    return n == 1 && !chars_is_whole((uint32_t)both[0]) ? (uint32_t)both[0] : 0;
}

static void compose_chars(normal_chars *c)
{
    size_t starter = SIZE_MAX, n = 0;
    int between =
        -1; /* the class of the last character between the starter and this one; -1: there is none */
    for (size_t i = 0; i < c->n; i++) {
        const normal_char next = c->chars[i];
        const uint32_t both =
            starter != SIZE_MAX && between < (int)next.class ? compose_pair(c->chars[starter].codepoint,
                                                                            next.codepoint)
                                                             : 0;
        if (both) {
            c->chars[starter].codepoint = both;
            c->chars[starter].change += next.change - 1;
            continue;
        }
        if (next.class == 0) {
            starter = n;
            between = -1;
        } else {
            between = next.class;
        }
        c->chars[n++] = next;
    }
    c->n = n;
}

static bool write_chars(tokenizer_writer *w, normal_chars *c, bool composed)
{
    if (!sort_marks(c)) return false;
    if (composed) compose_chars(c);
    for (size_t i = 0; i < c->n; i++) tokenizer_writer_put(w, c->chars[i].codepoint, c->chars[i].change);
    c->n = 0;
    return true;
}

/* The end of the ASCII run at text[from..n), before its last character if a non-ASCII character
 * follows, which may combine with it. */
static size_t plain_end(const char *text, size_t from, size_t n)
{
    size_t to = from;
    while (to < n && (unsigned char)text[to] < 0x80) to++;
    return to < n && to > from ? to - 1 : to;
}

void tokenizer_normal_form(tokenizer_writer *w, const tokenizer_text *old, bool compatible, bool composed,
                           normal_chars *work)
{
    work->n = 0;
    for (size_t at = 0; at < old->n && !w->failed;) {
        const size_t plain = plain_end(old->text, at, old->n);
        tokenizer_writer_copy(w, old->text + at, plain - at);
        at = plain;
        for (size_t begin = at; at < old->n && (at == begin || (unsigned char)old->text[at] >= 0x80);) {
            uint32_t codepoint;
            at += utf8_decode(old->text + at, old->n - at, &codepoint, NULL);
            if (!decompose_codepoint(work, codepoint, compatible)) w->failed = true;
        }
        if (!write_chars(w, work, composed)) w->failed = true;
    }
}

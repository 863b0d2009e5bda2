/* Parts of texts, as assay_text: borrowed, not terminated. White space is defined by serve_text_space.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TEXT_SPAN_H
#define DIALOGUE_TEXT_SPAN_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SERVE_NOWHERE ((size_t)-1)

static inline assay_text serve_text_of(const char *terminated)
{
    return (assay_text){terminated, strlen(terminated)};
}

/* text[from..), or text[from..to). */
static inline assay_text serve_span_from(assay_text text, size_t from)
{
    return (assay_text){.at = text.at + from, .n = text.n - from};
}

static inline assay_text serve_span_part(assay_text text, size_t from, size_t to)
{
    return (assay_text){.at = text.at + from, .n = to - from};
}

static inline bool serve_span_starts(assay_text text, const char *with)
{
    const size_t n = strlen(with);
    return text.n >= n && memcmp(text.at, with, n) == 0;
}

/* The length of the common prefix of text and `other`. */
static inline size_t serve_span_alike(assay_text text, const char *other)
{
    size_t n = 0;
    while (n < text.n && other[n] != '\0' && text.at[n] == other[n]) n++;
    return n;
}

bool serve_span_ends(assay_text text, const char *in);
bool serve_span_equals(assay_text text, const char *other);

/* Whether text is a proper prefix of `whole`. */
static inline bool serve_span_begins(assay_text text, const char *whole)
{
    return text.n < strlen(whole) && (text.n == 0 || memcmp(text.at, whole, text.n) == 0);
}

/* The offset of the first `what` at or after `from`, or SERVE_NOWHERE. */
size_t serve_span_find(assay_text text, size_t from, const char *what);

/* The same for a text that grows: searches from *seen on. *seen becomes the offset after the match, or,
 * without a match, the offset to continue from: the end, or that of a possible beginning of `what`. */
size_t serve_span_find_next(assay_text text, size_t *seen, const char *what);

/* The offset of the first byte at or after `from` that is not white space; text.n if there is none. */
size_t serve_span_skip(assay_text text, size_t from);

/* text without white space at both ends, or at the end. */
assay_text serve_span_trim(assay_text text);
assay_text serve_span_trim_end(assay_text text);

/* The length of the letters, digits and underscores at the beginning of text: \w of Python's regular
 * expressions. */
size_t serve_span_word(assay_text text);

#endif

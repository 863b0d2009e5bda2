/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/values/gemma_object.h"

#include "base/json_escape.h"
#include "dialogue/text/span.h"
#include "dialogue/values/json_value.h"

#include <string.h>

#define QUOTE "<|\"|>"
#define HELD  '\0' /* placeholder of a string while the text around it is rewritten */

size_t serve_gemma_object_length(assay_text text)
{
    size_t depth = 0;
    for (size_t at = 0; at < text.n; at++) {
        if (text.at[at] == QUOTE[0] && serve_span_starts(serve_span_from(text, at), QUOTE)) {
            const size_t end = serve_span_find(text, at + strlen(QUOTE), QUOTE);
            if (end == SERVE_NOWHERE) return 0;
            at = end + strlen(QUOTE) - 1;
        } else if (text.at[at] == '{') {
            depth++;
        } else if (text.at[at] == '}' && --depth == 0) {
            return at + 1;
        }
    }
    return 0;
}

/* Reads the next string at or after *at. *at: the offset after it. */
static bool next_string(assay_text text, size_t *at, size_t *begin, assay_text *says)
{
    *begin = serve_span_find(text, *at, QUOTE);
    if (*begin == SERVE_NOWHERE) return false;
    const size_t from = *begin + strlen(QUOTE), end = serve_span_find(text, from, QUOTE);
    if (end == SERVE_NOWHERE) return false;
    *says = serve_span_part(text, from, end);
    *at = end + strlen(QUOTE);
    return true;
}

static void replace_strings(buffer *out, assay_text text)
{
    size_t at = 0, from = 0, begin;
    for (assay_text says; next_string(text, &at, &begin, &says); from = at) {
        buffer_append(out, text.at + from, begin - from);
        buffer_append(out, &(char){HELD}, 1);
    }
    buffer_append(out, text.at + from, text.n - from);
}

static bool is_one_of(assay_text text, size_t at, const char *characters)
{
    return at < text.n && text.at[at] != '\0' && strchr(characters, text.at[at]);
}

/* Quotes a name after '{' or ',' that a colon follows. */
static void quote_names(buffer *out, assay_text text)
{
    for (size_t at = 0; at < text.n;) {
        if (at > 0 && is_one_of(text, at - 1, "{,")) {
            const size_t word = serve_span_skip(text, at);
            const size_t n = serve_span_word(serve_span_from(text, word));
            const size_t colon = serve_span_skip(text, word + n);
            if (n > 0 && is_one_of(text, colon, ":")) {
                json_append_quoted(out, serve_span_part(text, word, word + n));
                buffer_append(out, ":", 1);
                at = colon + 1;
                continue;
            }
        }
        buffer_append(out, &text.at[at++], 1);
    }
}

static bool is_literal(assay_text word)
{
    return serve_span_equals(word, "true") || serve_span_equals(word, "false") ||
           serve_span_equals(word, "null");
}

/* The length of a word that can be an unquoted value. */
static size_t measure_value(assay_text text)
{
    if (text.n == 0 || serve_span_word(serve_span_part(text, 0, 1)) == 0 ||
        (unsigned char)text.at[0] >= 0x80 || (text.at[0] >= '0' && text.at[0] <= '9'))
        return 0;
    size_t n = 0;
    for (size_t more = 1; more > 0 && n < text.n; n += more) {
        more = serve_span_word(serve_span_from(text, n));
        if (more == 0 && text.at[n] == '-') more = 1;
    }
    return n;
}

/* Quotes a word after ':', '[' or ',' and before ',', '}' or ']', and puts the strings back. */
static void quote_values(buffer *out, assay_text text, assay_text source)
{
    size_t string = 0, begin;
    assay_text says;
    for (size_t at = 0; at < text.n;) {
        if (at > 0 && is_one_of(text, at - 1, ":[,")) {
            const size_t word = serve_span_skip(text, at);
            const size_t n = measure_value(serve_span_from(text, word));
            const assay_text value = serve_span_part(text, word, word + n);
            if (n > 0 && is_one_of(text, serve_span_skip(text, word + n), ",}]") && !is_literal(value)) {
                json_append_quoted(out, value);
                at = word + n;
                continue;
            }
        }
        if (text.at[at] == HELD && next_string(source, &string, &begin, &says)) json_append_quoted(out, says);
        else buffer_append(out, &text.at[at], 1);
        at++;
    }
}

assay_status serve_gemma_object(buffer *out, assay_text text)
{
    if (memchr(text.at, HELD, text.n)) return ASSAY_EFORMAT;
    buffer held = {0}, named = {0};
    replace_strings(&held, text);
    quote_names(&named, buffer_text(&held));
    quote_values(out, buffer_text(&named), text);
    const bool failed = held.failed || named.failed || out->failed;
    buffer_free(&held);
    buffer_free(&named);
    return failed ? ASSAY_ENOMEM : serve_json_check(buffer_text(out));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/mark.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MOST = 64 };

static const char *text_of(const buffer *body)
{
    return body->n ? (const char *)body->data : "";
}

probe_mark probe_mark_event(const buffer *body, size_t from)
{
    const char *text = text_of(body);
    size_t to = from < body->n ? from : body->n;
    while (to < body->n) {
        const char *end = memchr(text + to, '\n', body->n - to);
        if (!end) return (probe_mark){from, body->n};
        const size_t line = (size_t)(end - text) - to;
        if (line == 0 || (line == 1 && text[to] == '\r')) break;
        to = (size_t)(end - text) + 1;
    }
    while (to > from && (text[to - 1] == '\n' || text[to - 1] == '\r')) to--;
    return (probe_mark){to > from ? from : to, to};
}

/* The end of the string that begins at `at` with its quote. */
static size_t skip_string(const buffer *body, size_t at)
{
    const char *text = text_of(body);
    for (at++; at < body->n && text[at] != '"'; at++)
        if (text[at] == '\\') at++;
    return at < body->n ? at + 1 : body->n;
}

static size_t skip_space(const buffer *body, size_t at)
{
    const char *text = text_of(body);
    while (at < body->n && strchr(" \t\r\n", text[at]) && text[at]) at++;
    return at;
}

/* The end of the value at `at`. */
static size_t skip_value(const buffer *body, size_t at)
{
    const char *text = text_of(body);
    size_t depth = 0;
    while (at < body->n) {
        const char c = text[at];
        if (depth == 0 && (c == ',' || c == '}' || c == ']' || c == '\n')) return at;
        if (c == '"') {
            at = skip_string(body, at);
        } else {
            depth += c == '{' || c == '[';
            depth -= c == '}' || c == ']';
            at++;
        }
        if (depth == 0 && strchr("\"}]", text[at - 1])) return at;
    }
    return body->n;
}

/* Finds the member `name` [n] from byte `from` on, with its value. */
static bool find_member(const buffer *body, size_t from, const char *name, size_t n, probe_mark *out)
{
    const char *text = text_of(body);
    for (size_t at = from; at < body->n;) {
        if (text[at] != '"') {
            at++;
            continue;
        }
        const size_t end = skip_string(body, at), colon = skip_space(body, end);
        if (end - at == n + 2 && memcmp(text + at + 1, name, n) == 0 && colon < body->n &&
            text[colon] == ':') {
            *out = (probe_mark){at, skip_value(body, skip_space(body, colon + 1))};
            return true;
        }
        at = end;
    }
    return false;
}

probe_mark probe_mark_member(const buffer *body, size_t from, const char *path)
{
    probe_mark found = {0, 0};
    size_t last = body->n;
    while (*path) {
        const size_t n = strcspn(path, ".["), step = n + strspn(path + n, "[].");
        probe_mark next;
        if (n > 0 && (!find_member(body, from, path, n, &next) || next.from >= last)) return found;
        if (n > 0) {
            found = next;
            from = next.from + n + 2;
            last = next.to;
        }
        path += step;
    }
    return found;
}

/* Whether a literal [n] has a fraction or an exponent. */
static bool is_real(const char *literal, size_t n)
{
    return memchr(literal, '.', n) || memchr(literal, 'e', n) || memchr(literal, 'E', n);
}

probe_mark probe_mark_number(const buffer *body, double value)
{
    static const char digits[] = "+-.0123456789eE", word[] = "logprob";
    const char *text = text_of(body);
    bool is_named = false; /* the last name is of a log-probability */
    for (size_t at = 0; at < body->n;) {
        if (text[at] == '"') {
            const size_t end = skip_string(body, at), colon = skip_space(body, end);
            if (colon < body->n && text[colon] == ':')
                is_named = memmem(text + at, end - at, word, sizeof word - 1) != NULL;
            at = end;
            continue;
        }
        size_t n = 0;
        while (at + n < body->n && n < NUMBER_MOST - 1 && text[at + n] && strchr(digits, text[at + n])) n++;
        if (n > 0 && (is_named || is_real(text + at, n))) {
            char literal[NUMBER_MOST];
            memcpy(literal, text + at, n);
            literal[n] = '\0';
            char *end;
            const double number = strtod(literal, &end);
            if (end == literal + n && number == value) return (probe_mark){at, at + n};
        }
        at += n ? n : 1;
    }
    return (probe_mark){0, 0};
}

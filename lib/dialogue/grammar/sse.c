/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/sse.h"

#include "base/json_escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum field { FIELD_DATA, FIELD_EVENT, FIELD_ID, FIELD_RETRY, N_FIELDS } field;

static const char *const field_names[N_FIELDS] = {"data", "event", "id", "retry"};

struct serve_sse {
    serve_sse_sink sink;
    buffer line;        /* the current line, as far as it has come */
    size_t line_offset; /* offset of its first byte */
    bool after_cr;      /* skip a LF that follows a CR */
    bool has[N_FIELDS]; /* of the current event */
    buffer data, type;  /* of the current event; each line of data ends in LF */
    size_t event_offset;
    size_t n_events, n_bytes;
    bool is_full; /* an event was too long */
};

static assay_status refuse(const serve_sse *s, const char *rule, size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static assay_status refuse(const serve_sse *s, const char *rule, size_t offset, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (!s->sink.refuse) return ASSAY_OK;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return s->sink.refuse(s->sink.context, rule, s->n_events + 1, offset, text);
}

assay_status serve_sse_open(const serve_sse_sink *sink, serve_sse **out)
{
    serve_sse *s = calloc(1, sizeof *s);
    if (!s) return ASSAY_ENOMEM;
    s->sink = *sink;
    *out = s;
    return ASSAY_OK;
}

void serve_sse_free(serve_sse *s)
{
    if (!s) return;
    buffer_free(&s->line);
    buffer_free(&s->data);
    buffer_free(&s->type);
    free(s);
}

size_t serve_sse_events(const serve_sse *s)
{
    return s->n_events;
}

size_t serve_sse_bytes(const serve_sse *s)
{
    return s->n_bytes;
}

static bool is_under_way(const serve_sse *s)
{
    for (field f = 0; f < N_FIELDS; f++)
        if (s->has[f]) return true;
    return false;
}

static void reset_event(serve_sse *s)
{
    memset(s->has, 0, sizeof s->has);
    s->data.n = s->type.n = 0;
}

/* Ends an event at an empty line. An event of id or retry alone is of use only to the client's own SSE
 * reader. */
static assay_status dispatch_event(serve_sse *s)
{
    assay_status rc = ASSAY_OK;
    if (s->has[FIELD_EVENT] && !s->has[FIELD_DATA])
        rc = refuse(s, "sse-data", s->event_offset,
                    "found an event without data, expected a line that begins with data:");
    if (s->has[FIELD_DATA]) {
        const serve_sse_event event = {
            .type = s->has[FIELD_EVENT] ? (assay_text){s->type.data ? s->type.data : "", s->type.n}
                                        : (assay_text){NULL, 0},
            .data = {s->data.data, s->data.n - 1},
            .number = ++s->n_events,
            .offset = s->event_offset,
        };
        rc = s->sink.take(s->sink.context, &event);
    }
    reset_event(s);
    return rc;
}

static assay_status refuse_field(const serve_sse *s, const char *found, size_t n, const char *expected)
{
    buffer shown = {0};
    json_append_quoted(&shown, (assay_text){found, n < 40 ? n : 40});
    const assay_status rc = refuse(s, "sse-field", s->line_offset, "found %.*s, expected %s", (int)shown.n,
                                   shown.n ? shown.data : "", expected);
    buffer_free(&shown);
    return rc;
}

static assay_status refuse_line(const serve_sse *s, assay_text line)
{
    return refuse_field(s, line.at, line.n, "a line of data:, event:, id:, retry: or a comment");
}

static assay_status read_field(serve_sse *s, field f, assay_text value)
{
    if (f == FIELD_DATA) {
        buffer_append(&s->data, value.at, value.n);
        buffer_append(&s->data, "\n", 1);
    } else if (s->has[f]) {
        return refuse_field(s, field_names[f], strlen(field_names[f]), "this field once in an event");
    } else if (f == FIELD_EVENT) {
        buffer_append(&s->type, value.at, value.n);
    } else if (f == FIELD_ID && memchr(value.at, '\0', value.n)) {
        return refuse_field(s, value.at, value.n, "an id without U+0000");
    } else if (f == FIELD_RETRY) {
        for (size_t i = 0; i < value.n || i == 0; i++)
            if (value.n == 0 || value.at[i] < '0' || value.at[i] > '9')
                return refuse_field(s, value.at, value.n, "milliseconds as digits after retry:");
    }
    s->has[f] = true;
    return ASSAY_OK;
}

/* A byte order mark is allowed at the beginning. */
static assay_text without_mark(const serve_sse *s, assay_text line)
{
    const bool marked = s->line_offset == 0 && line.n >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0;
    return marked ? (assay_text){line.at + 3, line.n - 3} : line;
}

static assay_status read_line(serve_sse *s, const char *at, size_t n)
{
    const assay_text line = without_mark(s, (assay_text){at, n});
    at = line.at;
    n = line.n;
    if (n == 0) return dispatch_event(s);
    if (*at == ':') return ASSAY_OK;
    if (!is_under_way(s)) s->event_offset = s->line_offset;
    const char *colon = memchr(at, ':', n);
    const size_t n_name = colon ? (size_t)(colon - at) : n;
    assay_text value = {colon ? colon + 1 : at + n, colon ? n - n_name - 1 : 0};
    if (value.n > 0 && *value.at == ' ') value = (assay_text){value.at + 1, value.n - 1};
    for (field f = 0; f < N_FIELDS; f++)
        if (strlen(field_names[f]) == n_name && memcmp(field_names[f], at, n_name) == 0)
            return read_field(s, f, value);
    return refuse_line(s, line);
}

/* Ends the current line with these last bytes. */
static assay_status end_line(serve_sse *s, const char *at, size_t n)
{
    if (s->line.n == 0) return read_line(s, at, n);
    buffer_append(&s->line, at, n);
    if (s->line.failed) return ASSAY_ENOMEM;
    assay_status rc = read_line(s, s->line.data, s->line.n);
    s->line.n = 0;
    return rc;
}

static assay_status check_size(serve_sse *s, size_t n)
{
    if (n <= SERVE_SSE_EVENT_MAX - s->line.n && s->data.n <= SERVE_SSE_EVENT_MAX - s->line.n - n)
        return ASSAY_OK;
    s->is_full = true;
    return refuse(s, "sse-size", is_under_way(s) ? s->event_offset : s->line_offset,
                  "found an event of more bytes, expected at most %zu", SERVE_SSE_EVENT_MAX);
}

assay_status serve_sse_feed(serve_sse *s, const char *bytes, size_t n)
{
    const size_t base = s->n_bytes;
    size_t at = 0;
    s->n_bytes += n;
    while (at < n && !s->is_full) {
        if (s->after_cr && bytes[at] == '\n') {
            at++;
            s->line_offset++;
        }
        s->after_cr = false;
        size_t end = at;
        while (end < n && bytes[end] != '\n' && bytes[end] != '\r') end++;
        assay_status rc = check_size(s, end - at);
        if (rc != ASSAY_OK || s->is_full) return rc;
        if (end == n) {
            buffer_append(&s->line, bytes + at, end - at);
            return s->line.failed ? ASSAY_ENOMEM : ASSAY_OK;
        }
        rc = end_line(s, bytes + at, end - at);
        if (rc == ASSAY_OK && (s->data.failed || s->type.failed)) rc = ASSAY_ENOMEM;
        if (rc != ASSAY_OK) return rc;
        s->after_cr = bytes[end] == '\r';
        at = end + 1;
        s->line_offset = base + at;
    }
    return ASSAY_OK;
}

/* Whether the line, which is cut off, may be that of a field or a comment. */
static bool may_be_field(assay_text line)
{
    const char *colon = memchr(line.at, ':', line.n);
    const size_t n = colon ? (size_t)(colon - line.at) : line.n;
    for (field f = 0; f < N_FIELDS; f++)
        if (n <= strlen(field_names[f]) && memcmp(field_names[f], line.at, n) == 0 &&
            (!colon || n == strlen(field_names[f])))
            return true;
    return line.at[0] == ':';
}

/* An input that is no event stream is often one line without an end: check its beginning, which is the better
 * message. */
assay_status serve_sse_end(serve_sse *s)
{
    const assay_text line = without_mark(s, (assay_text){s->line.n ? s->line.data : "", s->line.n});
    if (s->is_full) return ASSAY_OK;
    if (line.n > 0 && !may_be_field(line)) return refuse_line(s, line);
    if (!is_under_way(s) && (line.n == 0 || line.at[0] == ':')) return ASSAY_OK;
    if (line.n > 0) { /* whether it is whole cannot be known, but for the line of [DONE] */
        static const char done[] = "data: [DONE]";
        if (line.n != sizeof done - 1 || memcmp(line.at, done, line.n) != 0 || is_under_way(s))
            return refuse(s, "sse-end", s->n_bytes,
                          "found the end of the stream within an event, expected an empty line after it");
        const assay_status rc = read_line(s, line.at, line.n);
        if (rc != ASSAY_OK) return rc;
    }
    const bool last = s->has[FIELD_DATA] && s->data.n == 7 && memcmp(s->data.data, "[DONE]\n", 7) == 0;
    const assay_status rc = last ? dispatch_event(s) : ASSAY_OK;
    if (rc != ASSAY_OK) return rc;
    return refuse(
        s, last ? "sse-last" : "sse-end", s->n_bytes,
        last ? "found the end of the stream after the line of [DONE], expected an empty line after it"
             : "found the end of the stream within an event, expected an empty line after it");
}

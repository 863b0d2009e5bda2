/* Server-sent events (WHATWG HTML, "Server-sent events"), read from bytes that are cut anywhere.
 *
 * Lines end in LF, CR or CRLF; a byte order mark is allowed at the beginning; a line that begins with a colon
 * is a comment. Stricter than a browser, which ignores what it does not know, because a server that sends
 * unknown lines has a fault. These break a rule:
 *
 *     sse-field  a field other than data, event, id and retry (also a line without "data:");
 *                a second event, id or retry in an event; an id with U+0000;
 *                a retry that is not all digits
 *     sse-data   an event without data, which clients do not dispatch
 *     sse-end    a stream that ends within an event, which is not passed on; the place is the end of the
 * stream sse-last   a stream that ends after the line of data of [DONE], without an empty line; it is passed
 * on sse-size   an event of more than SERVE_SSE_EVENT_MAX bytes; nothing is read after it
 *
 * A line that breaks a rule is skipped, and so is an event without data.
 *
 * Memory: twice the longest event. Time: linear.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_SSE_H
#define DIALOGUE_GRAMMAR_SSE_H

#include <assay/serving.h>

#define SERVE_SSE_EVENT_MAX ((size_t)16 << 20)

/* Texts are borrowed during the call of `take`. */
typedef struct serve_sse_event {
    assay_text type; /* the field event; .at is NULL if there is none */
    assay_text data; /* lines, joined with LF */
    size_t number;   /* from 1 on */
    size_t offset;   /* offset of the event's first line in the stream, in bytes */
} serve_sse_event;

/* Receives events, and breaches of the rules above. A failure of either function ends the stream, and is
 * returned by the function that called it. refuse: NULL: breaches are not reported. */
typedef struct serve_sse_sink {
    assay_status (*take)(void *context, const serve_sse_event *event);
    assay_status (*refuse)(void *context, const char *rule, size_t event, size_t offset, const char *text);
    void *context;
} serve_sse_sink;

typedef struct serve_sse serve_sse;

/* Borrows sink->context until serve_sse_free. Fails with ASSAY_ENOMEM. */
assay_status serve_sse_open(const serve_sse_sink *sink, serve_sse **out);
void serve_sse_free(serve_sse *sse);

/* bytes: [n]. ASSAY_ENOMEM, or the failure of the sink; after it the reader may only be freed. */
assay_status serve_sse_feed(serve_sse *sse, const char *bytes, size_t n);

/* Ends the stream. Called once. */
assay_status serve_sse_end(serve_sse *sse);

/* How many events and bytes have been read. */
size_t serve_sse_events(const serve_sse *sse);
size_t serve_sse_bytes(const serve_sse *sse);

#endif

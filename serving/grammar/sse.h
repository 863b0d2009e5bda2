/* Server-sent events (WHATWG HTML, "Server-sent events"), read from bytes that are cut anywhere.
 *
 * Lines end in LF, CR or CRLF; a byte order mark may stand at the very beginning; a line that begins with a
 * colon is a comment. Stricter than a browser, which passes over what it does not know, since a server that
 * writes such things has a fault. These rules are broken by
 *
 *     sse-field  a field other than data, event, id and retry (a line that lacks "data:", too);
 *                event, id or retry for the second time in an event; an id with U+0000;
 *                a retry that is not made of digits
 *     sse-data   an event without data, which no client would see
 *     sse-end    a stream that ends within an event, at its end
 *     sse-size   an event of more than SERVE_SSE_EVENT_MAX bytes
 *
 * Memory: twice the longest event. Time: linear.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_SSE_H
#define SERVING_GRAMMAR_SSE_H

#include <assay/serving.h>

#include "serving/grammar/breach.h"

#define SERVE_SSE_EVENT_MAX ((size_t)16 << 20)

/* Texts are borrowed for the call that hands the event out. */
typedef struct serve_sse_event {
    assay_text type; /* the field event; at NULL: none */
    assay_text data; /* lines joined by LF */
    size_t number;   /* from 1 on */
    size_t offset;   /* bytes of the stream before the event's first line */
} serve_sse_event;

/* Any failure of `take` ends the stream, and is that of the call under way. */
typedef struct serve_sse_sink {
    assay_status (*take)(void *context, const serve_sse_event *event);
    void *context;
} serve_sse_sink;

typedef struct serve_sse serve_sse;

/* Borrows sink->context until serve_sse_free. ASSAY_ENOMEM. */
assay_status serve_sse_open(const serve_sse_sink *sink, serve_sse **out);
void serve_sse_free(serve_sse *sse);

/* bytes: [n]. ASSAY_EFORMAT where a rule above is broken: *breach says which; ASSAY_ENOMEM; or what the sink
 * failed with. After a failure the reader may only be freed. */
assay_status serve_sse_feed(serve_sse *sse, const char *bytes, size_t n, serve_breach *breach);

/* The stream has ended. Once. */
assay_status serve_sse_end(serve_sse *sse, serve_breach *breach);

/* Events and bytes so far. */
size_t serve_sse_events(const serve_sse *sse);
size_t serve_sse_bytes(const serve_sse *sse);

#endif

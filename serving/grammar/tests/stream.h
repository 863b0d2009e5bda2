/* Event streams for tests: those in serving/grammar/tests/streams, whole or taken apart, and what a grammar
 * says of one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_TESTS_STREAM_H
#define SERVING_GRAMMAR_TESTS_STREAM_H

#include "serving/grammar/grammar.h"
#include "serving/text/bytes.h"

#define STREAM_EVENTS_MAX 64

/* Events of a stream, each with the empty line behind it. */
typedef struct stream {
    serve_bytes text;
    assay_text events[STREAM_EVENTS_MAX]; /* [n]; within text */
    size_t n;
} stream;

/* Reads serving/grammar/tests/streams/<name>.sse. A failure fails the test. */
void stream_read(const char *name, stream *out);

/* The endpoint that a name begins with: "chat_calls". */
serve_endpoint stream_endpoint(const char *name);

/* The rule that bytes [n] break, in pieces of `piece` bytes; "-" where they are sound. Usage was asked for.
 * marker: that content must not hold, or NULL. */
const char *stream_rule(const char *name, const char *bytes, size_t n, size_t piece, const char *marker,
                        serve_breach *breach);

/* Where event `number`, from 1, begins in bytes [n]; n where there is none. */
size_t stream_offset(const char *bytes, size_t n, size_t number);

#endif

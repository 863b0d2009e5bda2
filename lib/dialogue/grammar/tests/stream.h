/* Event streams for tests: those in dialogue/grammar/tests/streams, whole or split into events, and a
 * grammar's verdict on one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_TESTS_STREAM_H
#define DIALOGUE_GRAMMAR_TESTS_STREAM_H

#include "base/buffer.h"
#include "dialogue/grammar/grammar.h"
#include "dialogue/grammar/tests/stream_edits.h"

#define STREAM_EVENTS_MAX 64

/* The events of a stream, each with the empty line that ends it. */
typedef struct stream {
    buffer text;
    assay_text events[STREAM_EVENTS_MAX]; /* [n]; within text */
    size_t n;
} stream;

/* Reads dialogue/grammar/tests/streams/<name>.sse. A failure fails the test. */
void stream_read(const char *name, stream *out);

/* The endpoint that a name, such as "chat_calls", begins with. */
serve_endpoint stream_endpoint(const char *name);

/* Feeds bytes [n] in pieces of `piece` bytes to a new grammar, which the caller frees. */
assay_status stream_feed(const char *name, const char *bytes, size_t n, size_t piece, const char *marker,
                         serve_grammar **out);

/* The first rule that bytes [n] break if they are fed in pieces of `piece` bytes; "-" if none. The options
 * say that usage was asked for. marker: one that content must not have, or NULL. */
const char *stream_rule(const char *name, const char *bytes, size_t n, size_t piece, const char *marker,
                        serve_breach *breach);

/* Applies an edit to the stream. Returns the number of the changed event. */
size_t stream_edit_apply(const stream *s, const stream_edit *e, buffer *out);

typedef enum stream_change { STREAM_DROP, STREAM_REPEAT, STREAM_SWAP } stream_change;

/* The stream with event i dropped, repeated, or swapped with the next one; events of Responses are numbered
 * anew. Replaces what out holds. */
void stream_change_apply(const stream *s, stream_change how, size_t i, buffer *out);

/* The offset of event `number`, counted from 1, in bytes [n]; n if there is none. */
size_t stream_offset(const char *bytes, size_t n, size_t number);

#endif

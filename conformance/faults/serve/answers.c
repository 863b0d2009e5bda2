/* Faults of answers: their chunks, and their bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/serve/fault.h"

void served_usage_zero(assay_response_chunk *chunk)
{
    chunk->prompt_tokens = 0;
}

void served_usage_more(assay_response_chunk *chunk)
{
    chunk->completion_tokens++;
}

void served_finish_stop(assay_response_chunk *chunk)
{
    if (chunk->finished) chunk->finish_reason = "stop";
}

/* The last text of the answer that ended last precedes the first text of the next one. */
void served_tail(assay_response_chunk *chunk)
{
    static buffer latest, joined;
    if (chunk->completion_tokens == 1) {
        joined.n = 0;
        if (!buffer_append(&joined, latest.n ? latest.data : "", latest.n) ||
            !buffer_append(&joined, chunk->new_text.at, chunk->new_text.n))
            abort();
        chunk->new_text = buffer_text(&joined);
    } else if (chunk->new_text.n > 0) {
        latest.n = 0;
        if (!buffer_append(&latest, chunk->new_text.at, chunk->new_text.n)) abort();
    }
}

/* The length of the event at bytes[0..n), with the empty line that ends it. */
static size_t event_length(const char *bytes, size_t n)
{
    const char *end = memmem(bytes, n, "\n\n", 2);
    return end ? (size_t)(end - bytes) + 2 : n;
}

static bool is_event(const char *bytes, size_t n, const char *line)
{
    const size_t length = strlen(line);
    return n >= length && memcmp(bytes, line, length) == 0;
}

void served_block_twice(const char *bytes, size_t n, buffer *out)
{
    for (size_t length; n > 0; bytes += length, n -= length) {
        length = event_length(bytes, n);
        (void)buffer_append(out, bytes, length);
        if (is_event(bytes, n, "event: content_block_start\n")) (void)buffer_append(out, bytes, length);
    }
}

/* Each delta of a text is sent with the next event; the last one after the event that says that the text is
 * done.
 */
void served_done_early(const char *bytes, size_t n, buffer *out)
{
    static _Thread_local buffer held;
    for (size_t length; n > 0; bytes += length, n -= length) {
        length = event_length(bytes, n);
        const bool done = is_event(bytes, n, "event: response.output_text.done\n");
        if (done) (void)buffer_append(out, bytes, length);
        if (held.n > 0) (void)buffer_append(out, held.data, held.n);
        held.n = 0;
        if (done) continue;
        const bool delta = is_event(bytes, n, "event: response.output_text.delta\n");
        if (!buffer_append(delta ? &held : out, bytes, length)) abort();
    }
}

void served_think_in_content(const char *bytes, size_t n, buffer *out)
{
    static const char from[] = "\"content\":null,\"reasoning_content\":\"", to[] = "\"content\":\"<think>";
    const char *at = memmem(bytes, n, from, sizeof from - 1);
    if (!at || !memmem(bytes, n, "\"finish_reason\":\"length\"", 24)) {
        (void)buffer_append(out, bytes, n);
        return;
    }
    const size_t before = (size_t)(at - bytes), after = before + sizeof from - 1;
    (void)buffer_append(out, bytes, before);
    (void)buffer_append_string(out, to);
    (void)buffer_append(out, bytes + after, n - after);
}

void served_call_again(const char *bytes, size_t n, buffer *out)
{
    static const char from[] = "\"call_id\":\"call_";
    for (size_t length; n > 0; bytes += length, n -= length) {
        length = event_length(bytes, n);
        const char *at = memmem(bytes, length, from, sizeof from - 1);
        if (!at || !is_event(bytes, n, "event: response.output_item.done\n")) {
            (void)buffer_append(out, bytes, length);
            continue;
        }
        const size_t before = (size_t)(at - bytes) + sizeof "\"call_id\":\"" - 1;
        (void)buffer_append(out, bytes, before);
        (void)buffer_append_string(out, "again_");
        (void)buffer_append(out, bytes + before, length - before);
    }
}

void served_one_call_id(const char *bytes, size_t n, buffer *out)
{
    static const char from[] = "\"id\":\"call_";
    for (const char *at; (at = memmem(bytes, n, from, sizeof from - 1));) {
        const size_t before = (size_t)(at - bytes) + sizeof from - 1;
        const char *end = memchr(bytes + before, '"', n - before);
        (void)buffer_append(out, bytes, before);
        n -= (size_t)(end - bytes);
        bytes = end;
    }
    (void)buffer_append(out, bytes, n);
}

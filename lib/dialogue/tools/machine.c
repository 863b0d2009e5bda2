/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/machine.h"

#include "base/error.h"
#include "dialogue/text/text.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/thoughts.h"

#include <stdlib.h>
#include <string.h>

/* Records which bytes openers begin with. */
static void index_openers(serve_tools *t)
{
    const char *const *openers = t->format->openers;
    t->first_byte = openers[0][0];
    for (size_t i = 0; i < SERVE_OPENERS_MAX && openers[i]; i++) {
        t->is_first[(unsigned char)openers[i][0]] = true;
        if (openers[i][0] != t->first_byte) t->first_byte = '\0';
    }
}

bool serve_tools_start(serve_tools *t, const serve_tools_format *format, serve_tools_request *request)
{
    t->format = format;
    t->request = request;
    t->reading = format->bare || format->leading ? SERVE_READING_START : SERVE_READING_CONTENT;
    t->thoughts.end = SERVE_NOWHERE;
    index_openers(t);
    if (format->own_bytes == 0) return true;
    t->own = calloc(1, format->own_bytes);
    return t->own != NULL;
}

void serve_tools_stop(serve_tools *t)
{
    if (t->own && t->format->free_own) t->format->free_own(t->own);
    free(t->own);
    buffer_free(&t->held);
    buffer_free(&t->tail);
    buffer_free(&t->block);
    buffer_free(&t->name);
    buffer_free(&t->arguments);
}

/* Sets t->opener to the opener that text begins with and returns SERVE_FOUND_BLOCK; SERVE_FOUND_MORE if text
 * is a proper prefix of one. at: offset of text in the input. */
static serve_tools_found match_opener(serve_tools *t, assay_text text, size_t at)
{
    serve_tools_found found = SERVE_FOUND_CONTENT;
    for (size_t i = 0; i < SERVE_OPENERS_MAX && t->format->openers[i]; i++) {
        if (t->disabled & 1U << i) continue;
        const size_t n = serve_span_alike(text, t->format->openers[i]);
        if (t->format->openers[i][n] == '\0') {
            t->opener = i;
            return SERVE_FOUND_BLOCK;
        }
        if (n == text.n) found = SERVE_FOUND_MORE;
    }
    if (found == SERVE_FOUND_CONTENT && t->format->interrupts) return t->format->interrupts(t, text, at);
    const serve_tools_found thought = serve_tools_match_thought(t, text);
    return thought == SERVE_FOUND_CONTENT ? found : thought;
}

/* The same at the beginning of the reply, where `bare` and `leading` apply. */
static serve_tools_found match_beginning(serve_tools *t, assay_text text)
{
    if (text.n == 0) return SERVE_FOUND_MORE;
    if (t->format->leading) return match_opener(t, text, 0);
    t->opener = SERVE_BARE;
    if (serve_span_starts(text, t->format->bare)) return SERVE_FOUND_BLOCK;
    return serve_span_begins(text, t->format->bare) ? SERVE_FOUND_MORE : SERVE_FOUND_CONTENT;
}

/* The offset of the first byte in text[at..n) that an opener begins with; n if there is none. */
static size_t find_first(const serve_tools *t, const char *text, size_t at, size_t n)
{
    if (t->first_byte != '\0' && at < n) {
        const char *found = memchr(text + at, t->first_byte, n - at);
        return found ? (size_t)(found - text) : n;
    }
    while (at < n && !t->is_first[(unsigned char)text[at]]) at++;
    return at;
}

/* Returns the length of the leading white space. Leaves t->reading at SERVE_READING_START while text is too
 * short to tell whether a block follows. */
static size_t measure_start(serve_tools *t, assay_text text, bool ended)
{
    const size_t at = serve_span_skip(text, 0);
    const serve_tools_found found = match_beginning(t, serve_span_from(text, at));
    if (found == SERVE_FOUND_MORE && !(ended && at < text.n)) return at;
    t->reading = found == SERVE_FOUND_BLOCK ? SERVE_READING_BLOCK : SERVE_READING_CONTENT;
    if (t->reading == SERVE_READING_CONTENT && t->format->leading) t->disabled = ~0U;
    return at;
}

/* The next state of t->reading after match_opener has returned `found`. */
static serve_tools_reading next_reading(const serve_tools *t, serve_tools_found found, bool ended)
{
    if (found == SERVE_FOUND_BLOCK) return SERVE_READING_BLOCK;
    const bool begun = found == SERVE_FOUND_MORE && ended;
    if (begun && t->format->drops_begun && t->format->drops_begun(t)) return SERVE_READING_NOTHING;
    return found == SERVE_FOUND_END ? SERVE_READING_NOTHING : SERVE_READING_CONTENT;
}

/* The length of the content at the beginning of text: up to where t->reading changes, up to a possible
 * opener, or all of it. */
static size_t measure_content(serve_tools *t, assay_text text, bool ended)
{
    const size_t n = ended ? text.n : text.n - serve_text_unfinished(text.at, text.n);
    size_t at = 0;
    if (t->reading == SERVE_READING_START) {
        at = measure_start(t, serve_span_part(text, 0, n), ended);
        if (t->reading != SERVE_READING_CONTENT) return at;
    }
    if (t->passed == t->n_blank) t->n_blank += serve_span_skip(serve_span_part(text, 0, n), 0);
    for (; (at = find_first(t, text.at, at, n)) < n; at++) {
        const serve_tools_found found = match_opener(t, serve_span_from(text, at), t->passed + at);
        t->reading = next_reading(t, found, ended);
        if (t->reading != SERVE_READING_CONTENT || (found == SERVE_FOUND_MORE && !ended)) break;
    }
    return at;
}

static serve_tools_found read_whole_block(serve_tools *t, assay_text block)
{
    if (t->format->drops_thoughts) block = serve_tools_drop_thoughts(t, block);
    return t->block.failed ? SERVE_FOUND_NOTHING : t->format->read_block(t, block);
}

/* Scans the block that text begins with, and reads it if it is complete. SERVE_FOUND_MORE if it is not. */
static serve_tools_found process_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const bool cut = text.n > SERVE_TOOLS_BLOCK_MAX;
    if (cut) text.n = SERVE_TOOLS_BLOCK_MAX;
    /* An incomplete character may turn out to be white space, which formats skip. */
    if (cut || !ended) text.n -= serve_text_unfinished(text.at, text.n);
    serve_tools_found found = serve_tools_scan_block(t, text, ended && !cut, n);
    if (found == SERVE_FOUND_BLOCK) found = read_whole_block(t, serve_span_part(text, 0, *n));
    if (found == SERVE_FOUND_MORE && cut) {
        *n = text.n;
        found = SERVE_FOUND_CONTENT;
    }
    return found;
}

/* Moves t->reading on from a block that has ended as `found` says. */
static void leave_block(serve_tools *t, serve_tools_found found)
{
    t->reading = SERVE_READING_CONTENT;
    if (found == SERVE_FOUND_END) t->reading = SERVE_READING_NOTHING;
    if (found == SERVE_FOUND_CHAIN) {
        t->reading = SERVE_READING_BLOCK;
        t->opener = SERVE_CHAINED;
    }
    t->scan = (serve_tools_scan){0};
}

/* Reads `all`, the text that is undecided so far. Returns how many bytes of it are decided now. */
static size_t read_undecided(serve_tools *t, assay_text all, bool ended)
{
    size_t at = 0, n;
    while (t->reading != SERVE_READING_NOTHING) {
        const assay_text text = serve_span_from(all, at);
        if (t->reading == SERVE_READING_BLOCK) {
            const serve_tools_found found = process_block(t, text, ended, &n);
            if (found == SERVE_FOUND_MORE) return at;
            if (found == SERVE_FOUND_CONTENT) serve_tools_content(t, serve_span_part(text, 0, n));
            leave_block(t, found);
            at += n;
            t->passed += n;
            continue;
        }
        n = measure_content(t, text, ended);
        serve_tools_content(t, serve_span_part(text, 0, n));
        at += n;
        t->passed += n;
        if (t->reading == SERVE_READING_CONTENT || t->reading == SERVE_READING_START) return at;
        if (t->reading == SERVE_READING_BLOCK) t->marked |= !(t->format->ends & 1U << t->opener);
    }
    return all.n;
}

/* Whether a delta in which no opener begins can be emitted unchanged. */
static bool is_plain(const serve_tools *t)
{
    return t->reading == SERVE_READING_CONTENT && t->held.n == 0 && t->passed > t->n_blank && !t->watched &&
           serve_tools_emits_content(t);
}

static assay_status finish_reply(serve_tools *t, assay_error *err)
{
    t->sink = NULL;
    t->failed |= t->held.failed | t->tail.failed | t->block.failed | t->name.failed | t->arguments.failed;
    if (t->failed)
        return assay_fail(err, ASSAY_ENOMEM, "tool parser '%s': out of memory", t->format->names[0]);
    if (is_plain(t)) t->reading = SERVE_READING_PLAIN;
    return ASSAY_OK;
}

/* Fast path: most deltas are content to the last byte. */
static bool is_content(const serve_tools *t, const char *delta, size_t n)
{
    return t->reading == SERVE_READING_PLAIN && n > 0 && find_first(t, delta, 0, n) == n &&
           serve_text_unfinished(delta, n) == 0;
}

/* Fast path: whether this delta cannot complete the current block. */
static bool is_unaffected(const serve_tools *t, const char *delta, size_t n)
{
    if (t->reading != SERVE_READING_BLOCK || !t->scan.until || t->held.n + n > SERVE_TOOLS_BLOCK_MAX)
        return false;
    for (const char *c = t->scan.until; *c; c++)
        if (memchr(delta, *c, n)) return false;
    return true;
}

/* Reads what this delta decides, and buffers the rest in t->held. */
static void read_on(serve_tools *t, const char *delta, size_t n)
{
    if (t->held.n == 0) {
        const size_t n_read = read_undecided(t, (assay_text){.at = delta, .n = n}, false);
        buffer_append(&t->held, delta + n_read, n - n_read);
        return;
    }
    buffer_append(&t->held, delta, n);
    if (!t->held.failed) buffer_drop(&t->held, read_undecided(t, buffer_text(&t->held), false));
}

assay_status serve_tools_feed(serve_tools *t, const char *delta, size_t n, const assay_sink *sink,
                              assay_error *err)
{
    if (is_content(t, delta, n)) {
        t->passed += n;
        sink->take(sink->context, ASSAY_PART_CONTENT, delta, n);
        return ASSAY_OK;
    }
    if (t->failed) return finish_reply(t, err);
    if (is_unaffected(t, delta, n)) {
        buffer_append(&t->held, delta, n);
        t->scan.seen += n;
        t->thoughts.n_searched += n;
        return t->held.failed ? finish_reply(t, err) : ASSAY_OK;
    }
    t->sink = sink;
    if (t->reading == SERVE_READING_PLAIN) t->reading = SERVE_READING_CONTENT;
    read_on(t, delta, n);
    return finish_reply(t, err);
}

assay_status serve_tools_end(serve_tools *t, const assay_sink *sink, assay_error *err)
{
    if (t->failed) return finish_reply(t, err);
    t->sink = sink;
    if (t->held.n > 0) buffer_drop(&t->held, read_undecided(t, buffer_text(&t->held), true));
    if (t->format->finish) t->format->finish(t);
    serve_tools_end_content(t);
    return finish_reply(t, err);
}

static void pass_calls(void *context, assay_part part, const char *text, size_t n)
{
    const serve_tools *t = context;
    if (part != ASSAY_PART_CONTENT) t->sink->take(t->sink->context, part, text, n);
}

bool serve_tools_try(serve_tools *t, const serve_tools_format *format, assay_text text)
{
    const assay_sink sink = {.take = pass_calls, .context = t};
    serve_tools other = {0};
    assay_status rc = serve_tools_start(&other, format, t->request) ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = serve_tools_feed(&other, text.at, text.n, &sink, NULL);
    if (rc == ASSAY_OK) rc = serve_tools_end(&other, &sink, NULL);
    serve_tools_stop(&other);
    t->failed |= rc != ASSAY_OK;
    t->n_calls += other.n_calls;
    return other.n_calls > 0;
}

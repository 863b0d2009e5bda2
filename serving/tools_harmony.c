/* harmony: <|channel|>commentary to=functions.NAME<|constrain|>json<|message|>{…}<|call|>, and the answer
 * behind
 * <|channel|>final<|message|>.
 *
 * Arguments end at any control token. Before <|call|>, <|end|>, <|return|> and <|start|> they need not be
 * JSON; before another <|channel|>, or where the text ends, they must. A channel that ends the one before it
 * in this way begins no call. Behind a <|call|> only the first answer counts, and only if <|return|> ends it.
 * What stands in other channels, and between them, is content if there is neither a call nor an answer.
 * Control tokens are never content.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools_parts.h"

#include <string.h>

#define CHANNEL   "<|channel|>"
#define CONSTRAIN "<|constrain|>"
#define MESSAGE   "<|message|>"
#define CONTROL   "<|"
#define RECIPIENT "to=functions."
#define ROLE      "assistant"

enum {
    CHANNEL_OPENER,
    START_OPENER,
    CALL_OPENER,
    END_OPENER,
    RETURN_OPENER
}; /* the others only end something */

/* t->state: no channel was open yet, or one is, or was; one that the next channel ended; an answer that
 * waits. */
enum { NONE, OPEN, INTERRUPTED, WAITING };

/* t->seen: <|call|>; any <|channel|>; an answer and its <|return|>. */
enum { CALLED = 1, CHANNELED = 2, ANSWERED = 4 };

static const char *const ENDS[] = {"<|call|>", "<|end|>", "<|return|>", "<|start|>", CHANNEL};
#define N_ENDS (sizeof ENDS / sizeof ENDS[0])

/* The first of ENDS from *seen on; N_ENDS: none yet. *seen comes before it, or to where to go on. */
static size_t find_end(assay_text text, size_t *seen)
{
    for (;; ++*seen) {
        const size_t at = serve_span_find(text, *seen, CONTROL);
        *seen = at != SERVE_NOWHERE ? at : text.n - (text.n > *seen && text.at[text.n - 1] == CONTROL[0]);
        if (at == SERVE_NOWHERE) return N_ENDS;
        const assay_text rest = serve_span_from(text, at);
        bool part = false;
        for (size_t i = 0; i < N_ENDS; i++) {
            if (serve_span_starts(rest, ENDS[i])) return i;
            part |= serve_span_begins(rest, ENDS[i]);
        }
        if (part) return N_ENDS;
    }
}

/* Whether rest, what stands behind <|channel|>, begins with the name of a channel. */
static serve_tools_found find_channel_name(assay_text rest)
{
    static const char *const NAMES[] = {"commentary", "final", "analysis"};
    serve_tools_found found = SERVE_FOUND_NOTHING;
    for (size_t i = 0; i < 3; i++) {
        if (serve_span_starts(rest, NAMES[i])) return SERVE_FOUND_BLOCK;
        if (serve_span_begins(rest, NAMES[i])) found = SERVE_FOUND_MORE;
    }
    return found;
}

/* What <|channel|> begins: a header, to behind <|message|>; nothing, and is dropped alone or with what stands
 * before the next control token; or what is not known yet. *n: bytes of it; *looked: how far it was looked
 * at. */
static serve_tools_found read_header(assay_text text, size_t *n, size_t *looked)
{
    *n = strlen(CHANNEL);
    const serve_tools_found found = find_channel_name(serve_span_from(text, *n));
    if (found != SERVE_FOUND_BLOCK) return found;
    if (*looked < *n) *looked = *n;
    for (size_t at; (at = serve_span_find_next(text, looked, CONTROL)) != SERVE_NOWHERE;) {
        const assay_text token = serve_span_from(text, at);
        *n = at;
        if (serve_span_begins(token, MESSAGE) || serve_span_begins(token, CONSTRAIN)) {
            *looked = at;
            return SERVE_FOUND_MORE;
        }
        if (serve_span_starts(token, CONSTRAIN)) continue;
        if (!serve_span_starts(token, MESSAGE)) return SERVE_FOUND_NOTHING;
        *n += strlen(MESSAGE);
        return SERVE_FOUND_BLOCK;
    }
    *n = text.n;
    return SERVE_FOUND_MORE;
}

/* The name that a header calls; .n 0 where it calls none. */
static assay_text read_recipient(assay_text header)
{
    const size_t begin = strlen(CHANNEL "commentary"), at = serve_span_skip(header, begin);
    const assay_text none = {0};
    if (at == begin || !serve_span_starts(serve_span_from(header, at), RECIPIENT)) return none;
    const assay_text rest = serve_span_from(header, at + strlen(RECIPIENT));
    const assay_text name = serve_span_part(rest, 0, serve_span_word(rest));
    size_t end = serve_span_skip(rest, name.n);
    if (serve_span_starts(serve_span_from(rest, end), CONSTRAIN)) {
        end += strlen(CONSTRAIN);
        const size_t word = serve_span_word(serve_span_from(rest, end));
        if (word == 0) return none;
        end = serve_span_skip(rest, end + word);
    }
    return serve_span_equals(serve_span_from(rest, end), MESSAGE) ? name : none;
}

/* Whether the header at the beginning of text begins a call; its arguments begin behind it. */
static bool begins_call(const serve_tools *t, assay_text header)
{
    return t->state != INTERRUPTED && serve_span_starts(header, CHANNEL "commentary") &&
           read_recipient(header).n > 0;
}

static void begin_answer(serve_tools *t)
{
    const bool waits = t->seen & CALLED;
    t->tail.n = 0;
    if (waits && (t->seen & ANSWERED)) return;
    t->direct = !waits;
    t->dropping = !waits; /* what is not the answer */
    t->withheld = waits;
    if (waits) t->state = WAITING;
}

/* An answer that waited, and what ends it. */
static void end_answer(serve_tools *t)
{
    if (t->state != WAITING) return;
    if (t->opener == RETURN_OPENER) {
        serve_tools_release(t);
        t->seen |= ANSWERED;
    }
    t->tail.n = 0;
    t->withheld = false;
    t->dropping = true;
    t->state = OPEN;
}

static serve_tools_found look_channel(serve_tools *t, assay_text text, size_t *n)
{
    const serve_tools_found found = read_header(text, n, &t->scan.seen);
    const assay_text header = serve_span_part(text, 0, *n);
    if (found != SERVE_FOUND_BLOCK) {
        if (*n > strlen(CHANNEL) && found == SERVE_FOUND_NOTHING) t->state = OPEN;
        return found;
    }
    if (begins_call(t, header)) {
        t->scan.mark[0] = t->scan.seen = *n;
        return SERVE_FOUND_BLOCK;
    }
    t->state = OPEN;
    if (serve_span_starts(header, CHANNEL "final")) begin_answer(t);
    return SERVE_FOUND_NOTHING;
}

/* mark: where the arguments begin, and what they end in. */
static serve_tools_found look_arguments(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    t->scan.mark[1] = find_end(text, &t->scan.seen);
    const bool whole = t->scan.mark[1] < N_ENDS;
    serve_tools_wait_for(t, text, "<");
    *n = whole ? t->scan.seen : text.n;
    return whole || ended ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

/* A role goes with the channel behind it. */
static serve_tools_found look_token(const serve_tools *t, assay_text text, size_t *n)
{
    *n = strlen(t->format->openers[t->opener]);
    const assay_text rest = serve_span_from(text, *n);
    if (t->opener != START_OPENER) return SERVE_FOUND_NOTHING;
    if (serve_span_begins(rest, ROLE CHANNEL)) return SERVE_FOUND_MORE;
    if (!serve_span_starts(rest, ROLE CHANNEL)) return SERVE_FOUND_NOTHING;
    const serve_tools_found found = find_channel_name(serve_span_from(rest, strlen(ROLE CHANNEL)));
    if (found == SERVE_FOUND_BLOCK) *n += strlen(ROLE);
    return found == SERVE_FOUND_MORE ? found : SERVE_FOUND_NOTHING;
}

static serve_tools_found look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_tools_found found = SERVE_FOUND_BLOCK;
    t->direct = false;
    end_answer(t);
    if (t->opener == CALL_OPENER) t->seen |= CALLED;
    if (t->opener == CHANNEL_OPENER) t->seen |= CHANNELED;
    if (t->state == NONE && t->seen == (CALLED | CHANNELED)) t->state = OPEN;
    if (t->opener != CHANNEL_OPENER) found = look_token(t, text, n);
    else if (t->scan.mark[0] == 0) found = look_channel(t, text, n);
    if (t->opener == CHANNEL_OPENER && found == SERVE_FOUND_BLOCK) found = look_arguments(t, text, ended, n);
    if (found == SERVE_FOUND_MORE && ended) found = SERVE_FOUND_NOTHING;
    if (found == SERVE_FOUND_NOTHING && t->state == INTERRUPTED) t->state = OPEN;
    t->marked = t->state != NONE;
    return found;
}

/* Arguments that are a string are what it says. */
static bool take_call(serve_tools *t, assay_text name, assay_text arguments)
{
    const bool strict = t->scan.mark[1] + 1 >= N_ENDS; /* another channel, or the end of the text */
    const assay_status rc = serve_json_check(arguments);
    if (rc == ASSAY_ENOMEM) t->failed = true;
    if (rc != ASSAY_OK && (strict || t->failed)) return false;
    if (rc == ASSAY_OK && serve_json_is_string(arguments)) {
        t->arguments.n = 0;
        serve_json_unquote(&t->arguments, arguments);
        arguments = serve_bytes_text(&t->arguments);
    }
    serve_tools_call(t, name, arguments);
    return true;
}

static serve_tools_found take(serve_tools *t, assay_text block)
{
    const size_t begin = t->scan.mark[0];
    const assay_text name = read_recipient(serve_span_part(block, 0, begin));
    t->state = t->scan.mark[1] + 1 == N_ENDS ? INTERRUPTED : OPEN;
    t->marked = true;
    if (!take_call(t, name, serve_span_trim(serve_span_from(block, begin))))
        serve_tools_content(t, serve_span_from(block, begin));
    return SERVE_FOUND_NOTHING;
}

const serve_tools_format serve_tools_harmony = {
    .names = {"harmony", "gpt-oss"},
    .openers = {CHANNEL, "<|start|>", "<|call|>", "<|end|>", "<|return|>", MESSAGE, CONSTRAIN},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .reads_messages = true,
    .look = look,
    .take = take,
};

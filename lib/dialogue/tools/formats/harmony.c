/* harmony: <|channel|>commentary to=functions.NAME<|constrain|>json<|message|>{…}<|call|>, and the answer
 * after <|channel|>final<|message|>.
 *
 * Arguments end at any control token. Before <|call|>, <|end|>, <|return|> and <|start|> they need not be
 * JSON; before another <|channel|> or at the end of the text they must be, and that <|channel|> begins no
 * call. An empty answer is no answer, unless <|return|> ends it. After a <|call|> only the first answer is
 * emitted, and only if <|return|> ends it. Text from the first channel on, and the role before it, is content
 * only if the text has neither a call nor an answer; the words of headers (names of channels, recipients and
 * "json") are removed from it. Control tokens are never content, so these words are found even if a token was
 * within them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define CHANNEL   "<|channel|>"
#define CONSTRAIN "<|constrain|>"
#define MESSAGE   "<|message|>"
#define RETURN    "<|return|>"
#define CONTROL   "<|"
#define RECIPIENT "to=functions."
#define ROLE      "assistant"

enum {
    CHANNEL_OPENER,
    START_OPENER,
    CALL_OPENER,
    END_OPENER,
    RETURN_OPENER
}; /* the other openers only end something */

/* No channel was opened yet; one is or was open; the next channel interrupted one; an answer is held. */
typedef enum harmony_channel { NONE, OPEN, INTERRUPTED, WAITING } harmony_channel;

typedef struct harmony_state {
    harmony_channel channel;
    bool called;   /* there was a <|call|> */
    bool answered; /* there was an answer with <|return|> after a <|call|> */
} harmony_state;

static const char *const ENDS[] = {"<|call|>", "<|end|>", RETURN, "<|start|>", CHANNEL};
#define N_ENDS (sizeof ENDS / sizeof ENDS[0])

/* Searches for the first of ENDS from *seen on; N_ENDS if there is none yet. *seen: its offset, or where to
 * continue. */
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

/* The length of the control token that text begins with; 0 if there is none. */
static size_t measure_token(const serve_tools *t, assay_text text)
{
    for (size_t i = 0; i < SERVE_OPENERS_MAX; i++)
        if (serve_span_starts(text, t->format->openers[i])) return strlen(t->format->openers[i]);
    return 0;
}

static const char *const CHANNELS[] = {"commentary", "final", "analysis"};
enum { COMMENTARY, FINAL, N_CHANNELS = sizeof CHANNELS / sizeof CHANNELS[0] };

/* Whether rest, the text after <|channel|>, begins with the name of a channel whose header is read. */
static serve_tools_found find_channel_name(assay_text rest)
{
    serve_tools_found found = SERVE_FOUND_NOTHING;
    for (size_t i = COMMENTARY; i <= FINAL; i++) {
        if (serve_span_starts(rest, CHANNELS[i])) return SERVE_FOUND_BLOCK;
        if (serve_span_begins(rest, CHANNELS[i])) found = SERVE_FOUND_MORE;
    }
    return found;
}

/* Whether text begins with a header: <|channel|>, a name, and text up to <|message|> that has no control
 * token but <|constrain|>. *n: the length of the header; of <|channel|> if there is no header; of all text if
 * more is needed. *looked: the offset up to which text was scanned. */
static serve_tools_found read_header(assay_text text, size_t *n, size_t *looked)
{
    *n = strlen(CHANNEL);
    const serve_tools_found found = find_channel_name(serve_span_from(text, *n));
    if (found != SERVE_FOUND_BLOCK) return found;
    if (*looked < *n) *looked = *n;
    *n = text.n;
    for (size_t at; (at = serve_span_find_next(text, looked, CONTROL)) != SERVE_NOWHERE;) {
        const assay_text token = serve_span_from(text, at);
        if (serve_span_begins(token, MESSAGE) || serve_span_begins(token, CONSTRAIN)) {
            *looked = at;
            return SERVE_FOUND_MORE;
        }
        if (serve_span_starts(token, CONSTRAIN)) continue;
        const bool whole = serve_span_starts(token, MESSAGE);
        *looked = at;
        *n = whole ? at + strlen(MESSAGE) : strlen(CHANNEL);
        return whole ? SERVE_FOUND_BLOCK : SERVE_FOUND_NOTHING;
    }
    return SERVE_FOUND_MORE;
}

/* The name of the tool that a header calls; .n is 0 if it calls none. */
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

/* Whether the header begins a call; its arguments follow it. */
static bool begins_call(const serve_tools *t, assay_text header)
{
    const harmony_state *own = t->own;
    return own->channel != INTERRUPTED && serve_span_starts(header, CHANNEL "commentary") &&
           read_recipient(header).n > 0;
}

static void begin_answer(serve_tools *t)
{
    harmony_state *own = t->own;
    const bool waits = own->called;
    t->tail.n = 0;
    if (waits && own->answered) return;
    t->content_mode = waits ? SERVE_CONTENT_BY_RULE : SERVE_CONTENT_EMITTED;
    t->withheld = waits;
    if (waits) own->channel = WAITING;
}

/* Emits or drops a held answer at the token that ends it. */
static void end_answer(serve_tools *t)
{
    harmony_state *own = t->own;
    if (own->channel != WAITING) return;
    if (t->opener == RETURN_OPENER) {
        serve_tools_release(t);
        own->answered = true;
    }
    t->tail.n = 0;
    t->withheld = false;
    t->content_mode = SERVE_CONTENT_DROPPED;
    own->channel = OPEN;
}

/* Whether text, which follows the header of an answer, begins an answer: it is not empty, or <|return|> ends
 * it. *seen: the length of the leading white space. */
static serve_tools_found find_answer(const serve_tools *t, assay_text text, size_t *seen)
{
    *seen = serve_span_skip(text, *seen);
    const assay_text rest = serve_span_from(text, *seen);
    if (serve_span_starts(rest, RETURN)) return SERVE_FOUND_BLOCK;
    if (measure_token(t, rest) > 0) return SERVE_FOUND_NOTHING;
    for (size_t i = 0; i < SERVE_OPENERS_MAX; i++)
        if (serve_span_begins(rest, t->format->openers[i])) return SERVE_FOUND_MORE;
    return SERVE_FOUND_BLOCK;
}

/* Of a header that begins neither a call nor an answer only <|channel|> is dropped; its words are held. */
static serve_tools_found scan_channel(serve_tools *t, assay_text text, size_t *n)
{
    serve_tools_found found = read_header(text, n, &t->scan.seen);
    if (found == SERVE_FOUND_BLOCK && begins_call(t, serve_span_part(text, 0, *n))) {
        t->scan.mark[0] = t->scan.seen = *n;
        return found;
    }
    if (found == SERVE_FOUND_BLOCK)
        found = serve_span_starts(text, CHANNEL "final")
                    ? find_answer(t, serve_span_from(text, *n), &t->scan.mark[2])
                    : SERVE_FOUND_NOTHING;
    if (found == SERVE_FOUND_MORE) {
        if (*n < text.n) *n = strlen(CHANNEL); /* an empty answer so far */
        return found;
    }
    ((harmony_state *)t->own)->channel = OPEN;
    if (found == SERVE_FOUND_BLOCK) begin_answer(t);
    else *n = strlen(CHANNEL);
    return SERVE_FOUND_NOTHING;
}

/* mark[0]: the offset of the arguments; mark[1]: the index in ENDS of what ends them. */
static serve_tools_found scan_arguments(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    t->scan.mark[1] = find_end(text, &t->scan.seen);
    const bool whole = t->scan.mark[1] < N_ENDS;
    serve_tools_wait_for(t, text, "<");
    *n = whole ? t->scan.seen : text.n;
    return whole || ended ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

/* A role that a channel follows is held like the text after it. */
static serve_tools_found scan_token(serve_tools *t, assay_text text, size_t *n)
{
    harmony_state *own = t->own;
    *n = strlen(t->format->openers[t->opener]);
    const assay_text rest = serve_span_from(text, *n);
    if (t->opener != START_OPENER) return SERVE_FOUND_NOTHING;
    if (serve_span_begins(rest, ROLE CHANNEL)) return SERVE_FOUND_MORE;
    if (serve_span_starts(rest, ROLE CHANNEL) && own->channel == NONE) own->channel = OPEN;
    return SERVE_FOUND_NOTHING;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    harmony_state *own = t->own;
    serve_tools_found found = SERVE_FOUND_BLOCK;
    /* Text outside of the answer is dropped. */
    if (t->content_mode == SERVE_CONTENT_EMITTED) t->content_mode = SERVE_CONTENT_DROPPED;
    end_answer(t);
    own->called |= t->opener == CALL_OPENER;
    if (t->opener != CHANNEL_OPENER) found = scan_token(t, text, n);
    else if (t->scan.mark[0] == 0) found = scan_channel(t, text, n);
    if (t->opener == CHANNEL_OPENER && found == SERVE_FOUND_BLOCK) found = scan_arguments(t, text, ended, n);
    if (found == SERVE_FOUND_MORE && ended) {
        found = SERVE_FOUND_NOTHING;
        if (t->opener == CHANNEL_OPENER) own->channel = OPEN;
    }
    if (found == SERVE_FOUND_NOTHING && own->channel == INTERRUPTED) own->channel = OPEN;
    t->marked = own->channel != NONE;
    return found;
}

/* Arguments that are a JSON string are unquoted. */
static bool read_call(serve_tools *t, assay_text name, assay_text arguments)
{
    const bool strict = t->scan.mark[1] + 1 >= N_ENDS; /* before another channel, or at the end of the text */
    const assay_status rc = serve_json_check(arguments);
    if (rc == ASSAY_ENOMEM) t->failed = true;
    if (rc != ASSAY_OK && (strict || t->failed)) return false;
    if (rc == ASSAY_OK && serve_json_is_string(arguments)) {
        t->arguments.n = 0;
        serve_json_unquote(&t->arguments, arguments);
        arguments = buffer_text(&t->arguments);
    }
    serve_tools_call(t, name, arguments);
    return true;
}

/* Adds a block that is no call as content, without its control tokens. */
static void add_block(serve_tools *t, assay_text block)
{
    size_t from = 0;
    for (size_t at = 0; at < block.n;) {
        const size_t n = measure_token(t, serve_span_from(block, at));
        if (n > 0) serve_tools_content(t, serve_span_part(block, from, at));
        at += n > 0 ? n : 1;
        if (n > 0) from = at;
    }
    serve_tools_content(t, serve_span_from(block, from));
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    harmony_state *own = t->own;
    const size_t begin = t->scan.mark[0];
    const assay_text name = read_recipient(serve_span_part(block, 0, begin));
    own->channel = t->scan.mark[1] + 1 == N_ENDS ? INTERRUPTED : OPEN;
    t->marked = true;
    if (!read_call(t, name, serve_span_trim(serve_span_from(block, begin)))) add_block(t, block);
    return SERVE_FOUND_NOTHING;
}

/* The length of the channel name that text begins with; 0 if there is none. */
static size_t measure_channel(assay_text text)
{
    for (size_t i = 0; i < N_CHANNELS; i++)
        if (serve_span_starts(text, CHANNELS[i])) return strlen(CHANNELS[i]);
    return 0;
}

static size_t measure_recipient(assay_text text)
{
    if (!serve_span_starts(text, RECIPIENT)) return 0;
    size_t n = strlen(RECIPIENT), n_name = serve_span_word(serve_span_from(text, n));
    if (n_name == 0) return 0;
    for (n += n_name; n < text.n && text.at[n] == '.'; n += 1 + n_name) {
        n_name = serve_span_word(serve_span_from(text, n + 1));
        if (n_name == 0) break;
    }
    return n;
}

static size_t measure_json(assay_text text)
{
    return serve_span_starts(text, "json") ? strlen("json") : 0;
}

/* Removes the words that `measure` finds, each with the white space after it. */
static void drop_words(buffer *from, size_t (*measure)(assay_text text))
{
    const assay_text text = buffer_text(from);
    size_t n_left = 0;
    for (size_t at = 0; at < text.n;) {
        const size_t n = measure(serve_span_from(text, at));
        if (n == 0) from->data[n_left++] = text.at[at++];
        else at = serve_span_skip(text, at + n);
    }
    from->n = n_left;
}

/* Removes one kind of word after the other, as the published server does. */
static void finish_harmony(serve_tools *t)
{
    const harmony_state *own = t->own;
    if (own->channel == WAITING || t->n_calls > 0) return; /* the tail is a held answer, or is dropped */
    drop_words(&t->tail, measure_channel);
    drop_words(&t->tail, measure_recipient);
    drop_words(&t->tail, measure_json);
}

const serve_tools_format serve_tools_harmony = {
    .names = {"harmony", "gpt-oss"},
    .openers = {CHANNEL, "<|start|>", "<|call|>", "<|end|>", RETURN, MESSAGE, CONSTRAIN},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .reads_messages = true,
    .scan_block = scan_block,
    .read_block = read_block,
    .finish = finish_harmony,
    .own_bytes = sizeof(harmony_state),
};

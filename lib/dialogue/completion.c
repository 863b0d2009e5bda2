/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/completion.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "dialogue/tokenizing.h"

/* Limits on what a client may pass, since each byte is compared with all of it. */
#define STOP_TEXTS_MAX      64
#define STOP_TEXT_BYTES_MAX 4096

struct assay_completion {
    assay_completion_options options;
    assay_detokenizer *detokenizer;
    buffer held; /* text that may begin a stop text */
    assay_completion_state state;
    const assay_sink *sink; /* set during a call */
};

static assay_status check_options(const assay_completion_options *o, assay_error *err)
{
    if (o->reserved != 0)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "options of a completion: reserved: found %u, expected 0",
                          o->reserved);
    if (!o->tokenizer) return assay_fail(err, ASSAY_EINVAL, "options of a completion: tokenizer: found none");
    if (o->n_stop_texts > STOP_TEXTS_MAX)
        return assay_fail(err, ASSAY_EINVAL, "found %zu stop texts, expected at most %d", o->n_stop_texts,
                          STOP_TEXTS_MAX);
    for (size_t i = 0; i < o->n_stop_texts; i++)
        if (o->stop_texts[i].n == 0 || o->stop_texts[i].n > STOP_TEXT_BYTES_MAX)
            return assay_fail(err, ASSAY_EINVAL, "stop text %zu has %zu bytes, expected 1 to %d", i,
                              o->stop_texts[i].n, STOP_TEXT_BYTES_MAX);
    return ASSAY_OK;
}

assay_status serve_completion_open(const assay_completion_options *options, assay_completion **out,
                                   assay_error *err)
{
    assay_completion_options o;
    assay_status rc = assay_options_read(&o, sizeof o, options, "options of a completion", err);
    if (rc == ASSAY_OK) rc = check_options(&o, err);
    if (rc != ASSAY_OK) return rc;
    assay_completion *c = calloc(1, sizeof *c);
    if (!c) return assay_fail(err, ASSAY_ENOMEM, "a completion: out of memory");
    c->options = o;
    c->state = (assay_completion_state){.prompt_tokens = o.prompt_tokens, .stop_id = -1};
    rc = serve_detokenizer_open(o.tokenizer, false, &c->detokenizer, err);
    if (rc == ASSAY_OK) *out = c;
    else free(c);
    return rc;
}

void serve_completion_free(assay_completion *c)
{
    if (!c) return;
    serve_detokenizer_free(c->detokenizer);
    buffer_free(&c->held);
    free(c);
}

/* The offset of the stop text that the first `end` held bytes complete; `end` if there is none. Of several,
 * the one that begins first. */
static size_t find_complete_stop(const assay_completion *c, size_t end)
{
    size_t begin = end;
    for (size_t i = 0; i < c->options.n_stop_texts; i++) {
        const assay_text stop = c->options.stop_texts[i];
        if (stop.n <= end && end - stop.n < begin &&
            memcmp(c->held.data + end - stop.n, stop.at, stop.n) == 0)
            begin = end - stop.n;
    }
    return begin;
}

/* How many of the last held bytes may begin a stop text. */
static size_t measure_begun_stop(const assay_completion *c)
{
    size_t most = 0;
    for (size_t i = 0; i < c->options.n_stop_texts; i++) {
        const assay_text stop = c->options.stop_texts[i];
        size_t n = stop.n - 1 < c->held.n ? stop.n - 1 : c->held.n;
        while (n > most && memcmp(c->held.data + c->held.n - n, stop.at, n) != 0) n--;
        if (n > most) most = n;
    }
    return most;
}

/* Emits the first n held bytes. */
static void emit_held(assay_completion *c, size_t n)
{
    if (n > 0) c->sink->take(c->sink->context, ASSAY_PART_CONTENT, c->held.data, n);
    buffer_drop(&c->held, n);
}

/* Receives text from the detokenizer. Text after a stop text is dropped, and the completion is over. */
static void receive_text(void *context, assay_part part, const char *text, size_t n)
{
    assay_completion *c = context;
    size_t end = c->held.n;
    (void)part;
    buffer_append(&c->held, text, n);
    if (c->held.failed) return;
    while (end++ < c->held.n) {
        const size_t begin = find_complete_stop(c, end);
        if (begin == end) continue;
        emit_held(c, begin);
        c->held.n = 0;
        c->state.finish = ASSAY_FINISH_STOP;
        c->state.by_text = true;
        c->state.stop_id = -1; /* the same push may have had text before the stop text */
        return;
    }
    emit_held(c, c->held.n - measure_begun_stop(c));
}

static bool is_stop(const assay_completion *c, int32_t id)
{
    for (size_t i = 0; i < c->options.n_stop_ids; i++)
        if (c->options.stop_ids[i] == id) return true;
    return false;
}

/* Ends the text: what was held is text, unless it ends in a stop text. */
static assay_status end_text(assay_completion *c, const assay_sink *inner, assay_error *err)
{
    assay_status rc = serve_detokenizer_end(c->detokenizer, inner, err);
    if (rc == ASSAY_OK) emit_held(c, c->held.n);
    return rc;
}

assay_status serve_completion_push(assay_completion *c, int32_t id, const assay_sink *sink,
                                   assay_completion_state *state, assay_error *err)
{
    const assay_sink inner = {.take = receive_text, .context = c};
    if (c->state.finish != ASSAY_FINISH_NONE)
        return assay_fail(err, ASSAY_EINVAL, "the completion has ended");
    c->sink = sink;
    c->state.completion_tokens++;
    assay_status rc = ASSAY_OK;
    if (is_stop(c, id)) {
        c->state.finish = ASSAY_FINISH_STOP;
        c->state.stop_id = id;
        rc = end_text(c, &inner, err);
    } else {
        rc = serve_detokenizer_push(c->detokenizer, id, &inner, err);
        if (rc == ASSAY_OK && c->state.finish == ASSAY_FINISH_NONE &&
            c->state.completion_tokens == c->options.max_tokens) {
            c->state.finish = ASSAY_FINISH_LENGTH;
            rc = end_text(c, &inner, err);
        }
    }
    if (rc == ASSAY_OK && c->held.failed) rc = assay_fail(err, ASSAY_ENOMEM, "a completion: out of memory");
    if (rc == ASSAY_OK) *state = c->state;
    return rc;
}

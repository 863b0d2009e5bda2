/* The seams between the tokens of a model and the client of a server; see seams.c. Functions that open
 * something fail for an unknown fault.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/faults/fault.h"
#include "dialogue/completion.h"
#include "dialogue/reasoning/reasoning.h"
#include "dialogue/reply.h"
#include "dialogue/response/form.h"
#include "dialogue/response/response.h"
#include "dialogue/tokenizing.h"
#include "model/checkpoint/stop.h"

__typeof__(stop_set_ids) __real_stop_set_ids, __wrap_stop_set_ids;
__typeof__(stop_set_origin) __real_stop_set_origin, __wrap_stop_set_origin;
__typeof__(serve_detokenizer_open) __real_serve_detokenizer_open, __wrap_serve_detokenizer_open;
__typeof__(serve_completion_open) __real_serve_completion_open, __wrap_serve_completion_open;
__typeof__(serve_completion_push) __real_serve_completion_push, __wrap_serve_completion_push;
__typeof__(serve_reasoning_start) __real_serve_reasoning_start, __wrap_serve_reasoning_start;
__typeof__(serve_reasoning_feed) __real_serve_reasoning_feed, __wrap_serve_reasoning_feed;
__typeof__(serve_reply_open) __real_serve_reply_open, __wrap_serve_reply_open;
__typeof__(serve_reply_end) __real_serve_reply_end, __wrap_serve_reply_end;
__typeof__(serve_response_open) __real_serve_response_open, __wrap_serve_response_open;
__typeof__(serve_response_chunk) __real_serve_response_chunk, __wrap_serve_response_chunk;
extern const serve_form __real_serve_form_chat, __real_serve_form_messages;
extern serve_form __wrap_serve_form_chat, __wrap_serve_form_messages;

/* The latest stop set, filtered by the documents in stops_of. */
enum { IDS_MAX = 1024 };
static _Thread_local struct {
    int32_t id[IDS_MAX];
    unsigned origin[IDS_MAX];
} filtered;

const int32_t *__wrap_stop_set_ids(const stop_set *s, size_t *n)
{
    const int32_t *ids = __real_stop_set_ids(s, n);
    const size_t n_all = *n;
    if (!fault_planted()->stops_of) return ids;
    *n = 0;
    for (size_t i = 0; i < n_all && *n < IDS_MAX; i++) {
        const unsigned origin = __real_stop_set_origin(s, i) & fault_planted()->stops_of;
        if (!origin) continue;
        filtered.id[*n] = ids[i];
        filtered.origin[(*n)++] = origin;
    }
    return filtered.id;
}

unsigned __wrap_stop_set_origin(const stop_set *s, size_t index)
{
    return fault_planted()->stops_of ? filtered.origin[index] : __real_stop_set_origin(s, index);
}

assay_status __wrap_serve_detokenizer_open(const assay_tokenizer *t, bool skip_special,
                                           assay_detokenizer **out, assay_error *err)
{
    assay_status rc = fault_plant(err);
    if (rc != ASSAY_OK) return rc;
    return __real_serve_detokenizer_open(t, skip_special || fault_planted()->strips_special, out, err);
}

/* Options of the latest opened completion, which is the one that a replay drives. */
static _Thread_local assay_completion_options completing;

assay_status __wrap_serve_completion_open(const assay_completion_options *options, assay_completion **out,
                                          assay_error *err)
{
    assay_status rc = fault_plant(err);
    if (rc == ASSAY_OK) rc = assay_options_read(&completing, sizeof completing, options, "options", err);
    return rc == ASSAY_OK ? __real_serve_completion_open(options, out, err) : rc;
}

static bool is_stop_id(int32_t id)
{
    for (size_t i = 0; i < completing.n_stop_ids; i++)
        if (completing.stop_ids[i] == id) return true;
    return false;
}

/* Sends the text of a stop id, after the text that was held back before it. */
static assay_status send_stop_text(int32_t id, const assay_sink *sink, assay_error *err)
{
    char text[256];
    size_t n;
    assay_status rc = serve_decode(completing.tokenizer, &id, 1, false, text, sizeof text, &n, err);
    if (rc == ASSAY_OK && n > 0 && n <= sizeof text) sink->take(sink->context, ASSAY_PART_CONTENT, text, n);
    return rc;
}

assay_status __wrap_serve_completion_push(assay_completion *c, int32_t id, const assay_sink *sink,
                                          assay_completion_state *state, assay_error *err)
{
    assay_status rc = __real_serve_completion_push(c, id, sink, state, err);
    if (rc == ASSAY_OK && fault_planted()->tells_stop && is_stop_id(id)) rc = send_stop_text(id, sink, err);
    if (rc == ASSAY_OK && fault_planted()->counts_no_prompt) state->prompt_tokens = 0;
    return rc;
}

/* latches: the reply is parsed as if thinking were on, and the reasoning found is dropped. */
void __wrap_serve_reasoning_start(serve_reasoning *s, const serve_reasoning_rules *rules,
                                  const serve_reasoning_options *options)
{
    serve_reasoning_options latched = *options;
    if (fault_planted()->latches) latched.thinking_off = false;
    __real_serve_reasoning_start(s, rules, &latched);
    s->options = *options;
}

void __wrap_serve_reasoning_feed(serve_reasoning *s, const char *delta, size_t n, const assay_sink *sink)
{
    __real_serve_reasoning_feed(s, delta, n, sink);
    if (fault_planted()->holds_nothing) serve_reasoning_end(s, sink);
}

assay_status __wrap_serve_reply_open(const assay_reply_options *options, assay_reply **out, assay_error *err)
{
    assay_reply_options taken;
    assay_status rc = fault_plant(err);
    if (rc == ASSAY_OK) rc = assay_options_read(&taken, sizeof taken, options, "options", err);
    if (rc == ASSAY_OK && fault_planted()->skips_parser && taken.thinking_off) taken.reasoning = NULL;
    return rc == ASSAY_OK ? __real_serve_reply_open(&taken, out, err) : rc;
}

static void ignore_part(void *context, assay_part part, const char *text, size_t n)
{
    (void)context, (void)part, (void)text, (void)n;
}

assay_status __wrap_serve_reply_end(assay_reply *reply, const assay_sink *sink, assay_error *err)
{
    const assay_sink nowhere = {.take = ignore_part};
    return __real_serve_reply_end(reply, fault_planted()->drops_tail ? &nowhere : sink, err);
}

assay_status __wrap_serve_response_open(const assay_serving *serving, const assay_response_options *options,
                                        assay_response **out, assay_error *err)
{
    assay_status rc = fault_plant(err);
    return rc == ASSAY_OK ? __real_serve_response_open(serving, options, out, err) : rc;
}

assay_status __wrap_serve_response_chunk(assay_response *response, const assay_response_chunk *chunk,
                                         const assay_byte_sink *sink, assay_error *err)
{
    assay_response_chunk taken;
    const assay_status rc = assay_options_read(&taken, sizeof taken, chunk, "chunk", err);
    if (rc != ASSAY_OK) return rc;
    if (fault_planted()->counts_no_prompt) taken.prompt_tokens = 0;
    return __real_serve_response_chunk(response, &taken, sink, err);
}

static void open_block(assay_response *r, const serve_run *run)
{
    __real_serve_form_messages.open(r, run);
    if (fault_planted()->opens_twice && run->part == ASSAY_PART_CONTENT)
        __real_serve_form_messages.open(r, run);
}

/* The first of the final events has the finish reason: sends it twice. */
static void finish_response(assay_response *r)
{
    const size_t from = r->out.n;
    buffer end = {0};
    __real_serve_form_chat.finish(r);
    if (!fault_planted()->finishes_twice || r->out.failed) return;
    buffer_append(&end, r->out.data + from, r->out.n - from);
    const char *blank = memmem(r->out.data + from, end.n, "\n\n", 2);
    r->out.n = (size_t)(blank - r->out.data) + 2;
    buffer_append(&r->out, end.data, end.n);
    buffer_free(&end);
}

/* The forms of streams, with one function of each replaced. */
serve_form __wrap_serve_form_chat, __wrap_serve_form_messages;

__attribute__((constructor)) static void make_forms(void)
{
    __wrap_serve_form_chat = __real_serve_form_chat;
    __wrap_serve_form_chat.finish = finish_response;
    __wrap_serve_form_messages = __real_serve_form_messages;
    __wrap_serve_form_messages.open = open_block;
}

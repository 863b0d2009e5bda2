/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/events_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/abi/serving.h"
#include "conformance/support/fields.h"
#include "conformance/textual/answer.h"
#include "conformance/textual/events_read.h"
#include "conformance/textual/message.h"

#define SHOWN "%.150s" /* format of a member's value in messages */

typedef enum way { AS_RECORDED, BY_CHARACTERS, AT_ONCE, NOT_STREAMED, N_WAYS } way;

static const char *const way_names[N_WAYS] = {
    "", "one character at a time: ", "the text in one piece: ", "without a stream: "};

/* One of the four responses to a vector, while it is made. */
typedef struct answer {
    const assay_serving *serving;
    const conf_events_case *e;
    way way;
    assay_response *response;
    buffer body;
    bool no_memory, is_empty; /* is_empty: the module emitted an empty piece */
    assay_status status;
    assay_error err;
} answer;

const void *conf_events_open(const char *module, conf_verdict *v)
{
    return conf_serving_offered(module, CONF_SERVING_RESPONSE, v);
}

static void take_bytes(void *context, const char *bytes, size_t n)
{
    answer *a = context;
    a->is_empty = a->is_empty || n == 0;
    a->no_memory = a->no_memory || !buffer_append_text(&a->body, (assay_text){bytes, n});
}

/* The vector's request as JSON with "stream" set to `streams`. The caller frees it. NULL if out of
 * memory. */
static char *write_request(const conf_events_case *e, bool streams)
{
    json_object *request = NULL;
    char *text = NULL;
    if (json_object_deep_copy(e->request.value, &request, NULL) == 0 &&
        json_object_object_add(request, "stream", json_object_new_boolean(streams)) == 0)
        text = strdup(json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN));
    json_object_put(request);
    return text;
}

static void open_response(answer *a)
{
    char *request = write_request(a->e, a->way != NOT_STREAMED);
    const char *server = json_object_to_json_string_ext(a->e->server.value, JSON_C_TO_STRING_PLAIN);
    a->no_memory = !request || !server;
    if (a->no_memory) return;
    const assay_response_options options = {.size = sizeof options,
                                            .endpoint = a->e->path,
                                            .request = {request, strlen(request)},
                                            .server = {server, strlen(server)},
                                            .id = "assay",
                                            .created = 1};
    a->status = a->serving->response_open(&options, &a->response, &a->err);
    free(request);
}

static void feed_chunk(answer *a, const conf_events_chunk *chunk, assay_text text, bool finished)
{
    const assay_byte_sink sink = {.take = take_bytes, .context = a};
    const assay_response_chunk said = {.size = sizeof said,
                                       .finished = finished,
                                       .new_text = text,
                                       .prompt_tokens = chunk->prompt_tokens,
                                       .completion_tokens = chunk->completion_tokens,
                                       .finish_reason = finished ? chunk->finish_reason : NULL};
    if (a->status == ASSAY_OK) a->status = a->serving->response_chunk(a->response, &said, &sink, &a->err);
}

static void feed_characters(answer *a, const conf_events_chunk *chunk)
{
    assay_text left = chunk->text;
    while (left.n > 0) {
        size_t k = 1;
        while (k < left.n && ((unsigned char)left.at[k] & 0xc0U) == 0x80U) k++;
        feed_chunk(a, chunk, (assay_text){left.at, k}, chunk->finished && k == left.n);
        left = (assay_text){left.at + k, left.n - k};
    }
    if (chunk->finished && chunk->text.n == 0) feed_chunk(a, chunk, left, true);
}

/* Feeds all chunks in a->way; AT_ONCE joins their texts and sends them in the last chunk. */
static void feed_all(answer *a)
{
    const assay_byte_sink sink = {.take = take_bytes, .context = a};
    const conf_events_case *e = a->e;
    buffer joined = {0};
    const bool fails = e->raise_at != SIZE_MAX;
    for (size_t i = 0; i < e->n_chunks && i < e->raise_at && a->status == ASSAY_OK; i++) {
        conf_events_chunk chunk;
        if (conf_events_chunk_at(e, i, &chunk, &a->err) != ASSAY_OK)
            continue; /* cannot fail: conf_events_read has read it */
        const bool last = i + 1 == e->n_chunks || i + 1 == e->raise_at;
        if (a->way == BY_CHARACTERS) feed_characters(a, &chunk);
        else if (a->way != AT_ONCE) feed_chunk(a, &chunk, chunk.text, chunk.finished);
        else {
            a->no_memory = a->no_memory || !buffer_append_text(&joined, chunk.text);
            if (last)
                feed_chunk(a, &chunk, (assay_text){joined.n ? joined.data : "", joined.n}, chunk.finished);
        }
    }
    /* raise_at == n_chunks: the engine fails after its last chunk, so the response is complete. */
    if (a->status == ASSAY_OK && fails && e->raise_at < e->n_chunks)
        a->status = a->serving->response_fail(a->response, "the engine failed", &sink, &a->err);
    if (a->status == ASSAY_OK) a->status = a->serving->response_end(a->response, &sink, &a->err);
    free(joined.data);
}

/* Checks an event stream against the grammar of its endpoint, and that it reports a failure if and only
 * if the engine fails. False if *v was set. */
static bool check_stream(const answer *a, conf_verdict *v)
{
    const conf_events_case *e = a->e;
    const serve_grammar_options options = {.endpoint = e->endpoint,
                                           .usage = e->usage ? SERVE_ASKED_FOR : SERVE_NOT_ASKED_FOR};
    const bool fails = e->raise_at < e->n_chunks;
    serve_grammar_summary summary;
    serve_grammar *g = NULL;
    assay_status rc = serve_grammar_open(&options, &g);
    if (rc == ASSAY_OK) rc = serve_grammar_feed(g, a->body.data, a->body.n);
    if (rc == ASSAY_OK) rc = serve_grammar_end(g);
    const serve_breach *breach = rc == ASSAY_OK ? serve_grammar_breaches(g)->at : NULL; /* the first */
    if (rc != ASSAY_OK) conf_verdict_set(v, CONF_BROKEN, "out of memory");
    else if (breach)
        conf_verdict_fail(v, CONF_CLASS_EVENTS, "%sevent %zu, byte %zu: %s: %s", way_names[a->way],
                          breach->event, breach->offset, breach->rule, breach->text);
    else {
        serve_grammar_summarise(g, &summary);
        if (summary.failed == fails) {
            serve_grammar_free(g);
            return true;
        }
        conf_verdict_fail(v, CONF_CLASS_EVENTS, "%sthe stream says that the engine %s, expected the contrary",
                          way_names[a->way], summary.failed ? "failed" : "did not fail");
    }
    serve_grammar_free(g);
    return false;
}

static const char *format_value(json_object *value)
{
    return value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN) : "null";
}

/* Compares the members of `expected` with those of `found`. False if one differs: *v is then a failure
 * of class `class`. */
static bool compare_values(const answer *a, json_object *expected, json_object *found, conf_class class,
                           conf_verdict *v)
{
    json_object_object_foreach(expected, name, value)
    {
        json_object *other = json_object_object_get(found, name);
        if (json_equals(value, other, JSON_BY_VALUE)) continue;
        conf_verdict_fail(v, class, "%s%s: expected " SHOWN ", found " SHOWN, way_names[a->way], name,
                          format_value(value), format_value(other));
        return false;
    }
    return true;
}

/* Judges one response. *first: the message of the stream as recorded, which the later messages must
 * equal; set here if NULL, owned by the caller. False if no further response need be tried. */
static bool judge_response(answer *a, json_object **first, conf_verdict *v)
{
    json_object *found = NULL;
    assay_error err;
    const bool streams = a->way != NOT_STREAMED, fails = a->e->raise_at < a->e->n_chunks;
    if (a->status == ASSAY_EUNSUPPORTED) conf_verdict_set(v, CONF_SKIPPED, "%s", a->err.text);
    else if (a->status == ASSAY_ENOMEM) conf_verdict_fail(v, CONF_CLASS_MEMORY, "%s", a->err.text);
    else if (a->status != ASSAY_OK) conf_verdict_fail(v, CONF_CLASS_REFUSED, "%s", a->err.text);
    else if (a->no_memory) conf_verdict_set(v, CONF_BROKEN, "out of memory");
    else if (a->is_empty) conf_verdict_fail(v, CONF_CLASS_SHAPE, "a piece of a body without bytes");
    if (v->outcome != CONF_PASSED || a->status != ASSAY_OK) return false;
    if (streams && !check_stream(a, v)) return false;
    if (conf_message_fold(a->e->endpoint, streams, a->body.n ? a->body.data : "", a->body.n, &found, &err) !=
        ASSAY_OK) {
        conf_verdict_fail(v, CONF_CLASS_SHAPE, "%s%s", way_names[a->way], err.text);
        return false;
    }
    if (fails) {
        json_object_put(found);
        return true;
    }
    bool same = compare_values(a, a->e->folded.value, found, CONF_CLASS_TEXT, v);
    if (same && *first) same = compare_values(a, *first, found, CONF_CLASS_INCONSISTENT, v);
    if (!*first) *first = found;
    else json_object_put(found);
    return same;
}

void conf_events_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                        const conf_json_at *at, conf_verdict *v)
{
    conf_events_case e;
    json_object *first = NULL;
    assay_error err;
    (void)c, (void)vector;
    if (conf_events_read(at, &e, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    bool goes_on = true;
    for (way w = AS_RECORDED; w < N_WAYS && goes_on; w++) {
        answer a = {.serving = offered, .e = &e, .way = w};
        open_response(&a);
        if (a.status == ASSAY_OK && !a.no_memory) {
            feed_all(&a);
            a.serving->response_free(a.response);
        }
        goes_on = judge_response(&a, &first, v);
        free(a.body.data);
    }
    json_object_put(first);
}

/* The message of the stream as recorded, without the members that are not expected. */
static assay_status set_answer(const answer *a, assay_error *err)
{
    json_object *found = NULL;
    if (a->status != ASSAY_OK) return assay_fail(err, a->status, "%s", a->err.text);
    if (a->no_memory) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    assay_status rc =
        conf_message_fold(a->e->endpoint, true, a->body.n ? a->body.data : "", a->body.n, &found, err);
    if (rc != ASSAY_OK) return rc;
    json_object_object_foreach(found, name, value)
    {
        if (rc == ASSAY_OK) rc = conf_answer_set(&a->e->folded, name, json_object_get(value), err);
    }
    json_object_put(found);
    return rc;
}

assay_status conf_events_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                assay_error *err)
{
    conf_events_case e;
    conf_verdict v = {0};
    (void)c;
    assay_status rc = conf_events_read(at, &e, err);
    if (rc != ASSAY_OK) return rc;
    answer a = {.serving = offered, .e = &e, .way = AS_RECORDED};
    open_response(&a);
    if (a.status == ASSAY_OK && !a.no_memory) {
        feed_all(&a);
        a.serving->response_free(a.response);
        if (a.status == ASSAY_OK && !check_stream(&a, &v)) rc = conf_answer_refused(&e.folded, v.reason, err);
    }
    if (rc == ASSAY_OK) rc = set_answer(&a, err);
    free(a.body.data);
    return rc;
}

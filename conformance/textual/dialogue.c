/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/dialogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/serving.h"
#include "conformance/generate/generate.h"
#include "conformance/support/fields.h"
#include "conformance/textual/answer.h"

#define TOKENS_MAX 4096 /* limit of a vector's max_tokens */

/* A parsed vector; borrows the document. */
typedef struct dialogue {
    conf_json_at input, expect, ids;
    conf_generation request;
    const char *text;
    size_t n_text;
    int64_t prompt_tokens, completion_tokens, stop_id; /* stop_id -1: not ended by a stop id */
    assay_finish finish;
} dialogue;

/* The tables of a module. */
typedef struct offer {
    const assay_engine *engine;
    const assay_serving *serving;
} offer;

static assay_status read_input(dialogue *d, assay_error *err)
{
    conf_json_at prompt, thinking;
    int64_t most = 0;
    assay_status rc = conf_json_member(&d->input, "prompt", json_type_string, &prompt, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(&d->input, "max_tokens", 1, TOKENS_MAX, &most, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&d->input, "thinking", json_type_boolean, &thinking, err);
    d->request = (conf_generation){.sampling = serve_sampling_greedy, .reply.size = sizeof d->request.reply};
    if (rc == ASSAY_OK)
        rc = conf_json_optional_text(&d->input, "reasoning_parser", &d->request.reply.reasoning, err);
    if (rc == ASSAY_OK) rc = conf_json_optional_text(&d->input, "tool_parser", &d->request.reply.tools, err);
    if (rc != ASSAY_OK) return rc;
    d->request.prompt =
        (assay_text){json_object_get_string(prompt.value), (size_t)json_object_get_string_len(prompt.value)};
    d->request.max_tokens = (size_t)most;
    d->request.reply.thinking_off = !json_object_get_boolean(thinking.value);
    return ASSAY_OK;
}

static assay_status read_ids(dialogue *d, assay_error *err)
{
    int64_t id;
    assay_status rc = conf_json_member(&d->expect, "ids", json_type_array, &d->ids, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(d->ids.value); i++) {
        const conf_json_at at = conf_json_element(&d->ids, i);
        rc = conf_json_whole(&at, 0, INT32_MAX, &id, err);
    }
    return rc;
}

static assay_status read_expect(dialogue *d, assay_error *err)
{
    static const char *const reasons[] = {"stop", "length"};
    conf_json_at text, reason, stop;
    size_t which = 0;
    assay_status rc = read_ids(d, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&d->expect, "text", json_type_string, &text, err);
    if (rc == ASSAY_OK)
        rc = conf_json_member_whole(&d->expect, "prompt_tokens", 1, INT32_MAX, &d->prompt_tokens, err);
    if (rc == ASSAY_OK)
        rc = conf_json_member_whole(&d->expect, "completion_tokens", 1, TOKENS_MAX, &d->completion_tokens,
                                    err);
    if (rc == ASSAY_OK) rc = conf_json_member(&d->expect, "finish_reason", json_type_string, &reason, err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&reason, reasons, 2, &which, err);
    d->stop_id = -1;
    if (rc == ASSAY_OK && conf_json_find(&d->expect, "stop_id", &stop))
        rc = conf_json_whole(&stop, 0, INT32_MAX, &d->stop_id, err);
    if (rc != ASSAY_OK) return rc;
    d->text = json_object_get_string(text.value);
    d->n_text = (size_t)json_object_get_string_len(text.value);
    d->finish = which == 0 ? ASSAY_FINISH_STOP : ASSAY_FINISH_LENGTH;
    return ASSAY_OK;
}

static assay_status read_vector(const conf_json_at *at, dialogue *d, assay_error *err)
{
    assay_status rc = conf_json_member(at, "input", json_type_object, &d->input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, &d->expect, err);
    if (rc == ASSAY_OK) rc = read_input(d, err);
    return rc == ASSAY_OK ? read_expect(d, err) : rc;
}

/* Checks reasoning, content and calls. Each is optional: vectors omit the fields of replies that the
 * published server does not always parse alike. */
static assay_status check_fields(const conf_json_at *expect, assay_error *err)
{
    static const char *const fields[] = {"reasoning", "content"};
    conf_json_at at;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < 2; i++)
        if (conf_json_find(expect, fields[i], &at)) rc = conf_field_check(expect, fields[i], err);
    return rc == ASSAY_OK && conf_json_find(expect, "calls", &at) ? conf_calls_check(expect, err) : rc;
}

assay_status conf_dialogue_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                 assay_error *err)
{
    /* request, prompt_ids, case and sample are for assay probe (fixtures/bundle/README.md). */
    static const char *const inputs[] = {"prompt",      "max_tokens", "thinking",   "reasoning_parser",
                                         "tool_parser", "request",    "prompt_ids", "case",
                                         "sample",      NULL};
    static const char *const expects[] = {"ids",           "text",    "prompt_tokens", "completion_tokens",
                                          "finish_reason", "stop_id", "reasoning",     "content",
                                          "calls",         NULL};
    dialogue d = {0};
    assay_status rc = read_vector(at, &d, err);
    if (rc == ASSAY_OK && vector->rule == CONF_VECTOR_REJECT)
        rc = conf_json_fail(at, err, "its verdict is reject, which dialogues cannot have");
    if (rc == ASSAY_OK) rc = check_fields(&d.expect, err);
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&d.input, inputs, unknown, err);
    return rc == ASSAY_OK ? conf_json_note_unknown(&d.expect, expects, unknown, err) : rc;
}

const void *conf_dialogue_open(const char *module, conf_verdict *v)
{
    static const conf_serving_part parts[] = {CONF_SERVING_TOKENIZER, CONF_SERVING_COMPLETION,
                                              CONF_SERVING_REPLY};
    static offer found;
    assay_error err = {0};
    if (conf_serving_is_standalone(module)) {
        conf_verdict_set(v, CONF_SKIPPED, "it has no engine: it does not export %s", ASSAY_ENGINE_SYMBOL);
        return NULL;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        found.serving = conf_serving_offered(module, parts[i], v);
        if (!found.serving) return NULL;
    }
    if (conf_engine_open(module, &found.engine, &err) == ASSAY_OK) return &found;
    conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
    return NULL;
}

/* The engine's answer to a vector. */
typedef struct answer {
    conf_generated generated;
    conf_fields text, reply;
} answer;

static bool ids_differ(const dialogue *d, const conf_generated *g, conf_verdict *v)
{
    const size_t n = json_object_array_length(d->ids.value);
    for (size_t i = 0; i < n && i < g->n_ids; i++) {
        const int64_t expected = json_object_get_int64(json_object_array_get_idx(d->ids.value, i));
        if (expected == g->ids[i]) continue;
        conf_verdict_fail(v, CONF_CLASS_TOKENS, "step %zu: expected token %" PRId64 ", found %" PRId32, i,
                          expected, g->ids[i]);
        return true;
    }
    if (n == g->n_ids) return false;
    conf_verdict_fail(v, CONF_CLASS_TOKENS, "expected %zu tokens, found %zu", n, g->n_ids);
    return true;
}

static bool end_differs(const dialogue *d, const assay_completion_state *s, conf_verdict *v)
{
    static const char *const names[] = {"none", "stop", "length"};
    if (s->finish != d->finish)
        conf_verdict_fail(v, CONF_CLASS_STOPS, "finish_reason: expected %s, found %s", names[d->finish],
                          (unsigned)s->finish < 3 ? names[s->finish] : "an unknown one");
    else if (s->stop_id != d->stop_id)
        conf_verdict_fail(v, CONF_CLASS_STOPS, "stop id: expected %" PRId64 ", found %" PRId32, d->stop_id,
                          s->stop_id);
    else if ((int64_t)s->prompt_tokens != d->prompt_tokens)
        conf_verdict_fail(v, CONF_CLASS_TEXT, "prompt_tokens: expected %" PRId64 ", found %zu",
                          d->prompt_tokens, s->prompt_tokens);
    else if ((int64_t)s->completion_tokens != d->completion_tokens)
        conf_verdict_fail(v, CONF_CLASS_TEXT, "completion_tokens: expected %" PRId64 ", found %zu",
                          d->completion_tokens, s->completion_tokens);
    return v->outcome == CONF_FAILED;
}

/* Compares only the fields that the vector has. */
static bool reply_differs(const dialogue *d, const conf_fields *reply, conf_verdict *v)
{
    char text[CONF_TEXT_MAX - 64];
    conf_json_at at;
    if ((conf_json_find(&d->expect, "reasoning", &at) &&
         !conf_field_equals("reasoning", at.value, &reply->reasoning, text, sizeof text)) ||
        (conf_json_find(&d->expect, "content", &at) &&
         !conf_field_equals("content", at.value, &reply->content, text, sizeof text)) ||
        (conf_json_find(&d->expect, "calls", &at) && !conf_calls_equal(at.value, reply, text, sizeof text)))
        conf_verdict_fail(v, CONF_CLASS_TEXT, "%s", text);
    return v->outcome == CONF_FAILED;
}

static void judge_answer(const dialogue *d, const answer *a, conf_verdict *v)
{
    char text[CONF_TEXT_MAX - 64];
    if (a->text.no_memory || a->reply.no_memory) conf_verdict_set(v, CONF_BROKEN, "out of memory");
    else if (a->text.broken || a->reply.broken)
        conf_verdict_fail(v, CONF_CLASS_SHAPE, "%s", a->text.broken ? a->text.broken : a->reply.broken);
    else if (ids_differ(d, &a->generated, v) || end_differs(d, &a->generated.state, v)) return;
    else if (!conf_field_same("text", (assay_text){d->text, d->n_text}, buffer_text(&a->text.content), text,
                              sizeof text))
        conf_verdict_fail(v, CONF_CLASS_TEXT, "%s", text);
    else (void)reply_differs(d, &a->reply, v);
}

/* Frees nothing: the process ends after this vector. */
static assay_status generate_answer(const offer *o, const conf_case *c, const dialogue *d, answer *a,
                                    assay_error *err)
{
    conf_generator *g;
    const assay_sink text = conf_fields_sink(&a->text), reply = conf_fields_sink(&a->reply);
    const conf_listeners listeners = {.text = &text, .reply = &reply};
    const assay_status rc = conf_generator_open(o->engine, o->serving, c->model, c->allow_unknown, &g, err);
    return rc == ASSAY_OK ? conf_generate(g, &d->request, &listeners, &a->generated, err) : rc;
}

void conf_dialogue_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                          const conf_json_at *at, conf_verdict *v)
{
    const offer *o = offered;
    dialogue d = {0};
    answer a = {0};
    assay_error err = {0};
    (void)vector;
    if (read_vector(at, &d, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    const assay_status rc = generate_answer(o, c, &d, &a, &err);
    if (rc == ASSAY_OK) judge_answer(&d, &a, v);
    else if (rc == ASSAY_EUNSUPPORTED) conf_verdict_set(v, CONF_SKIPPED, "%s", err.text);
    else conf_verdict_fail(v, rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED, "%s", err.text);
}

/* Sets what `expect` has: ids, the end, the text, and the fields of the reply. */
static assay_status set_answer(const dialogue *d, const answer *a, assay_error *err)
{
    const assay_completion_state *s = &a->generated.state;
    const conf_json_at *e = &d->expect;
    conf_json_at stop;
    if (a->text.no_memory || a->reply.no_memory) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (a->text.broken || a->reply.broken) return conf_answer_refused(e, "pieces of no reply", err);
    if (conf_json_find(e, "stop_id", &stop) != (s->stop_id >= 0))
        return conf_answer_refused(e, "it ends otherwise", err);
    assay_status rc = conf_answer_ids(e, "ids", a->generated.ids, a->generated.n_ids, err);
    if (rc == ASSAY_OK) rc = conf_answer_text(e, "text", buffer_text(&a->text.content), err);
    if (rc == ASSAY_OK) rc = conf_answer_whole(e, "prompt_tokens", (int64_t)s->prompt_tokens, err);
    if (rc == ASSAY_OK) rc = conf_answer_whole(e, "completion_tokens", (int64_t)s->completion_tokens, err);
    const assay_text reason =
        s->finish == ASSAY_FINISH_STOP ? (assay_text){"stop", 4} : (assay_text){"length", 6};
    if (rc == ASSAY_OK) rc = conf_answer_text(e, "finish_reason", reason, err);
    if (rc == ASSAY_OK) rc = conf_answer_whole(e, "stop_id", s->stop_id, err);
    if (rc == ASSAY_OK) rc = conf_answer_field(e, "reasoning", &a->reply.reasoning, err);
    if (rc == ASSAY_OK) rc = conf_answer_field(e, "content", &a->reply.content, err);
    return rc == ASSAY_OK ? conf_answer_calls(e, &a->reply, err) : rc;
}

/* Frees nothing: the process ends after this vector. Logits of the reference are its own: a step at which two
 * tokens are almost equal is not looked for, since the bundled engines must agree with the answer. */
assay_status conf_dialogue_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                  assay_error *err)
{
    const offer *o = offered;
    dialogue d = {0};
    answer a = {0};
    assay_status rc = read_vector(at, &d, err);
    if (rc == ASSAY_OK) rc = generate_answer(o, c, &d, &a, err);
    return rc == ASSAY_OK ? set_answer(&d, &a, err) : rc;
}

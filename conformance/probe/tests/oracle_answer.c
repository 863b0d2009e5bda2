/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/tests/oracle_answer.h"

#include <check.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "conformance/judge/distance.h"
#include "conformance/probe/run/convert.h"
#include "conformance/probe/tests/oracle_rows.h"
#include "dialogue/table.h"

static json_object *member(const asked *a, const char *name)
{
    json_object *value = NULL;
    (void)json_object_object_get_ex(a->request, name, &value);
    return value;
}

static int64_t number(const asked *a, const char *name, int64_t otherwise)
{
    json_object *value = member(a, name);
    return json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : otherwise;
}

/* Whether the ids or the text of a completion are the beginning of a prompt's ids. */
static bool is_prompt(const asked *a, const probe_prompt *p, size_t *n)
{
    json_object *value = member(a, "prompt");
    if (json_object_is_type(value, json_type_string)) {
        const assay_text text = buffer_text(&p->text);
        *n = p->n_prompt;
        return (size_t)json_object_get_string_len(value) == text.n &&
               memcmp(json_object_get_string(value), text.at, text.n) == 0;
    }
    if (!json_object_is_type(value, json_type_array)) return false;
    *n = json_object_array_length(value);
    if (*n == 0 || *n > p->n_ids) return false;
    for (size_t i = 0; i < *n; i++)
        if (json_object_get_int64(json_object_array_get_idx(value, i)) != p->ids[i]) return false;
    return true;
}

/* Whether the request has the messages of a prompt, and the same enable_thinking. */
static bool is_chat(const asked *a, const probe_prompt *p)
{
    const char *name = a->endpoint == PROBE_RESPONSES ? "input" : "messages";
    json_object *expected = json_object_new_object(), *kwargs = member(a, "chat_template_kwargs"),
                *value = NULL;
    bool same = p->chat && probe_convert(p->chat, a->endpoint, expected) &&
                json_equals(json_object_object_get(expected, name), member(a, name), JSON_BY_VALUE);
    if (kwargs) (void)json_object_object_get_ex(kwargs, "enable_thinking", &value);
    const probe_thinking thinking = !value                           ? PROBE_THINKING_UNSET
                                    : json_object_get_boolean(value) ? PROBE_THINKING_ON
                                                                     : PROBE_THINKING_OFF;
    same = same && thinking == p->thinking;
    json_object_put(expected);
    return same;
}

static bool find_prompt(asked *a)
{
    for (size_t i = 0; i < a->o->truth->n_prompts && !a->prompt; i++) {
        const probe_prompt *p = &a->o->truth->prompts[i];
        a->n_before = p->n_prompt;
        const bool is = a->endpoint == PROBE_COMPLETIONS ? is_prompt(a, p, &a->n_before) : is_chat(a, p);
        if (is) a->prompt = p;
    }
    return a->prompt != NULL;
}

/* Whether the request takes the most likely token at any temperature. */
static bool is_greedy(const asked *a)
{
    json_object *temperature = member(a, "temperature"), *top_p = member(a, "top_p"),
                *min_p = member(a, "min_p");
    return !temperature || json_object_get_double(temperature) == 0 || number(a, "top_k", 0) == 1 ||
           (top_p && json_object_get_double(top_p) < 0.5) || (min_p && json_object_get_double(min_p) > 0.5);
}

/* Gives choice i of a sampled answer a first token of its own. */
static void sample_choice(asked *a, size_t i)
{
    if (!is_greedy(a)) a->tokens[0] = (int32_t)(3 + (a->tokens[0] - 3 + (int32_t)(i > 0)) % 7);
}

/* The greedy answer, changed by logit_bias and by sampling. */
static void take_tokens(asked *a)
{
    const probe_prompt *p = a->prompt;
    const double *row = probe_truth_row(p, a->n_before);
    json_object *bias = member(a, "logit_bias");
    if (a->n_before == p->n_prompt)
        while (a->n_tokens < p->n_greedy) a->tokens[a->n_tokens] = p->greedy[a->n_tokens], a->n_tokens++;
    else a->tokens[a->n_tokens++] = (int32_t)conf_argmax(row, a->o->truth->n_vocab);
    if (a->n_before == p->n_prompt && p->ends) {
        row = probe_truth_row(p, p->n_prompt + p->n_greedy);
        a->tokens[a->n_tokens++] = (int32_t)conf_argmax(row, a->o->truth->n_vocab);
    }
    if (a->limit > a->n_tokens && !p->ends) a->limit = a->n_tokens; /* what follows is not recorded */
    if (bias && a->o->bug != ORACLE_NO_BIAS) a->tokens[0] = 5;
    if (is_greedy(a)) return;
    int64_t seed = number(a, "seed", 0);
    if (a->o->bug == ORACLE_NO_SEED) seed = __atomic_add_fetch(&a->o->shared->n_answers, 1, __ATOMIC_SEQ_CST);
    a->tokens[0] = (int32_t)(3 + seed % 7);
}

static void put_bytes(void *context, const char *bytes, size_t n)
{
    asked *a = context;
    buffer replaced = {0};
    oracle_replace(a->o, a->streams, bytes, n, &replaced);
    if (!a->gone && replaced.n) a->gone = !a->out->put(a->out->context, replaced.data, replaced.n);
    buffer_free(&replaced);
}

/* The text that a token adds, collected. */
static void take_piece(void *context, assay_part part, const char *text, size_t n)
{
    (void)part;
    ck_assert(buffer_append(context, text, n));
}

typedef struct chunked {
    const assay_serving *s;
    assay_response *response;
    assay_byte_sink sink;
} chunked;

static void send_chunk(asked *a, const chunked *c, size_t choice, const buffer *text,
                       const assay_completion_state *state, size_t k, const assay_logprobs *prompt_rows,
                       buffer *prompt)
{
    assay_error err;
    assay_logprobs row = {0};
    assay_response_chunk chunk = {.size = sizeof chunk,
                                  .finished = state->finish != ASSAY_FINISH_NONE,
                                  .new_text = {text->n ? text->data : "", text->n},
                                  .prompt_tokens = (int64_t)state->prompt_tokens,
                                  .completion_tokens = (int64_t)state->completion_tokens,
                                  .finish_reason = state->finish == ASSAY_FINISH_LENGTH ? "length" : "stop",
                                  .choice = choice};
    if (a->o->bug == ORACLE_NO_USAGE) chunk.prompt_tokens = 0;
    if (a->o->bug == ORACLE_MORE_INPUT) chunk.prompt_tokens++;
    if (a->o->bug == ORACLE_MORE_OUTPUT) chunk.completion_tokens++;
    if (state->by_text && a->n_stops) chunk.stop_sequence = a->stops[0];
    if (a->logprobs) {
        row = oracle_row(a, a->n_before + k, a->tokens[k]);
        chunk.logprobs = &row;
        chunk.n_logprobs = 1;
    }
    if (k == 0) {
        if (prompt->n == 0)
            ck_assert_int_eq(
                probe_vocab_decode(a->o->truth->vocab, a->prompt->ids, a->n_before, false, prompt, NULL),
                ASSAY_OK);
        chunk.prompt_text = buffer_text(prompt);
        chunk.prompt_logprobs = prompt_rows;
        chunk.n_prompt_logprobs = prompt_rows ? a->n_before : 0;
    }
    ck_assert_msg(c->s->response_chunk(c->response, &chunk, &c->sink, &err) == ASSAY_OK, "%s", err.text);
    free((void *)row.top);
    if (a->streams) (void)usleep(1000);
}

/* One choice: tokens through a completion, chunk by chunk. */
static void send_choice(asked *a, const chunked *c, size_t choice, const assay_logprobs *prompt_rows)
{
    const probe_truth *t = a->o->truth;
    const assay_completion_options options = {.size = sizeof options,
                                              .tokenizer = probe_vocab_tokenizer(t->vocab),
                                              .stop_ids = t->stop_ids,
                                              .n_stop_ids = t->n_stop_ids,
                                              .stop_texts = a->stops,
                                              .n_stop_texts =
                                                  a->o->bug == ORACLE_NO_STOP_TEXT ? 0 : a->n_stops,
                                              .prompt_tokens = a->n_before,
                                              .max_tokens = a->limit};
    assay_completion *completion;
    assay_completion_state state = {0};
    buffer prompt = {0};
    ck_assert_int_eq(c->s->completion_open(&options, &completion, NULL), ASSAY_OK);
    for (size_t k = 0; k < a->n_tokens && state.finish == ASSAY_FINISH_NONE && !a->gone; k++) {
        buffer text = {0};
        const assay_sink sink = {take_piece, &text};
        if (k == 0 && a->o->bug == ORACLE_TAIL &&
            __atomic_add_fetch(&a->o->shared->n_answers, 1, __ATOMIC_SEQ_CST) % 4 == 0)
            ck_assert(buffer_append_string(&text, "7."));
        ck_assert_int_eq(c->s->completion_push(completion, a->tokens[k], &sink, &state, NULL), ASSAY_OK);
        send_chunk(a, c, choice, &text, &state, k, prompt_rows, &prompt);
        buffer_free(&text);
        const bool hangs = a->o->bug == ORACLE_HANGS && a->streams && a->endpoint == PROBE_CHAT;
        if (hangs && __atomic_add_fetch(&a->o->shared->n_answers, 1, __ATOMIC_SEQ_CST) == 1) (void)sleep(60);
    }
    c->s->completion_free(completion);
    buffer_free(&prompt);
}

static void send_response(asked *a)
{
    static const char server[] =
        "{\"model\":\"oracle\",\"reasoning_parser\":\"qwen3\",\"tool_parser\":\"hermes\","
        "\"auto_tool_choice\":true}";
    chunked c = {.s = assay_serving_v2(), .sink = {put_bytes, a}};
    char id[32];
    (void)snprintf(id, sizeof id, "oracle-%d", __atomic_add_fetch(&a->o->shared->n_ids, 1, __ATOMIC_SEQ_CST));
    const assay_response_options options = {.size = sizeof options,
                                            .endpoint = a->path,
                                            .request = a->body,
                                            .server = {server, sizeof server - 1},
                                            .id = id,
                                            .created = (int64_t)time(NULL)};
    assay_error err;
    const size_t n = (size_t)number(a, "n", 1);
    assay_logprobs *prompt_rows = a->prompt_logprobs ? oracle_prompt_rows(a) : NULL;
    ck_assert_msg(c.s->response_open(&options, &c.response, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < n; i++) {
        sample_choice(a, i);
        send_choice(a, &c, i, prompt_rows);
    }
    if (!a->gone) (void)c.s->response_end(c.response, &c.sink, NULL);
    c.s->response_free(c.response);
    for (size_t i = 1; prompt_rows && i < a->n_before; i++) free((void *)prompt_rows[i].top);
    free(prompt_rows);
}

/* Whether the request has a member that the oracle does not know. */
static bool has_unknown(const asked *a)
{
    static const char *const names[] = {"presence_penalty", "frequency_penalty",    "repetition_penalty",
                                        "min_tokens",       "stop_token_ids",       "ignore_eos",
                                        "return_token_ids", "response_format",      "text",
                                        "tool_choice",      "max_completion_tokens"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (member(a, names[i])) return true;
    return false;
}

/* What is wrong with a request; NULL: nothing. */
static const char *refusal_of(asked *a, int *status)
{
    static const char *const limits[] = {"max_tokens", "max_output_tokens"};
    const char *model = json_text(member(a, "model"));
    json_object *temperature = member(a, "temperature"), *top_p = member(a, "top_p");
    *status = 400;
    for (size_t i = 0; i < 2; i++) {
        json_object *value = member(a, limits[i]);
        if (value && (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 1))
            return "max_tokens: expected a positive integer";
    }
    if (temperature && json_object_is_type(temperature, json_type_string))
        return "temperature: expected a number";
    if (top_p && json_object_get_double(top_p) > 1) return "top_p: expected at most 1";
    if (!model || (strcmp(model, "oracle") != 0 && a->o->bug != ORACLE_ANY_MODEL)) {
        *status = 404;
        return "model: not found";
    }
    if (number(a, "top_logprobs", 0) > 20) return "top_logprobs: expected at most 20";
    if (has_unknown(a)) return "unknown member";
    if (a->o->bug == ORACLE_STRICT && (member(a, "cache_prompt") || member(a, "cache_salt")))
        return "unknown member";
    const bool more = number(a, "logprobs", 0) > a->o->most || number(a, "prompt_logprobs", 0) > a->o->most;
    if (a->o->most && more) return "logprobs: expected fewer";
    if (!find_prompt(a)) return "the prompt is not one that is recorded";
    const int64_t limit = number(a, a->endpoint == PROBE_RESPONSES ? limits[1] : limits[0], 1);
    return a->o->n_positions && (int64_t)a->n_before + limit > a->o->n_positions ? "too many tokens" : NULL;
}

/* Finds the prompt in the cache, and leaves it there: the usage in the answer reports its cached tokens.
 * usage [size]: the beginning of that member. */
static void use_cache(asked *a, oracle *changed, char *usage, size_t size)
{
    const oracle_bug bug = a->o->bug;
    bool *cached = &a->o->shared->cached[a->prompt - a->o->truth->prompts];
    const bool off = member(a, "cache_prompt") && bug != ORACLE_ALWAYS_CACHES;
    if (bug != ORACLE_CACHES && bug != ORACLE_ALWAYS_CACHES && bug != ORACLE_STALE && bug != ORACLE_UNCACHED)
        return;
    (void)snprintf(usage, size, "\"usage\":{\"prompt_tokens_details\":{\"cached_tokens\":%zu},",
                   *cached && !off ? a->n_before - 1 : 0);
    *changed = *a->o;
    changed->from = "\"usage\":{";
    changed->to = usage;
    a->o = changed;
    if (bug == ORACLE_UNCACHED ? off : bug == ORACLE_STALE && *cached && !off) a->tokens[2] = 5;
    *cached = true;
}

static void read_wishes(asked *a)
{
    json_object *stop = member(a, a->endpoint == PROBE_MESSAGES ? "stop_sequences" : "stop"), *include;
    a->limit = (size_t)number(a, a->endpoint == PROBE_RESPONSES ? "max_output_tokens" : "max_tokens",
                              ORACLE_TOKENS_MOST);
    if (a->o->bug == ORACLE_NO_LIMIT) a->limit = ORACLE_TOKENS_MOST;
    a->streams = json_object_get_boolean(member(a, "stream"));
    include = member(a, "include");
    a->logprobs = a->endpoint == PROBE_COMPLETIONS ? member(a, "logprobs") != NULL
                  : a->endpoint == PROBE_CHAT      ? json_object_get_boolean(member(a, "logprobs"))
                                                   : include != NULL;
    a->top = (size_t)number(a, a->endpoint == PROBE_COMPLETIONS ? "logprobs" : "top_logprobs", 0);
    a->prompt_logprobs = a->endpoint == PROBE_COMPLETIONS &&
                         (member(a, "prompt_logprobs") || json_object_get_boolean(member(a, "echo")));
    if (member(a, "prompt_logprobs")) a->top = (size_t)number(a, "prompt_logprobs", 1);
    for (size_t i = 0; stop && i < json_object_array_length(stop) && i < ORACLE_STOPS_MOST; i++) {
        json_object *text = json_object_array_get_idx(stop, i);
        a->stops[a->n_stops++] =
            (assay_text){json_object_get_string(text), (size_t)json_object_get_string_len(text)};
    }
}

static void refuse(asked *a, int status, const char *why, void (*begin)(void *, int, bool))
{
    char body[256];
    const int n = snprintf(body, sizeof body,
                           "{\"type\":\"error\",\"error\":{\"type\":\"invalid\",\"message\":\"%s\"}}", why);
    begin(a->out->context, status, false);
    put_bytes(a, body, (size_t)n);
}

/* Removes members that the planted fault ignores. */
static void ignore_members(asked *a, buffer *changed)
{
    if (a->o->bug == ORACLE_ONE_CHOICE) json_object_object_del(a->request, "n");
    if (a->o->bug == ORACLE_NO_LOGPROBS) {
        json_object_object_del(a->request, "logprobs");
        json_object_object_del(a->request, "top_logprobs");
        json_object_object_del(a->request, "prompt_logprobs");
        json_object_object_del(a->request, "echo");
        json_object_object_del(a->request, "include");
    }
    ck_assert(
        buffer_append_string(changed, json_object_to_json_string_ext(a->request, JSON_C_TO_STRING_PLAIN)));
    a->body = buffer_text(changed);
}

void oracle_answer(const oracle *o, const char *path, assay_text request,
                   void (*begin)(void *context, int status, bool streams), const oracle_out *out)
{
    asked a = {.o = o, .path = path, .body = request, .out = out};
    assay_error err;
    oracle caching;
    char usage[96];
    buffer changed = {0};
    int status = 404;
    for (a.endpoint = 0; a.endpoint < PROBE_N_ENDPOINTS; a.endpoint++)
        if (strcmp(probe_endpoint_path(a.endpoint), path) == 0) break;
    if (a.endpoint == PROBE_N_ENDPOINTS) {
        refuse(&a, 404, "no such endpoint", begin);
        return;
    }
    if (json_parse("request", request.at, request.n, &a.request, &err) != ASSAY_OK ||
        !json_object_is_type(a.request, json_type_object)) {
        if (o->bug == ORACLE_CRASH) _exit(1);
        refuse(&a, o->bug == ORACLE_ANY_BODY ? 200 : 400, "not a JSON object", begin);
        return;
    }
    if (o->bug == ORACLE_ENDLESS && a.endpoint == PROBE_CHAT && number(&a, "max_tokens", 1) < 0)
        (void)sleep(60);
    ignore_members(&a, &changed);
    const char *why = refusal_of(&a, &status);
    if (why) refuse(&a, status, why, begin);
    else {
        read_wishes(&a);
        take_tokens(&a);
        if (o->bug == ORACLE_NEIGHBOURS) {
            (void)usleep(50000);
            if (o->shared->n_running > 1) a.tokens[2] = 5;
        }
        use_cache(&a, &caching, usage, sizeof usage);
        if (o->bug == ORACLE_ALTERNATE) (void)__atomic_add_fetch(&o->shared->n_answers, 1, __ATOMIC_SEQ_CST);
        begin(out->context, 200, a.streams);
        send_response(&a);
    }
    buffer_free(&changed);
    json_object_put(a.request);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/prompts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define C     (1U << PROBE_CHAT)
#define M     (1U << PROBE_MESSAGES)
#define R     (1U << PROBE_RESPONSES)
#define CHATS (C | M | R)

#define TOOL                                                                                                 \
    "{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"description\":\"The "                   \
    "weather.\",\"parameters\":"                                                                             \
    "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}}"
#define TOOLS            ",\"tools\":[" TOOL "]"
#define SAID(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}"
#define ASKED            SAID("user", "What is 1 + 8?") "," SAID("assistant", "It is 9.") ","
#define CALL(id, arguments)                                                                                  \
    "{\"id\":\"" id                                                                                          \
    "\",\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":" arguments "}}"
#define RESULT(id)   "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"rain\"}"
#define WEATHER      SAID("user", "How is the weather in Rome and Oslo?")
#define CALLS(calls) "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[" calls "]}"

/* A request in the form of chat completions.
 * rendered: the request whose prompt it must have. sent: what is sent instead, with the members `more`; NULL:
 * the same. lost: what a server makes of it that ignores what the shape is about. Of shapes with one name the
 * first counts whose prompt tells: a template thinks by default, or it does not. */
typedef struct shape {
    const char *name;
    unsigned endpoints;
    const char *rendered, *sent, *lost, *more;
    probe_thinking thinking; /* of `rendered` */
} shape;

#define BRIEF   "{\"messages\":[" SAID("system", "Be brief.") "," SAID("user", "What is 8 + 3?") "]}"
#define UNBRIEF "{\"messages\":[" SAID("user", "What is 8 + 3?") "]}"

static const shape shapes[] = {
    {"spaces", CHATS, "{\"messages\":[" SAID("user", "  \\n What is 7 + 3? \\n\\n ") "]}", NULL,
     "{\"messages\":[" SAID("user", "What is 7 + 3?") "]}", NULL, PROBE_THINKING_UNSET},
    {"long", CHATS, "{\"messages\":[" ASKED ASKED ASKED ASKED SAID("user", "What is 2 + 9?") "]}", NULL,
     "{\"messages\":[" SAID("assistant", "It is 9.") "," ASKED SAID("user", "What is 2 + 9?") "]}", NULL,
     PROBE_THINKING_UNSET},
    {"system", CHATS, BRIEF, NULL, UNBRIEF, NULL, PROBE_THINKING_UNSET},
    {"instructions", R, BRIEF, UNBRIEF, UNBRIEF, "{\"instructions\":\"Be brief.\"}", PROBE_THINKING_UNSET},
    {"calls", CHATS,
     "{\"messages\":[" WEATHER "," CALLS(CALL("call_1", "{\"city\":\"Rome\"}") "," CALL(
         "call_2", "{\"city\":\"Oslo\"}")) "," RESULT("call_1") "," RESULT("call_2") "]" TOOLS "}",
     NULL,
     "{\"messages\":[" WEATHER "," CALLS(CALL("call_1", "{\"city\":\"Rome\"}")) "," RESULT("call_1") "]" TOOLS
                                                                                                     "}",
     NULL, PROBE_THINKING_UNSET},
    {"empty-call", CHATS,
     "{\"messages\":[" WEATHER "," CALLS(CALL("call_1", "{}")) "," RESULT("call_1") "]" TOOLS "}", NULL,
     "{\"messages\":[" WEATHER "," SAID("assistant", "") "," RESULT("call_1") "]" TOOLS "}", NULL,
     PROBE_THINKING_UNSET},
    {"tools", CHATS, "{\"messages\":[" WEATHER "]" TOOLS "}", NULL, "{\"messages\":[" WEATHER "]}", NULL,
     PROBE_THINKING_UNSET},
    {"enable-thinking", C, UNBRIEF, NULL, UNBRIEF, "{\"enable_thinking\":false}", PROBE_THINKING_OFF},
    {"enable-thinking", C, UNBRIEF, NULL, UNBRIEF, "{\"enable_thinking\":true}", PROBE_THINKING_ON},
    {"thinking", M, UNBRIEF, NULL, UNBRIEF, "{\"thinking\":{\"type\":\"disabled\"}}", PROBE_THINKING_OFF},
    {"thinking", M, UNBRIEF, NULL, UNBRIEF, "{\"thinking\":{\"type\":\"adaptive\"}}", PROBE_THINKING_ON},
};

static json_object *parse(const char *text)
{
    json_object *request = json_tokener_parse(text);
    assert(request);
    return request;
}

/* How many tokens the template makes of a request. False: it refuses it, or out of memory. */
static bool count_tokens(const probe_run *r, const char *text, probe_thinking thinking, bool special,
                         size_t *n)
{
    int32_t *ids = NULL;
    json_object *request = parse(text);
    const bool ok = probe_chat_encode(r->truth->chat, r->truth->vocab, request, thinking, special, &ids, n,
                                      NULL) == ASSAY_OK;
    free(ids);
    json_object_put(request);
    return ok;
}

/* Whether rendered prompts get the tokens that the tokenizer adds, as the recorded ones do. */
static bool adds_special(const probe_run *r)
{
    for (size_t i = 0; i < r->truth->n_prompts; i++) {
        const probe_prompt *p = &r->truth->prompts[i];
        int32_t *ids = NULL;
        size_t n = 0;
        if (!p->chat) continue;
        const bool same = probe_chat_encode(r->truth->chat, r->truth->vocab, p->chat, p->thinking, false,
                                            &ids, &n, NULL) == ASSAY_OK &&
                          n == p->n_prompt;
        free(ids);
        return !same;
    }
    return false;
}

static void judge_count(probe_run *r, const char *check, const probe_exchange *x, const probe_answer *a,
                        size_t expected)
{
    char why[256];
    if (!probe_exchange_succeeded(x)) {
        probe_describe_failure(x, why, sizeof why);
        (void)probe_report(r, x, check, probe_exchange_refused(x) ? PROBE_NOT_EXERCISED : PROBE_FAILED,
                           PROBE_BREAKS, "%s", why);
    } else if (a->input < 0)
        (void)probe_report(r, x, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "the answer reports no tokens of input");
    else if ((size_t)a->input != expected)
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS,
                           "found %" PRId64 " tokens of input, and the chat template makes %zu", a->input,
                           expected);
    else (void)probe_report(r, x, check, PROBE_OK, PROBE_BREAKS, "%zu tokens", expected);
}

/* Asks for one token. p: its chat and its number of tokens are what is asked. */
static assay_status send(probe_run *r, probe_endpoint e, const probe_prompt *p, const char *more, bool stream,
                         const char *check,
                         void (*judge)(probe_run *, const char *, const probe_exchange *,
                                       const probe_answer *, size_t),
                         size_t expected, assay_error *err)
{
    probe_exchange x;
    probe_answer a;
    const probe_ask ask = {.endpoint = e,
                           .prompt = p,
                           .max_tokens = 1,
                           .logprobs = PROBE_NO_LOGPROBS,
                           .more = more,
                           .stream = stream,
                           .usage = true};
    const assay_status rc = probe_ask_send(r, &ask, check, &x, &a, err);
    if (rc == ASSAY_OK) judge(r, check, &x, &a, expected);
    probe_answer_free(&a);
    probe_exchange_free(&x);
    return rc;
}

/* Whether the number of tokens of the shape's prompt, *n, is not that of a request without what the shape is
 * about. */
static bool tells(const probe_run *r, const shape *s, bool special, size_t *n)
{
    size_t n_lost = 0;
    return count_tokens(r, s->rendered, s->thinking, special, n) &&
           count_tokens(r, s->lost, PROBE_THINKING_UNSET, special, &n_lost) && *n != n_lost;
}

static assay_status send_shape(probe_run *r, probe_endpoint e, const shape *s, size_t n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    json_object *request = parse(s->sent ? s->sent : s->rendered);
    const probe_prompt p = {.chat = request, .n_prompt = n, .implied = true};
    for (int stream = 0; stream < 2 && rc == ASSAY_OK; stream++) {
        PROBE_LABEL(check, "protocol/%s/%s/prompt/%s", probe_endpoint_name(e), stream ? "stream" : "whole",
                    s->name);
        if (probe_wants(r, check)) rc = send(r, e, &p, s->more, stream, check, judge_count, n, err);
    }
    json_object_put(request);
    return rc;
}

/* Checks the shapes with the name of `*s`, and moves *s behind them. */
static assay_status check_shapes(probe_run *r, probe_endpoint e, const shape **s, bool special,
                                 assay_error *err)
{
    const shape *end = shapes + sizeof shapes / sizeof *shapes, *first = *s, *found = NULL;
    size_t n = 0;
    PROBE_LABEL(whole, "protocol/%s/whole/prompt/%s", probe_endpoint_name(e), first->name);
    PROBE_LABEL(stream, "protocol/%s/stream/prompt/%s", probe_endpoint_name(e), first->name);
    const bool wanted = first->endpoints & 1U << e && (probe_wants(r, whole) || probe_wants(r, stream));
    for (; *s < end && strcmp((*s)->name, first->name) == 0; (*s)++)
        if (!found && wanted && tells(r, *s, special, &n)) found = *s;
    if (!wanted) return ASSAY_OK;
    if (found) return send_shape(r, e, found, n, err);
    PROBE_LABEL(name, "protocol/%s/prompt/%s", probe_endpoint_name(e), first->name);
    (void)probe_report(r, NULL, name, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                       "the chat template refuses it, or makes as many tokens of a request without it");
    return ASSAY_OK;
}

/* expected: the most tokens that a cache may hold. Usage need not report them. */
static void judge_cached(probe_run *r, const char *check, const probe_exchange *x, const probe_answer *a,
                         size_t expected)
{
    if (!probe_exchange_succeeded(x) || a->cached < 0) return;
    if (a->cached > (int64_t)expected)
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_DEPARTS,
                           "found %" PRId64 " cached tokens of a prompt that is new after its first %zu",
                           a->cached, expected);
    else
        (void)probe_report(r, x, check, PROBE_OK, PROBE_DEPARTS, "%" PRId64 " tokens of a new prompt",
                           a->cached);
}

enum { NEW_TOKENS = 12 };

/* Makes a prompt that begins with a number that no prompt had: ids of completions, or a message. *n_common:
 * the tokens before the number, as far as all prompts have them. */
static bool make_new(const probe_run *r, probe_endpoint e, uint32_t number, bool special, int32_t *ids,
                     probe_prompt *p, size_t *n_common)
{
    char text[128];
    size_t n_other = 0;
    int32_t *one = NULL, *other = NULL;
    if (e == PROBE_COMPLETIONS) {
        uint64_t state = number;
        for (size_t i = 0; i < NEW_TOKENS; i++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            ids[i] = (int32_t)((state >> 33) % (r->truth->n_vocab / 2));
        }
        *p = (probe_prompt){.ids = ids, .n_ids = NEW_TOKENS, .n_prompt = NEW_TOKENS};
        *n_common = 0;
        return r->server.takes_ids;
    }
    (void)snprintf(text, sizeof text,
                   "{\"messages\":[{\"role\":\"user\",\"content\":\"%" PRIu32 " What is 7 + 3?\"}]}", number);
    *p = (probe_prompt){.chat = parse(text), .implied = true};
    json_object *zeros = parse("{\"messages\":[{\"role\":\"user\",\"content\":\"x What is 7 + 3?\"}]}");
    const bool ok = probe_chat_encode(r->truth->chat, r->truth->vocab, p->chat, PROBE_THINKING_UNSET, special,
                                      &one, &p->n_prompt, NULL) == ASSAY_OK &&
                    probe_chat_encode(r->truth->chat, r->truth->vocab, zeros, PROBE_THINKING_UNSET, special,
                                      &other, &n_other, NULL) == ASSAY_OK;
    *n_common = 0;
    while (ok && *n_common < p->n_prompt && *n_common < n_other && one[*n_common] == other[*n_common])
        (*n_common)++;
    (*n_common)++; /* the first digit may be that of an earlier number */
    free(one);
    free(other);
    json_object_put(zeros);
    return ok;
}

static assay_status check_cached(probe_run *r, probe_endpoint e, bool special, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (uint32_t stream = 0; stream < 2 && rc == ASSAY_OK; stream++) {
        int32_t ids[NEW_TOKENS];
        probe_prompt p = {0};
        size_t n_common = 0;
        PROBE_LABEL(check, "protocol/%s/%s/cached-tokens", probe_endpoint_name(e),
                    stream ? "stream" : "whole");
        const uint32_t number = probe_wire_number(r->wire) + 2 * (uint32_t)e + stream;
        if (probe_wants(r, check) && make_new(r, e, number, special, ids, &p, &n_common))
            rc = send(r, e, &p, NULL, stream, check, judge_cached, n_common, err);
        json_object_put(p.chat);
    }
    return rc;
}

assay_status probe_prompts_check(probe_run *r, probe_endpoint e, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    const bool chats = e != PROBE_COMPLETIONS && r->truth->chat, special = chats && adds_special(r);
    const shape *s = shapes;
    while (chats && s < shapes + sizeof shapes / sizeof *shapes && rc == ASSAY_OK)
        rc = check_shapes(r, e, &s, special, err);
    return rc == ASSAY_OK && (chats || e == PROBE_COMPLETIONS) ? check_cached(r, e, special, err) : rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/twins.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/run/ask.h"
#include "conformance/support/json_add.h"

/* The tokens that change places: a block of the smallest size that servers have. A sequence has another one
 * at least. TWINS_MOST: of the shortest prompts, of which most checks ask. */
enum { N_FIRST = 16, TWINS_MOST = 8 };

/* A request whose prompt is a twin's. prompt.ids and prompt.chat are owned. */
typedef struct twin {
    probe_endpoint endpoint;
    probe_prompt prompt;
    size_t n_before;
} twin;

static void free_twin(twin *t)
{
    free(t->prompt.ids);
    json_object_put(t->prompt.chat);
}

/* Writes ids [n] with the first n_first turned by k places. */
static void turn(const int32_t *ids, size_t n, size_t n_first, size_t k, int32_t *out)
{
    memcpy(out, ids, n * sizeof *ids);
    for (size_t i = 0; i < n_first; i++) out[i] = ids[(i + k) % n_first];
}

/* Whether two sequences of one length, of 2 * N_FIRST tokens or more, differ, and only before their last
 * N_FIRST. */
static bool differ_at_first(const int32_t *a, const int32_t *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) != 0 &&
           memcmp(a + n - N_FIRST, b + n - N_FIRST, N_FIRST * sizeof *a) == 0;
}

/* Whether the text of ids [n] has these ids again. alone: the first is added by the server and not by the
 * tokenizer. */
static assay_status is_readable(const probe_run *r, const probe_prompt *p, const int32_t *ids, size_t n,
                                bool *is, assay_error *err)
{
    const probe_vocab *vocab = r->truth->vocab;
    buffer text = {0};
    int32_t *found = NULL;
    size_t n_found = 0;
    const size_t skip = p->adds || r->server.adds_first ? 1 : 0, alone = p->adds ? 0 : skip;
    assay_status rc = probe_vocab_decode(vocab, ids + skip, n - skip, false, &text, err);
    if (rc == ASSAY_OK) rc = probe_vocab_encode(vocab, buffer_text(&text), p->adds, &found, &n_found, err);
    *is =
        rc == ASSAY_OK && n_found == n - alone && memcmp(found, ids + alone, (n - alone) * sizeof *ids) == 0;
    free(found);
    buffer_free(&text);
    return rc;
}

/* A prompt and its answer for completions; the first token, which a server may add, keeps its place. */
static assay_status turn_ids(const probe_run *r, const probe_prompt *p, size_t k, twin *t, bool *made,
                             assay_error *err)
{
    const size_t n = probe_ids_most(r, p);
    t->n_before = n;
    t->prompt.ids = calloc(p->n_ids, sizeof *t->prompt.ids);
    if (!t->prompt.ids) return assay_fail(err, ASSAY_ENOMEM, "discovery/twins: out of memory");
    turn(p->ids + 1, p->n_ids - 1, N_FIRST - 1, k, t->prompt.ids + 1);
    t->prompt.ids[0] = p->ids[0];
    *made = differ_at_first(p->ids, t->prompt.ids, n);
    if (!*made || r->server.takes_ids) return ASSAY_OK;
    return is_readable(r, p, t->prompt.ids, n, made, err);
}

/* The first message's content; NULL: it is no text. */
static json_object *first_content(json_object *request, json_object **message)
{
    json_object *messages = NULL, *content = NULL;
    (void)json_object_object_get_ex(request, "messages", &messages);
    *message = json_object_array_get_idx(messages, 0);
    (void)json_object_object_get_ex(*message, "content", &content);
    return json_object_is_type(content, json_type_string) ? content : NULL;
}

/* Turns the first tokens of the first message of a request. *made: that is possible. */
static assay_status turn_content(const probe_vocab *vocab, json_object *request, size_t k, bool *made,
                                 assay_error *err)
{
    json_object *message, *content = first_content(request, &message);
    int32_t *ids = NULL, *turned = NULL;
    size_t n = 0;
    buffer text = {0};
    *made = false;
    if (!content) return ASSAY_OK;
    const assay_text before = {json_object_get_string(content), (size_t)json_object_get_string_len(content)};
    assay_status rc = probe_vocab_encode(vocab, before, false, &ids, &n, err);
    if (rc == ASSAY_OK && n) {
        turned = calloc(n, sizeof *turned);
        if (turned) turn(ids, n, n < N_FIRST ? n : N_FIRST, k, turned);
        rc = turned ? probe_vocab_decode(vocab, turned, n, false, &text, err)
                    : assay_fail(err, ASSAY_ENOMEM, "discovery/twins: out of memory");
    }
    *made = rc == ASSAY_OK && n &&
            conf_json_add(message, "content", json_object_new_string_len(text.data, (int)text.n));
    free(ids);
    free(turned);
    buffer_free(&text);
    return rc;
}

/* A conversation whose prompt has the tokens of this one, the first of its first message in other places. */
static assay_status turn_chat(const probe_run *r, const probe_prompt *p, size_t k, twin *t, bool *made,
                              assay_error *err)
{
    const probe_truth *truth = r->truth;
    int32_t *ids = NULL;
    size_t n = 0;
    t->prompt.chat = NULL;
    if (json_object_deep_copy(p->chat, &t->prompt.chat, NULL) != 0)
        return assay_fail(err, ASSAY_ENOMEM, "discovery/twins: out of memory");
    assay_status rc = turn_content(truth->vocab, t->prompt.chat, k, made, err);
    if (rc != ASSAY_OK || !*made) return rc;
    /* a template may refuse the text */
    *made = probe_chat_encode(truth->chat, truth->vocab, t->prompt.chat, p->thinking, p->adds, &ids, &n,
                              NULL) == ASSAY_OK &&
            n == p->n_prompt && differ_at_first(p->ids, ids, n);
    free(ids);
    return ASSAY_OK;
}

/* Makes a twin of a prompt for an endpoint. *made: there is one. */
static assay_status make_twin(const probe_run *r, const probe_prompt *p, probe_endpoint endpoint, twin *t,
                              bool *made, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    *made = false;
    for (size_t k = 1; k < N_FIRST && !*made && rc == ASSAY_OK; k++) {
        *t = (twin){.endpoint = endpoint, .prompt = *p};
        t->prompt.ids = NULL;
        t->prompt.chat = NULL;
        rc = endpoint == PROBE_COMPLETIONS ? turn_ids(r, p, k, t, made, err)
                                           : turn_chat(r, p, k, t, made, err);
        if (!*made) free_twin(t);
    }
    return rc;
}

static assay_status send_twin(probe_run *r, const twin *t, size_t number, assay_error *err)
{
    probe_exchange x;
    PROBE_LABEL(label, "discovery/twins-%zu", number);
    const probe_ask ask = {.endpoint = t->endpoint,
                           .prompt = &t->prompt,
                           .n_before = t->n_before,
                           .max_tokens = 1,
                           .logprobs = PROBE_NO_LOGPROBS};
    assay_status rc = probe_ask_begin(r, &ask, label, &x, err);
    if (rc == ASSAY_OK) rc = probe_send(r, &x, err);
    probe_exchange_free(&x);
    return rc;
}

/* Asks the twin of a prompt at the first endpoint that takes one; *n counts them. */
static assay_status ask_twin(probe_run *r, const probe_prompt *p, size_t *n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    bool made = false;
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS && !made && rc == ASSAY_OK; e++) {
        twin t;
        const size_t n_tokens = e == PROBE_COMPLETIONS ? probe_ids_most(r, p) : p->n_prompt;
        if (!r->server.at[e].is_there || !probe_can_ask(r, e, p) || n_tokens < 2 * N_FIRST) continue;
        rc = make_twin(r, p, e, &t, &made, err);
        if (rc != ASSAY_OK || !made) continue;
        rc = send_twin(r, &t, (*n)++, err);
        free_twin(&t);
    }
    return rc;
}

assay_status probe_ask_twins(probe_run *r, assay_error *err)
{
    const probe_truth *t = r->truth;
    assay_status rc = ASSAY_OK;
    const size_t most = probe_prompts_most(r, TWINS_MOST);
    for (size_t i = 0, n = 0; i < t->n_prompts && n < most && rc == ASSAY_OK; i++) {
        /* of a few prompts the checks ask the longest, and none between */
        rc = ask_twin(r, &t->prompts[r->quick ? t->n_prompts - 1 - i : i], &n, err);
    }
    return rc;
}

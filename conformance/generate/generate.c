/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/generate/generate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/abi/open.h"
#include "conformance/abi/step.h"
#include "conformance/support/clock.h"
#include "model/checkpoint/stop.h"

struct conf_generator {
    const assay_engine *engine;
    const assay_serving *serving;
    assay_model *model;
    assay_tokenizer *tokenizer;
    stop_set *stops; /* NULL if the engine has model_stop_ids */
    const int32_t *stop_ids;
    size_t n_stop_ids, vocab, logit_size;
};

static assay_status find_stops(conf_generator *g, const char *dir, assay_error *err)
{
    if (g->engine->model_stop_ids) {
        g->stop_ids = g->engine->model_stop_ids(g->model, &g->n_stop_ids);
        return ASSAY_OK;
    }
    assay_status rc = stop_set_read(dir, &g->stops, err);
    if (rc == ASSAY_OK) g->stop_ids = stop_set_ids(g->stops, &g->n_stop_ids);
    return rc;
}

assay_status conf_generator_open(const assay_engine *engine, const assay_serving *serving, const char *dir,
                                 const char *const *allow_unknown, conf_generator **out, assay_error *err)
{
    conf_generator *g = calloc(1, sizeof *g);
    if (!g) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    g->engine = engine;
    g->serving = serving;
    g->logit_size = engine->logits_dtype == ASSAY_F64 ? sizeof(double) : sizeof(float);
    const assay_model_options options = {.size = sizeof options, .allow_unknown = allow_unknown};
    assay_status rc = engine->model_open(dir, &options, &g->model, err);
    if (rc == ASSAY_OK) g->vocab = engine->model_vocab(g->model);
    if (rc == ASSAY_OK) rc = serving->tokenizer_open(dir, &g->tokenizer, err);
    if (rc == ASSAY_OK) rc = find_stops(g, dir, err);
    if (rc == ASSAY_OK) *out = g;
    else conf_generator_free(g);
    return rc;
}

void conf_generator_free(conf_generator *g)
{
    if (!g) return;
    stop_set_free(g->stops);
    if (g->tokenizer) g->serving->tokenizer_free(g->tokenizer);
    if (g->model) g->engine->model_free(g->model);
    free(g);
}

/* The state of one generation. */
typedef struct run {
    conf_generator *g;
    const conf_generation *request;
    const conf_listeners *listeners;
    int32_t *prompt; /* [n_prompt] */
    size_t n_prompt;
    serve_sampler *sampler;
    assay_session *session;
    assay_completion *completion;
    assay_reply *reply;
    void *logits; /* [vocab] */
    conf_generated *out;
    assay_error *err;
    assay_status status; /* of reply_feed in take_text: a sink cannot return it */
} run;

static assay_status no_memory(run *r)
{
    return assay_fail(r->err, ASSAY_ENOMEM, "a generation: out of memory");
}

/* A tokenizer may have ids outside the model's vocabulary; those of placeholders may be ones without a logit.
 * placeholders: [2], of images and of audio clips. */
static assay_status check_ids(const run *r, const int32_t *placeholders)
{
    for (size_t i = 0; i < r->n_prompt; i++)
        if (r->prompt[i] < 0 || ((size_t)r->prompt[i] >= r->g->vocab && r->prompt[i] != placeholders[0] &&
                                 r->prompt[i] != placeholders[1]))
            return assay_fail(r->err, ASSAY_EFORMAT,
                              "token %zu of the prompt: found id %" PRId32
                              " of the tokenizer, expected one of the model's "
                              "vocabulary, 0 to %zu",
                              i, r->prompt[i], r->g->vocab - 1);
    return ASSAY_OK;
}

/* *id: the token of a placeholder; -1 without items of its kind, and if it is not one token. */
static assay_status find_placeholder(const run *r, const conf_placeholder_tokens *p, int32_t *id)
{
    size_t n_ids = 0;
    *id = -1;
    if (!p->token) return ASSAY_OK;
    const assay_status rc =
        r->g->serving->encode(r->g->tokenizer, p->token, strlen(p->token), false, id, 1, &n_ids, r->err);
    if (n_ids != 1) *id = -1;
    return rc;
}

/* The tokenizer may split or merge the text of placeholders, which are one token each in a published one. */
static assay_status check_placeholders(const run *r, const conf_placeholder_tokens *p, const char *nouns,
                                       int32_t id)
{
    size_t n = 0;
    if (!p->token) return ASSAY_OK;
    for (size_t i = 0; id >= 0 && i < r->n_prompt; i++) n += r->prompt[i] == id;
    if (n == p->n) return ASSAY_OK;
    return assay_fail(
        r->err, ASSAY_EFORMAT,
        "the tokenizer finds %zu placeholder tokens %s in the prompt, expected %zu, those of its "
        "%s",
        n, p->token, p->n, nouns);
}

static assay_status encode_prompt(run *r)
{
    const assay_text text = r->request->prompt;
    const assay_serving *s = r->g->serving;
    size_t n = 0;
    assay_status rc =
        s->encode(r->g->tokenizer, text.at, text.n, r->request->add_special, NULL, 0, &n, r->err);
    if (rc != ASSAY_OK) return rc;
    if (n == 0) return assay_fail(r->err, ASSAY_EINVAL, "the prompt has no token, expected at least one");
    r->prompt = calloc(n, sizeof *r->prompt);
    if (!r->prompt) return no_memory(r);
    rc = s->encode(r->g->tokenizer, text.at, text.n, r->request->add_special, r->prompt, n, &r->n_prompt,
                   r->err);
    if (rc == ASSAY_OK && r->n_prompt != n)
        rc = assay_fail(r->err, ASSAY_EINTERNAL, "the tokenizer finds %zu tokens in the prompt, and then %zu",
                        n, r->n_prompt);
    if (rc == ASSAY_OK && r->request->max_positions && n > r->request->max_positions)
        return assay_fail(r->err, ASSAY_EINVAL,
                          "the prompt has %zu tokens, expected at most %zu, the positions of the model "
                          "(max_position_embeddings)",
                          n, r->request->max_positions);
    const conf_generation *q = r->request;
    int32_t ids[2] = {-1, -1};
    if (rc == ASSAY_OK) rc = find_placeholder(r, &q->images, &ids[0]);
    if (rc == ASSAY_OK) rc = find_placeholder(r, &q->audios, &ids[1]);
    if (rc == ASSAY_OK) rc = check_ids(r, ids);
    if (rc == ASSAY_OK) rc = check_placeholders(r, &q->images, "images", ids[0]);
    return rc == ASSAY_OK ? check_placeholders(r, &q->audios, "audio clips", ids[1]) : rc;
}

/* Of the prompt and of the reply; 0: no limit is known. */
static size_t most_tokens(const run *r)
{
    const size_t n = r->request->max_tokens;
    return n && n < SIZE_MAX - r->n_prompt ? r->n_prompt + n : 0;
}

static assay_status open_run(run *r)
{
    conf_generator *g = r->g;
    const assay_completion_options options = {.size = sizeof options,
                                              .tokenizer = g->tokenizer,
                                              .stop_ids = g->stop_ids,
                                              .n_stop_ids = g->n_stop_ids,
                                              .stop_texts = r->request->stop_texts,
                                              .n_stop_texts = r->request->n_stop_texts,
                                              .prompt_tokens = r->n_prompt,
                                              .max_tokens = r->request->max_tokens};
    assay_status rc = serve_sampler_open(&r->request->sampling, g->vocab, &r->sampler, r->err);
    if (rc == ASSAY_OK)
        rc = conf_open_session(g->engine, g->model, 1, most_tokens(r), (conf_cache_limit){0}, &r->session,
                               r->err);
    if (rc == ASSAY_OK) rc = g->serving->completion_open(&options, &r->completion, r->err);
    if (rc == ASSAY_OK) rc = g->serving->reply_open(&r->request->reply, &r->reply, r->err);
    if (rc != ASSAY_OK) return rc;
    r->logits = calloc(g->vocab, g->logit_size);
    return r->logits ? ASSAY_OK : no_memory(r);
}

static void close_run(run *r)
{
    const conf_generator *g = r->g;
    serve_sampler_free(r->sampler);
    if (r->session) g->engine->session_free(r->session);
    if (r->completion) g->serving->completion_free(r->completion);
    if (r->reply) g->serving->reply_free(r->reply);
    free(r->prompt);
    free(r->logits);
}

/* Sink of the parsed reply: counts calls and forwards to the listener. */
static void take_reply(void *context, assay_part part, const char *text, size_t n)
{
    run *r = context;
    r->out->n_calls += part == ASSAY_PART_CALL;
    r->listeners->reply->take(r->listeners->reply->context, part, text, n);
}

/* Sink of the unparsed text: forwards to the listener and feeds the reply parser. */
static void take_text(void *context, assay_part part, const char *text, size_t n)
{
    run *r = context;
    const assay_sink inner = {.take = take_reply, .context = r};
    const assay_sink *out = r->listeners->text;
    if (out) out->take(out->context, part, text, n);
    if (r->status == ASSAY_OK) r->status = r->g->serving->reply_feed(r->reply, text, n, &inner, r->err);
}

/* Evaluates tokens of the one sample with their items, and the logits of the last of them. */
static assay_status evaluate_tokens(run *r, const int32_t *tokens, size_t n, const assay_item *items,
                                    size_t n_items)
{
    const conf_sample_step step = {.tokens = tokens,
                                   .n_tokens = n,
                                   .items = items,
                                   .n_items = n_items,
                                   .logits = r->logits,
                                   .n_last = 1};
    if (n > INT32_MAX)
        return assay_fail(r->err, ASSAY_EINVAL, "the prompt has %zu tokens, expected at most %d", n,
                          INT32_MAX);
    return conf_step_run(r->g->engine, r->session, &step, 1, 0, r->err);
}

static assay_status choose_token(run *r, int32_t *id)
{
    *id = serve_sampler_choose(r->sampler, r->logits, r->g->engine->logits_dtype, r->out->n_ids);
    if (*id < 0)
        return assay_fail(r->err, ASSAY_EINTERNAL, "step %zu: all logits are NaN or minus infinity",
                          r->out->n_ids);
    serve_sampler_accept(r->sampler, *id);
    int32_t *ids = grow_by_one(r->out->ids, r->out->n_ids, sizeof *ids);
    if (!ids) return no_memory(r);
    r->out->ids = ids;
    r->out->ids[r->out->n_ids++] = *id;
    return ASSAY_OK;
}

static assay_status generate_tokens(run *r)
{
    const assay_serving *s = r->g->serving;
    const assay_sink text = {.take = take_text, .context = r}, reply = {.take = take_reply, .context = r};
    const double start = conf_clock();
    for (size_t i = 0; i < r->n_prompt; i++) serve_sampler_accept(r->sampler, r->prompt[i]);
    const conf_listeners *listeners = r->listeners;
    if (listeners->prefill) listeners->prefill(listeners->prefill_context, r->n_prompt, false);
    assay_status rc = evaluate_tokens(r, r->prompt, r->n_prompt, r->request->items, r->request->n_items);
    if (listeners->prefill) listeners->prefill(listeners->prefill_context, r->n_prompt, true);
    r->out->prefill_seconds = conf_clock() - start;
    while (rc == ASSAY_OK) {
        int32_t id;
        rc = choose_token(r, &id);
        if (rc == ASSAY_OK) rc = s->completion_push(r->completion, id, &text, &r->out->state, r->err);
        if (rc == ASSAY_OK) rc = r->status;
        if (rc != ASSAY_OK || r->out->state.finish != ASSAY_FINISH_NONE) break;
        rc = evaluate_tokens(r, &id, 1, NULL, 0);
    }
    r->out->decode_seconds = conf_clock() - start - r->out->prefill_seconds;
    return rc == ASSAY_OK ? s->reply_end(r->reply, &reply, r->err) : rc;
}

assay_status conf_generate(conf_generator *g, const conf_generation *request, const conf_listeners *listeners,
                           conf_generated *out, assay_error *err)
{
    conf_generated made = {0};
    run r = {.g = g, .request = request, .listeners = listeners, .out = &made, .err = err};
    assay_status rc = encode_prompt(&r);
    if (rc == ASSAY_OK) rc = open_run(&r);
    if (rc == ASSAY_OK) rc = generate_tokens(&r);
    close_run(&r);
    if (rc == ASSAY_OK) *out = made;
    else free(made.ids);
    return rc;
}

const char *conf_generated_reason(const conf_generated *generated)
{
    if (generated->state.finish == ASSAY_FINISH_LENGTH) return "length";
    return generated->n_calls > 0 ? "tool_calls" : "stop";
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "server/evaluate/answer.h"

struct server_sample {
    const server_model *model;
    server_job *job;
    const server_prompt *prompt;
    size_t choice;
    serve_sampler *sampler;
    assay_completion *completion; /* NULL if nothing is generated */
    int32_t *ids;                 /* [n_ids], generated so far */
    size_t n_ids;
    size_t n_bytes; /* of text so far */
    buffer text;    /* of the current token */
    assay_token_logprob *top;
};

static assay_status open_completion(server_sample *s, assay_error *err)
{
    const server_request *r = s->job->request;
    const assay_completion_options options = {.size = sizeof options,
                                              .tokenizer = s->model->tokenizer,
                                              .stop_ids = s->model->stop_ids,
                                              .n_stop_ids = r->ignore_stop_ids ? 0 : s->model->n_stop_ids,
                                              .stop_texts = r->stop_texts,
                                              .n_stop_texts = r->n_stop_texts,
                                              .prompt_tokens = s->prompt->n_tokens,
                                              .max_tokens = r->max_tokens};
    return s->model->serving->completion_open(&options, &s->completion, err);
}

assay_status server_sample_open(const server_model *model, server_job *job, size_t choice,
                                server_sample **out, assay_error *err)
{
    const server_request *r = job->request;
    serve_sampling sampling = r->sampling;
    server_sample *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "a choice: out of memory");
    s->model = model;
    s->job = job;
    s->choice = choice;
    s->prompt = &r->prompts[choice / r->n];
    sampling.seed = job->seed + choice % r->n;
    const size_t n_top = r->n_top < model->vocab ? r->n_top : model->vocab;
    s->top = calloc(n_top + 1, sizeof *s->top);
    assay_status rc = s->top ? serve_sampler_open(&sampling, model->vocab, &s->sampler, err)
                             : assay_fail(err, ASSAY_ENOMEM, "a choice: out of memory");
    for (size_t i = 0; rc == ASSAY_OK && i < s->prompt->n_tokens; i++)
        serve_sampler_accept(s->sampler, s->prompt->tokens[i]);
    if (rc == ASSAY_OK && r->max_tokens > 0) rc = open_completion(s, err);
    if (rc == ASSAY_OK) *out = s;
    else server_sample_free(s);
    return rc;
}

void server_sample_free(server_sample *s)
{
    if (!s) return;
    serve_sampler_free(s->sampler);
    if (s->completion) s->model->serving->completion_free(s->completion);
    buffer_free(&s->text);
    free(s->ids);
    free(s->top);
    free(s);
}

size_t server_sample_count(const server_sample *s)
{
    return s->n_ids;
}

const int32_t *server_sample_tokens(const server_sample *s)
{
    return s->ids;
}

static void take_text(void *context, assay_part part, const char *text, size_t n)
{
    server_sample *s = context;
    (void)part;
    (void)buffer_append(&s->text, text, n);
}

static assay_status choose_token(server_sample *s, const void *logits, int32_t *id, assay_error *err)
{
    *id = serve_sampler_choose(s->sampler, logits, s->model->engine->logits_dtype, s->n_ids);
    if (*id < 0)
        return assay_fail(err, ASSAY_EINTERNAL, "token %zu: all logits are NaN or minus infinity", s->n_ids);
    serve_sampler_accept(s->sampler, *id);
    int32_t *ids = grow_by_one(s->ids, s->n_ids, sizeof *ids);
    if (!ids) return assay_fail(err, ASSAY_ENOMEM, "a choice: out of memory");
    s->ids = ids;
    s->ids[s->n_ids++] = *id;
    return ASSAY_OK;
}

/* The stop text that ended the completion: it follows the text that was passed on, and of several that do, it
 * is the one that was complete first, the shortest. */
static assay_status find_stop_text(server_sample *s, assay_text *out, assay_error *err)
{
    const server_request *r = s->job->request;
    const assay_serving *serving = s->model->serving;
    buffer whole = {0};
    size_t n = 0;
    *out = r->stop_texts[0];
    if (r->n_stop_texts == 1) return ASSAY_OK;
    assay_status rc = serving->decode(s->model->tokenizer, s->ids, s->n_ids, false, NULL, 0, &n, err);
    if (rc == ASSAY_OK && !buffer_reserve(&whole, n + 1))
        rc = assay_fail(err, ASSAY_ENOMEM, "a choice: out of memory");
    if (rc == ASSAY_OK)
        rc = serving->decode(s->model->tokenizer, s->ids, s->n_ids, false, whole.data, n, &n, err);
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; rc == ASSAY_OK && i < r->n_stop_texts; i++) {
        const assay_text stop = r->stop_texts[i];
        if (stop.n >= shortest || s->n_bytes + stop.n > n ||
            memcmp(whole.data + s->n_bytes, stop.at, stop.n) != 0)
            continue;
        shortest = stop.n;
        *out = stop;
    }
    buffer_free(&whole);
    return rc;
}

/* The members of the first chunk that report the prompt. */
static void report_prompt(const server_sample *s, const server_prompt_report *report,
                          assay_response_chunk *chunk)
{
    const server_request *r = s->job->request;
    chunk->prompt_logprobs = report->logprobs;
    chunk->n_prompt_logprobs = report->n_logprobs;
    if (r->echo) chunk->prompt_text = buffer_text(&s->prompt->text);
    if (r->token_ids) {
        chunk->prompt_token_ids = s->prompt->tokens;
        chunk->n_prompt_token_ids = s->prompt->n_tokens;
    }
}

/* Nothing is generated: the only chunk. */
static assay_status take_nothing(server_sample *s, const server_prompt_report *report, assay_error *err)
{
    assay_response_chunk chunk = {.size = sizeof chunk,
                                  .finished = 1,
                                  .new_text = {"", 0},
                                  .prompt_tokens = (int64_t)s->prompt->n_tokens,
                                  .finish_reason = "length",
                                  .choice = s->choice};
    report_prompt(s, report, &chunk);
    return server_answer_chunk(s->job, &chunk, err);
}

/* Passes the token that was generated on. A stop id is no part of the answer: it is counted, but has no
 * logprobs. */
static assay_status pass_token(server_sample *s, const assay_completion_state *state,
                               const server_prompt_report *report, const assay_logprobs *logprobs,
                               assay_error *err)
{
    assay_response_chunk chunk = {.size = sizeof chunk,
                                  .finished = state->finish != ASSAY_FINISH_NONE,
                                  .new_text = buffer_text(&s->text),
                                  .prompt_tokens = (int64_t)s->prompt->n_tokens,
                                  .completion_tokens = (int64_t)s->n_ids,
                                  .choice = s->choice};
    if (chunk.finished) chunk.finish_reason = state->finish == ASSAY_FINISH_LENGTH ? "length" : "stop";
    if (s->n_ids == 1) report_prompt(s, report, &chunk);
    if (s->job->request->token_ids) {
        chunk.token_ids = &s->ids[s->n_ids - 1];
        chunk.n_token_ids = 1;
    }
    if (s->job->request->logprobs && state->stop_id < 0) {
        chunk.logprobs = logprobs;
        chunk.n_logprobs = 1;
    }
    if (state->by_text) {
        const assay_status rc = find_stop_text(s, &chunk.stop_sequence, err);
        if (rc != ASSAY_OK) return rc;
    }
    return server_answer_chunk(s->job, &chunk, err);
}

assay_status server_sample_take(server_sample *s, const void *logits, const server_prompt_report *report,
                                server_logprobs *l, int32_t *token, bool *finished, assay_error *err)
{
    const server_request *r = s->job->request;
    const assay_sink sink = {.take = take_text, .context = s};
    assay_completion_state state = {0};
    assay_logprobs logprobs;
    *finished = true;
    if (!s->completion) return take_nothing(s, report, err);
    s->text.n = 0;
    assay_status rc = choose_token(s, logits, token, err);
    if (rc == ASSAY_OK && r->logprobs)
        rc = server_logprobs_of(l, logits, s->model->engine->logits_dtype, *token, r->n_top, s->top,
                                &logprobs, err);
    if (rc == ASSAY_OK) rc = s->model->serving->completion_push(s->completion, *token, &sink, &state, err);
    if (rc == ASSAY_OK && s->text.failed) rc = assay_fail(err, ASSAY_ENOMEM, "a choice: out of memory");
    if (rc != ASSAY_OK) return rc;
    s->n_bytes += s->text.n;
    *finished = state.finish != ASSAY_FINISH_NONE;
    return pass_token(s, &state, report, &logprobs, err);
}

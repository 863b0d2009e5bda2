/* The grammar of /v1/completions (OpenAI API reference, "The completion object").
 *
 *     completions-head          id, model, created and object are there, and the same in all chunks
 *     completions-choices       an array of choices, each with an index and a text
 *     completions-empty         a chunk without choices reports the usage
 *     completions-logprobs      tokens, token_logprobs, top_logprobs and text_offset have one element for
 * each token completions-finish        each choice has a finish_reason completions-finish-reason a published
 * one completions-after-finish  nothing of a choice follows its finish_reason completions-usage,
 * completions-usage-early, completions-done, completions-after-done as in chat completions
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/chunks.h"
#include "dialogue/grammar/logprobs.h"

#include <stdlib.h>

#define CHOICES_MAX 16384

typedef struct choice {
    bool finished;
    serve_tail tail;
} choice;

typedef struct completions {
    serve_chunks chunks;
    choice *choices; /* [chunks.n_choices] */
} completions;

static assay_status begin_choice(serve_grammar *g, void *state)
{
    completions *c = state;
    return serve_grammar_grow(g, "choices", (void **)&c->choices, c->chunks.n_choices, CHOICES_MAX,
                              sizeof *c->choices);
}

static assay_status read_choice(serve_grammar *g, void *state, size_t index, json_object *value)
{
    completions *c = state;
    json_object *text;
    assay_status rc = serve_grammar_go_on(serve_grammar_logprobs_listed(g, value));
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "completions-choices", "a choice", value, "text", json_type_string,
                                  &text);
    return rc == ASSAY_OK ? serve_grammar_content(g, &c->choices[index].tail, serve_string(text)) : rc;
}

static assay_status finish_choice(serve_grammar *g, void *state, size_t index, assay_text reason)
{
    (void)g, (void)reason;
    ((completions *)state)->choices[index].finished = true;
    return ASSAY_OK;
}

static bool is_finished(const void *state, size_t index)
{
    return ((const completions *)state)->choices[index].finished;
}

static const char *const reasons[] = {"stop", "length", "content_filter", NULL};
static const serve_chunk_rules rules = {.head = "completions-head",
                                        .choices = "completions-choices",
                                        .empty = "completions-empty",
                                        .finish = "completions-finish",
                                        .reason = "completions-finish-reason",
                                        .after_finish = "completions-after-finish",
                                        .usage = "completions-usage",
                                        .early = "completions-usage-early",
                                        .done = "completions-done",
                                        .after_done = "completions-after-done",
                                        .object = "text_completion",
                                        .reasons = reasons};
static const serve_chunk_reader reader = {.rules = &rules,
                                          .begin = begin_choice,
                                          .read = read_choice,
                                          .finish = finish_choice,
                                          .is_finished = is_finished};

static assay_status read_event(serve_grammar *g, void *state, json_object *chunk)
{
    completions *c = state;
    return serve_chunks_read(g, &c->chunks, &reader, c, chunk);
}

static assay_status read_done(serve_grammar *g, void *state)
{
    return serve_chunks_done(g, &((completions *)state)->chunks, &rules);
}

static assay_status end_stream(serve_grammar *g, void *state)
{
    return serve_chunks_end(g, &((const completions *)state)->chunks, &rules);
}

static void free_state(void *state)
{
    completions *c = state;
    free(c->choices);
    serve_chunks_free(&c->chunks);
}

const serve_grammar_rules serve_grammar_completions = {
    .name = "completions",
    .path = "/v1/completions",
    .state_bytes = sizeof(completions),
    .read = read_event,
    .done = read_done,
    .end = end_stream,
    .free = free_state,
};

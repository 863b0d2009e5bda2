/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/chunks.h"

/* Some servers write the time of each chunk: from one to the next it may cross a second. */
static assay_status check_created(serve_grammar *g, serve_chunks *c, const char *rule, json_object *chunk)
{
    int64_t created = 0;
    assay_status rc = serve_grammar_count(g, rule, "the chunk", chunk, "created", 0, &created);
    if (rc != ASSAY_OK) return rc;
    if (c->has_created && created != c->created && created != c->created + 1)
        return serve_grammar_fail(g, rule, "the chunk: found created %lld, expected %lld, as before",
                                  (long long)created, (long long)c->created);
    c->has_created = true;
    c->created = created;
    return ASSAY_OK;
}

static assay_status check_head(serve_grammar *g, serve_chunks *c, const serve_chunk_rules *rules,
                               json_object *chunk)
{
    const char *rule = rules->head, *where = "the chunk";
    assay_status rc = serve_grammar_go_on(serve_grammar_same(g, rule, where, chunk, "id", &c->id));
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(serve_grammar_same(g, rule, where, chunk, "model", &c->model));
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(serve_grammar_exactly(g, rule, where, chunk, "object", rules->object));
    return rc == ASSAY_OK ? serve_grammar_go_on(check_created(g, c, rule, chunk)) : rc;
}

static bool all_finished(const serve_chunks *c)
{
    return c->n_choices > 0 && c->n_finished == c->n_choices;
}

static assay_status read_counts(serve_grammar *g, const char *rule, json_object *usage, int64_t *prompt,
                                int64_t *completion)
{
    int64_t total = 0;
    assay_status rc = serve_grammar_count(g, rule, "usage", usage, "prompt_tokens", 1, prompt);
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, rule, "usage", usage, "completion_tokens", 0, completion);
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, rule, "usage", usage, "total_tokens", 0, &total);
    if (rc != ASSAY_OK) return rc;
    if (*prompt > INT64_MAX - *completion || total != *prompt + *completion)
        return serve_grammar_fail(g, rule, "usage: found total_tokens %lld, expected %lld + %lld",
                                  (long long)total, (long long)*prompt, (long long)*completion);
    return ASSAY_OK;
}

static assay_status read_usage(serve_grammar *g, const serve_chunks *c, const serve_chunk_rules *rules,
                               json_object *usage)
{
    const char *rule = rules->usage;
    int64_t prompt = 0, completion = 0;
    if (!all_finished(c))
        return serve_grammar_fail(g, rules->early, "found usage, expected a finish_reason before it");
    assay_status rc = read_counts(g, rule, usage, &prompt, &completion);
    if (rc != ASSAY_OK) return rc;
    const serve_grammar_summary *s = &g->summary;
    if (s->input_tokens >= 0 && (s->input_tokens != prompt || s->output_tokens != completion))
        return serve_grammar_fail(g, rule, "usage: found %lld and %lld tokens, expected %lld and %lld",
                                  (long long)prompt, (long long)completion, (long long)s->input_tokens,
                                  (long long)s->output_tokens);
    g->summary.input_tokens = prompt;
    g->summary.output_tokens = completion;
    return ASSAY_OK;
}

/* Reads the chunk without choices. */
static assay_status read_last_chunk(serve_grammar *g, serve_chunks *c, const serve_chunk_rules *rules,
                                    json_object *usage)
{
    const char *rule = rules->usage;
    if (!usage)
        return serve_grammar_fail(g, rules->empty, "found a chunk without choices and usage, expected one");
    if (c->has_usage) return serve_grammar_fail(g, rule, "found a second chunk for usage, expected [DONE]");
    c->has_usage = true;
    assay_status rc = ASSAY_OK;
    if (g->options.usage == SERVE_NOT_ASKED_FOR)
        rc = serve_grammar_go_on(
            serve_grammar_fail(g, rule, "found a chunk for usage, which was not requested"));
    return rc == ASSAY_OK ? read_usage(g, c, rules, usage) : rc;
}

static assay_status read_finish(serve_grammar *g, serve_chunks *c, const serve_chunk_reader *reader,
                                void *state, size_t index, assay_text reason)
{
    assay_status rc = ASSAY_OK;
    if (!serve_text_is_among(reason, reader->rules->reasons))
        rc = serve_grammar_go_on(serve_grammar_fail(g, reader->rules->reason,
                                                    "found finish_reason %s, expected a published one",
                                                    serve_quote(reason).at));
    if (rc != ASSAY_OK || reader->is_finished(state, index)) return rc;
    c->n_finished++;
    serve_grammar_finish(g, reason);
    return reader->finish(g, state, index, reason);
}

static assay_status find_choice(serve_grammar *g, serve_chunks *c, const serve_chunk_reader *reader,
                                void *state, json_object *choice, size_t *out)
{
    int64_t index = 0;
    assay_status rc = serve_grammar_count(g, reader->rules->choices, "a choice", choice, "index", 0, &index);
    if (rc == ASSAY_OK && (size_t)index > c->n_choices)
        rc = serve_grammar_fail(g, reader->rules->choices, "a choice: found index %lld, expected at most %zu",
                                (long long)index, c->n_choices);
    if (rc == ASSAY_OK && (size_t)index == c->n_choices) {
        rc = reader->begin(g, state);
        if (rc == ASSAY_OK) c->n_choices++;
    }
    if (rc == ASSAY_OK) *out = (size_t)index;
    return rc;
}

static assay_status read_choice(serve_grammar *g, serve_chunks *c, const serve_chunk_reader *reader,
                                void *state, json_object *choice)
{
    size_t index = 0;
    json_object *reason = NULL;
    if (!json_object_is_type(choice, json_type_object))
        return serve_grammar_fail(g, reader->rules->choices, "choices: found an element that is no object");
    assay_status rc = find_choice(g, c, reader, state, choice, &index);
    if (rc == ASSAY_OK && reader->is_finished(state, index))
        rc = serve_grammar_go_on(serve_grammar_fail(g, reader->rules->after_finish,
                                                    "found more of a choice after its finish_reason"));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(reader->read(g, state, index, choice));
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, reader->rules->reason, "a choice", choice, "finish_reason",
                                    json_type_string, &reason);
    if (rc != ASSAY_OK || !reason) return rc;
    return read_finish(g, c, reader, state, index, serve_string(reason));
}

static assay_status read_error(serve_grammar *g, json_object *error)
{
    assay_text message;
    g->failed = true;
    if (!json_object_is_type(error, json_type_object))
        return serve_grammar_fail(g, "event", "found an error that is no object");
    return serve_grammar_name(g, "event", "error", error, "message", &message);
}

assay_status serve_chunks_read(serve_grammar *g, serve_chunks *c, const serve_chunk_reader *reader,
                               void *state, json_object *chunk)
{
    const serve_chunk_rules *rules = reader->rules;
    json_object *choices, *usage, *error;
    if (c->is_done) return serve_grammar_fail(g, rules->after_done, "found a chunk after [DONE]");
    if (json_object_object_get_ex(chunk, "error", &error) && error) return read_error(g, error);
    assay_status rc = check_head(g, c, rules, chunk);
    if (rc == ASSAY_OK)
        rc =
            serve_grammar_member(g, rules->choices, "the chunk", chunk, "choices", json_type_array, &choices);
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, rules->usage, "the chunk", chunk, "usage", json_type_object, &usage);
    if (rc != ASSAY_OK) return rc;
    if (json_object_array_length(choices) == 0) return read_last_chunk(g, c, rules, usage);
    if (c->has_usage)
        rc = serve_grammar_go_on(
            serve_grammar_fail(g, rules->usage, "found choices after the chunk for usage"));
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(choices); i++)
        rc = serve_grammar_go_on(read_choice(g, c, reader, state, json_object_array_get_idx(choices, i)));
    return rc == ASSAY_OK && usage ? read_usage(g, c, rules, usage) : rc;
}

assay_status serve_chunks_done(serve_grammar *g, serve_chunks *c, const serve_chunk_rules *rules)
{
    if (c->is_done) return serve_grammar_fail(g, rules->done, "found [DONE] again, expected it once");
    c->is_done = true;
    if (g->failed) return ASSAY_OK;
    assay_status rc = ASSAY_OK;
    if (!all_finished(c))
        rc = serve_grammar_go_on(
            serve_grammar_fail(g, rules->finish, "found [DONE], expected a finish_reason before it"));
    if (rc == ASSAY_OK && g->options.usage == SERVE_ASKED_FOR && !c->has_usage)
        rc = serve_grammar_fail(g, rules->usage, "found [DONE], expected a chunk for usage before it");
    return rc;
}

assay_status serve_chunks_end(serve_grammar *g, const serve_chunks *c, const serve_chunk_rules *rules)
{
    if (c->is_done) return ASSAY_OK;
    assay_status rc = ASSAY_OK;
    if (!all_finished(c))
        rc = serve_grammar_go_on(serve_grammar_fail(
            g, rules->finish, "found the end of the stream, expected a finish_reason before it"));
    return rc == ASSAY_OK ? serve_grammar_fail(g, rules->done, "found the end of the stream, expected [DONE]")
                          : rc;
}

void serve_chunks_free(serve_chunks *c)
{
    buffer_free(&c->id);
    buffer_free(&c->model);
}

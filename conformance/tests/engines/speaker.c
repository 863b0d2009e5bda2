/* A model that always generates the same text, whose ids are bytes: reasoning is between < and >, tool
 * calls are [name arguments], a line feed ends it. Each process breaks one rule, which MODULE_FAULT
 * names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>
#include <assay/serving.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/rule.h"

static const char TEXT[] = "<a>b[f 1]c\n";
static const int32_t STOP = '\n';

enum { VOCAB = 128 };

struct assay_model {
    int unused;
};

struct assay_session {
    size_t at; /* position in TEXT */
};

struct assay_tokenizer {
    int unused;
};

struct assay_completion {
    assay_completion_options options;
    assay_completion_state state;
};

struct assay_reply {
    bool tools, off;
    assay_part part;
};

static assay_status model_open(const char *dir, const assay_model_options *options, assay_model **out,
                               assay_error *err)
{
    (void)options;
    if (errs("model")) return fail(err, ASSAY_EFORMAT, "%s", dir);
    *out = calloc(1, sizeof **out);
    return *out ? ASSAY_OK : fail(err, ASSAY_ENOMEM, "no memory");
}

static void model_free(assay_model *m)
{
    free(m);
}

static size_t model_vocab(const assay_model *m)
{
    (void)m;
    return errs("vocab") ? 'i' : VOCAB;
}

static const int32_t *model_stop_ids(const assay_model *m, size_t *n)
{
    (void)m;
    *n = errs("stop-set") ? 0 : 1;
    return &STOP;
}

static assay_status session_open(assay_model *m, const assay_session_options *options, assay_session **out,
                                 assay_error *err)
{
    (void)m;
    if (!options || options->n_samples != 1) return fail(err, ASSAY_EUNSUPPORTED, "it has one sample");
    *out = calloc(1, sizeof **out);
    return *out ? ASSAY_OK : fail(err, ASSAY_ENOMEM, "no memory");
}

static void session_free(assay_session *s)
{
    free(s);
}

/* Sets the logit of the next token of TEXT; all others are 0. */
static void write_logits(assay_session *s, float *logits)
{
    const int next = s->at < sizeof TEXT - 1 ? TEXT[s->at] : 'z';
    for (int v = 0; v < VOCAB && !(errs("vocab") && v >= 'i'); v++)
        logits[v] = errs("nan") ? NAN : v == next + (errs("token") && next == 'b') ? 1 : 0;
    s->at++;
}

/* The prompt does not matter. After it every token must be the one that was chosen. Rows before the last are
 * zeros. */
static assay_status run_step(assay_session *s, const assay_step *step, size_t n,
                             const assay_step_options *options, assay_error *err)
{
    const bool strays = errs("token") || errs("stop-set");
    (void)options;
    if (n == 0) return ASSAY_OK;
    if (s->at > 0 && errs("decode")) return fail(err, ASSAY_EINTERNAL, "it cannot decode");
    if (s->at > 0 && !strays && step->tokens[0] != TEXT[s->at - 1])
        return fail(err, ASSAY_EINTERNAL, "this was not chosen");
    if (step->n_outputs == 0) return ASSAY_OK;
    const size_t n_before = (step->outputs->n_last - 1) * model_vocab(NULL);
    float *logits = step->outputs->data;
    memset(logits, 0, n_before * sizeof *logits);
    write_logits(s, logits + n_before);
    return ASSAY_OK;
}

static assay_status tokenizer_open(const char *dir, assay_tokenizer **out, assay_error *err)
{
    if (errs("tokenizer")) return fail(err, ASSAY_EFORMAT, "%s", dir);
    *out = calloc(1, sizeof **out);
    return *out ? ASSAY_OK : fail(err, ASSAY_ENOMEM, "no memory");
}

static void tokenizer_free(assay_tokenizer *t)
{
    free(t);
}

static assay_status encode(const assay_tokenizer *t, const char *text, size_t n, bool add_special,
                           int32_t *ids, size_t capacity, size_t *n_ids, assay_error *err)
{
    (void)t, (void)add_special, (void)err;
    for (size_t i = 0; i < n && i < capacity; i++) ids[i] = text[i];
    *n_ids = n + (errs("unsure") && capacity > 0);
    return ASSAY_OK;
}

static assay_status tokenizer_decode(const assay_tokenizer *t, const int32_t *ids, size_t n,
                                     bool skip_special, char *text, size_t capacity, size_t *n_text,
                                     assay_error *err)
{
    (void)t, (void)skip_special, (void)err;
    for (size_t i = 0; i < n && i < capacity; i++) text[i] = (char)ids[i];
    *n_text = n;
    return ASSAY_OK;
}

static assay_status completion_open(const assay_completion_options *options, assay_completion **out,
                                    assay_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return fail(err, ASSAY_ENOMEM, "no memory");
    (*out)->options = *options;
    (*out)->state =
        (assay_completion_state){.stop_id = -1, .prompt_tokens = errs("prompt") ? 0 : options->prompt_tokens};
    return ASSAY_OK;
}

static assay_status completion_push(assay_completion *c, int32_t id, const assay_sink *sink,
                                    assay_completion_state *state, assay_error *err)
{
    const char byte = (char)id;
    if (errs("memory")) return fail(err, ASSAY_ENOMEM, "no memory");
    c->state.completion_tokens += errs("count") && id == 'c' ? 2 : 1;
    if (c->options.n_stop_ids > 0 && id == c->options.stop_ids[0]) {
        c->state.finish = errs("finish") ? ASSAY_FINISH_LENGTH : ASSAY_FINISH_STOP;
        c->state.stop_id = errs("stop-id") ? id + 1 : id;
        if (errs("leaks")) sink->take(sink->context, ASSAY_PART_CONTENT, &byte, 1);
    } else {
        sink->take(sink->context, ASSAY_PART_CONTENT, &byte, errs("empty") ? 0 : 1);
        if (c->state.completion_tokens == c->options.max_tokens) c->state.finish = ASSAY_FINISH_LENGTH;
    }
    *state = c->state;
    return ASSAY_OK;
}

static void completion_free(assay_completion *c)
{
    free(c);
}

static assay_status reply_open(const assay_reply_options *options, assay_reply **out, assay_error *err)
{
    if (options->reasoning && strcmp(options->reasoning, "angles") != 0)
        return fail(err, ASSAY_EUNSUPPORTED, "parser: expected angles");
    *out = calloc(1, sizeof **out);
    if (!*out) return fail(err, ASSAY_ENOMEM, "no memory");
    (*out)->tools = options->tools != NULL && !errs("calls");
    (*out)->off = options->thinking_off && !errs("thinks");
    return ASSAY_OK;
}

static assay_status reply_feed(assay_reply *r, const char *delta, size_t n, const assay_sink *sink,
                               assay_error *err)
{
    if (errs("feed")) return fail(err, ASSAY_EINTERNAL, "it cannot go on");
    for (size_t i = 0; i < n; i++) {
        const char c = delta[i];
        if (c == '<' && !errs("content")) r->part = ASSAY_PART_REASONING;
        else if (c == '>') r->part = ASSAY_PART_CONTENT;
        else if (c == '[' && r->tools) r->part = ASSAY_PART_CALL;
        else if (c == ']' && r->tools) r->part = ASSAY_PART_CONTENT;
        else if (c == ' ' && r->part == ASSAY_PART_CALL) r->part = ASSAY_PART_ARGUMENTS;
        else if (r->part != ASSAY_PART_REASONING || !r->off) {
            const char said = errs("reasoning") && r->part == ASSAY_PART_REASONING ? '!' : c;
            sink->take(sink->context, r->part, &said, 1);
        }
    }
    return ASSAY_OK;
}

static assay_status reply_end(assay_reply *r, const assay_sink *sink, assay_error *err)
{
    (void)r, (void)sink;
    return errs("end") ? fail(err, ASSAY_EINTERNAL, "it cannot end") : ASSAY_OK;
}

static void reply_free(assay_reply *r)
{
    free(r);
}

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {.abi = ASSAY_ENGINE_ABI,
                                       .size = sizeof table,
                                       .name = "speaker",
                                       .version = "1",
                                       .logits_dtype = ASSAY_F32,
                                       .model_open = model_open,
                                       .model_free = model_free,
                                       .model_vocab = model_vocab,
                                       .model_stop_ids = model_stop_ids,
                                       .session_open = session_open,
                                       .session_free = session_free,
                                       .step = run_step};
    return &table;
}

const assay_serving *assay_serving_v2(void);

const assay_serving *assay_serving_v2(void)
{
    static assay_serving table;
    table = (assay_serving){.abi = ASSAY_SERVING_ABI,
                            .size = sizeof table,
                            .name = "speaker",
                            .version = "1",
                            .reply_open = reply_open,
                            .reply_feed = reply_feed,
                            .reply_end = reply_end,
                            .reply_free = reply_free,
                            .tokenizer_open = tokenizer_open,
                            .tokenizer_free = tokenizer_free,
                            .encode = encode,
                            .decode = tokenizer_decode,
                            .completion_open = completion_open,
                            .completion_push = errs("lacks") ? NULL : completion_push,
                            .completion_free = completion_free};
    return &table;
}

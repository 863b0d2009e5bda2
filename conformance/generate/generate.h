/* Generation through an engine and what a module exports for serving: a prompt in, a reply out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_GENERATE_H
#define CONFORMANCE_GENERATE_GENERATE_H

#include <assay/engine.h>
#include <assay/serving.h>

#include <stdbool.h>

#include "serving/sampler.h"

/* A checkpoint that is open: model, tokenizer, and the ids that end generation. */
typedef struct conf_generator conf_generator;

/* engine and serving, which has tokenizer, completion and reply, are borrowed until conf_generator_free. The
 * stop ids are the engine's, or, where it does not say, those of the checkpoint's documents. allow_unknown:
 * as in assay_model_options. Fails as they do. */
assay_status conf_generator_open(const assay_engine *engine, const assay_serving *serving, const char *dir,
                                 const char *const *allow_unknown, conf_generator **out, assay_error *err);
void conf_generator_free(conf_generator *g);

/* What is asked for; borrowed for the call. */
typedef struct conf_generation {
    assay_text prompt; /* special tokens in it are found */
    bool add_special;  /* with what the tokenizer's template puts around a text */
    serve_sampling sampling;
    size_t max_tokens;
    size_t max_positions;         /* of a prompt: what the model was trained on; 0: not known */
    const assay_text *stop_texts; /* [n_stop_texts] */
    size_t n_stop_texts;
    assay_reply_options reply;
} conf_generation;

/* Who receives what is generated, while it is. */
typedef struct conf_listeners {
    const assay_sink *text;  /* the text, markers and all, as ASSAY_PART_CONTENT; NULL: nobody */
    const assay_sink *reply; /* what a client is to see */
    /* Called before a prompt of n_tokens is evaluated, and again when that is done; NULL: nobody. */
    void (*prefill)(const void *context, size_t n_tokens, bool done);
    const void *prefill_context;
} conf_listeners;

typedef struct conf_generated {
    int32_t *ids; /* [n_ids] that the model chose, a stop id included; the caller frees them */
    size_t n_ids;
    assay_completion_state state;
    size_t n_calls;
    double prefill_seconds, decode_seconds; /* behind the first token */
} conf_generated;

/* Greedy tokens are those of the engine's logits; of equal ones the first. Fails as engine and serving do,
 * with ASSAY_EINTERNAL where logits leave no token; text that was generated before has been emitted. */
assay_status conf_generate(conf_generator *g, const conf_generation *what, const conf_listeners *listeners,
                           conf_generated *out, assay_error *err);

/* "stop", "length", or "tool_calls" where a reply with calls has ended by itself. */
const char *conf_generated_reason(const conf_generated *generated);

#endif

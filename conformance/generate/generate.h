/* Generates text with an engine and the serving table of a module: encodes a prompt, samples tokens,
 * parses the reply.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_GENERATE_H
#define CONFORMANCE_GENERATE_GENERATE_H

#include <assay/engine.h>
#include <assay/serving.h>

#include <stdbool.h>

#include "dialogue/sampler.h"

/* An open checkpoint: model, tokenizer, and stop ids. */
typedef struct conf_generator conf_generator;

/* Opens the checkpoint `dir`. engine and serving are borrowed until conf_generator_free; serving must
 * have the parts tokenizer, completion and reply. Stop ids come from the engine's model_stop_ids or,
 * without it, from the checkpoint's documents. allow_unknown: as in assay_model_options. Returns the
 * error of engine, tokenizer or loader. */
assay_status conf_generator_open(const assay_engine *engine, const assay_serving *serving, const char *dir,
                                 const char *const *allow_unknown, conf_generator **out, assay_error *err);
void conf_generator_free(conf_generator *g);

/* The placeholder tokens of all items of a kind in the prompt. token: the text of one; NULL: there are no
 * items of this kind. */
typedef struct conf_placeholder_tokens {
    const char *token;
    size_t n;
} conf_placeholder_tokens;

/* The request; all pointers are borrowed for the call. */
typedef struct conf_generation {
    assay_text prompt;       /* special tokens in the text are encoded as such */
    bool add_special;        /* add the special tokens of the tokenizer's template */
    const assay_item *items; /* [n_items], those of a kind in the order of their placeholder tokens */
    size_t n_items;
    conf_placeholder_tokens images, audios;
    serve_sampling sampling;
    size_t max_tokens;
    size_t max_positions;         /* limit of the prompt, from the model's config; 0: no limit */
    const assay_text *stop_texts; /* [n_stop_texts] */
    size_t n_stop_texts;
    assay_reply_options reply;
} conf_generation;

/* Receivers of the output during generation. */
typedef struct conf_listeners {
    const assay_sink *text;  /* the unparsed text, as ASSAY_PART_CONTENT; may be NULL */
    const assay_sink *reply; /* the parsed reply */
    /* Called before and after the prefill of a prompt of n_tokens; may be NULL. */
    void (*prefill)(const void *context, size_t n_tokens, bool done);
    const void *prefill_context;
} conf_listeners;

typedef struct conf_generated {
    int32_t *ids; /* [n_ids], the generated tokens, including a stop id; the caller frees them */
    size_t n_ids;
    assay_completion_state state;
    size_t n_calls;
    double prefill_seconds, decode_seconds; /* decode: the steps after the prefill */
} conf_generated;

/* Generates one reply. Greedy sampling takes the token with the largest logit, the first of equal ones.
 * Returns the error of engine or serving; ASSAY_EINVAL for a prompt that is empty or too long,
 * or has another number of placeholder tokens than its items,
 * ASSAY_EFORMAT for a token outside the model's vocabulary, ASSAY_EINTERNAL if all logits of a step are
 * NaN or -infinity or two encodings of the prompt differ in length, ASSAY_ENOMEM. Text generated before
 * a failure has been emitted; *out is unchanged then. */
assay_status conf_generate(conf_generator *g, const conf_generation *request, const conf_listeners *listeners,
                           conf_generated *out, assay_error *err);

/* The finish reason: "length", or "tool_calls" if a reply with calls ended with a stop, otherwise
 * "stop". */
const char *conf_generated_reason(const conf_generated *generated);

#endif

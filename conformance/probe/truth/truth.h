/* What a probe knows of the served checkpoint: the sequences of recorded cases, the float64 logits after
 * each of their tokens, and the noise of each recorded type.
 *
 * All cases of a probe are of one checkpoint, of kind logits or generate, without images.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TRUTH_TRUTH_H
#define CONFORMANCE_PROBE_TRUTH_TRUTH_H

#include <json-c/json.h>

#include "conformance/case/case.h"
#include "conformance/probe/truth/chat.h"
#include "conformance/probe/truth/pictures.h"
#include "conformance/probe/truth/vocab.h"

#define PROBE_PROMPTS_MAX 64

/* A measured run of the published model, and the largest distance of its logits from the truth, over all rows
 * of a case, at least conf_noise_floor. The bound of a candidate that computes in this way is 4 times that.
 * noise 0: not measured. */
typedef struct probe_noise {
    double noise, bound;
} probe_noise;

/* In what a server may compute. affine: float32, with the weights in groups of 8 or 4 bits. Q8_0 …:
 * llama.cpp's products with quantised weights, with its usual cache of float16 where the case has such a run.
 */
typedef enum probe_type {
    PROBE_F32,
    PROBE_F16,
    PROBE_BF16,
    PROBE_INT8,
    PROBE_AFFINE8,
    PROBE_AFFINE4,
    PROBE_Q8_0,
    PROBE_Q8_1,
    PROBE_Q8_K,
    PROBE_TYPES
} probe_type;

/* "f32", …, "8-bit weights" */
const char *probe_type_name(probe_type type);
/* "f32", …, "8-bit": as in --compute */
const char *probe_type_claim(probe_type type);

/* A sample of a case.
 * ids:      [n_ids], the prompt and the tokens that follow it in the case.
 * greedy:   [n_greedy], the answer that the truth gives, without the stop id that ends it if `ends`.
 * n_safe:   how many tokens of the answer, the stop id included, have a margin above twice the bound: these
 *           must be the same in every correct engine of the claimed type.
 * text:     the prompt, special tokens included; the tokenizer reads it as the prompt's ids if `readable`,
 *           with the tokens that it adds itself if `adds`.
 * chat:     the request whose prompt this is, in the form of chat completions: an object with messages and
 *           perhaps tools; NULL: unknown. Owned.
 * thinking: the value of enable_thinking that the chat template needs for it.
 * implied:  the template also gives the prompt without enable_thinking.
 * thinks:   whether the template lets the model think. */
typedef struct probe_prompt {
    const conf_case *c;
    size_t sample, n_prompt;
    int32_t *ids;
    size_t n_ids;
    const int32_t *greedy;
    size_t n_greedy, n_safe;
    bool ends;
    buffer text;
    bool readable, adds;
    json_object *chat;
    probe_thinking thinking;
    bool implied, thinks;
    const probe_noise *noise; /* [PROBE_TYPES], of its case */
    char name[96];            /* "turns, sample 2" */
} probe_prompt;

typedef struct probe_truth {
    conf_case **cases; /* [n_cases] */
    size_t n_cases;
    probe_noise (*noise)[PROBE_TYPES]; /* [n_cases] */
    probe_prompt *prompts;             /* [n_prompts], shortest first */
    size_t n_prompts;
    size_t n_vocab;
    probe_vocab *vocab;
    probe_chat *chat; /* NULL: the checkpoint has no chat template */
    char *model;      /* the checkpoint's directory */
    int32_t *stop_ids;
    size_t n_stop_ids;
    size_t n_positions;            /* of the model, for a prompt and its answer; 0: unknown */
    probe_type type;               /* the claim */
    const char *reasoning, *tools; /* the parsers that the markers of the tokenizer name; NULL: none */
    probe_pictures pictures;       /* of conversations.jsonl beside the first case */
} probe_truth;

/* Reads cases [n], each a file or a directory with cases; those of other kinds, or with images, are passed
 * over. The requests of chats are those of a requests.json beside a case (kind dialogue; input.case,
 * input.sample, input.request); else those of a conversation that the checkpoint's template renders as the
 * prompt. Pictures are read as probe_pictures_read does. type: the claim: cases without its noise are passed
 * over. Prompts that leave the model no position are passed over, and answers end where its positions do.
 * Fails as conf_find and conf_case_read do; with ASSAY_EFORMAT if cases have different checkpoints or
 * vocabularies, and with ASSAY_EINVAL if no case or no prompt is left. probe_truth_free also after a failure.
 */
assay_status probe_truth_read(const char *const *paths, size_t n, probe_type type, probe_truth *out,
                              assay_error *err);
void probe_truth_free(probe_truth *truth);

/* The truth's logits [n_vocab] after the first n_before ≥ 1 tokens of a prompt's ids; NULL if they are not
 * recorded. */
const double *probe_truth_row(const probe_prompt *p, size_t n_before);

/* The bound of logits for a candidate in this type; 0 if its run was not measured. */
double probe_truth_bound(const probe_prompt *p, probe_type type);

/* The token after n_before ids: the next one, or the stop id that ends the answer; -1: unknown. */
int32_t probe_truth_next(const probe_prompt *p, size_t n_before);

#endif

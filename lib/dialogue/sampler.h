/* Chooses the next token from logits: the best one, or one drawn from the tempered and truncated
 * distribution.
 *
 * The distribution is truncated as by transformers' logits processors, in their order
 * (generation/logits_process.py: repetition penalty, temperature, top-k, top-p, min-p). The draw depends only
 * on the seed and the step, and so neither on the machine, the engine nor earlier steps; exponentials use
 * only basic IEEE operations, and so are bit-identical on all machines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_SAMPLER_H
#define DIALOGUE_SAMPLER_H

#include <assay/engine.h>

typedef struct serve_sampling {
    double temperature; /* 0: the best logit, the first of equal ones; the other members except the penalty
                           are not read then */
    size_t top_k;       /* keeps this many of the best, and those equal to the last of them; 0: all */
    double top_p;       /* drops the least likely while their sum is at most 1 - top_p; 1: drops none */
    double min_p;       /* drops those less likely than min_p times the most likely one; 0: drops none */
    double repetition_penalty; /* divides the logits of seen tokens, and multiplies negative ones */
    uint64_t seed;
} serve_sampling;

extern const serve_sampling serve_sampling_greedy;

typedef struct serve_sampler serve_sampler;

/* vocab: the number of logits, > 0. ASSAY_EINVAL for a temperature that is negative or NaN, top_p outside (0,
 * 1], min_p outside [0, 1], or a penalty that is not positive; the message names the member. */
assay_status serve_sampler_open(const serve_sampling *sampling, size_t vocab, serve_sampler **out,
                                assay_error *err);
void serve_sampler_free(serve_sampler *s);

/* Records a token of the prompt or of the answer for the penalty; an id outside the vocabulary is ignored. */
void serve_sampler_accept(serve_sampler *s, int32_t id);

/* The token of this step, which counts from 0. logits: [vocab] of type ASSAY_F32 or ASSAY_F64; a NaN is never
 * chosen. -1 if all logits are NaN or minus infinity. */
int32_t serve_sampler_choose(serve_sampler *s, const void *logits, assay_dtype dtype, uint64_t step);

/* The distribution that choose draws from. out: [vocab], probabilities; 0 for dropped tokens. */
void serve_sampler_weigh(serve_sampler *s, const void *logits, assay_dtype dtype, double *out);

#endif

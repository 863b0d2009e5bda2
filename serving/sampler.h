/* Choosing the next token from logits: greedily, or drawn from a distribution that is cut and tempered first.
 *
 * What is left of the distribution is what transformers' logits processors leave of it, in their order
 * (generation/logits_process.py: repetition penalty, temperature, top-k, top-p, min-p). The draw is a number
 * of its own for each seed and step, so that it depends on neither the machine, the engine nor the steps
 * before; exponentials are made of IEEE's basic operations alone, and so have the same bits everywhere.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_SAMPLER_H
#define SERVING_SAMPLER_H

#include <assay/engine.h>

typedef struct serve_sampling {
    double temperature; /* 0: the best logit, of equal ones the first; what follows but the penalty is
                         * then not looked at */
    size_t top_k;       /* so many of the best, and those as good as the last of them; 0: all */
    double top_p;       /* the least likely go while they are together at most 1 - top_p; 1: none goes */
    double min_p;       /* those less likely than min_p times the most likely one go; 0: none */
    double
        repetition_penalty; /* logits of tokens that were seen are divided by it, negative ones multiplied */
    uint64_t seed;
} serve_sampling;

extern const serve_sampling serve_sampling_greedy;

typedef struct serve_sampler serve_sampler;

/* vocab: how many logits there are, > 0. ASSAY_EINVAL for a temperature that is negative or no number, top_p
 * outside (0, 1], min_p outside [0, 1], a penalty that is not positive: the reason names the member. */
assay_status serve_sampler_open(const serve_sampling *sampling, size_t vocab, serve_sampler **out,
                                assay_error *err);
void serve_sampler_free(serve_sampler *s);

/* A token of the prompt or of the answer, for the penalty; one outside the vocabulary is passed over. */
void serve_sampler_see(serve_sampler *s, int32_t id);

/* The token of this step, which counts from 0. logits: [vocab] of type ASSAY_F32 or ASSAY_F64; a NaN is never
 * chosen. -1 where nothing is left: all are NaN or minus infinity. */
int32_t serve_sampler_choose(serve_sampler *s, const void *logits, assay_dtype dtype, uint64_t step);

/* What choose draws from: out [vocab], probabilities, 0 of what went. */
void serve_sampler_weigh(serve_sampler *s, const void *logits, assay_dtype dtype, double *out);

#endif

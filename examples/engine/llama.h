/* The forward pass of Llama, in plain loops.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLE_LLAMA_H
#define EXAMPLE_LLAMA_H

#include <assay/engine.h>

#include <stddef.h>

/* limit, sink_tokens: which keys attention sees, as in assay_session_options.
 * tap:       receives tensors, of the rows from first_row on; fn NULL: none.
 * sample:    its number, for the tap.
 * first_row: the number of tokens before this step. */
typedef struct llama_pass {
    size_t limit, sink_tokens;
    assay_tap tap;
    size_t sample, first_row;
} llama_pass;

/* Evaluates all n tokens of a sample. logits: [n_last, vocab], of the last ones; n_last may be 0. Fails with
 * ASSAY_ENOMEM, and with ASSAY_ESTOPPED if the tap stops. */
assay_status llama_evaluate(const assay_model *m, const llama_pass *pass, const int32_t *tokens, size_t n,
                            size_t n_last, float *logits, assay_error *err);

#endif

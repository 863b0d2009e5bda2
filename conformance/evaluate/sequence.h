/* A single sample as a case of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_SEQUENCE_H
#define CONFORMANCE_EVALUATE_SEQUENCE_H

#include "conformance/case/case.h"

/* A single sample: its prompt, and a number of the tokens that follow it in the case. */
typedef struct conf_sequence {
    size_t sample;
    size_t n_more;
    bool greedy;  /* the following tokens are those of the greedy stream, not the forced ones */
    bool padded;  /* the prompt keeps the padding that it has in the batch */
    bool decodes; /* the forced tokens follow step by step, as recorded */
} conf_sequence;

/* The tokens of a sequence, prompt first; the caller frees *tokens. NULL: no memory. */
int32_t *conf_sequence_tokens(const conf_decoder *d, const conf_sequence *s, size_t *n);

/* Makes a case of a sequence: one sample, and the rows of the truth by which it is judged. path and
 * model are borrowed from c; conf_sequence_case_free frees the rest, also if this returns false (out of
 * memory). */
bool conf_sequence_case(const conf_case *c, const conf_sequence *s, conf_case *out);
void conf_sequence_case_free(conf_case *c);

#endif

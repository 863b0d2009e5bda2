/* One sample by itself, as a case of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_SEQUENCE_H
#define CONFORMANCE_LOCATE_SEQUENCE_H

#include "conformance/case/case.h"

/* One sample by itself: its prompt and so many of the tokens that follow it in the case. */
typedef struct conf_sequence {
    size_t sample;
    size_t n_more;
    bool greedy;  /* they are those of the greedy stream, not the forced ones */
    bool padded;  /* the prompt keeps the padding that it has in the batch */
    bool decodes; /* the forced tokens follow step by step, as recorded */
} conf_sequence;

/* The tokens of a sequence, prompt first; the caller frees *tokens. NULL: no memory. */
int32_t *conf_sequence_tokens(const conf_decoder *d, const conf_sequence *s, size_t *n);

/* The case that a sequence makes: one sample, and the rows of the truth that it is judged by. path and model
 * are borrowed from c; what else it holds conf_sequence_case_free frees, also where this fails for want of
 * memory. */
bool conf_sequence_case(const conf_case *c, const conf_sequence *s, conf_case *out);
void conf_sequence_case_free(conf_case *c);

#endif

/* How the samples of a case stand in the batch that an engine is given: as recorded, or in an arrangement
 * drawn from a seed. The truth of each sample was recorded of that sample alone, so whatever stands beside
 * it, and whatever lies under its padding, its logits must be the same.
 *
 * Notation: B samples of the case, S rows of the batch, T padded length of the batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_ARRANGE_H
#define CONFORMANCE_REPLAY_ARRANGE_H

#include "conformance/case/case.h"

#define CONF_PADDING_DRAWN_MAX 8 /* columns of padding that a draw may add */
#define CONF_COMPANY_MAX       2 /* rows that a draw may add */

typedef struct conf_arrangement {
    size_t n_rows, n_tokens; /* S, T */
    int32_t *tokens;         /* [S, T] */
    int32_t *length;         /* [S] */
    size_t *row;             /* [B]: where each sample stands */
} conf_arrangement;

/* As recorded, where seed is NULL. Else samples stand in another order (where they have nothing but tokens),
 * with more padding, ids of the prompts in the padding, and batch neighbours: prompts that are not judged,
 * cut from the others. The same seed and the same name of the case's file draw the same. Fails with
 * ASSAY_ENOMEM. */
assay_status conf_arrange(const conf_case *c, const uint64_t *seed, conf_arrangement *out, assay_error *err);
void conf_arrangement_free(conf_arrangement *a);

/* Tokens of a step of decode: -1 everywhere; the caller fills in those of the samples. tokens: [S]. */
void conf_arrangement_rest(const conf_arrangement *a, int32_t *tokens);

/* "rows 1,0 of 3, 4 more columns of padding": for notes. */
void conf_arrangement_print(const conf_arrangement *a, const conf_decoder *d, char *text, size_t size);

#endif

/* The batch that an engine is given: samples as recorded, or in an arrangement drawn from a seed. The
 * truth of each sample was recorded without batch neighbours and padding, so the logits must not depend
 * on the rows of other samples, on the amount of padding, or on the ids in the padding.
 *
 * Notation: B samples of the case, S rows of the batch, T padded length of the batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_ARRANGE_H
#define CONFORMANCE_REPLAY_ARRANGE_H

#include "conformance/case/case.h"

#define CONF_PADDING_DRAWN_MAX 8 /* columns of padding that a draw may add */
#define CONF_NEIGHBOURS_MAX    2 /* rows that a draw may add */

typedef struct conf_arrangement {
    size_t n_rows, n_tokens; /* S, T */
    int32_t *tokens;         /* [S, T] */
    int32_t *length;         /* [S] */
    size_t *row;             /* [B]: the row of each sample */
} conf_arrangement;

/* Makes the batch of a case: as recorded if seed is NULL. Otherwise adds up to CONF_PADDING_DRAWN_MAX
 * columns of padding and fills padding with ids from the prompts; if the case has no inputs other than
 * tokens, also permutes the rows and adds up to CONF_NEIGHBOURS_MAX batch neighbours: prefixes of the
 * case's prompts, which are not judged. The same seed and file name of the case give the same
 * arrangement. Fails with ASSAY_ENOMEM. */
assay_status conf_arrange(const conf_case *c, const uint64_t *seed, conf_arrangement *out, assay_error *err);
void conf_arrangement_free(conf_arrangement *a);

/* Sets all tokens [S] of a decode step to -1 (no token); the caller then sets those of the samples. */
void conf_arrangement_clear_tokens(const conf_arrangement *a, int32_t *tokens);

/* Prints, for example, "rows 1,0 of 3, 4 more columns of padding", for notes. */
void conf_arrangement_print(const conf_arrangement *a, const conf_decoder *d, char *text, size_t size);

#endif

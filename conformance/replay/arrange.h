/* The batch that an engine is given: samples as recorded, or in an arrangement drawn from a seed. The
 * truth of each sample was recorded without batch neighbours and padding, so the logits must not depend
 * on the rows of other samples or on the amount of padding.
 *
 * Notation: B samples of the case, S rows of the batch, T padded length of the batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_ARRANGE_H
#define CONFORMANCE_REPLAY_ARRANGE_H

#include "conformance/case/case.h"

#define CONF_PADDING_DRAWN_MAX 8 /* columns of padding that a draw may add */
#define CONF_NEIGHBOURS_MAX    2 /* rows that a draw may add */

/* A row of the batch: the first n_tokens tokens of a prompt of the case. */
typedef struct conf_batch_row {
    size_t sample;
    size_t n_tokens;
    bool judged; /* false: a batch neighbour */
} conf_batch_row;

typedef struct conf_arrangement {
    size_t n_rows, n_tokens; /* S, T */
    conf_batch_row *rows;    /* [S] */
    size_t *row;             /* [B]: the row of each sample */
} conf_arrangement;

/* Makes the batch of a case: as recorded if seed is NULL. Otherwise adds up to CONF_PADDING_DRAWN_MAX
 * columns of padding, permutes the rows and adds up to CONF_NEIGHBOURS_MAX batch neighbours: prefixes of
 * the case's prompts, or whole prompts if the case has inputs besides tokens, which are not judged. The same
 * seed and file name of the case give the same arrangement. Fails with ASSAY_ENOMEM. */
assay_status conf_arrange(const conf_case *c, const uint64_t *seed, conf_arrangement *out, assay_error *err);
void conf_arrangement_free(conf_arrangement *a);

/* The state of a generator for further draws that belong to this arrangement of the case. */
uint64_t conf_arrangement_state(const conf_case *c, uint64_t seed);

/* Prints, for example, "rows 1,0 of 3, 4 more columns of padding", for notes. */
void conf_arrangement_print(const conf_arrangement *a, const conf_decoder *d, char *text, size_t size);

#endif

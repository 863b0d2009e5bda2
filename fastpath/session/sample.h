/* One sample of a session: its tokens, and the state of the layers after some of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_SAMPLE_H
#define FASTPATH_SESSION_SAMPLE_H

#include "fastpath/cache.h"
#include "fastpath/session/positions.h"

/* Zero-initialised: unused. */
typedef struct fp_sample {
    bool in_use;
    int32_t *tokens; /* [n_tokens] */
    size_t n_tokens, capacity;
    fp_positions positions;
    fp_state state; /* state of the first state.n_tokens tokens */
    size_t length;  /* length of the sequence for whose RoPE frequencies the state was computed */
} fp_sample;

/* Leaves the sample unused. */
void fp_sample_free(fp_sample *one);

/* Appends n_new tokens, and their positions if these are stored or given; see fp_positions_append. The state
 * is unchanged. Returns false, and the sample is unchanged, if out of memory. */
bool fp_sample_append(fp_sample *one, const int32_t *tokens, size_t n_new, const int32_t *positions,
                      size_t n_axes);

/* Drops all tokens after the first n_tokens. If a block loses tokens, the state goes back to its beginning:
 * the rest of the block was evaluated with keys that are dropped, and is evaluated again with the next step.
 */
void fp_sample_rewind(fp_sample *one, const plan *p, size_t n_tokens);

/* Makes `to`, which is in use and has no tokens, a copy of `from`; the states share pages. Returns false if
 * out of memory; `to` can only be freed then. */
bool fp_sample_copy(fp_sample *to, const fp_sample *from);

#endif

/* The verdict on greedy tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_TOKENS_H
#define CONFORMANCE_EVALUATE_TOKENS_H

#include "conformance/judge/noise.h"
#include "conformance/judge/token.h"
#include "conformance/replay/state.h"

#define CONF_STREAM_ENDED                                                                                    \
    (-2) /* in the place of an expected token: none, the stream ended before the step                        \
          */

/* Fails a greedy step. golden: the expected token, -1 for any stop id, or CONF_STREAM_ENDED. found: -1 for no
 * token. Where the two are equal, the token is a stop id after which the expected stream continues. */
void conf_evaluate_fail_step(conf_verdict *v, conf_token token, size_t b, size_t k, int32_t golden,
                             int64_t found);
void conf_evaluate_tokens(const conf_replay *r, const conf_bounds *bounds);

/* The first greedy step, sample by sample, whose token is neither expected nor excused; sets the verdict.
 * False if there is none. */
bool conf_tokens_differ(const conf_replay *r, const conf_bounds *bounds, size_t *sample, size_t *step);

/* The row of d->rows that holds the truth after the prompt of sample b and k of the tokens that follow:
 * the forced ones, or those of the greedy stream. SIZE_MAX if no such row is recorded, because the
 * forced tokens differ from those of the stream, or because the case does not list it. */
size_t conf_row_of_step(const conf_decoder *d, size_t b, size_t k, bool greedy);

#endif

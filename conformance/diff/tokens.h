/* Compares the greedy tokens of an observation with the golden's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_TOKENS_H
#define CONFORMANCE_DIFF_TOKENS_H

#include "conformance/diff/state.h"

/* Judges the tokens and reports a divergence in d->v. Call conf_diff_open first. */
assay_status conf_diff_tokens(conf_diff_state *d, assay_error *err);

#endif

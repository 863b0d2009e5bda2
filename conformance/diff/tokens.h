/* Tokens of an observation against the expected ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_TOKENS_H
#define CONFORMANCE_DIFF_TOKENS_H

#include "conformance/diff/state.h"

/* After conf_diff_open; what diverges goes into d->v. */
assay_status conf_diff_tokens(conf_diff_state *d, assay_error *err);

#endif

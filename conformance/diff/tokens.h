/* Judges the tokens of an observation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_TOKENS_H
#define CONFORMANCE_DIFF_TOKENS_H

#include "conformance/diff/state.h"

/* Must follow conf_diff_open. A divergence is recorded in d->v. */
assay_status conf_diff_tokens(conf_diff_state *d, assay_error *err);

#endif

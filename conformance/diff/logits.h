/* Logits of an observation against the golden's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_LOGITS_H
#define CONFORMANCE_DIFF_LOGITS_H

#include "conformance/diff/state.h"

/* Opens the logits of both files, and sets the bounds if logits or tokens are judged. An observation
 * may lack unjudged logits. */
assay_status conf_diff_open(conf_diff_state *d, assay_error *err);

/* Judges the logits, after conf_diff_open. A divergence is recorded in d->v. */
assay_status conf_diff_logits(conf_diff_state *d, assay_error *err);

#endif

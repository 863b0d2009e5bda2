/* Compares the logits of an observation with the golden's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_LOGITS_H
#define CONFORMANCE_DIFF_LOGITS_H

#include "conformance/diff/state.h"

/* Opens the logits of both files. Sets the bounds if logits or tokens are judged. An observation may
 * lack logits that are not judged. */
assay_status conf_diff_open(conf_diff_state *d, assay_error *err);

/* Judges the logits and reports a divergence in d->v. Call conf_diff_open first. */
assay_status conf_diff_logits(conf_diff_state *d, assay_error *err);

#endif

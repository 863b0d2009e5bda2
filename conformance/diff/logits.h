/* Logits of an observation against the golden's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_LOGITS_H
#define CONFORMANCE_DIFF_LOGITS_H

#include "conformance/diff/state.h"

/* Opens the logits of both files, and sets the bounds where logits or tokens are judged. An observation may
 * lack logits that are not judged. */
assay_status conf_diff_open(conf_diff_state *d, assay_error *err);

/* Judges the logits, after conf_diff_open; what diverges goes into d->v. */
assay_status conf_diff_logits(conf_diff_state *d, assay_error *err);

#endif

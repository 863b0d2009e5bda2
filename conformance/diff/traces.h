/* Compares the traces of an observation with the golden's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_TRACES_H
#define CONFORMANCE_DIFF_TRACES_H

#include "conformance/diff/state.h"

/* Judges the traces and reports a divergence in d->v. Call conf_diff_open first. */
assay_status conf_diff_traces(conf_diff_state *d, assay_error *err);

#endif

/* Compares traces of an observation with the golden's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_TRACES_H
#define CONFORMANCE_DIFF_TRACES_H

#include "conformance/diff/state.h"

/* Must follow conf_diff_open. A divergence is recorded in d->v. */
assay_status conf_diff_traces(conf_diff_state *d, assay_error *err);

#endif

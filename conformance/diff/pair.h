/* Compares two observations with each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_PAIR_H
#define CONFORMANCE_DIFF_PAIR_H

#include "conformance/diff/state.h"

/* Compares the members selected by d->parts of d->golden and d->observed, and sets d->v. Fails if a
 * member exists in only one of the two, or if there is no such member. */
assay_status conf_diff_pair(conf_diff_state *d, assay_error *err);

#endif

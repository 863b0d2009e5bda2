/* Delta debugging: which of several units a failure needs (Zeller and Hildebrandt, Simplifying and isolating
 * failure-inducing input, 2002), and how many.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_DELTA_H
#define CONFORMANCE_SUPPORT_DELTA_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the failure stays if only these units are kept. kept: [n]. */
typedef bool conf_delta_units_fn(void *context, const bool *kept, size_t n);

/* Whether the failure stays with n of the units. */
typedef bool conf_delta_count_fn(void *context, size_t n);

/* Removes units in groups, the largest first, as long as the failure stays, until none of the units that are
 * left can be removed alone, or, with `least` above 1, in a group of that size. A test that may no longer be
 * run says that the failure does not stay. kept: [n], on entry the units that there are. Returns whether a
 * unit was removed. False, too, if out of memory. */
bool conf_delta_units(bool *kept, size_t n, size_t least, conf_delta_units_fn *stays, void *context);

/* The smallest number found from `least` to n with which the failure stays: least is tried first, then the
 * middle of what is left. n is not tried: the failure is there. */
size_t conf_delta_count(size_t least, size_t n, conf_delta_count_fn *stays, void *context);

#endif

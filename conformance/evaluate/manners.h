/* Evaluating a case in every manner.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_MANNERS_H
#define CONFORMANCE_EVALUATE_MANNERS_H

#include "conformance/evaluate/assignment.h"
#include "conformance/judge/noise.h"
#include "conformance/replay/state.h"

/* After a replay that agrees: evaluates the case in the manner of the assignment; without one in all manners,
 * or, with a seed, in one that it draws. Stops at the first that diverges. The notes of the verdict name the
 * manners that were evaluated, and those that were not, with the reasons; left_out has the latter, except
 * those that would change nothing. If a manner fails, the measures of the whole evaluation, in the notes from
 * byte n_kept on, are replaced (conf_evaluate_put_aside). A manner that was asked for and does not apply
 * makes the verdict CONF_SKIPPED. */
void conf_evaluate_manners(conf_replay *r, const conf_bounds *bounds, const conf_assignment *assignment,
                           size_t n_kept);

#endif

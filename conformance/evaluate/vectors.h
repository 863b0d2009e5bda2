/* All vectors of a textual case with one engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_VECTORS_H
#define CONFORMANCE_EVALUATE_VECTORS_H

#include "conformance/case/case.h"
#include "conformance/evaluate/assignment.h"

/* Replays the vectors of a textual case, or the one that is asked for, within assignment->limits for each:
 * in a process of its own, in which nothing of the module has run but its table, or, where the kind allows
 * it, behind each other, and what fails there by itself as well. The verdict has the first that diverges, and
 * in its notes how many do. A crash is that of its vector alone; behind a hang nothing more is replayed. */
void conf_evaluate_vectors(const conf_assignment *assignment, const conf_case *c, conf_verdict *v);

#endif

/* All vectors of a textual case with one engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_VECTORS_H
#define CONFORMANCE_EVALUATE_VECTORS_H

#include "conformance/case/case.h"
#include "conformance/evaluate/assignment.h"

/* Replays the vectors of a textual case, or the requested one, within assignment->limits for each vector.
 * Each vector has a process of its own, in which only the module's table has been read. If the kind allows
 * it, vectors run one after the other in one process, and a vector that fails there is replayed separately as
 * well. The verdict has the first vector that diverges; its notes have their number. A crash fails only its
 * vector; after a hang no more vectors are replayed. */
void conf_evaluate_vectors(const conf_assignment *assignment, const conf_case *c, conf_verdict *v);

#endif

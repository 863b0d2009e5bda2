/* One case with one engine: replay, judge, and the words for what came out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_EVALUATE_H
#define CONFORMANCE_EVALUATE_EVALUATE_H

#include "conformance/evaluate/assignment.h"

/* Reads the case, loads the module and judges it. *v is zeroed beforehand; it is CONF_BROKEN where the case
 * or the module is, CONF_SKIPPED where the case's kind is not replayed, where the case has no run to judge
 * this type by, where the module offers no choice of types or nothing that the kind asks for, where the case
 * lacks the vector, or where kernels are given that the engine does not take, or that have no part in the
 * case. To be run in a process of its own: neither the engine nor a
 * reader of untrusted files is trusted with more. */
void conf_evaluate(const conf_assignment *assignment, conf_verdict *v);

#endif

/* Evaluates one case with one engine: replay, judgement and messages.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_EVALUATE_H
#define CONFORMANCE_EVALUATE_EVALUATE_H

#include "conformance/evaluate/assignment.h"

/* Reads the case, loads the module and judges it. *v is zeroed beforehand. It becomes CONF_BROKEN if
 * the case or the module is broken, CONF_SKIPPED if the case's kind is not replayed, the case has no
 * run to judge this type by, the module has no choice of types or no functions for the kind, the case
 * lacks the vector, the engine takes no kernels, or the case uses none. To be run in a process of its
 * own: neither the engine nor a reader of untrusted files is trusted with more. */
void conf_evaluate(const conf_assignment *assignment, conf_verdict *v);

#endif

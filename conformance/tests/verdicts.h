/* Verdicts on assignments, each evaluated in a process of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_VERDICTS_H
#define CONFORMANCE_TESTS_VERDICTS_H

#include "conformance/evaluate/assignment.h"

/* The verdict on an assignment, whose limits need not be set. */
conf_verdict verdict_of_assignment(const conf_assignment *assignment);

/* Fails the test unless the verdict has this outcome, and a reason that holds `reason`. */
void assert_verdict(const conf_verdict *v, conf_outcome outcome, const char *reason);

#endif

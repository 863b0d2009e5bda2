/* Verdicts on assignments, each evaluated in a process of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_VERDICTS_H
#define CONFORMANCE_TESTS_VERDICTS_H

#include "conformance/evaluate/assignment.h"

/* The verdict on an assignment, whose limits need not be set. */
conf_verdict verdict_of_assignment(const conf_assignment *assignment);

/* The verdict on a case. manner: NULL for all of them; seed: NULL for the batch as recorded. */
conf_verdict verdict_in_manner(const char *path, const char *engine, const char *manner,
                               const uint64_t *seed);

/* Fails the test unless the verdict has this outcome, and a reason that holds `reason`. */
void assert_verdict(const conf_verdict *v, conf_outcome outcome, const char *reason);

#endif

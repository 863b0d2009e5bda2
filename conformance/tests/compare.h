/* What the tests of comparisons share: a golden, an observation of it, and what assay diff says of the two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_COMPARE_H
#define CONFORMANCE_TESTS_COMPARE_H

#include "conformance/diff/diff.h"
#include "conformance/tests/support.h"

/* Everything that a comparison says; the caller frees unknown. */
typedef struct compare_answer {
    assay_status status;
    conf_verdict v;
    conf_strings unknown;
    assay_error err;
} compare_answer;

/* A sound case of kind generate, and its float32 run as an observation: paths in the test's directory. */
extern const char *compare_golden, *compare_seen;

/* The type that the observed engine is said to have computed in; none, unless a test says so. */
extern assay_dtype compare_as;

/* The parts that are judged; all, unless a test says so. */
extern unsigned compare_parts;

/* Fixture: support_setup, and the two files. */
void compare_setup(void);

compare_answer compare(const char *a, const char *b);

void assert_agrees(const char *a, const char *b);

/* Of compare_golden and compare_seen; the texts are parts of the verdict's. */
void assert_diverges(const char *reason, const char *where, const char *trace);

/* conf_diff fails for this reason. */
void assert_refused(const char *reason);

#endif

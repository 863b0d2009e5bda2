/* For the tests of comparisons: a golden, an observation of it, and the result of assay diff on the
 * two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_COMPARE_H
#define CONFORMANCE_TESTS_COMPARE_H

#include "conformance/diff/diff.h"
#include "conformance/tests/support.h"

/* The result of a comparison; the caller frees unknown. */
typedef struct compare_answer {
    assay_status status;
    conf_verdict v;
    conf_strings unknown;
    assay_error err;
} compare_answer;

/* A valid case of kind generate, and its float32 run as an observation: paths in the test's
 * directory. */
extern const char *compare_golden, *compare_seen;

/* --compute of the comparison: the type that the observed engine computed in; by default none. */
extern conf_compute compare_as;

/* --part of the comparison; by default all parts. */
extern unsigned compare_parts;

/* Test fixture: support_setup, and the two files. */
void compare_setup(void);

compare_answer compare(const char *a, const char *b);

void assert_agrees(const char *a, const char *b);

/* Asserts that compare_golden and compare_seen diverge; the texts must be parts of the verdict's, that of
 * the reason of its reason or its notes. */
void assert_diverges(const char *reason, const char *where, const char *trace);

/* Asserts that conf_diff fails with a message that holds this reason. */
void assert_refused(const char *reason);

#endif

/* Runs a test suite; the one place that ends a test program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TESTS_SUITE_H
#define BASE_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Runs the suite with this verbosity and frees it. Returns main's exit status. */
static inline int suite_run(Suite *suite, enum print_output verbosity)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, verbosity);
    const int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif

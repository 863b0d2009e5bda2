/* The refusal of a damaged case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_CASE_REFUSED_H
#define CONFORMANCE_TESTS_CASE_REFUSED_H

#include <assay/status.h>

/* Asserts that reading the case fails with `status` and a message that begins with the path and holds
 * `reason`. */
void assert_case_refused(const char *path, assay_status status, const char *reason);

#endif

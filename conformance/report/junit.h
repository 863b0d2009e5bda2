/* JUnit's XML.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_JUNIT_H
#define CONFORMANCE_REPORT_JUNIT_H

#include "conformance/report/results.h"

/* JUnit's XML: testsuites, a testsuite for each engine, a testcase for each case. What diverges is a failure,
 * what is broken an error. Each suite has properties of what was measured (multiple CASE, bound, unit) and in
 * which type it was asked to compute (compute), and
 * in system-out the command that shows each failure again. */
void conf_junit_print(FILE *out, const conf_results *results);

#endif

/* JUnit's XML.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_JUNIT_H
#define CONFORMANCE_REPORT_JUNIT_H

#include "conformance/report/results.h"

/* JUnit's XML: testsuites, a testsuite for each engine, a testcase for each case. A divergence is a
 * failure, a broken case an error. Each suite has properties of its measurements (multiple CASE, bound,
 * unit) and of the requested compute type (compute), and in system-out the command that reproduces each
 * failure. Returns ASSAY_OK. */
assay_status conf_junit_print(FILE *out, const conf_results *results, assay_error *err);

#endif

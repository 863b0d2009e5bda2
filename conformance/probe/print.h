/* The reports of a probe: a table for people, JSON, and JUnit's XML.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_PRINT_H
#define CONFORMANCE_PROBE_PRINT_H

#include "conformance/probe/run/run.h"
#include "conformance/support/context.h"

/* verbose: also the rows that are ok. saved: the path of --save, or of a saved run; NULL: none. */
void probe_print(const conf_context *context, const probe_run *run, bool verbose, const char *saved);

/* One document. Of a row for which the fewest requests were looked for, `reduced` has how many were asked and
 * needed (0: the check did not fail again), whether that is the least, and the lines of a shell. Fails with
 * ASSAY_ENOMEM. */
assay_status probe_print_json(FILE *out, const probe_run *run, assay_error *err);

/* A testsuite with a testcase for each row. What is not offered or not exercised is skipped; habits pass. */
void probe_print_junit(FILE *out, const probe_run *run);

/* 0: nothing counts against the server; 1: a row does; 77: no row is ok. */
conf_exit probe_exit(const probe_run *run);

#endif

/* Probes of the oracle, and the rows that they give.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TESTS_PROBING_H
#define CONFORMANCE_PROBE_TESTS_PROBING_H

#include "conformance/probe/probe.h"
#include "conformance/probe/tests/oracle.h"

/* What one probe read and found. */
typedef struct probing {
    probe_truth truth;
    probe_run run;
} probing;

/* The oracle's own truth; between probing_open and probing_close. */
extern probe_truth probing_known;

/* Once for all tests: each runs in a child process, which has the memory of this one. */
void probing_open(void);
void probing_close(void);

/* Copies the truth's cases to "served" in the directory of the test. */
void probing_serve(void);

/* What a probe of these cases asks. target: a URL, or a directory with a saved run. asked: a group or a
 * check;
 * "" for all. endpoints: bits; 0: all. save: a directory; NULL: nothing is saved.
 * It refers to static memory. */
probe_options probing_options(const char *target, const char *asked, unsigned endpoints, const char *save);

/* Each fails the test if the probe does not come to its end, or a row that fails shows no exchange; free with
 * probing_free. */
void probing_probe(probing *p, const probe_options *options);
void probing_oracle(probing *p, oracle *o, const char *asked, unsigned endpoints, const char *save);
void probing_free(probing *p);

/* The URL of a started oracle, in static memory. */
const char *probing_url(const oracle *o);

/* The row of a check with a verdict, whose text or rule contains `part`; if there is none, every row that is
 * not ok is printed, and the test fails. */
const probe_finding *probing_row(const probing *p, const char *check, probe_verdict verdict,
                                 const char *part);

/* Fails the test, and names the first row, if the server is blamed for anything. */
void probing_agrees(const probing *p);

#endif

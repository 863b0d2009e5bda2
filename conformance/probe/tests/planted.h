/* Faults of the oracle, and the rows that name them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TESTS_PLANTED_H
#define CONFORMANCE_PROBE_TESTS_PLANTED_H

#include "conformance/probe/run/finding.h"
#include "conformance/probe/tests/oracle.h"

/* bug, from, to, streams: as in the oracle. only: the group that is asked; NULL: the check alone. check,
 * verdict: of the row; part: of its text or of its rule. */
typedef struct planted {
    oracle_bug bug;
    const char *from, *to;
    int streams;
    const char *only, *check;
    probe_verdict verdict;
    const char *part;
} planted;

extern const planted planted_faults[];
extern const size_t n_planted_faults;

#endif

/* What became of one case with one engine between two runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_CHANGE_H
#define CONFORMANCE_COMPARE_CHANGE_H

#include "conformance/judge/verdict.h"

/* A verdict fails here if its outcome is failed or broken; of class fixed it passes, and before, an expected
 * failure is a failure. */
typedef enum conf_change {
    CONF_CHANGE_FAILS,    /* fails, and did not fail before, or was not there */
    CONF_CHANGE_STILL,    /* fails, and failed before */
    CONF_CHANGE_EXPECTED, /* fails, as the second run expects it to */
    CONF_CHANGE_PASSES,   /* passes, and failed before */
    CONF_CHANGE_STOPPED,  /* skipped, and was not skipped before: nothing is known of it any more */
    CONF_CHANGE_STARTED,  /* passes, and was skipped before */
    CONF_CHANGE_DRIFTS,   /* passes as before, with a clearly larger error */
    CONF_CHANGE_NEARS,    /* passes as before, with a clearly smaller error */
    CONF_CHANGE_GONE,     /* only in the first run */
    CONF_CHANGE_NEW,      /* only in the second run, where it does not fail */
    CONF_CHANGE_NONE,
    CONF_N_CHANGES
} conf_change;

/* An error has changed clearly if the larger one is at least CONF_DRIFT_FACTOR times the smaller one, and
 * their difference is at least CONF_DRIFT_SHARE of the bound. The first condition leaves out what another
 * order of additions does to a case near its bound, the second what it does to a case that is nearly exact.
 */
#define CONF_DRIFT_FACTOR 2.0
#define CONF_DRIFT_SHARE  0.1

/* before or after is NULL where a run does not have the case; not both. */
conf_change conf_change_of(const conf_verdict *before, const conf_verdict *after);

/* "newly failing", …: also for programs. */
const char *conf_change_name(conf_change change);

#endif

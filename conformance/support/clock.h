/* Time for measurements.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_CLOCK_H
#define CONFORMANCE_SUPPORT_CLOCK_H

#include <time.h>

/* Seconds on the monotonic clock, which all processes share. */
static inline double conf_clock(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds that processors have spent on this process, on all of its threads together. */
static inline double conf_processor_clock(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif

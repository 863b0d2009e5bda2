/* The monotonic clock.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_JOB_CLOCK_H
#define SERVER_JOB_CLOCK_H

#include <time.h>

/* Seconds since an unspecified time. */
static inline double server_clock(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif

/* Allocations that fail on request of a test. The program is linked with DENY_LINK, which redirects the
 * allocations of its own code, not of shared libraries, to deny.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TESTS_DENY_H
#define BASE_TESTS_DENY_H

#include <stdbool.h>

/* Fails the allocation after the next n, on any thread; later ones succeed. */
void deny(long n);

/* Lets all allocations succeed again. Returns whether one has failed. */
bool deny_end(void);

#endif

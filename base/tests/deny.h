/* Requests for memory that fail when a test asks for it. The program is linked with DENY_LINK, which send
 * the requests of everything in it, but not of shared libraries, to deny.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TESTS_DENY_H
#define BASE_TESTS_DENY_H

#include <stdbool.h>

/* Fails the request that comes after n more, on any thread, and none behind it. */
void deny(long n);

/* Grants all again. Returns whether one has failed. */
bool deny_end(void);

#endif

/* The key that clients must send.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_HTTP_KEY_H
#define SERVER_HTTP_KEY_H

#include <stdbool.h>

#define SERVER_KEY_MAX 1024 /* bytes of a key */

/* Whether `given` (NULL: none) is the key, of at most SERVER_KEY_MAX bytes. The time that it takes depends on
 * the length of `given` alone. */
bool server_key_equals(const char *key, const char *given);

/* The key in the value of a header Authorization: what follows "Bearer "; NULL if it is of another kind. */
const char *server_key_of_bearer(const char *authorization);

#endif

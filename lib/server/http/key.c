/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/key.h"

#include <string.h>
#include <strings.h>

bool server_key_equals(const char *key, const char *given)
{
    char padded[SERVER_KEY_MAX + 1] = {0};
    volatile unsigned difference = 0;
    if (!given) return false;
    const size_t n = strlen(given);
    if (n > SERVER_KEY_MAX) return false;
    (void)strncpy(padded, key, SERVER_KEY_MAX);
    /* The byte after the last one is compared, too: that of the key is not zero if the key is longer. */
    for (size_t i = 0; i <= n; i++)
        difference = difference | ((unsigned char)padded[i] ^ (unsigned char)given[i]);
    return difference == 0;
}

const char *server_key_of_bearer(const char *authorization)
{
    static const char scheme[] = "Bearer ";
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0) return NULL;
    const char *key = authorization + sizeof scheme - 1;
    return key + strspn(key, " ");
}

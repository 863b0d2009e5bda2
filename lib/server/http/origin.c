/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/origin.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 256 /* of a domain name, RFC 1035 */

/* The name or address without its port and brackets. False: it is longer than any name. */
static bool copy_name(const char *value, char name[NAME_MAX_BYTES])
{
    const bool in_brackets = *value == '[';
    if (in_brackets) value++;
    const size_t n = strcspn(value, in_brackets ? "]" : ":");
    if (n >= NAME_MAX_BYTES) return false;
    memcpy(name, value, n);
    name[n] = '\0';
    return true;
}

static bool is_loopback_address(const char *name)
{
    struct in_addr in;
    struct in6_addr in6;
    if (inet_pton(AF_INET, name, &in) == 1) return ntohl(in.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, name, &in6) == 1 && IN6_IS_ADDR_LOOPBACK(&in6);
}

bool server_host_is_local(const char *value, const char *host)
{
    static const char local[] = "localhost";
    char name[NAME_MAX_BYTES];
    if (!copy_name(value, name)) return false;
    const size_t n = strlen(name), n_local = sizeof local - 1;
    if (n >= n_local && strcasecmp(name + n - n_local, local) == 0 &&
        (n == n_local || name[n - n_local - 1] == '.'))
        return true;
    return is_loopback_address(name) || strcasecmp(name, host) == 0;
}

bool server_origin_is_local(const char *value, const char *host)
{
    const char *name = strstr(value, "://");
    return name && server_host_is_local(name + 3, host);
}

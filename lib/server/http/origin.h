/* Which web pages may reach a server that needs no key.
 *
 * A browser sends requests of any page to a local port. It states the page in Origin, and the name by which
 * the page reached the port in Host: that of another site whose name was bound to this machine ("DNS
 * rebinding").
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_HTTP_ORIGIN_H
#define SERVER_HTTP_ORIGIN_H

#include <stdbool.h>

/* Whether the value of a header Host ("name", "name:port", "[::1]:port") names this machine: "localhost", a
 * name that ends in ".localhost" (RFC 6761), a loopback address, or `host`, the name that the server listens
 * on. */
bool server_host_is_local(const char *value, const char *host);

/* Whether the value of a header Origin ("scheme://name:port") is a page of this machine; "null", the origin
 * of a page without one, is not. */
bool server_origin_is_local(const char *value, const char *host);

#endif

/* The paths that a server answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_HTTP_ROUTES_H
#define SERVER_HTTP_ROUTES_H

#include "dialogue/grammar/options.h"

/* path:     as it is counted.
 * below:    paths below it are meant, too: path, "/", and anything.
 * posts:    requests are POST, else GET.
 * open:     needs no key.
 * endpoint: of a POST; of a GET that of errors. */
typedef struct server_route {
    const char *path;
    bool below, posts, open;
    serve_endpoint endpoint;
} server_route;

/* The route of that number; NULL: there are no more. */
const server_route *server_route_at(size_t i);

/* NULL: the path is not served. */
const server_route *server_route_find(const char *path);

/* The protocol in which errors about a path are written. */
serve_endpoint server_route_protocol(const char *path);

#endif

/* What a server of HTTP is given: its service, and its limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_HTTP_SERVICE_H
#define SERVER_HTTP_SERVICE_H

#include "base/buffer.h"
#include "dialogue/grammar/options.h"
#include "server/job/exchange.h"

#include <stdint.h>

/* What answers requests. Both functions are called by the thread of HTTP, and return soon.
 * post: a whole request. body: [n], owned by the callee (free). x: borrowed; a callee that answers later
 * holds it. The exchange is begun and ended, by any thread. get:  appends the body of a path below
 * /v1/models, /health or /metrics. Returns the HTTP status; with 404 the body is an error's. */
typedef struct server_service {
    void *context;
    void (*post)(void *context, serve_endpoint endpoint, char *body, size_t n, server_exchange *x);
    int (*get)(void *context, const char *path, const char **content_type, buffer *body);
} server_service;

/* host, port: as for server_listen.
 * key:             what clients must send as a bearer token or as x-api-key; NULL: nothing. /health needs
 * none. n_connections:   at once; the operating system holds further ones back. body_bytes:      of a
 * request. all_bodies_bytes: of all requests that are being received. idle_seconds:    a connection on which
 * nothing is sent or received for so long is closed. silent_seconds: as in server_watch_open.
 * receive_seconds: a request that has not arrived for so long is given up, with its connection. */
typedef struct server_http_options {
    const char *host;
    uint16_t port;
    const char *key;
    size_t n_connections;
    size_t body_bytes, all_bodies_bytes;
    unsigned idle_seconds;
    double receive_seconds, silent_seconds;
} server_http_options;

#endif

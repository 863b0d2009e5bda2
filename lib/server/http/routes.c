/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/routes.h"

#include <string.h>

static const server_route routes[] = {
    {.path = "/v1/chat/completions", .posts = true, .endpoint = SERVE_CHAT},
    {.path = "/v1/completions", .posts = true, .endpoint = SERVE_COMPLETIONS},
    {.path = "/v1/messages", .posts = true, .endpoint = SERVE_MESSAGES},
    {.path = "/v1/responses", .posts = true, .endpoint = SERVE_RESPONSES},
    {.path = "/v1/models", .below = true, .endpoint = SERVE_CHAT},
    {.path = "/health", .open = true, .endpoint = SERVE_CHAT},
    {.path = "/metrics", .endpoint = SERVE_CHAT},
};

enum { N_ROUTES = sizeof routes / sizeof *routes };

const server_route *server_route_at(size_t i)
{
    return i < N_ROUTES ? &routes[i] : NULL;
}

const server_route *server_route_find(const char *path)
{
    for (size_t i = 0; i < N_ROUTES; i++) {
        const size_t n = strlen(routes[i].path);
        if (strncmp(path, routes[i].path, n) != 0) continue;
        if (path[n] == '\0' || (routes[i].below && path[n] == '/')) return &routes[i];
    }
    return NULL;
}

serve_endpoint server_route_protocol(const char *path)
{
    static const char messages[] = "/v1/messages";
    return strncmp(path, messages, sizeof messages - 1) == 0 ? SERVE_MESSAGES : SERVE_CHAT;
}

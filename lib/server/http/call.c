/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/call.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/http/key.h"
#include "server/http/origin.h"
#include "server/request/refusal.h"

#define BLOCK 32768 /* bytes of a stream that are passed on at once */

struct server_call {
    server_calls *all;
    struct MHD_Connection *connection;
    const server_route *route; /* NULL: the path is not served */
    char *path;
    int fd;
    int status; /* of the answer that is queued; 0: none yet */
    buffer body;
    size_t n_reserved; /* of all->n_body_bytes */
    size_t n_dropped;  /* bytes of a body that is too long */
    server_exchange *exchange;

    pthread_mutex_t lock; /* of the next members */
    bool suspended;
    bool woken; /* while it was not suspended */
};

/* ---- Answers ---- */

static enum MHD_Result queue_response(server_call *c, int status, const char *type,
                                      struct MHD_Response *response)
{
    if (!response) return MHD_NO;
    (void)MHD_add_response_header(response, "Content-Type", type);
    (void)MHD_add_response_header(response, "Cache-Control", "no-cache");
    if (status == 429 || status == 503) (void)MHD_add_response_header(response, "Retry-After", "1");
    if (status == 401) (void)MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (status == 405) (void)MHD_add_response_header(response, "Allow", c->route->posts ? "POST" : "GET");
    const enum MHD_Result rc = MHD_queue_response(c->connection, (unsigned)status, response);
    MHD_destroy_response(response);
    if (rc == MHD_YES) c->status = status;
    return rc;
}

/* Queues the bytes of a buffer, and empties it. */
static enum MHD_Result queue_buffer(server_call *c, int status, const char *type, buffer *body)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        body->n, body->n ? body->data : "", body->n ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (response && body->n) *body = (buffer){0};
    buffer_free(body);
    *body = (buffer){0};
    return queue_response(c, status, type, response);
}

static enum MHD_Result refuse(server_call *c, int status, const char *text)
{
    buffer body = {0};
    if (!server_refusal_write(server_route_protocol(c->path), status, "", text, &body)) {
        buffer_free(&body);
        return MHD_NO;
    }
    return queue_buffer(c, status, "application/json", &body);
}

static enum MHD_Result answer_get(server_call *c)
{
    const char *type = "application/json";
    buffer body = {0};
    const server_service *service = c->all->service;
    const int status = service->get(service->context, c->path, &type, &body);
    if (!body.failed) return queue_buffer(c, status, type, &body);
    buffer_free(&body);
    return MHD_NO;
}

/* ---- Headers ---- */

static const char *header(const server_call *c, const char *name)
{
    return MHD_lookup_connection_value(c->connection, MHD_HEADER_KIND, name);
}

static bool has_key(const server_call *c)
{
    const char *key = c->all->options->key;
    if (!key || (c->route && c->route->open)) return true;
    const bool by_bearer = server_key_equals(key, server_key_of_bearer(header(c, "Authorization")));
    const bool by_header = server_key_equals(key, header(c, "x-api-key"));
    return by_bearer || by_header;
}

/* Without a key any page in a browser of this machine could ask: those of other sites are refused. */
static bool is_of_other_site(const server_call *c)
{
    const server_http_options *o = c->all->options;
    const char *host = header(c, "Host"), *origin = header(c, "Origin");
    return !o->key && ((host && !server_host_is_local(host, o->host)) ||
                       (origin && !server_origin_is_local(origin, o->host)));
}

/* How many headers say where the body ends, and which host is meant. */
typedef struct framing {
    size_t n_ends, n_hosts;
} framing;

/* MHD_KeyValueIterator. */
static enum MHD_Result count_framing(void *context, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    framing *f = context;
    (void)kind;
    (void)value;
    f->n_ends += strcasecmp(name, "Content-Length") == 0 || strcasecmp(name, "Transfer-Encoding") == 0;
    f->n_hosts += strcasecmp(name, "Host") == 0;
    return MHD_YES;
}

/* Whether two headers say where the body ends, or which host is meant: another program on the way might take
 * the other one, and what follows for a request of its own (RFC 9112, sections 3.2 and 6.3). */
static bool is_ambiguous(const server_call *c)
{
    framing f = {0};
    (void)MHD_get_connection_values(c->connection, MHD_HEADER_KIND, count_framing, &f);
    return f.n_ends > 1 || f.n_hosts > 1;
}

/* Reserves n bytes for bodies. */
static bool reserve_body(server_call *c, size_t n)
{
    const size_t most = c->all->options->all_bodies_bytes;
    if (atomic_fetch_add(&c->all->n_body_bytes, n) + n <= most) {
        c->n_reserved += n;
        return true;
    }
    atomic_fetch_sub(&c->all->n_body_bytes, n);
    return false;
}

static void release_body(server_call *c)
{
    atomic_fetch_sub(&c->all->n_body_bytes, c->n_reserved);
    c->n_reserved = 0;
}

/* Whether a header's list of encodings has one that changes the body. */
static bool is_encoded(const char *encoding)
{
    return encoding && *encoding && strcasecmp(encoding, "identity") != 0;
}

/* Checks what is known before the body is read. MHD_YES with c->status 0: go on. */
static enum MHD_Result check_headers(server_call *c, const char *method)
{
    const server_http_options *o = c->all->options;
    const char *length = header(c, "Content-Length");
    char text[160];
    if (is_ambiguous(c))
        return refuse(c, 400, "found two headers that state the length of the body, expected one");
    if (!has_key(c)) return refuse(c, 401, "the request has no valid API key");
    if (is_of_other_site(c))
        return refuse(
            c, 403,
            "Host, Origin: found another site, expected this machine; a server with a key answers all");
    if (!c->route) return refuse(c, 404, "found no such path");
    if (strcmp(method, c->route->posts ? "POST" : "GET") != 0)
        return refuse(c, 405,
                      c->route->posts ? "found another method, expected POST"
                                      : "found another method, expected GET");
    if (!c->route->posts) {
        if ((length && strcmp(length, "0") != 0) || header(c, "Transfer-Encoding"))
            return refuse(c, 413, "found a body, expected none");
        return answer_get(c);
    }
    if (is_encoded(header(c, "Content-Encoding")))
        return refuse(c, 415, "Content-Encoding: found an encoding, expected none");
    const unsigned long long n = length ? strtoull(length, NULL, 10) : 0;
    if (n > o->body_bytes) {
        (void)snprintf(text, sizeof text, "the body has %llu bytes, expected at most %zu", n, o->body_bytes);
        return refuse(c, 413, text);
    }
    if (!reserve_body(c, (size_t)n))
        return refuse(c, 503, "the bodies of other requests take all memory that is for them");
    return MHD_YES;
}

static int socket_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? (int)info->connect_fd : -1;
}

enum MHD_Result server_call_open(server_calls *all, struct MHD_Connection *connection, const char *path,
                                 const char *method, server_call **out)
{
    server_call *c = calloc(1, sizeof *c);
    if (!c) return MHD_NO;
    c->all = all;
    c->connection = connection;
    c->route = server_route_find(path);
    c->path = strdup(path);
    c->fd = socket_of(connection);
    if (!c->path || pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c->path);
        free(c);
        return MHD_NO;
    }
    *out = c;
    return check_headers(c, method);
}

/* ---- Body ---- */

enum MHD_Result server_call_receive(server_call *c, const char *bytes, size_t n)
{
    const server_http_options *o = c->all->options;
    if (c->status != 0) return MHD_YES; /* refused; the connection ends with the answer */
    if (c->n_dropped == 0 && n <= o->body_bytes - c->body.n) {
        const size_t end = c->body.n + n;
        if ((end <= c->n_reserved || reserve_body(c, end - c->n_reserved)) &&
            buffer_append(&c->body, bytes, n))
            return MHD_YES;
        return MHD_NO;
    }
    /* A body in chunks, which do not say how long it is. libmicrohttpd answers only after the whole body, so
     * that of a body that is far too long is not awaited. */
    buffer_free(&c->body);
    c->body = (buffer){0};
    release_body(c);
    c->n_dropped += n;
    return c->n_dropped <= o->body_bytes ? MHD_YES : MHD_NO;
}

/* ---- Waiting ---- */

/* server_exchange_new's wake. */
static void wake_call(void *context)
{
    server_call *c = context;
    (void)pthread_mutex_lock(&c->lock);
    if (c->suspended) {
        c->suspended = false;
        MHD_resume_connection(c->connection);
    } else {
        c->woken = true;
    }
    (void)pthread_mutex_unlock(&c->lock);
}

/* Suspends the connection, unless its exchange has woken it since the latest call. */
static bool suspend_call(server_call *c)
{
    (void)pthread_mutex_lock(&c->lock);
    const bool suspends = !c->woken;
    c->woken = false;
    if (suspends) {
        c->suspended = true;
        MHD_suspend_connection(c->connection);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return suspends;
}

/* MHD_ContentReaderCallback. */
static ssize_t read_stream(void *context, uint64_t position, char *to, size_t n)
{
    server_call *c = context;
    (void)position;
    for (;;) {
        bool ended;
        const size_t some = server_exchange_take(c->exchange, to, n, &ended);
        if (some > 0) return (ssize_t)some;
        if (server_exchange_is_abandoned(c->exchange)) return MHD_CONTENT_READER_END_WITH_ERROR;
        if (ended) return MHD_CONTENT_READER_END_OF_STREAM;
        if (suspend_call(c)) return 0;
    }
}

static enum MHD_Result submit(server_call *c)
{
    const server_service *service = c->all->service;
    if (c->n_dropped > 0) return refuse(c, 413, "the body has too many bytes");
    c->exchange = server_exchange_new(wake_call, c);
    if (!c->exchange) return refuse(c, 503, "out of memory");
    atomic_fetch_add(&c->all->n_busy, 1);
    if (c->fd >= 0) server_watch_exchange(c->all->watch, c->fd, c->exchange);
    char *body = c->body.data;
    const size_t n = c->body.n;
    c->body = (buffer){0};
    release_body(c);
    service->post(service->context, c->route->endpoint, body, n, c->exchange);
    return MHD_YES;
}

/* Queues a whole answer. */
static enum MHD_Result answer_whole(server_call *c, int status, const char *type, size_t n)
{
    buffer body = {0};
    bool ended;
    if (n > 0 && !buffer_reserve(&body, n)) return MHD_NO;
    if (n > 0) body.n = server_exchange_take(c->exchange, body.data, n, &ended);
    return queue_buffer(c, status, type, &body);
}

enum MHD_Result server_call_continue(server_call *c)
{
    if (c->status != 0) return MHD_YES;
    if (!c->exchange) {
        const enum MHD_Result rc = submit(c);
        if (rc != MHD_YES || c->status != 0) return rc;
    }
    for (;;) {
        const char *type;
        size_t n;
        const int status = server_exchange_status(c->exchange, &type);
        if (server_exchange_is_abandoned(c->exchange)) return MHD_NO;
        if (status != 0 && strcmp(type, "text/event-stream") == 0)
            return queue_response(
                c, status, type,
                MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, c, NULL));
        if (status != 0 && server_exchange_has_ended(c->exchange, &n))
            return answer_whole(c, status, type, n);
        if (suspend_call(c)) return MHD_YES;
    }
}

void server_call_close(server_call *c)
{
    if (c->exchange) {
        server_exchange_detach(c->exchange);
        server_exchange_abandon(c->exchange);
        server_exchange_release(c->exchange);
        atomic_fetch_sub(&c->all->n_busy, 1);
    }
    if (c->fd >= 0) server_watch_connection(c->all->watch, c->fd);
    if (c->status != 0) server_metrics_answered(c->all->metrics, c->route ? c->route->path : "", c->status);
    release_body(c);
    (void)pthread_mutex_destroy(&c->lock);
    buffer_free(&c->body);
    free(c->path);
    free(c);
}

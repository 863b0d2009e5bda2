/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "server/http/call.h"
#include "server/http/listen.h"
#include "server/http/watch.h"

#define CONNECTION_BYTES ((size_t)65536) /* of libmicrohttpd's memory for a connection, headers included */

struct server_http {
    server_http_options options;
    server_calls calls;
    struct MHD_Daemon *daemon;
    int fd; /* -1: libmicrohttpd closes it */
    uint16_t port;
};

/* MHD_AccessHandlerCallback. */
static enum MHD_Result handle_request(void *context, struct MHD_Connection *connection, const char *path,
                                      const char *method, const char *version, const char *bytes, size_t *n,
                                      void **call)
{
    server_http *h = context;
    (void)version;
    if (!*call) {
        server_call *c = NULL;
        const enum MHD_Result rc = server_call_open(&h->calls, connection, path, method, &c);
        *call = c;
        return rc;
    }
    if (*n == 0) return server_call_continue(*call);
    const enum MHD_Result rc = server_call_receive(*call, bytes, *n);
    *n = 0;
    return rc;
}

/* MHD_RequestCompletedCallback. */
static void complete_request(void *context, struct MHD_Connection *connection, void **call,
                             enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)connection;
    (void)code;
    if (*call) server_call_close(*call);
    *call = NULL;
}

/* MHD_NotifyConnectionCallback. */
static void notice_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                              enum MHD_ConnectionNotificationCode code)
{
    server_http *h = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    (void)socket_context;
    const bool begins = code == MHD_CONNECTION_NOTIFY_STARTED;
    server_metrics_add(h->calls.metrics, SERVER_GAUGE_CONNECTIONS, begins ? 1 : -1);
    if (!info || info->connect_fd < 0) return;
    if (begins) server_watch_connection(h->calls.watch, (int)info->connect_fd);
    else server_watch_forget(h->calls.watch, (int)info->connect_fd);
}

/* libmicrohttpd reports what clients do wrong; nothing of it is an error of the server. */
static void ignore_message(void *context, const char *format, va_list arguments)
{
    (void)context;
    (void)format;
    (void)arguments;
}

static assay_status start_daemon(server_http *h, assay_error *err)
{
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    const unsigned most = h->options.n_connections < 1000000 ? (unsigned)h->options.n_connections : 1000000;
    h->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle_request, h, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
        MHD_OPTION_LISTEN_SOCKET, h->fd, MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_CONNECTION_TIMEOUT,
        h->options.idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, complete_request, h,
        MHD_OPTION_NOTIFY_CONNECTION, notice_connection, h, MHD_OPTION_END);
    if (!h->daemon) return assay_fail(err, ASSAY_EIO, "libmicrohttpd did not start: %s", strerror(errno));
    h->fd = -1;
    return ASSAY_OK;
}

assay_status server_http_open(const server_http_options *options, const server_service *service,
                              server_metrics *metrics, server_http **out, assay_error *err)
{
    server_http *h = calloc(1, sizeof *h);
    if (!h) return assay_fail(err, ASSAY_ENOMEM, "HTTP: out of memory");
    h->fd = -1;
    h->options = *options;
    h->calls.options = &h->options;
    h->calls.service = service;
    h->calls.metrics = metrics;
    assay_status rc =
        server_listen(options->host, options->port, options->key != NULL, &h->fd, &h->port, err);
    if (rc == ASSAY_OK)
        rc = server_watch_open(options->receive_seconds, options->silent_seconds, &h->calls.watch, err);
    if (rc == ASSAY_OK) rc = start_daemon(h, err);
    if (rc == ASSAY_OK) *out = h;
    else server_http_free(h);
    return rc;
}

uint16_t server_http_port(const server_http *h)
{
    return h->port;
}

size_t server_http_busy(server_http *h)
{
    return atomic_load(&h->calls.n_busy);
}

size_t server_http_receiving(server_http *h)
{
    return atomic_load(&h->calls.n_body_bytes);
}

void server_http_free(server_http *h)
{
    if (!h) return;
    if (h->daemon) MHD_stop_daemon(h->daemon);
    if (h->fd >= 0) (void)close(h->fd);
    server_watch_free(h->calls.watch);
    free(h);
}

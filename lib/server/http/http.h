/* HTTP, on libmicrohttpd: connections, routes, bodies, keys, and answers as they become ready. The only code
 * that knows libmicrohttpd.
 *
 * One thread serves all connections and never waits for an answer: a connection is suspended until its
 * exchange wakes it. Everything that a client can make large is bounded.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_HTTP_HTTP_H
#define SERVER_HTTP_HTTP_H

#include "server/http/service.h"
#include "server/job/metrics.h"

typedef struct server_http server_http;

/* Listens and serves. options, service, metrics: borrowed until server_http_free. Fails as server_listen
 * does, and with ASSAY_EIO if libmicrohttpd does. */
assay_status server_http_open(const server_http_options *options, const server_service *service,
                              server_metrics *metrics, server_http **out, assay_error *err);
uint16_t server_http_port(const server_http *h);
/* The number of requests that have been received and whose answer has not been sent completely. */
size_t server_http_busy(server_http *h);
/* The bytes that are reserved for bodies that are being received. */
size_t server_http_receiving(server_http *h);
/* Closes all connections. No exchange may be in use by the service any more. NULL allowed. */
void server_http_free(server_http *h);

#endif

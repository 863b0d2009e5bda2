/* One request on a connection, from its headers to the end of its answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_HTTP_CALL_H
#define SERVER_HTTP_CALL_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "server/http/routes.h"
#include "server/http/service.h"
#include "server/http/watch.h"
#include "server/job/metrics.h"

/* What all calls of a server share; borrowed.
 * n_body_bytes: of bodies that are being received. n_busy: requests that have been received and whose answer
 * has not been sent. */
typedef struct server_calls {
    const server_http_options *options;
    const server_service *service;
    server_metrics *metrics;
    server_watch *watch;
    atomic_size_t n_body_bytes, n_busy;
} server_calls;

typedef struct server_call server_call;

/* The functions below are called by the thread of HTTP. MHD_NO closes the connection. */

/* The headers have arrived. Refuses the request at once, before its body is read, or goes on. */
enum MHD_Result server_call_open(server_calls *all, struct MHD_Connection *connection, const char *path,
                                 const char *method, server_call **out);
/* Bytes of the body. */
enum MHD_Result server_call_receive(server_call *c, const char *bytes, size_t n);
/* The whole request has arrived, or its exchange has woken the connection. */
enum MHD_Result server_call_continue(server_call *c);
/* The answer has been sent, or the connection is closed. Frees c. */
void server_call_close(server_call *c);

#endif

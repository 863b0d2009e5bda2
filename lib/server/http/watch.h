/* Sockets of clients: notices that a client has gone while nothing is read from or written to its socket, and
 * ends connections on which a request takes too long to arrive.
 *
 * A client whose machine has vanished closes nothing. While its connection is idle, keep-alive probes find it
 * (listen.h); while something is under way to it, that nothing is acknowledged. A client that is slow, and
 * has no room for more, still acknowledges.
 *
 * libmicrohttpd does not look at the socket of a suspended connection, and its own timeout starts anew with
 * each byte. A client that closes its writing side counts as gone. One thread; the functions may be called by
 * any.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_HTTP_WATCH_H
#define SERVER_HTTP_WATCH_H

#include <assay/status.h>

#include "server/job/exchange.h"

typedef struct server_watch server_watch;

/* receive_seconds: from the opening of a connection, or the end of an answer, until a whole request must have
 * arrived. silent_seconds: a client that has acknowledged nothing for so long, though it was sent something
 * again and again, has gone. */
assay_status server_watch_open(double receive_seconds, double silent_seconds, server_watch **out,
                               assay_error *err);
/* NULL allowed. */
void server_watch_free(server_watch *w);

/* The socket waits for a request. After the deadline it is shut down. Without memory it is not watched. */
void server_watch_connection(server_watch *w, int fd);
/* A request has arrived on it; x is abandoned when the client goes. */
void server_watch_exchange(server_watch *w, int fd, server_exchange *x);
/* To be called before the socket is closed. */
void server_watch_forget(server_watch *w, int fd);

#endif

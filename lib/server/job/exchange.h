/* One request in progress: the bytes of its answer between the thread that evaluates and those that talk to
 * the client, and whether the client has gone.
 *
 * Thread-safe. Reference-counted: server_exchange_new returns an exchange with one reference;
 * server_exchange_release gives one back. The HTTP side and the evaluating side each hold one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_JOB_EXCHANGE_H
#define SERVER_JOB_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#define SERVER_EXCHANGE_WAITING_MAX ((size_t)1 << 20) /* see server_exchange_is_slow */

typedef struct server_exchange server_exchange;

/* wake: called, without a lock held, whenever the HTTP side may have something to do: bytes are ready, the
 * answer has ended, or the client has gone. From any thread, until server_exchange_detach. NULL if out of
 * memory. */
server_exchange *server_exchange_new(void (*wake)(void *context), void *context);
void server_exchange_hold(server_exchange *x);
void server_exchange_release(server_exchange *x);

/* ---- HTTP side ---- */

/* No wake is called after this, and none is running when it returns. Not to be called by wake. */
void server_exchange_detach(server_exchange *x);
/* Moves the first bytes of the answer that are ready, at most n, to `to`. *ended: no more will come. */
size_t server_exchange_take(server_exchange *x, char *to, size_t n, bool *ended);
/* The HTTP status, and the content type, which lives as long as the program; 0: not known yet. */
int server_exchange_status(server_exchange *x, const char **content_type);
/* The answer is complete; *n: how many of its bytes have not been taken. */
bool server_exchange_has_ended(server_exchange *x, size_t *n);
/* The client has gone. Later bytes are dropped. */
void server_exchange_abandon(server_exchange *x);

/* ---- Evaluating side ---- */

/* status: HTTP's. content_type: lives as long as the program. Only the first call counts. */
void server_exchange_begin(server_exchange *x, int status, const char *content_type);
/* Appends bytes to the answer. After a failed allocation it returns false and the exchange is abandoned. */
bool server_exchange_put(server_exchange *x, const char *bytes, size_t n);
/* The answer is complete. */
void server_exchange_end(server_exchange *x);
bool server_exchange_is_abandoned(server_exchange *x);
/* Whether SERVER_EXCHANGE_WAITING_MAX bytes or more wait for the client. *stalled: seconds since the client
 * last took bytes, or since bytes began to wait; 0 if none wait. */
bool server_exchange_is_slow(server_exchange *x, double *stalled);
/* Bytes that the client has not taken. */
size_t server_exchange_waiting(server_exchange *x);

#endif

/* A service that answers by a script, and clients of it, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_TESTS_TALKING_H
#define SERVER_TESTS_TALKING_H

#include <stdatomic.h>
#include <time.h>

#include "base/tests/support.h"
#include "server/http/http.h"

#define BODY_MAX 100000

/* A service that answers a POST by the first byte of its body:
 *   s  as a stream of n_pieces pieces, from another thread, which waits for a slow client
 *   h  not before `release` is set or the client has gone
 * and any other at once, with the body. n_held: answers in progress on other threads. n_gone: those whose
 * client had gone. */
typedef struct scripted {
    server_service service;
    server_metrics *metrics;
    server_http *http;
    atomic_size_t n_held, n_gone, n_threads;
    atomic_bool release;
    size_t n_pieces;
} scripted;

extern const server_http_options scripted_options;

void scripted_open(scripted *s, const server_http_options *options);
void scripted_close(scripted *s);

void scripted_pause(void); /* a few milliseconds */

/* Waits until a condition holds; fails the test after 30 seconds. */
#define WAIT_FOR(condition)                                                                                  \
    for (time_t start = time(NULL); !(condition); scripted_pause())                                          \
    ck_assert_msg(time(NULL) - start < 30, #condition)

/* Connects. */
int dial(const scripted *s);
/* Sends text[0..n); what the peer refuses is lost. */
void say(int fd, const char *text, size_t n);
/* Reads until the peer closes, or `until` has been read (NULL: not), at most 30 seconds. Terminated; the
 * caller frees it. */
char *hear(int fd, const char *until);
/* Sends a request, and returns everything until the connection is closed. */
char *talk(const scripted *s, const char *request);
/* Fails the test unless the answer begins with `status`: "HTTP/1.1 200 ". */
void expect_status(const scripted *s, const char *request, const char *status);

#define POST_CHAT "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"

#endif

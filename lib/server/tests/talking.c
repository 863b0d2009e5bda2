/* SPDX-License-Identifier: Apache-2.0 */
#include "server/tests/talking.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct answering {
    scripted *of;
    server_exchange *exchange;
    char kind;
} answering;

static void *answer_later(void *context)
{
    answering *a = context;
    const struct timespec tick = {.tv_nsec = 1000000};
    atomic_fetch_add(&a->of->n_held, 1);
    if (a->kind == 's') {
        server_exchange_begin(a->exchange, 200, "text/event-stream");
        for (size_t i = 0; i < a->of->n_pieces && !server_exchange_is_abandoned(a->exchange); i++) {
            while (server_exchange_waiting(a->exchange) > 100000 &&
                   !server_exchange_is_abandoned(a->exchange))
                (void)nanosleep(&tick, NULL);
            (void)server_exchange_put(a->exchange, "data: piece\n\n", 13);
        }
    } else {
        while (!atomic_load(&a->of->release) && !server_exchange_is_abandoned(a->exchange))
            (void)nanosleep(&tick, NULL);
        server_exchange_begin(a->exchange, 200, "application/json");
        (void)server_exchange_put(a->exchange, "{}", 2);
    }
    if (server_exchange_is_abandoned(a->exchange)) atomic_fetch_add(&a->of->n_gone, 1);
    server_exchange_end(a->exchange);
    atomic_fetch_sub(&a->of->n_held, 1);
    server_exchange_release(a->exchange);
    atomic_fetch_sub(&a->of->n_threads, 1);
    free(a);
    return NULL;
}

static void post(void *context, serve_endpoint endpoint, char *body, size_t n, server_exchange *x)
{
    scripted *of = context;
    (void)endpoint;
    if (n > 0 && (body[0] == 's' || body[0] == 'h')) {
        pthread_t thread;
        pthread_attr_t attributes;
        answering *a = calloc(1, sizeof *a);
        *a = (answering){of, x, body[0]};
        server_exchange_hold(x);
        atomic_fetch_add(&of->n_threads, 1);
        (void)pthread_attr_init(&attributes);
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        (void)pthread_attr_setstacksize(&attributes, 262144);
        ck_assert_int_eq(pthread_create(&thread, &attributes, answer_later, a), 0);
        (void)pthread_attr_destroy(&attributes);
    } else {
        server_exchange_begin(x, 200, "application/json");
        (void)server_exchange_put(x, body, n);
        server_exchange_end(x);
    }
    free(body);
}

static int get(void *context, const char *path, const char **content_type, buffer *body)
{
    (void)context;
    *content_type = "text/plain";
    (void)buffer_append_string(body, path);
    return 200;
}

const server_http_options scripted_options = {.host = "127.0.0.1",
                                              .n_connections = 2000,
                                              .body_bytes = BODY_MAX,
                                              .all_bodies_bytes = 10 * BODY_MAX,
                                              .idle_seconds = 30,
                                              .receive_seconds = 30,
                                              .silent_seconds = 30};

void scripted_open(scripted *s, const server_http_options *options)
{
    assay_error err = {0};
    memset(s, 0, sizeof *s);
    s->service = (server_service){.context = s, .post = post, .get = get};
    s->n_pieces = 100;
    s->metrics = server_metrics_new();
    ck_assert_msg(server_http_open(options, &s->service, s->metrics, &s->http, &err) == ASSAY_OK, "%s",
                  err.text);
}

void scripted_pause(void)
{
    const struct timespec tick = {.tv_nsec = 2000000};
    (void)nanosleep(&tick, NULL);
}

void scripted_close(scripted *s)
{
    atomic_store(&s->release, true);
    WAIT_FOR(atomic_load(&s->n_threads) == 0);
    server_http_free(s->http);
    server_metrics_free(s->metrics);
}

int dial(const scripted *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(server_http_port(s->http))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_msg(connect(fd, (struct sockaddr *)&address, sizeof address) == 0, "%s", strerror(errno));
    return fd;
}

void say(int fd, const char *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t some = send(fd, text + at, n - at, MSG_NOSIGNAL);
        if (some <= 0) return; /* refused */
        at += (size_t)some;
    }
}

char *hear(int fd, const char *until)
{
    buffer b = {0};
    char bytes[65536];
    struct pollfd waits = {.fd = fd, .events = POLLIN};
    while (poll(&waits, 1, 30000) > 0) {
        const ssize_t n = recv(fd, bytes, sizeof bytes, 0);
        if (n <= 0) break;
        (void)buffer_append(&b, bytes, (size_t)n);
        if (until && memmem(b.data, b.n, until, strlen(until))) break;
    }
    (void)buffer_append(&b, "", 1);
    ck_assert(!b.failed);
    return b.data;
}

char *talk(const scripted *s, const char *request)
{
    const int fd = dial(s);
    say(fd, request, strlen(request));
    char *answer = hear(fd, NULL);
    (void)close(fd);
    return answer;
}

void expect_status(const scripted *s, const char *request, const char *status)
{
    char *answer = talk(s, request);
    ck_assert_msg(strncmp(answer, status, strlen(status)) == 0, "%.200s\ngives\n%.300s", request, answer);
    free(answer);
}

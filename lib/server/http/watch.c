/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/watch.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "server/http/listen.h"
#include "server/job/clock.h"

#define EVENTS_MOST  64
#define TICK_SECONDS 0.25 /* between looks at the deadlines */

/* A socket. deadline: of the monotonic clock; INFINITY: none. exchange: a reference; NULL: none. */
typedef struct watched {
    bool open;
    double deadline;
    server_exchange *exchange;
} watched;

struct server_watch {
    double receive_seconds, silent_seconds;
    int epoll, ending; /* ending: an eventfd */
    pthread_t thread;
    pthread_mutex_t lock;
    watched *sockets; /* [n_sockets], by number */
    size_t n_sockets;
};

static void *watch_sockets(void *context);

static assay_status open_files(server_watch *w, assay_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = -1};
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->ending = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->epoll < 0 || w->ending < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->ending, &event) != 0)
        return assay_fail(err, ASSAY_EIO, "watching sockets: %s", strerror(errno));
    return ASSAY_OK;
}

static void close_files(server_watch *w)
{
    if (w->epoll >= 0) (void)close(w->epoll);
    if (w->ending >= 0) (void)close(w->ending);
    (void)pthread_mutex_destroy(&w->lock);
    free(w->sockets);
    free(w);
}

assay_status server_watch_open(double receive_seconds, double silent_seconds, server_watch **out,
                               assay_error *err)
{
    server_watch *w = calloc(1, sizeof *w);
    if (!w) return assay_fail(err, ASSAY_ENOMEM, "watching sockets: out of memory");
    w->receive_seconds = receive_seconds;
    w->silent_seconds = silent_seconds;
    (void)pthread_mutex_init(&w->lock, NULL);
    assay_status rc = open_files(w, err);
    if (rc == ASSAY_OK && pthread_create(&w->thread, NULL, watch_sockets, w) != 0)
        rc = assay_fail(err, ASSAY_ENOMEM, "watching sockets: found no thread");
    if (rc == ASSAY_OK) *out = w;
    else close_files(w);
    return rc;
}

void server_watch_free(server_watch *w)
{
    const uint64_t one = 1;
    if (!w) return;
    while (write(w->ending, &one, sizeof one) < 0 && errno == EINTR) continue;
    (void)pthread_join(w->thread, NULL);
    for (size_t i = 0; i < w->n_sockets; i++) server_exchange_release(w->sockets[i].exchange);
    close_files(w);
}

/* With the lock held; NULL if out of memory. */
static watched *find_socket(server_watch *w, int fd)
{
    const size_t n = (size_t)fd + 1;
    if (n > w->n_sockets) {
        watched *sockets = realloc(w->sockets, 2 * n * sizeof *sockets);
        if (!sockets) return NULL;
        memset(sockets + w->n_sockets, 0, (2 * n - w->n_sockets) * sizeof *sockets);
        w->sockets = sockets;
        w->n_sockets = 2 * n;
    }
    return &w->sockets[fd];
}

/* Sets the socket's exchange, and returns the one before, which the caller releases. */
static server_exchange *set_socket(server_watch *w, int fd, server_exchange *x, double deadline)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.fd = fd};
    server_exchange *before = NULL;
    (void)pthread_mutex_lock(&w->lock);
    watched *s = find_socket(w, fd);
    if (s) {
        before = s->exchange;
        if (x) {
            server_exchange_hold(x);
            if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
                (void)epoll_ctl(w->epoll, EPOLL_CTL_MOD, fd, &event);
        } else if (before) {
            (void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
        }
        *s = (watched){.open = true, .deadline = deadline, .exchange = x};
    }
    (void)pthread_mutex_unlock(&w->lock);
    return before;
}

void server_watch_connection(server_watch *w, int fd)
{
    server_exchange_release(set_socket(w, fd, NULL, server_clock() + w->receive_seconds));
}

void server_watch_exchange(server_watch *w, int fd, server_exchange *x)
{
    server_exchange_release(set_socket(w, fd, x, INFINITY));
}

void server_watch_forget(server_watch *w, int fd)
{
    server_exchange *before = NULL;
    (void)pthread_mutex_lock(&w->lock);
    if ((size_t)fd < w->n_sockets) {
        before = w->sockets[fd].exchange;
        if (before) (void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
        w->sockets[fd] = (watched){0};
    }
    (void)pthread_mutex_unlock(&w->lock);
    server_exchange_release(before);
}

/* The client of this socket has gone. */
static void abandon_exchange(server_watch *w, int fd)
{
    (void)pthread_mutex_lock(&w->lock);
    server_exchange *x = (size_t)fd < w->n_sockets ? w->sockets[fd].exchange : NULL;
    if (x) server_exchange_hold(x);
    (void)pthread_mutex_unlock(&w->lock);
    if (!x) return;
    server_exchange_abandon(x);
    server_exchange_release(x);
}

/* Whether the machine of a client no longer acknowledges what it is sent. A reachable one acknowledges at
 * once, also while its window is closed: then probes are sent, the longer apart the longer it lasts, so that
 * the time since the latest answer alone says nothing. */
static bool is_silent(const server_watch *w, int fd)
{
    struct tcp_info info = {0};
    socklen_t n = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 &&
           (info.tcpi_retransmits >= SERVER_PROBES || info.tcpi_probes >= SERVER_PROBES) &&
           info.tcpi_last_ack_recv >= w->silent_seconds * 1e3;
}

/* Shuts sockets down whose deadline has passed or whose client is silent. They are closed by their owner, who
 * then reads their end. */
static void check_sockets(server_watch *w)
{
    const double now = server_clock();
    (void)pthread_mutex_lock(&w->lock);
    for (size_t fd = 0; fd < w->n_sockets; fd++) {
        watched *s = &w->sockets[fd];
        if (!s->open || (s->deadline > now && !(s->exchange && is_silent(w, (int)fd)))) continue;
        (void)shutdown((int)fd, SHUT_RDWR); /* a watched exchange is abandoned by the event of its socket */
        s->deadline = INFINITY;
    }
    (void)pthread_mutex_unlock(&w->lock);
}

static void *watch_sockets(void *context)
{
    server_watch *w = context;
    struct epoll_event events[EVENTS_MOST];
    double checked = server_clock();
    for (;;) {
        const int n = epoll_wait(w->epoll, events, EVENTS_MOST, (int)(TICK_SECONDS * 1e3));
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd < 0) return NULL;
            abandon_exchange(w, events[i].data.fd);
        }
        if (server_clock() - checked < TICK_SECONDS) continue;
        check_sockets(w);
        checked = server_clock();
    }
}

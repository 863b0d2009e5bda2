/* SPDX-License-Identifier: Apache-2.0 */
#include "server/job/exchange.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "server/job/clock.h"

struct server_exchange {
    pthread_mutex_t lock;
    pthread_cond_t no_wake_running; /* n_waking has become 0 */
    size_t n_references;
    void (*wake)(void *context); /* NULL: detached */
    void *context;
    size_t n_waking; /* calls of wake that run */
    buffer body;     /* data[n_taken..n) waits for the client */
    size_t n_taken;
    int status; /* 0: not known yet */
    const char *content_type;
    bool ended, abandoned;
    double taken_at; /* server_clock, in seconds, when the client last took bytes or bytes began to wait */
};

server_exchange *server_exchange_new(void (*wake)(void *context), void *context)
{
    server_exchange *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    if (pthread_mutex_init(&x->lock, NULL) != 0) {
        free(x);
        return NULL;
    }
    if (pthread_cond_init(&x->no_wake_running, NULL) != 0) {
        (void)pthread_mutex_destroy(&x->lock);
        free(x);
        return NULL;
    }
    x->n_references = 1;
    x->wake = wake;
    x->context = context;
    return x;
}

void server_exchange_hold(server_exchange *x)
{
    (void)pthread_mutex_lock(&x->lock);
    x->n_references++;
    (void)pthread_mutex_unlock(&x->lock);
}

void server_exchange_release(server_exchange *x)
{
    if (!x) return;
    (void)pthread_mutex_lock(&x->lock);
    const bool last = --x->n_references == 0;
    (void)pthread_mutex_unlock(&x->lock);
    if (!last) return;
    (void)pthread_cond_destroy(&x->no_wake_running);
    (void)pthread_mutex_destroy(&x->lock);
    buffer_free(&x->body);
    free(x);
}

/* Unlocks, and calls wake, which may use the exchange. The caller holds a reference. */
static void unlock_and_wake(server_exchange *x)
{
    void (*wake)(void *) = x->wake;
    void *context = x->context;
    x->n_waking += wake != NULL;
    (void)pthread_mutex_unlock(&x->lock);
    if (!wake) return;
    wake(context);
    (void)pthread_mutex_lock(&x->lock);
    if (--x->n_waking == 0) (void)pthread_cond_broadcast(&x->no_wake_running);
    (void)pthread_mutex_unlock(&x->lock);
}

void server_exchange_detach(server_exchange *x)
{
    (void)pthread_mutex_lock(&x->lock);
    x->wake = NULL;
    while (x->n_waking > 0) (void)pthread_cond_wait(&x->no_wake_running, &x->lock);
    (void)pthread_mutex_unlock(&x->lock);
}

size_t server_exchange_take(server_exchange *x, char *to, size_t n, bool *ended)
{
    (void)pthread_mutex_lock(&x->lock);
    size_t some = x->body.n - x->n_taken;
    if (some > n) some = n;
    if (some > 0) memcpy(to, x->body.data + x->n_taken, some);
    x->n_taken += some;
    if (some > 0) x->taken_at = server_clock();
    if (x->n_taken == x->body.n) x->body.n = x->n_taken = 0;
    else if (x->n_taken > SERVER_EXCHANGE_WAITING_MAX) {
        buffer_drop(&x->body, x->n_taken);
        x->n_taken = 0;
    }
    *ended = x->ended && x->body.n == 0;
    (void)pthread_mutex_unlock(&x->lock);
    return some;
}

int server_exchange_status(server_exchange *x, const char **content_type)
{
    (void)pthread_mutex_lock(&x->lock);
    const int status = x->status;
    *content_type = x->content_type;
    (void)pthread_mutex_unlock(&x->lock);
    return status;
}

bool server_exchange_has_ended(server_exchange *x, size_t *n)
{
    (void)pthread_mutex_lock(&x->lock);
    const bool ended = x->ended;
    *n = x->body.n - x->n_taken;
    (void)pthread_mutex_unlock(&x->lock);
    return ended;
}

/* With the lock held. */
static void drop_answer(server_exchange *x)
{
    x->abandoned = true;
    x->n_taken = 0;
    buffer_free(&x->body);
    x->body = (buffer){0};
}

void server_exchange_abandon(server_exchange *x)
{
    (void)pthread_mutex_lock(&x->lock);
    drop_answer(x);
    unlock_and_wake(x);
}

void server_exchange_begin(server_exchange *x, int status, const char *content_type)
{
    (void)pthread_mutex_lock(&x->lock);
    if (x->status != 0) {
        (void)pthread_mutex_unlock(&x->lock);
        return;
    }
    x->status = status;
    x->content_type = content_type;
    unlock_and_wake(x);
}

bool server_exchange_put(server_exchange *x, const char *bytes, size_t n)
{
    (void)pthread_mutex_lock(&x->lock);
    if (x->body.n == x->n_taken) x->taken_at = server_clock();
    bool ok = x->abandoned || x->ended || buffer_append(&x->body, bytes, n);
    if (!ok) drop_answer(x);
    unlock_and_wake(x);
    return ok;
}

void server_exchange_end(server_exchange *x)
{
    (void)pthread_mutex_lock(&x->lock);
    x->ended = true;
    unlock_and_wake(x);
}

bool server_exchange_is_abandoned(server_exchange *x)
{
    (void)pthread_mutex_lock(&x->lock);
    const bool abandoned = x->abandoned;
    (void)pthread_mutex_unlock(&x->lock);
    return abandoned;
}

bool server_exchange_is_slow(server_exchange *x, double *stalled)
{
    (void)pthread_mutex_lock(&x->lock);
    const size_t n = x->body.n - x->n_taken;
    *stalled = n > 0 ? server_clock() - x->taken_at : 0;
    (void)pthread_mutex_unlock(&x->lock);
    return n >= SERVER_EXCHANGE_WAITING_MAX;
}

size_t server_exchange_waiting(server_exchange *x)
{
    (void)pthread_mutex_lock(&x->lock);
    const size_t n = x->body.n - x->n_taken;
    (void)pthread_mutex_unlock(&x->lock);
    return n;
}

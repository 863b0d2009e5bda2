/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/gate.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct server_gate {
    pthread_mutex_t making; /* held by the thread that makes media */
    size_t most;
    atomic_size_t n_held; /* grows only with the lock held */
};

server_gate *server_gate_new(size_t most)
{
    server_gate *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    (void)pthread_mutex_init(&g->making, NULL);
    g->most = most;
    return g;
}

void server_gate_free(server_gate *g)
{
    if (!g) return;
    assert(atomic_load(&g->n_held) == 0);
    (void)pthread_mutex_destroy(&g->making);
    free(g);
}

size_t server_gate_enter(server_gate *g)
{
    (void)pthread_mutex_lock(&g->making);
    return g->most - atomic_load(&g->n_held);
}

void server_gate_leave(server_gate *g, size_t n)
{
    const size_t n_held = atomic_fetch_add(&g->n_held, n) + n;
    assert(n_held <= g->most);
    (void)n_held;
    (void)pthread_mutex_unlock(&g->making);
}

void server_gate_release(server_gate *g, size_t n)
{
    (void)atomic_fetch_sub(&g->n_held, n);
}

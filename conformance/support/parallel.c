/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct pool {
    conf_parallel_fn *fn;
    void *context;
    size_t n_items;
    atomic_size_t next;
    atomic_bool ended; /* fn returned false: no further item is started */
} pool;

typedef struct thread {
    pthread_t id;
    pool *pool;
    size_t worker;
} thread;

static void run_items(pool *p, size_t worker)
{
    while (!atomic_load(&p->ended)) {
        size_t item = atomic_fetch_add(&p->next, 1);
        if (item >= p->n_items) return;
        if (!p->fn(p->context, item, worker)) atomic_store(&p->ended, true);
    }
}

static void *thread_main(void *context)
{
    thread *t = context;
    run_items(t->pool, t->worker);
    return NULL;
}

void conf_parallel(size_t n_workers, size_t n_items, conf_parallel_fn *fn, void *context)
{
    pool p = {.fn = fn, .context = context, .n_items = n_items};
    atomic_init(&p.next, 0);
    atomic_init(&p.ended, false);
    if (n_workers > n_items) n_workers = n_items;
    size_t n_threads = 0, n_wanted = n_workers > 1 ? n_workers - 1 : 0;
    thread *threads = n_wanted ? calloc(n_wanted, sizeof *threads) : NULL;
    while (threads && n_threads < n_wanted) {
        thread *t = &threads[n_threads];
        *t = (thread){.pool = &p, .worker = n_threads + 1};
        if (pthread_create(&t->id, NULL, thread_main, t) != 0) break;
        n_threads++;
    }
    run_items(&p, 0);
    for (size_t i = 0; i < n_threads; i++) (void)pthread_join(threads[i].id, NULL);
    free(threads);
}

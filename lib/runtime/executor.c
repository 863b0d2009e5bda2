/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/executor.h"

#include <stdlib.h>

typedef struct executor {
    struct executor *next;
    pthread_t thread;
} executor;

typedef struct pending {
    struct pending *next;
    queue *queue;
} pending;

static struct {
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t added;
    pending *first, *last;
    size_t n_pending, n_idle;
    executor *all;
    bool ending;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .added = PTHREAD_COND_INITIALIZER};

static void *executor_main(void *context)
{
    (void)context;
    (void)pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.first && !pool.ending) {
            pool.n_idle++;
            (void)pthread_cond_wait(&pool.added, &pool.lock);
            pool.n_idle--;
        }
        if (!pool.first) break;
        pending *p = pool.first;
        pool.first = p->next;
        if (!pool.first) pool.last = NULL;
        pool.n_pending--;
        (void)pthread_mutex_unlock(&pool.lock);
        queue_serve(p->queue);
        free(p);
        (void)pthread_mutex_lock(&pool.lock);
    }
    (void)pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* The lock is held. */
static void start_executor(void)
{
    executor *e = malloc(sizeof *e);
    if (e && pthread_create(&e->thread, NULL, executor_main, NULL) == 0) {
        e->next = pool.all;
        pool.all = e;
    } else {
        free(e);
    }
}

void executor_serve(queue *q)
{
    pending *p = malloc(sizeof *p);
    if (!p || !queue_promise(q)) {
        free(p);
        return;
    }
    *p = (pending){NULL, q};
    (void)pthread_mutex_lock(&pool.lock);
    if (pool.last) pool.last->next = p;
    else pool.first = p;
    pool.last = p;
    pool.n_pending++;
    if (pool.n_pending > pool.n_idle) start_executor();
    (void)pthread_cond_signal(&pool.added);
    (void)pthread_mutex_unlock(&pool.lock);
}

static void lock_pool(void)
{
    (void)pthread_mutex_lock(&pool.lock);
}

static void unlock_pool(void)
{
    (void)pthread_mutex_unlock(&pool.lock);
}

/* A forked process has no threads of its parent: none is idle, and none can be joined. */
static void forget_executors(void)
{
    while (pool.all) {
        executor *next = pool.all->next;
        free(pool.all);
        pool.all = next;
    }
    pool.n_idle = 0;
    (void)pthread_cond_init(&pool.added, NULL);
    unlock_pool();
}

__attribute__((constructor)) static void foresee_forks(void)
{
    (void)pthread_atfork(lock_pool, unlock_pool, forget_executors);
}

__attribute__((destructor)) static void end_executors(void)
{
    (void)pthread_mutex_lock(&pool.lock);
    pool.ending = true;
    (void)pthread_cond_broadcast(&pool.added);
    executor *all = pool.all;
    (void)pthread_mutex_unlock(&pool.lock);
    while (all) {
        executor *next = all->next;
        (void)pthread_join(all->thread, NULL);
        free(all);
        all = next;
    }
    for (pending *p = pool.first, *next; p; p = next) {
        next = p->next;
        free(p);
    }
}

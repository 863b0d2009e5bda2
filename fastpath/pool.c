/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"

typedef struct job {
    fp_pool_fn *fn;
    void *context;
    size_t n_items;
    atomic_size_t next;
} job;

struct fp_pool {
    size_t n_threads; /* without the caller's */
    size_t grain;
    pthread_t *threads;
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t posted, finished;
    job *job;                /* the current job; NULL: no job that a thread may still join */
    atomic_size_t n_posted;  /* number of jobs so far, so that no thread joins one twice */
    atomic_size_t n_working; /* number of threads that work on the job */
    bool busy, ending;
};

/* The products of one layer follow each other within microseconds, faster than a thread can sleep and
 * wake up. A waiting thread therefore spins this many times before it sleeps: about 30 microseconds in
 * all. */
enum { SPINS = 600 };

static void pause_processor(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* Spins until the count differs from `was`, at most SPINS times. */
static void spin_until_changed(atomic_size_t *count, size_t was)
{
    for (size_t i = 0; i < SPINS && atomic_load_explicit(count, memory_order_relaxed) == was; i++)
        pause_processor();
}

static void run_items(job *j)
{
    for (;;) {
        size_t item = atomic_fetch_add(&j->next, 1);
        if (item >= j->n_items) return;
        j->fn(j->context, item);
    }
}

static void *thread_main(void *context)
{
    fp_pool *p = context;
    size_t n_seen = 0;
    (void)pthread_mutex_lock(&p->lock);
    for (;;) {
        (void)pthread_mutex_unlock(&p->lock);
        spin_until_changed(&p->n_posted, n_seen);
        (void)pthread_mutex_lock(&p->lock);
        while (!p->ending && (!p->job || p->n_posted == n_seen))
            (void)pthread_cond_wait(&p->posted, &p->lock);
        if (p->ending) break;
        job *j = p->job;
        n_seen = p->n_posted;
        p->n_working++;
        (void)pthread_mutex_unlock(&p->lock);
        run_items(j);
        (void)pthread_mutex_lock(&p->lock);
        if (--p->n_working == 0) (void)pthread_cond_signal(&p->finished);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

assay_status fp_pool_open(size_t n_workers, size_t grain, fp_pool **out, assay_error *err)
{
    fp_pool *p = calloc(1, sizeof *p);
    pthread_t *threads = calloc(n_workers, sizeof *threads);
    if (!p || !threads) {
        free(p);
        free(threads);
        return assay_fail(err, ASSAY_ENOMEM, "workers: out of memory");
    }
    p->grain = grain;
    p->threads = threads;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->posted, NULL);
    (void)pthread_cond_init(&p->finished, NULL);
    while (p->n_threads + 1 < n_workers &&
           pthread_create(&p->threads[p->n_threads], NULL, thread_main, p) == 0)
        p->n_threads++;
    *out = p;
    return ASSAY_OK;
}

void fp_pool_free(fp_pool *p)
{
    if (!p) return;
    (void)pthread_mutex_lock(&p->lock);
    p->ending = true;
    (void)pthread_cond_broadcast(&p->posted);
    (void)pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->n_threads; i++) (void)pthread_join(p->threads[i], NULL);
    (void)pthread_cond_destroy(&p->posted);
    (void)pthread_cond_destroy(&p->finished);
    (void)pthread_mutex_destroy(&p->lock);
    free(p->threads);
    free(p);
}

size_t fp_pool_workers(const fp_pool *p)
{
    return p->n_threads + 1;
}

bool fp_pool_shares(const fp_pool *p, size_t work)
{
    return p->n_threads > 0 && work >= p->grain;
}

/* False if another thread is using the pool. */
static bool post_job(fp_pool *p, job *j)
{
    (void)pthread_mutex_lock(&p->lock);
    bool mine = !p->busy;
    if (mine) {
        p->busy = true;
        p->job = j;
        p->n_posted++;
        (void)pthread_cond_broadcast(&p->posted);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return mine;
}

/* Lets no more threads join the job, and waits for those that have. */
static void withdraw_job(fp_pool *p)
{
    (void)pthread_mutex_lock(&p->lock);
    p->job = NULL;
    const size_t n_working = p->n_working;
    (void)pthread_mutex_unlock(&p->lock);
    for (size_t n = n_working; n > 0; n--) spin_until_changed(&p->n_working, n);
    (void)pthread_mutex_lock(&p->lock);
    while (p->n_working > 0) (void)pthread_cond_wait(&p->finished, &p->lock);
    p->busy = false;
    (void)pthread_mutex_unlock(&p->lock);
}

void fp_pool_run(fp_pool *p, size_t n_items, size_t cost, fp_pool_fn *fn, void *context)
{
    job j = {.fn = fn, .context = context, .n_items = n_items};
    atomic_init(&j.next, 0);
    bool posted = n_items > 1 && fp_pool_shares(p, n_items * cost) && post_job(p, &j);
    run_items(&j);
    if (posted) withdraw_job(p);
}

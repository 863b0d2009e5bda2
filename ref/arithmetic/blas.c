/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/arithmetic/blas.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

/* OpenBLAS maps a buffer (BUFFER_SIZE of its common_<processor>.h; POWER has the largest) for each
 * thread in a product and keeps it; if it cannot, it retries forever. The probe is a little larger, to
 * leave memory for other allocations. */
#if defined __powerpc64__
#define BUFFER_BYTES ((size_t)64 << 22)
#else
#define BUFFER_BYTES ((size_t)32 << 22)
#endif
#define MARGIN_BYTES ((size_t)8 << 20)

static struct {
    pthread_mutex_t lock;
    pthread_cond_t left;
    size_t n_buffers, n_users; /* n_users <= n_buffers; under the lock */
} blas = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static bool has_memory(void)
{
    void *probe =
        mmap(NULL, BUFFER_BYTES + MARGIN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return probe != MAP_FAILED && munmap(probe, BUFFER_BYTES + MARGIN_BYTES) == 0;
}

bool ref_blas_enter(void)
{
    (void)pthread_mutex_lock(&blas.lock);
    while (blas.n_users == blas.n_buffers) {
        if (has_memory()) blas.n_buffers++;
        else if (blas.n_buffers == 0) break;
        else (void)pthread_cond_wait(&blas.left, &blas.lock);
    }
    const bool enters = blas.n_users < blas.n_buffers;
    blas.n_users += enters;
    (void)pthread_mutex_unlock(&blas.lock);
    return enters;
}

void ref_blas_leave(void)
{
    (void)pthread_mutex_lock(&blas.lock);
    blas.n_users--;
    (void)pthread_cond_signal(&blas.left);
    (void)pthread_mutex_unlock(&blas.lock);
}

/* A module to compare the lookup of a default stream with: reads a thread-local number, and one that
 * all threads share under a lock.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdint.h>

int32_t yardstick_thread_local(void);
int32_t yardstick_locked(void);

static _Thread_local volatile int32_t own = 1;
static int32_t shared = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int32_t yardstick_thread_local(void)
{
    return own;
}

int32_t yardstick_locked(void)
{
    (void)pthread_mutex_lock(&lock);
    const int32_t value = shared;
    (void)pthread_mutex_unlock(&lock);
    return value;
}

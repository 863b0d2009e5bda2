/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/array_node.h"

#include <pthread.h>

static pthread_mutex_t graph = PTHREAD_MUTEX_INITIALIZER;

void array_graph_lock(void)
{
    (void)pthread_mutex_lock(&graph);
}

void array_graph_unlock(void)
{
    (void)pthread_mutex_unlock(&graph);
}

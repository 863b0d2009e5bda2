/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct place {
    exec_process process; /* pid 0: there is none */
    bool taken;
} place;

struct exec_pool {
    size_t n, mib;
    place *places; /* [n] */
};

assay_status exec_pool_open(size_t n_most, size_t mib, exec_pool **out, assay_error *err)
{
    exec_pool *pool = calloc(1, sizeof *pool);
    place *places = calloc(n_most, sizeof *places);
    if (!pool || !places) {
        free(pool);
        free(places);
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    *pool = (exec_pool){.n = n_most, .mib = mib, .places = places};
    for (size_t i = 0; i < n_most; i++) places[i].process = (exec_process){.to = -1, .from = -1};
    *out = pool;
    return ASSAY_OK;
}

void exec_pool_free(exec_pool *pool)
{
    if (!pool) return;
    for (size_t i = 0; i < pool->n; i++) (void)exec_process_end(&pool->places[i].process);
    free(pool->places);
    free(pool);
}

/* An idle program of this command, else an empty place, else that of another idle program; NULL: all are in
 * use. */
static place *choose_place(const exec_pool *pool, const char *command)
{
    place *chosen = NULL;
    for (size_t i = 0; i < pool->n; i++) {
        place *p = &pool->places[i];
        if (p->taken) continue;
        if (p->process.pid && strcmp(p->process.command, command) == 0) return p;
        if (!chosen || !p->process.pid) chosen = p;
    }
    return chosen;
}

assay_status exec_pool_take(exec_pool *pool, const char *command, exec_process **out, assay_error *err)
{
    place *p = choose_place(pool, command);
    if (!p) return assay_fail(err, ASSAY_EINTERNAL, "exec:%s: all %zu programs are in use", command, pool->n);
    if (p->process.pid && strcmp(p->process.command, command) != 0) (void)exec_process_end(&p->process);
    if (!p->process.pid) {
        const assay_status rc = exec_process_start(command, pool->mib, true, &p->process, err);
        if (rc != ASSAY_OK) return rc;
    }
    p->taken = true;
    *out = &p->process;
    return ASSAY_OK;
}

void exec_pool_give(exec_pool *pool, exec_process *process)
{
    for (size_t i = 0; i < pool->n; i++) {
        place *p = &pool->places[i];
        if (&p->process != process) continue;
        p->taken = false;
        if (p->process.pid && (p->process.state->busy || p->process.state->broken))
            (void)exec_process_end(&p->process);
    }
}

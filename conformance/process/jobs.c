/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/process/jobs.h"

#include <stdlib.h>

#include "base/error.h"
#include "conformance/exec/engine.h"
#include "conformance/exec/pool.h"
#include "conformance/process/interrupt.h"

struct conf_jobs {
    conf_limits limits;
    size_t n;
    conf_child *children;    /* [n]; pid 0: a free place */
    conf_verdict **verdicts; /* [n] */
    exec_pool *programs;
};

assay_status conf_jobs_open(size_t n, const conf_limits *limits, conf_jobs **out, assay_error *err)
{
    conf_jobs *jobs = calloc(1, sizeof *jobs);
    if (jobs) {
        *jobs = (conf_jobs){.limits = *limits,
                            .n = n,
                            .children = calloc(n, sizeof *jobs->children),
                            .verdicts = calloc(n, sizeof *jobs->verdicts)};
    }
    if (!jobs || !jobs->children || !jobs->verdicts) {
        conf_jobs_free(jobs);
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    const assay_status rc = exec_pool_open(n, limits->mib, &jobs->programs, err);
    if (rc == ASSAY_OK) *out = jobs;
    else conf_jobs_free(jobs);
    return rc;
}

/* A program that a task has used serves the next one. */
static bool has_ended(conf_jobs *jobs, size_t i)
{
    exec_process *program = jobs->children[i].program;
    if (!conf_child_ended(&jobs->children[i], jobs->verdicts[i])) return false;
    if (program) exec_pool_give(jobs->programs, program);
    return true;
}

static void kill_task(conf_jobs *jobs, size_t i)
{
    exec_process *program = jobs->children[i].program;
    conf_child_kill(&jobs->children[i]);
    if (program) exec_pool_give(jobs->programs, program);
}

assay_status conf_jobs_start(conf_jobs *jobs, conf_task_fn *task, const void *context, const char *engine,
                             conf_verdict *out, assay_error *err)
{
    size_t i = 0;
    exec_process *program = NULL;
    if (conf_interrupted()) {
        conf_verdict_set(out, CONF_SKIPPED, "%s", conf_interrupt_reason);
        return ASSAY_OK;
    }
    while (jobs->children[i].pid) {
        if (++i < jobs->n) continue;
        (void)conf_jobs_wait(jobs);
        i = 0;
    }
    jobs->verdicts[i] = out;
    if (exec_engine_is(engine)) {
        const assay_status rc = exec_pool_take(jobs->programs, exec_engine_command(engine), &program, err);
        if (rc != ASSAY_OK) return rc;
    }
    const assay_status rc = conf_child_start(task, context, &jobs->limits, program, &jobs->children[i], err);
    if (rc != ASSAY_OK && program) exec_pool_give(jobs->programs, program);
    return rc;
}

bool conf_jobs_is_running(const conf_jobs *jobs, const conf_verdict *out)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->children[i].pid && jobs->verdicts[i] == out) return true;
    return false;
}

/* Kills all running tasks and sets their verdicts to skipped; false if none was running. */
static bool end_all(conf_jobs *jobs)
{
    size_t n = 0;
    for (size_t i = 0; i < jobs->n; i++) {
        if (!jobs->children[i].pid) continue;
        n++;
        if (has_ended(jobs, i)) continue;
        kill_task(jobs, i);
        conf_verdict_set(jobs->verdicts[i], CONF_SKIPPED, "%s", conf_interrupt_reason);
    }
    return n > 0;
}

bool conf_jobs_wait(conf_jobs *jobs)
{
    while (true) {
        size_t n_running = 0, n_ended = 0;
        if (conf_interrupted()) return end_all(jobs);
        for (size_t i = 0; i < jobs->n; i++) {
            if (!jobs->children[i].pid) continue;
            n_running++;
            n_ended += has_ended(jobs, i);
        }
        if (n_running == 0 || n_ended > 0) return n_running > 0;
        conf_child_wait_any(jobs->children, jobs->n);
    }
}

assay_status conf_jobs_run(conf_jobs *jobs, conf_task_fn *task, const void *context, const char *engine,
                           conf_verdict *out, assay_error *err)
{
    const assay_status rc = conf_jobs_start(jobs, task, context, engine, out, err);
    while (rc == ASSAY_OK && conf_jobs_is_running(jobs, out)) (void)conf_jobs_wait(jobs);
    return rc;
}

void conf_jobs_free(conf_jobs *jobs)
{
    for (size_t i = 0; jobs && jobs->children && i < jobs->n; i++) kill_task(jobs, i);
    if (jobs) {
        exec_pool_free(jobs->programs);
        free(jobs->children);
        free(jobs->verdicts);
    }
    free(jobs);
}

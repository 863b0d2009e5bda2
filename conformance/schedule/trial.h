/* Trying one case with one engine: programs drawn, run on several numbers of threads, and what fails cut down
 * and saved; or one program, again and again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_TRIAL_H
#define CONFORMANCE_SCHEDULE_TRIAL_H

#include "conformance/schedule/run.h"

#define CONF_TRIAL_PATH_MAX    1024
#define CONF_TRIAL_COUNTS_MAX  16 /* different numbers of threads */
#define CONF_TRIAL_THREADS_MAX CONF_SCHEDULE_THREADS_MAX

/* What is tried; all strings are borrowed. */
typedef struct conf_trial {
    const char *path, *id;              /* of the case */
    const char *engine, *name;          /* path of the module; as the user calls it */
    const char *label;                  /* for file names */
    const char *kernels, *kernels_name; /* of a library: likewise; NULL: the engine's own */
    assay_dtype compute;                /* asked of the engine; ASSAY_DTYPE_NONE: as it likes */
    const char *save;                   /* directory for programs that fail */
    const char *const *allow_unknown;   /* as of conf_case */
    const conf_limits *limits;          /* of each run */
    uint64_t seed;                      /* of the first program; the next is seed + 1 */
    size_t n_draws, shape;              /* shape: as of conf_schedule_draws */
    const size_t *threads;              /* [n_threads] */
    size_t n_threads;
    const conf_schedule *replayed; /* NULL: programs are drawn */
    size_t n_times;                /* that it is run */
    struct conf_trial_result *result;
} conf_trial;

/* Shared with the process of the trial. */
typedef struct conf_trial_result {
    size_t n_runs, n_failed; /* beside the serial ones */
    bool no_sessions;        /* the case is of a kind that opens no sessions, or an observation */
    size_t n_steps;          /* of the program that failed, before it was cut down */
    bool again;              /* it failed again when it was cut down */
    uint64_t seed;           /* that it was drawn from */
    char saved[CONF_TRIAL_PATH_MAX];
    conf_schedule schedule; /* what is left of it */
} conf_trial_result;

/* A conf_task_fn; context: a conf_trial. */
void conf_trial_run(const void *context, conf_verdict *v);

/* The longest that a trial may take whose every run keeps its limits. */
double conf_trial_seconds(const conf_trial *t);

#endif

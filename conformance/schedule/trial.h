/* Tests one case with one engine: draws programs, runs each with several numbers of threads, reduces
 * and saves a program that fails; or runs one given program repeatedly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_TRIAL_H
#define CONFORMANCE_SCHEDULE_TRIAL_H

#include "conformance/schedule/run.h"

#define CONF_TRIAL_PATH_MAX    1024
#define CONF_TRIAL_COUNTS_MAX  16 /* different numbers of threads */
#define CONF_TRIAL_THREADS_MAX CONF_SCHEDULE_THREADS_MAX

/* Parameters of a trial; all strings are borrowed. */
typedef struct conf_trial {
    const char *path, *id;     /* of the case */
    const char *engine, *name; /* path of the module; as on the command line */
    const char *label;         /* for file names */
    const char *kernels,
        *kernels_name;    /* path of a kernel library; as on the command line; NULL: the engine's own */
    conf_compute compute; /* compute type to request; CONF_COMPUTE_NONE: the engine's default */
    const char *save;     /* directory for programs that fail */
    const char *const *allow_unknown; /* as in conf_case */
    const conf_limits *limits;        /* of each run */
    uint64_t seed;                    /* of the first program; program k has seed + k */
    size_t n_draws, shape;            /* shape: as in conf_schedule_draws */
    const size_t *threads;            /* [n_threads] */
    size_t n_threads;
    const conf_schedule *replayed; /* NULL: programs are drawn */
    size_t n_times;                /* number of runs of `replayed` */
    struct conf_trial_result *result;
} conf_trial;

/* What was not compared. n_programs: programs of which nothing was; n_parts: programs that were compared up
 * to the step that the engine refused; why, rest: why not the first of the former, and what of the first of
 * the latter; else empty. */
typedef struct conf_trial_omitted {
    size_t n_programs, n_parts;
    char why[CONF_TEXT_MAX], rest[2 * CONF_TEXT_MAX + 16];
} conf_trial_omitted;

/* Result of a trial, in memory shared with its process. */
typedef struct conf_trial_result {
    size_t n_programs;       /* those of which something was compared, or that failed */
    size_t n_runs, n_failed; /* without the serial runs */
    conf_trial_omitted omitted;
    bool no_sessions; /* the case is of a kind that opens no sessions, or an observation */
    bool has_offer;   /* offer is known: programs were drawn */
    conf_offer offer; /* the engine's optional functions */
    size_t n_steps;   /* of the failing program before its reduction */
    bool again;       /* whether it failed again in the reduction */
    uint64_t seed;    /* seed of the failing program */
    char saved[CONF_TRIAL_PATH_MAX];
    conf_schedule schedule; /* the failing program after its reduction */
} conf_trial_result;

/* Adds the counts of `from`, and its texts where *to has none. */
void conf_trial_omitted_add(conf_trial_omitted *to, const conf_trial_omitted *from);

/* A conf_task_fn; context: a conf_trial. */
void conf_trial_run(const void *context, conf_verdict *v);

/* Upper limit of the duration of a trial, in seconds, if every run keeps its limits. */
double conf_trial_seconds(const conf_trial *t);

#endif

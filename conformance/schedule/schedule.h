/* Schedules: programs of engine calls, each step assigned to a thread.
 *
 * A step waits for the earlier steps of its thread, and for earlier steps on other threads
 * (conf_schedule_waits): a step of a session for all earlier steps of that session; waiting for a
 * model for its load; opening a session until its model is open; closing a model until its sessions
 * are freed. All other steps run concurrently. The serial run of the same program, on one thread in
 * the order of the list, gives the expected bits of every row of logits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_SCHEDULE_H
#define CONFORMANCE_SCHEDULE_SCHEDULE_H

#include <stdio.h>

#include "conformance/case/case.h"

#define CONF_SCHEDULE_THREADS_MAX  64
#define CONF_SCHEDULE_WORKERS_MAX  64
#define CONF_SCHEDULE_STEPS_MAX    512
#define CONF_SCHEDULE_MODELS_MAX   32
#define CONF_SCHEDULE_SESSIONS_MAX 128
#define CONF_SCHEDULE_SAMPLES_MAX  16
#define CONF_SCHEDULE_DECODES_MAX  64 /* decode steps after one prefill */

typedef enum conf_op {
    CONF_OP_OPEN,    /* opens a model */
    CONF_OP_LOAD,    /* opens a model on a worker thread (runtime/loading.h) */
    CONF_OP_WAIT,    /* waits for a model that is being loaded; any number of threads may wait */
    CONF_OP_SESSION, /* opens a session of a model */
    CONF_OP_ROW,     /* writes one row of a session's tokens; prefill writes the missing ones */
    CONF_OP_PREFILL,
    CONF_OP_PREFILL_LAST,
    CONF_OP_DECODE, /* one step of every sample */
    CONF_OP_FREE,   /* frees a session */
    CONF_OP_CLOSE,  /* closes a model */
    CONF_N_OPS
} conf_op;

/* model: of open, load, wait, session and close; session: of session, row, prefill, prefill_last,
 * decode and free; 0 where the operation has no such member. */
typedef struct conf_step {
    conf_op op;
    size_t thread;
    size_t model, session;
    size_t row; /* index in the batch, of CONF_OP_ROW */
} conf_step;

/* The samples of the case in a session's batch, row by row; a sample may occur more than once. */
typedef struct conf_schedule_session {
    size_t samples[CONF_SCHEDULE_SAMPLES_MAX];
    size_t n_samples;
} conf_schedule_session;

/* Plain data. Each model and each session is opened once; their numbers need not be contiguous. */
typedef struct conf_schedule {
    size_t n_workers; /* ASSAY_WORKERS, the engine's own threads */
    size_t n_steps;
    conf_step steps[CONF_SCHEDULE_STEPS_MAX];
    conf_schedule_session sessions[CONF_SCHEDULE_SESSIONS_MAX];
} conf_schedule;

/* "open", "prefill_last", …: as in files and reports. */
extern const char *const conf_op_names[CONF_N_OPS];

/* Whether the operation refers to a model, and whether it refers to a session. */
bool conf_op_has_model(conf_op op);
bool conf_op_has_session(conf_op op);

/* 1 + the highest thread number. */
size_t conf_schedule_threads(const conf_schedule *s);

/* Index of the step that opens the session of step i, or n_steps. */
size_t conf_schedule_opener(const conf_schedule *s, size_t i);

/* Whether step i must wait for step k, k < i, even if they run on different threads. */
bool conf_schedule_waits(const conf_schedule *s, size_t i, size_t k);

/* Checks that the program can be run: each model and session is opened once before its first use, and
 * freed or closed once after its last; limits are kept. Fails with ASSAY_EINVAL, naming the step,
 * counted from 1. */
assay_status conf_schedule_check(const conf_schedule *s, assay_error *err);

/* Checks that a valid program can be run on a case: that the case has its samples. Fails with ASSAY_EINVAL.
 */
assay_status conf_schedule_fits(const conf_schedule *s, const conf_case *c, assay_error *err);

/* Writes "step 7 (thread 3, decode, session 2)" to text; steps are counted from 1. */
void conf_schedule_name_step(const conf_schedule *s, size_t i, char *text, size_t size);

/* Prints the program, one line per step. */
void conf_schedule_print(FILE *out, const char *prefix, const conf_schedule *s);

#endif

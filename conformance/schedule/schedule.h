/* Schedules: programs of engine calls, each on a thread of its own choosing.
 *
 * A step waits for the earlier steps of its thread, and for the earlier steps that touch what it touches:
 * of a session all; a session waits until its model is open, and a model is closed when its sessions are
 * freed. Everything else runs at once. Run alone, on one thread in the order of the list, the same program
 * says what every row of logits must be, bit for bit.
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
#define CONF_SCHEDULE_DECODES_MAX  64 /* steps behind one prefill */

typedef enum conf_op {
    CONF_OP_OPEN,    /* a model */
    CONF_OP_LOAD,    /* the same on a worker (runtime/loading.h) */
    CONF_OP_WAIT,    /* for a model that is loaded; by any number of threads */
    CONF_OP_SESSION, /* opens a session of a model */
    CONF_OP_ROW,     /* writes one row of a session's tokens; those that nobody writes prefill does */
    CONF_OP_PREFILL,
    CONF_OP_PREFILL_LAST,
    CONF_OP_DECODE, /* one step of every sample */
    CONF_OP_FREE,   /* a session */
    CONF_OP_CLOSE,  /* a model */
    CONF_N_OPS
} conf_op;

/* model: of open, load, wait, session and close; session: of session, row, prefill, prefill_last, decode and
 * free; what an operation has not is 0. */
typedef struct conf_step {
    conf_op op;
    size_t thread;
    size_t model, session;
    size_t row; /* of the batch: of row */
} conf_step;

/* The samples of the case that a session's batch holds, row by row; a sample may come several times. */
typedef struct conf_schedule_session {
    size_t samples[CONF_SCHEDULE_SAMPLES_MAX];
    size_t n_samples;
} conf_schedule_session;

/* Plain data. Models and sessions are opened once each, under numbers that need not be dense. */
typedef struct conf_schedule {
    size_t n_workers; /* ASSAY_WORKERS, of the engine itself */
    size_t n_steps;
    conf_step steps[CONF_SCHEDULE_STEPS_MAX];
    conf_schedule_session sessions[CONF_SCHEDULE_SESSIONS_MAX];
} conf_schedule;

/* "open", "prefill_last", …: for people and programs. */
extern const char *const conf_op_names[CONF_N_OPS];

/* Whether the operation has a model, and whether it has a session. */
bool conf_op_has_model(conf_op op);
bool conf_op_has_session(conf_op op);

/* 1 + the highest thread of a step. */
size_t conf_schedule_threads(const conf_schedule *s);

/* Step i of the list, or n_steps: what opened the session of step i. */
size_t conf_schedule_opener(const conf_schedule *s, size_t i);

/* Whether step i has to wait for step k, k < i, wherever the two run. */
bool conf_schedule_waits(const conf_schedule *s, size_t i, size_t k);

/* Whether the program can be run: everything is opened before it is used, once, and freed or closed after it,
 * once; limits are kept. Fails with ASSAY_EINVAL, naming the step, counted from 1. */
assay_status conf_schedule_check(const conf_schedule *s, assay_error *err);

/* Whether a sound program can be run on a case: its samples are there, and where the case has inputs beside
 * tokens every session has all samples as recorded. Fails with ASSAY_EINVAL. */
assay_status conf_schedule_fits(const conf_schedule *s, const conf_case *c, assay_error *err);

/* "step 7 (thread 3, decode, session 2)", counted from 1. */
void conf_schedule_name_step(const conf_schedule *s, size_t i, char *text, size_t size);

/* The program, a line for each step. */
void conf_schedule_print(FILE *out, const char *prefix, const conf_schedule *s);

#endif

/* Schedules: programs of engine calls, each assigned to a thread.
 *
 * A step of the program waits for the earlier steps of its thread, and for earlier steps on other threads
 * (conf_schedule_waits): a step of a session for all earlier steps of that session, where a fork is a step
 * of both its sessions; waiting for a model for its load; opening a session until its model is open;
 * closing a model until its sessions are freed. All other steps run concurrently. The serial run of the
 * same program, on one thread in the order of the list, gives the expected bits of every row of logits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_SCHEDULE_H
#define CONFORMANCE_SCHEDULE_SCHEDULE_H

#include <assay/engine.h>

#include <stdio.h>

#include "conformance/case/case.h"

#define CONF_SCHEDULE_THREADS_MAX  64
#define CONF_SCHEDULE_WORKERS_MAX  64
#define CONF_SCHEDULE_STEPS_MAX    512
#define CONF_SCHEDULE_MODELS_MAX   32
#define CONF_SCHEDULE_SESSIONS_MAX 128
#define CONF_SCHEDULE_SAMPLES_MAX  16
#define CONF_SCHEDULE_TOKENS_MAX   256 /* tokens that steps give a sample after its prompt */

typedef enum conf_op {
    /* conf_op_has_model, _session and _sample compare ranges of this order. */
    CONF_OP_OPEN,    /* opens a model */
    CONF_OP_LOAD,    /* opens a model on a worker thread (runtime/loading.h) */
    CONF_OP_WAIT,    /* waits for a model that is being loaded; any number of threads may wait */
    CONF_OP_SESSION, /* opens a session of a model */
    CONF_OP_ROW,     /* writes the tokens of a sample; step writes the missing ones */
    CONF_OP_STEP,    /* evaluates the next tokens of some samples; the others rest */
    CONF_OP_JOIN,    /* adds a sample */
    CONF_OP_LEAVE,   /* removes a sample */
    CONF_OP_REWIND,  /* drops the last tokens of a sample */
    CONF_OP_FORK,    /* adds a copy of a sample of a session of the same model */
    CONF_OP_FREE,    /* frees a session */
    CONF_OP_CLOSE,   /* closes a model */
    CONF_N_OPS
} conf_op;

/* A step of a program. Members that the operation does not have are 0. Samples are named by numbers below
 * CONF_SCHEDULE_SAMPLES_MAX that the program chooses, not by those of the engine; a sample that joins may
 * have the number of one that has left.
 * model:    of open, load, wait, session and close.
 * session:  of the other operations, and of session.
 * sample:   of row, join, leave, rewind and fork (the copy).
 * from, origin: of fork: the session and the sample that is copied. The copy goes on with other tokens than
 *           its origin.
 * prompt:   of join: the sample of the case whose prompt and continuation the new sample gets.
 * samples:  of step: a set of samples, bit by bit.
 * n_tokens: of step: how many tokens each sample gets; 0: the rest of its prompt, or one token after it.
 *           Of rewind: how many tokens the sample keeps; one that has fewer keeps all. A prompt with items is
 *           not divided (samples.h).
 * all_rows: of step: the logits of all tokens are wanted, not only of the last one. */
typedef struct conf_step {
    conf_op op;
    size_t thread;
    size_t model, session;
    size_t sample, from, origin, prompt;
    size_t n_tokens;
    uint32_t samples;
    bool all_rows;
} conf_step;

/* The samples that a session has when it is opened, 0 … n_samples - 1: for each, the sample of the case
 * whose prompt it gets; one may occur more than once. */
typedef struct conf_schedule_session {
    size_t prompts[CONF_SCHEDULE_SAMPLES_MAX];
    size_t n_samples;
} conf_schedule_session;

/* Plain data. Each model and each session is opened once; their numbers need not be contiguous. */
typedef struct conf_schedule {
    size_t n_workers; /* ASSAY_WORKERS, the engine's own threads */
    size_t n_steps;
    conf_step steps[CONF_SCHEDULE_STEPS_MAX];
    conf_schedule_session sessions[CONF_SCHEDULE_SESSIONS_MAX];
} conf_schedule;

/* The optional functions of an engine that programs call. */
typedef struct conf_offer {
    bool join, leave, rewind, fork;
} conf_offer;

conf_offer conf_offer_of(const assay_engine *engine);

/* Whether an engine with these functions can carry out the operation. */
bool conf_offer_has(const conf_offer *offer, conf_op op);

/* "open", "step", …: as in files and reports. */
extern const char *const conf_op_names[CONF_N_OPS];

/* Whether the operation refers to a model, to a session, and to one sample of it. */
bool conf_op_has_model(conf_op op);
bool conf_op_has_session(conf_op op);
bool conf_op_has_sample(conf_op op);

/* Whether the step uses this session. */
bool conf_step_uses(const conf_step *step, size_t session);

/* 1 + the highest thread number. */
size_t conf_schedule_threads(const conf_schedule *s);

/* Index of the step that opens the session of step i, or n_steps. */
size_t conf_schedule_opener(const conf_schedule *s, size_t i);

/* Whether step i must wait for step k, k < i, even if they run on different threads. */
bool conf_schedule_waits(const conf_schedule *s, size_t i, size_t k);

/* Checks that a valid program can be run on a case: that the case has its samples. Fails with ASSAY_EINVAL.
 */
assay_status conf_schedule_fits(const conf_schedule *s, const conf_case *c, assay_error *err);

/* Writes "step 7 (thread 3, rewind, session 2)" to text; steps are counted from 1. */
void conf_schedule_name_step(const conf_schedule *s, size_t i, char *text, size_t size);

/* Prints the program, one line per step. */
void conf_schedule_print(FILE *out, const char *prefix, const conf_schedule *s);

#endif

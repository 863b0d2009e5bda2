/* Running schedules: each run in a process of its own, and its rows of logits beside those of the serial run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_RUN_H
#define CONFORMANCE_SCHEDULE_RUN_H

#include <stdatomic.h>

#include "conformance/process/isolate.h"
#include "conformance/schedule/schedule.h"

#define CONF_RECORD_ROWS_MAX 65536

/* Of rows that are kept whole; of the others there is a hash. */
#define CONF_RECORD_BYTES_MAX ((size_t)64 << 20)

/* What a run leaves in memory that it shares with whoever started it. */
typedef struct conf_record {
    size_t vocab;         /* 0 until a model is open */
    bool wide;            /* rows are float64 */
    atomic_size_t failed; /* 1 + the step that failed first; 0: none */
    assay_status status;  /* of that step, and why */
    assay_error err;
    volatile size_t at[CONF_SCHEDULE_THREADS_MAX]; /* 1 + the step that each thread is in; 0: none */
    uint64_t hash[CONF_RECORD_ROWS_MAX];           /* of the bits of each row, in the order of the list */
    unsigned char kept[CONF_RECORD_BYTES_MAX];     /* the rows themselves, as far as there is room */
} conf_record;

/* NULL where there is no memory. */
conf_record *conf_record_open(void);
void conf_record_free(conf_record *record);

/* Rows that step i adds to the record: in prefill every token of every sample but its padding, sample by
 * sample. */
size_t conf_schedule_rows(const conf_schedule *s, const conf_case *c, size_t i);

/* What is run. */
typedef struct conf_runner {
    const conf_case *c;
    const char *engine;  /* path of a module */
    const char *kernels; /* path of a library whose kernels the engine is given; may be NULL */
    assay_dtype compute; /* asked of the engine; ASSAY_DTYPE_NONE: as it likes */
    const conf_limits *limits;
    conf_record *serial, *at_once;
} conf_runner;

/* Executes the program in this process with an engine that is open. options: that models are opened with;
 * NULL: none. serial: on the calling thread, in the order of the list. Fills *to, and sets the verdict where
 * a step fails. */
void conf_schedule_execute(const conf_schedule *s, const conf_case *c, const assay_engine *engine,
                           const assay_model_options *options, bool serial, conf_record *to, conf_verdict *v);

/* Runs the program serially, into r->serial. *v passes, or says why the program cannot be run, or the engine
 * not be asked for what r asks for, or fails already so. Fails like conf_isolate. */
assay_status conf_schedule_run_serially(const conf_runner *r, const conf_schedule *s, conf_verdict *v,
                                        assay_error *err);

/* Runs it on its threads, and compares every row with r->serial, which holds the serial run of the same
 * steps. v->reason says how they differ, v->where which step, sample and position. */
assay_status conf_schedule_run_at_once(const conf_runner *r, const conf_schedule *s, conf_verdict *v,
                                       assay_error *err);

/* Both. */
assay_status conf_schedule_run(const conf_runner *r, const conf_schedule *s, conf_verdict *v,
                               assay_error *err);

/* How far a reduction may go. */
typedef struct conf_reduction {
    double seconds; /* at most, about */
    size_t tries;   /* of each candidate: races are luck */
} conf_reduction;

/* Cuts a failing program down to the shortest that still fails in the same way, as far as the effort lasts.
 * *v: how it fails; replaced by how what is left does. *again: whether it failed again at all; if not, *s and
 * *v are as they were. */
assay_status conf_schedule_reduce(const conf_runner *r, const conf_reduction *effort, conf_schedule *s,
                                  conf_verdict *v, bool *again, assay_error *err);

#endif

/* Running schedules: each run in a process of its own, and its rows of logits beside those of the serial run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_RUN_H
#define CONFORMANCE_SCHEDULE_RUN_H

#include "conformance/process/isolate.h"
#include "conformance/schedule/execute.h"

/* NULL where there is no memory. */
conf_record *conf_record_open(void);
void conf_record_free(conf_record *record);

/* What is run. */
typedef struct conf_runner {
    const conf_case *c;
    const char *engine;  /* path of a module */
    const char *kernels; /* path of a library whose kernels the engine is given; may be NULL */
    assay_dtype compute; /* asked of the engine; ASSAY_DTYPE_NONE: as it likes */
    const conf_limits *limits;
    conf_record *serial, *at_once;
} conf_runner;

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

#endif

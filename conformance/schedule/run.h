/* Runs schedules, each in a process of its own, and compares their rows of logits with the serial
 * run's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_RUN_H
#define CONFORMANCE_SCHEDULE_RUN_H

#include "conformance/process/isolate.h"
#include "conformance/schedule/execute.h"

/* NULL if out of memory. The caller frees it with conf_record_free. */
conf_record *conf_record_open(void);
void conf_record_free(conf_record *record);

/* Case and engine of the runs. */
typedef struct conf_runner {
    const conf_case *c;
    conf_items *items;    /* of the case */
    const char *engine;   /* path of a module */
    const char *kernels;  /* path of a library whose kernels the engine is given; NULL: its own */
    conf_compute compute; /* compute type to request; CONF_COMPUTE_NONE: the engine's default */
    const conf_limits *limits;
    conf_record *serial, *concurrent;
} conf_runner;

/* Gets the optional functions of the engine; *out is untouched if the engine cannot be loaded, as *v says.
 * Fails as conf_isolate does. */
assay_status conf_schedule_probe(const conf_runner *r, conf_offer *out, conf_verdict *v, assay_error *err);

/* Runs the program serially, into r->serial. *v passes; or says that the program cannot be run, or
 * that the engine does not offer what r requests or the program calls, or which step it refuses with
 * ASSAY_EUNSUPPORTED; or says how the serial run fails. An engine may not refuse a step that has only
 * generated tokens. Fails as conf_isolate does. */
assay_status conf_schedule_run_serially(const conf_runner *r, const conf_schedule *s, conf_verdict *v,
                                        assay_error *err);

/* After conf_schedule_run_serially has skipped a program: cuts it off before the step that the engine
 * refused. r->serial is then the serial run of the rest. False if the engine refused no step, or gave no row
 * before it; then *s is unchanged. */
bool conf_schedule_cut_refused(const conf_runner *r, conf_schedule *s);

/* Runs the program on its threads, and compares every row with r->serial, which must hold the serial
 * run of the same steps. v->reason says how they differ, v->where names the step, the sample with its
 * prompt, and the position. */
assay_status conf_schedule_run_concurrently(const conf_runner *r, const conf_schedule *s, conf_verdict *v,
                                            assay_error *err);

#endif

/* What is reduced: a case, an engine that fails it, and the engines that do not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_SUBJECT_H
#define CONFORMANCE_REDUCE_SUBJECT_H

#include "conformance/reduce/attempt.h"
#include "conformance/reduce/task.h"
#include "conformance/report/results.h"

typedef struct conf_subject {
    const conf_reduction_task *task;
    conf_results results; /* of the whole case with the engine */
    conf_jobs *jobs;
    char *reference; /* path of the reference engine; NULL: it was not found */
    char *paths[CONF_CONTROLS_MAX];
    conf_case *c;
    char *folder;
    conf_reducing r;
    char doubts[CONF_TEXT_MAX]; /* why no values may be computed; empty: they may */
} conf_subject;

/* Runs the case, reads it, and makes sure that the failure stays if the case is written again. Returns
 * CONF_EXIT_AGREE, or the exit status, with the reason in err; conf_subject_close in any case. */
conf_exit conf_subject_open(const conf_reduction_task *task, const conf_context *context, conf_subject *out,
                            assay_error *err);
void conf_subject_close(conf_subject *s);

#endif

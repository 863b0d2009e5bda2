/* Runs an engine in a process of its own, so that its crash is an answer and not the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ISOLATE_H
#define CONFORMANCE_ISOLATE_H

#include <assay/status.h>

#include "conformance/verdict.h"

/* Fills in a verdict that is zeroed. */
typedef void conf_task_fn(const void *context, conf_verdict *v);

/* Calls task in a child process whose standard output is standard error, and waits. A child that a signal
 * ends, or that exits before its verdict is complete, has failed at the stage that it last entered. Fails
 * with ASSAY_EINTERNAL where the system gives no process. */
assay_status conf_isolate(conf_task_fn *task, const void *context, conf_verdict *out, assay_error *err);

#endif

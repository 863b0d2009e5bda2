/* A walk through the tensors of one sample. A task of conf_isolate, with results in shared memory. The
 * verdict is CONF_FAILED if the engine failed before the end of the walk, CONF_BROKEN if the harness
 * failed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_WALK_H
#define CONFORMANCE_LOCATE_WALK_H

#include "conformance/judge/verdict.h"

/* context: a conf_walk_task. sequence NULL: the batch as recorded, against the case's traces; else a
 * single sample against the reference. walk is zeroed. */
void conf_walk_run(const void *context, conf_verdict *v);

#endif

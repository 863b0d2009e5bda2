/* A walk through the tensors of one sample. A task of conf_isolate: its results go to shared memory.
 * The verdict is CONF_FAILED if the engine failed before the end of the walk, CONF_BROKEN if the
 * harness failed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_WALK_H
#define CONFORMANCE_LOCATE_WALK_H

#include "conformance/judge/verdict.h"

/* context: a conf_walk_task, whose walk the caller has zeroed. sequence NULL: compares the recorded
 * batch with the case's traces; else compares one sample alone with the reference. */
void conf_walk_run(const void *context, conf_verdict *v);

#endif

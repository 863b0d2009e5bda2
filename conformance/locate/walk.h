/* A walk through the tensors of one sample. A task of conf_isolate: what it finds goes to shared memory; the
 * verdict is CONF_FAILED where the engine could not be walked to the end, CONF_BROKEN where the harness
 * failed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_WALK_H
#define CONFORMANCE_LOCATE_WALK_H

#include "conformance/judge/verdict.h"

/* context: a conf_walk_task. sequence NULL: the batch as recorded, against the case's traces; else one
 * sample by itself against the reference. walk is zeroed. */
void conf_walk_run(const void *context, conf_verdict *v);

#endif

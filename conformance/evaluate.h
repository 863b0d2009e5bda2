/* One case with one engine: replay, judge, and the words for what came out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_H
#define CONFORMANCE_EVALUATE_H

#include "conformance/case.h"
#include "conformance/replay.h"
#include "conformance/verdict.h"

/* Loads the module at `engine` and judges it on a case of a kind that is replayed. *v is zeroed beforehand.
 * To be run in a process of its own. */
void conf_evaluate(const char *engine, const conf_case *c, conf_verdict *v);

/* Loads the module alone: CONF_PASSED, or CONF_BROKEN with the reason. */
void conf_evaluate_load(const char *engine, conf_verdict *v);

#endif

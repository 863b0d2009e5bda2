/* An engine whose functions are requests to a program (docs/protocol.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_ENGINE_H
#define CONFORMANCE_EXEC_ENGINE_H

#include <assay/engine.h>

#include <stdbool.h>

#define EXEC_PREFIX "exec:"

/* Whether an engine's name begins with EXEC_PREFIX. */
bool exec_engine_is(const char *name);

/* The part of such a name after EXEC_PREFIX, borrowed. */
const char *exec_engine_command(const char *name);

/* The engine of `name`, "exec:COMMAND"; it lives as long as this process. Starts the program, unless it runs
 * already. Fails as exec_link_open does. */
assay_status exec_engine_open(const char *name, const assay_engine **out, assay_error *err);

#endif

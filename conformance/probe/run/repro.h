/* The command that shows a finding.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_REPRO_H
#define CONFORMANCE_PROBE_RUN_REPRO_H

#include "conformance/probe/wire/exchange.h"

/* A line for a POSIX shell that sends the same request with curl. key_env: the variable that holds the key;
 * NULL: none. The key itself is never in it. The caller frees the line; NULL if out of memory. */
char *probe_repro(const char *url, const char *key_env, const probe_exchange *x);

#endif

/* The command that shows a finding.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_REPRO_H
#define CONFORMANCE_PROBE_RUN_REPRO_H

#include "conformance/probe/wire/exchange.h"

/* A line for a POSIX shell that sends the request of x with curl. url: of the server; x->path is added.
 * key_env: the environment variable with the API key; NULL: none. The line has its name, never the key. The
 * caller frees the line; NULL if out of memory. */
char *probe_repro(const char *url, const char *key_env, const probe_exchange *x);

/* The same, sent and left when the exchange is: after its delay, and closing the connection after so many
 * bytes. */
char *probe_repro_timed(const char *url, const char *key_env, const probe_exchange *x);

#endif

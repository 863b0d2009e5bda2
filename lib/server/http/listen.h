/* The socket that a server listens on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_HTTP_LISTEN_H
#define SERVER_HTTP_LISTEN_H

#include <assay/status.h>

#include <stdbool.h>
#include <stdint.h>

/* A connection on which nothing is under way is probed so often, and counts as closed after so many probes
 * without an answer. One on which something is under way counts as closed after the same time. */
enum { SERVER_PROBE_SECONDS = 5, SERVER_PROBES = 3 };

/* Listens on the first address of `host` (a name or a number) that can be bound. port 0: any that is free.
 * has_key: whether clients must send a key; without one ASSAY_EINVAL for an address that is not loopback.
 * *bound: the port. Fails with ASSAY_EIO if no address can be bound. The caller closes *fd. */
assay_status server_listen(const char *host, uint16_t port, bool has_key, int *fd, uint16_t *bound,
                           assay_error *err);

#endif

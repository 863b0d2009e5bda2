/* HTTP to an untrusted server: any number of exchanges at once, each within a time limit and a limit on its
 * bytes. The only user of libcurl.
 *
 * Redirects are refused, never followed. Only http and https are spoken. Proxies of the environment are not
 * used, no cookie is kept, and no credential is sent but the given key.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_WIRE_HTTP_H
#define CONFORMANCE_PROBE_WIRE_HTTP_H

#include "conformance/probe/wire/exchange.h"

typedef struct probe_http probe_http;

/* base: "http://host:port", perhaps with a path before "/v1"; a slash or "/v1" at its end is dropped. key:
 * sent as a bearer token, and as x-api-key; NULL: none. seconds: the time limit of an exchange, > 0. Both
 * texts are copied. Fails with ASSAY_EINVAL for a URL that is not http or https or holds a user name or a
 * password, with ASSAY_EINTERNAL if libcurl fails, or with ASSAY_ENOMEM. */
assay_status probe_http_open(const char *base, const char *key, double seconds, probe_http **out,
                             assay_error *err);
void probe_http_close(probe_http *http);

/* The normalised base, borrowed. */
const char *probe_http_base(const probe_http *http);

/* Sends exchanges [n], each after its delay and on a connection of its own, and returns when all have ended.
 * Failures of the server are ends of exchanges. Fails with ASSAY_ENOMEM or ASSAY_EINTERNAL. An interrupt of
 * the user ends the exchanges that are under way. */
assay_status probe_http_run(probe_http *http, probe_exchange *const *exchanges, size_t n, assay_error *err);

#endif

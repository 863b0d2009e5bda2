/* The JSON of a saved run: its own members, and those of each exchange. What is read is untrusted.
 *
 *     {"schema": PROBE_STORE_SCHEMA, "url": the server's, "number": what its prompts contain, else 0}
 *     {"label", "path", "get", "delay", "leave_after", "end", "status", "content_type", "why", "began",
 * "sent", "first", "last", "arrivals": [[bytes, seconds], …]}
 *
 * The members are those of probe_exchange; "number" and "began" may be missing. Keys and headers of requests
 * are not stored.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_WIRE_RECORD_H
#define CONFORMANCE_PROBE_WIRE_RECORD_H

#include "conformance/probe/wire/exchange.h"
#include "conformance/support/json_at.h"

#define PROBE_STORE_SCHEMA "assay-probe-exchanges/1"

/* Each returns a document of the caller's (json_object_put); NULL if out of memory. */
json_object *probe_record_run(const char *url, uint32_t number);
json_object *probe_record_exchange(const probe_exchange *x);

/* The caller frees *url. Fails with ASSAY_EFORMAT or ASSAY_ENOMEM. */
assay_status probe_record_read_run(const conf_json_at *at, char **url, uint32_t *number, assay_error *err);

/* Fills *x, which the caller frees also after a failure. bodies: the object has the bodies as well, as
 * json_bytes.h has them: "request" and "response". Fails with ASSAY_EFORMAT, also for a member that is
 * unknown, or ASSAY_ENOMEM. */
assay_status probe_record_read_exchange(const conf_json_at *at, bool bodies, probe_exchange *x,
                                        assay_error *err);

/* Moves the answer of a stored exchange to *x, which has its label. It ends with PROBE_NOT_SAVED if the
 * stored one has another request. */
void probe_record_answer(probe_exchange *x, probe_exchange *stored);

#endif

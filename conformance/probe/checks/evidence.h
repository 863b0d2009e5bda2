/* Whether a server really had several requests under way at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_EVIDENCE_H
#define CONFORMANCE_PROBE_CHECKS_EVIDENCE_H

#include "conformance/probe/wire/exchange.h"

/* How often the pieces of the bodies of exchanges [n], in order of time, pass from one exchange to another,
 * beyond what n answers one after the other have. Pieces that came at the same moment count once. */
size_t probe_evidence_switches(const probe_exchange *x, size_t n);

/* The seconds from the first request to the last byte of an answer. */
double probe_evidence_span(const probe_exchange *x, size_t n);

/* The largest value of a gauge in Prometheus' text format whose name says that it counts running requests;
 * -1: there is none. */
double probe_evidence_running(const probe_exchange *metrics);

/* The sum of the counters whose name says that they count batched steps; 0: there is none. */
double probe_evidence_batched(const probe_exchange *metrics);

#endif

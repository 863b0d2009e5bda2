/* Event streams against the grammar of their endpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_EVENTS_H
#define CONFORMANCE_PROBE_CHECKS_EVENTS_H

#include "conformance/probe/run/run.h"

/* What is known of a stream. usage: its request asked for usage. cut_call: a limit cuts a call, whose text
 * published parsers leave in content, with its marker. */
typedef struct probe_events_asked {
    bool usage, cut_call;
} probe_events_asked;

/* Adds a row for each rule that the stream of an answered exchange breaks, or one row that it is valid.
 * check: the name of the row. Fails with ASSAY_ENOMEM. */
assay_status probe_events_check(probe_run *r, const char *check, probe_endpoint endpoint,
                                const probe_events_asked *asked, const probe_exchange *x, assay_error *err);

/* The markers of the checkpoint's parsers that `text` contains: the first one, or NULL. */
const char *probe_marker_in(const probe_run *r, assay_text text);

#endif

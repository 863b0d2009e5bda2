/* Event streams against the grammar of their endpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_STREAM_H
#define CONFORMANCE_PROBE_CHECKS_STREAM_H

#include "conformance/probe/run/run.h"

/* Adds a row for each rule that the stream of an answered exchange breaks, or one row that it is sound.
 * check: the name of the row. usage: whether the request asked for usage. Fails with ASSAY_ENOMEM. */
assay_status probe_stream_check(probe_run *r, const char *check, probe_endpoint endpoint, bool usage,
                                const probe_exchange *x, assay_error *err);

/* The markers of the checkpoint's parsers that `text` contains: the first one, or NULL. */
const char *probe_marker_in(const probe_run *r, assay_text text);

#endif

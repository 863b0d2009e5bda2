/* The fewest requests that still show a failure of a probe: its check is made again with fewer of its
 * requests, for as long as the same row fails (delta debugging; Zeller and Hildebrandt 2002).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_REDUCE_H
#define CONFORMANCE_PROBE_REDUCE_H

#include "conformance/probe/probe.h"

/* Fills in `requests` of each row of *run that counts against the server and was asked for (--only), within
 * `seconds` for all of them.
 * Rows of discovery and of the fields are left alone: each is about one answer, whose request is its command.
 * Every trial sends the requests of discovery, too; they are not counted. The same check, verdict and rule
 * are the same failure. Fails with ASSAY_ENOMEM, or as probe_run_again does if the server is gone: the rows
 * that are left stay as they are. */
assay_status probe_reduce(const probe_options *options, probe_run *run, double seconds,
                          probe_progress_fn *progress, void *context, assay_error *err);

#endif

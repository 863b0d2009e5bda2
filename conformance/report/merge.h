/* Joins the results of shards, read from the files that they wrote, into the results of one run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_MERGE_H
#define CONFORMANCE_REPORT_MERGE_H

#include "conformance/report/results.h"
#include "conformance/support/strings.h"

/* Reads paths [n], n > 0, and joins them: *out is what one run of all cases would have, except for times.
 * expected: the number of shards that there must be; 0: as many as the files say.
 *
 * A shard may have been run several times. Attempts that agree in everything but times are the same result,
 * of which the first that was completed is taken; one that was interrupted is left out if another was
 * completed. Each of these is a line of *remarks.
 *
 * Fails with ASSAY_EFORMAT, naming the files, if results contradict one another: attempts that disagree,
 * other engines, options or cases; if a shard is missing or was interrupted, or if cases are missing or in
 * two shards; and as conf_results_read does. conf_results_free frees *out. */
assay_status conf_merge(const char *const *paths, size_t n, size_t expected, conf_results *out,
                        conf_strings *remarks, assay_error *err);

#endif

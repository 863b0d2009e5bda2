/* Replays failures once more for their pictures, after a run, so that the run itself measures nothing for
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_PROFILES_H
#define CONFORMANCE_REPORT_PROFILES_H

#include "conformance/process/jobs.h"
#include "conformance/report/results.h"

/* The most failures of a page that have pictures: the most severe. */
#define CONF_PROFILES_MAX 10

/* Collects the profiles of the most severe failures to which one applies, by the jobs, which run nothing
 * else, and shows their progress. reference: see conf_assignment. Fails with ASSAY_ENOMEM, or if no process
 * can be started. */
assay_status conf_profiles_collect(conf_results *results, conf_jobs *jobs, const char *reference,
                                   const conf_context *context, assay_error *err);

/* Makes a profile, zeroed and one of results->profiles, that of a failure. Fails with ASSAY_ENOMEM. */
assay_status conf_profiles_add(conf_results *results, size_t result, size_t engine, conf_profile *profile,
                               assay_error *err);

/* Copies the profiles of the most severe failures, at most CONF_PROFILES_MAX, into memory of the results'
 * own, and drops the others: results of several shards then have those of one run. Fails with ASSAY_ENOMEM;
 * the results have none then. */
assay_status conf_profiles_keep(conf_results *results, assay_error *err);

#endif

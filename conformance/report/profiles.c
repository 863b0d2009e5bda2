/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/profiles.h"

#include <stdlib.h>

#include "base/error.h"
#include "conformance/evaluate/evaluate.h"
#include "conformance/process/interrupt.h"
#include "conformance/report/failures.h"
#include "conformance/support/progress.h"

/* A failure that is replayed. */
typedef struct replayed {
    size_t result, engine;
    conf_verdict verdict; /* of the replay: says nothing that the run has not said */
} replayed;

static void run_task(const void *context, conf_verdict *v)
{
    conf_evaluate(context, v);
}

/* Lists the most severe failures. */
static assay_status list_failures(const conf_results *results, replayed list[CONF_PROFILES_MAX], size_t *n,
                                  assay_error *err)
{
    conf_failure *failures;
    size_t n_failures;
    const assay_status rc = conf_failures_list(results, SIZE_MAX, &failures, &n_failures, err);
    *n = 0;
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < n_failures && *n < CONF_PROFILES_MAX; i++)
        if (conf_profile_applies(failures[i].verdict))
            list[(*n)++] = (replayed){.result = failures[i].result, .engine = failures[i].engine};
    free(failures);
    return ASSAY_OK;
}

assay_status conf_profiles_add(conf_results *results, size_t result, size_t engine, conf_profile *profile,
                               assay_error *err)
{
    conf_result *r = &results->at[result];
    const char *manner = r->verdicts[engine].manner;
    if (!r->profiles) r->profiles = calloc(results->n_engines, sizeof *r->profiles);
    if (!r->profiles) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", r->path);
    r->profiles[engine] = profile;
    profile->manner = manner[0] ? conf_manner_find(manner) : CONF_MANNER_WHOLE;
    return ASSAY_OK;
}

static assay_status start(conf_results *all, conf_jobs *jobs, const char *reference, replayed *f,
                          conf_profile *profile, assay_error *err)
{
    const assay_status rc = conf_profiles_add(all, f->result, f->engine, profile, err);
    if (rc != ASSAY_OK) return rc;
    conf_assignment assignment = conf_results_assignment(all, f->engine, all->at[f->result].path, reference);
    assignment.profile = profile;
    return conf_jobs_start(jobs, run_task, &assignment, assignment.engine, &f->verdict, err);
}

assay_status conf_profiles_collect(conf_results *results, conf_jobs *jobs, const char *reference,
                                   const conf_context *context, assay_error *err)
{
    replayed *list = calloc(CONF_PROFILES_MAX, sizeof *list);
    size_t n = 0;
    assay_status rc =
        list ? list_failures(results, list, &n, err) : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (n > 0) {
        results->profiles = conf_profile_share(n);
        if (results->profiles) results->n_profiles = n;
        else rc = assay_fail(err, ASSAY_ENOMEM, "no shared memory for the pictures of failures");
    }
    for (size_t i = 0; i < n && rc == ASSAY_OK && !conf_interrupted(); i++) {
        char what[256];
        (void)snprintf(what, sizeof what, "pictures of %.200s", results->at[list[i].result].id);
        conf_progress_show(context, i, n, what);
        rc = start(results, jobs, reference, &list[i], &results->profiles[i], err);
    }
    while (conf_jobs_wait(jobs)) continue;
    for (size_t i = 0; i < results->n_profiles; i++) {
        conf_profile *p = &results->profiles[i];
        conf_profile_limit(p);
        p->is_observed = p->is_relative = false;
        p->n_joined = 0;
    }
    conf_progress_clear(context);
    free(list);
    return rc;
}

/* Copies the first profiles of the failures to out [CONF_PROFILES_MAX], counted in *n, and drops the others.
 */
static void take_profiles(conf_results *results, const conf_failure *failures, size_t n_failures,
                          conf_profile *out, size_t *n)
{
    for (size_t i = 0; i < n_failures; i++) {
        conf_result *r = &results->at[failures[i].result];
        const conf_profile **profile = r->profiles ? &r->profiles[failures[i].engine] : NULL;
        if (!profile || !*profile) continue;
        if (*n < CONF_PROFILES_MAX) out[*n] = **profile;
        *profile = *n < CONF_PROFILES_MAX ? &out[(*n)++] : NULL;
    }
}

static void drop_profiles(conf_results *results)
{
    for (size_t i = 0; i < results->n; i++) {
        free(results->at[i].profiles);
        results->at[i].profiles = NULL;
    }
}

assay_status conf_profiles_keep(conf_results *results, assay_error *err)
{
    conf_failure *failures = NULL;
    size_t n_failures, n = 0;
    assay_status rc = conf_failures_list(results, SIZE_MAX, &failures, &n_failures, err);
    conf_profile *kept = rc == ASSAY_OK ? conf_profile_share(CONF_PROFILES_MAX) : NULL;
    if (rc == ASSAY_OK && !kept)
        rc = assay_fail(err, ASSAY_ENOMEM, "the profiles of failures: out of memory");
    if (rc != ASSAY_OK) drop_profiles(results);
    else take_profiles(results, failures, n_failures, kept, &n);
    results->profiles = kept;
    results->n_profiles = kept ? CONF_PROFILES_MAX : 0;
    free(failures);
    return rc;
}

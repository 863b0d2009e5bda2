/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/results.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/exec/engine.h"

assay_status conf_engine_column_find(const char *name, const conf_strings *dirs, conf_engine_column *out,
                                     assay_error *err)
{
    *out = (conf_engine_column){.name = name, .label = conf_engine_label(name)};
    return conf_engine_find(name, dirs, &out->path, err);
}

assay_status conf_engine_column_load(const conf_verdict *loaded, conf_engine_column *column, assay_error *err)
{
    const char *name = column->name;
    if (loaded->outcome == CONF_SKIPPED)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "engine %s: %s", name, loaded->reason);
    if (loaded->outcome != CONF_PASSED)
        return assay_fail(err, ASSAY_EIO, "engine %s: %s", name, loaded->reason);
    column->float64 = loaded->float64;
    memcpy(column->version, loaded->version, sizeof column->version);
    memcpy(column->blas, loaded->blas, sizeof column->blas);
    return exec_engine_is(name) ? ASSAY_OK : conf_digest_file(column->path, column->module, err);
}

void conf_stamp(char out[CONF_STAMP])
{
    struct timespec now = {0};
    struct tm utc = {0};
    char seconds[CONF_STAMP - 8];
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    (void)strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(out, CONF_STAMP, "%s.%03ldZ", seconds, (long)(now.tv_nsec / 1000000 % 1000));
}

void conf_results_stamp(conf_results *results)
{
    conf_stamp(results->finished);
}

void conf_result_free(conf_result *result, size_t n_engines)
{
    for (size_t e = 0; result->repros && e < n_engines; e++) free(result->repros[e]);
    free(result->repros);
    free(result->profiles);
    free(result->id);
    free(result->path);
    free(result->verdicts);
}

conf_assignment conf_results_assignment(const conf_results *all, size_t engine, const char *path,
                                        const char *reference)
{
    return (conf_assignment){.engine = all->engines[engine].path,
                             .kernels = all->kernels_path,
                             .path = path,
                             .compute = all->compute,
                             .seed = all->seed,
                             .manner = all->manner,
                             .reference = reference,
                             .context_shift = all->context_shift,
                             .vector = all->vector,
                             .allow_unknown = all->allow_unknown,
                             .limits = all->limits};
}

void conf_results_free(conf_results *results)
{
    for (size_t i = 0; i < results->n; i++) conf_result_free(&results->at[i], results->n_engines);
    free(results->at);
    for (size_t e = 0; results->engines && e < results->n_engines; e++) free(results->engines[e].path);
    free(results->engines);
    conf_profile_unshare(results->profiles, results->n_profiles);
    free(results->machines);
    free(results->kernels_path);
    for (size_t i = 0; i < results->n_passed_over; i++) free(results->passed_over[i].id);
    free(results->passed_over);
    (void)json_object_put(results->document);
    *results = (conf_results){0};
}

size_t conf_results_count(const conf_results *results, size_t engine, conf_outcome outcome)
{
    size_t n = 0;
    for (size_t i = 0; i < results->n; i++)
        for (size_t e = 0; e < results->n_engines; e++)
            n += (engine == SIZE_MAX || engine == e) && results->at[i].verdicts[e].outcome == outcome;
    return n;
}

size_t conf_results_count_class(const conf_results *results, conf_class class)
{
    size_t n = 0;
    for (size_t i = 0; i < results->n; i++)
        for (size_t e = 0; e < results->n_engines; e++) {
            const conf_verdict *v = &results->at[i].verdicts[e];
            n += v->class == class && conf_outcome_fails(v->outcome);
        }
    return n;
}

const char *conf_results_skipped_manner(const conf_results *results, size_t *n)
{
    const char *reason = NULL;
    *n = 0;
    for (size_t i = 0; i < results->n; i++)
        for (size_t e = 0; e < results->n_engines; e++) {
            const conf_verdict *v = &results->at[i].verdicts[e];
            const bool by_manner = conf_verdict_other_manner(v) != NULL;
            if (v->outcome != CONF_SKIPPED || (reason && by_manner && strcmp(v->reason, reason) != 0))
                return NULL;
            if (!by_manner) continue;
            reason = v->reason;
            ++*n;
        }
    return reason;
}

conf_exit conf_results_exit(const conf_results *results, conf_class hunted)
{
    if (conf_results_count(results, SIZE_MAX, CONF_BROKEN)) return CONF_EXIT_ERROR;
    if (conf_results_count(results, SIZE_MAX, CONF_FAILED)) {
        bool shown = hunted == CONF_CLASS_NONE || conf_results_count_class(results, hunted);
        return shown ? CONF_EXIT_DIVERGES : CONF_EXIT_ERROR;
    }
    const size_t n = conf_results_count(results, SIZE_MAX, CONF_PASSED) +
                     conf_results_count(results, SIZE_MAX, CONF_EXPECTED);
    return n ? CONF_EXIT_AGREE : CONF_EXIT_NOTHING;
}

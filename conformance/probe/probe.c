/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/fields/notes.h"
#include "conformance/probe/groups/groups.h"
#include "conformance/probe/wire/store.h"

const probe_group probe_groups[] = {
    {"discovery", "models, endpoints and log-probabilities that are offered", true, probe_discover},
    {"protocol", "bodies, streams, finish reasons, usage, refusals", false, probe_check_protocol},
    {"numerics", "log-probabilities against float64 logits", false, probe_check_numerics},
    {"batching", "answers do not depend on other requests", false, probe_check_batching},
    {"text", "texts that every correct engine gives", false, probe_check_text},
    {"fields", "the fields of all answers", true, probe_notes_report},
    {0},
};

bool probe_group_is(const char *check)
{
    const size_t n = strcspn(check, "/");
    const probe_group *g = probe_groups;
    while (g->name && (strlen(g->name) != n || memcmp(g->name, check, n) != 0)) g++;
    return g->name != NULL;
}

void probe_group_names(char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (const probe_group *g = probe_groups; g->name && n < size; g++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", g == probe_groups ? "" : ", ", g->name);
}

static bool is_wanted(const probe_run *run, const probe_group *g)
{
    return g->always || probe_wants(run, g->name);
}

static void take_exchange(void *context, const probe_exchange *x)
{
    probe_notes_take(context, x);
}

/* A name that was asked for and that no row has is said to be so. */
static void report_unknown_names(probe_run *run)
{
    for (size_t i = 0; i < run->n_only; i++) {
        bool found = false;
        for (size_t k = 0; k < run->findings.n && !found; k++)
            found = probe_name_begins(run->only[i], run->findings.at[k].check);
        if (!found)
            (void)probe_report(run, NULL, run->only[i], PROBE_NOT_EXERCISED, PROBE_HABIT,
                               "no check of this name was made");
    }
}

static assay_status run_groups(probe_run *run, probe_progress_fn *progress, void *context, assay_error *err)
{
    size_t total = 0, done = 0;
    assay_status rc = ASSAY_OK;
    for (const probe_group *g = probe_groups; g->name; g++) total += is_wanted(run, g);
    for (const probe_group *g = probe_groups; g->name && rc == ASSAY_OK; g++) {
        if (!is_wanted(run, g)) continue;
        if (progress) progress(context, done, total, g->name);
        rc = g->run(run, err);
        done++;
    }
    if (rc == ASSAY_OK) report_unknown_names(run);
    if (rc == ASSAY_OK && run->findings.failed) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return rc;
}

assay_status probe_run_again(const probe_options *options, const probe_truth *truth, probe_run *run,
                             probe_progress_fn *progress, void *context, assay_error *err)
{
    *run = (probe_run){.truth = truth,
                       .endpoints = options->endpoints,
                       .only = options->only,
                       .n_only = options->n_only,
                       .type = options->type,
                       .quick = options->quick,
                       .key_env = options->key_env};
    assay_status rc =
        probe_wire_open(options->target, options->key, options->save, options->seconds, &run->wire, err);
    if (rc == ASSAY_OK && options->keep) probe_wire_set_keep(run->wire, options->keep, options->keep_context);
    if (rc == ASSAY_OK && options->quick) probe_wire_limit(run->wire, PROBE_QUICK_SECONDS);
    if (rc == ASSAY_OK && !(run->notes = probe_notes_new()))
        rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK) probe_wire_set_watch(run->wire, take_exchange, run);
    if (rc == ASSAY_OK && options->model && !(run->model = strdup(options->model)))
        rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK && options->save && !(run->observations = probe_store_observations(options->save)))
        rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return rc == ASSAY_OK ? run_groups(run, progress, context, err) : rc;
}

assay_status probe_run_all(const probe_options *options, probe_truth *truth, probe_run *run,
                           probe_progress_fn *progress, void *context, assay_error *err)
{
    *run = (probe_run){.truth = truth};
    const assay_status rc = probe_truth_read(options->truth, options->n_truth, options->type, truth, err);
    return rc == ASSAY_OK ? probe_run_again(options, truth, run, progress, context, err) : rc;
}

void probe_run_free(probe_run *run)
{
    probe_wire_close(run->wire);
    free(run->model);
    free(run->observations);
    probe_findings_free(&run->findings);
    probe_notes_free(run->notes);
    *run = (probe_run){0};
}

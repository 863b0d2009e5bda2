/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/reduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/text.h"
#include "conformance/probe/run/repro.h"
#include "conformance/support/clock.h"
#include "conformance/support/delta.h"

/* A request of the check. */
typedef struct request {
    char label[PROBE_LABEL_MAX];
    bool kept;
    size_t call;          /* requests of one call are sent at once */
    char *line, *pending; /* its command in the last trial that failed, and in the one under way; owned */
} request;

/* The search for one row. */
typedef struct search {
    const probe_options *options;
    const probe_truth *truth;
    const char *url;
    const probe_finding *row;
    double end;    /* on conf_clock */
    bool is_first; /* the first trial lists the requests */
    bool failed;   /* an allocation did */
    request *at;   /* [n] */
    size_t n;
    assay_status rc; /* of the trials */
    assay_error *err;
} search;

static request *find(search *s, const char *label)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->at[i].label, label) == 0) return &s->at[i];
    return NULL;
}

static request *add(search *s, const char *label)
{
    request *grown = grow_by_one(s->at, s->n, sizeof *grown);
    if (!grown) {
        s->failed = true;
        return NULL;
    }
    s->at = grown;
    request *one = &s->at[s->n++];
    *one = (request){.kept = true};
    (void)snprintf(one->label, sizeof one->label, "%s", label);
    return one;
}

/* Discovery is repeated for each trial; it is not part of the failure. */
static bool keep(void *context, const probe_exchange *x, size_t call)
{
    search *s = context;
    if (string_begins_with(x->label, "discovery/")) return true;
    request *one = find(s, x->label);
    if (!one && s->is_first) one = add(s, x->label);
    if (!one || !one->kept) return false;
    one->call = call;
    free(one->pending);
    one->pending = probe_repro_timed(s->url, s->options->key_env, x);
    s->failed = s->failed || !one->pending;
    return true;
}

/* A row that speaks of a request that was left out is no failure of the server. */
static bool is_same(const probe_finding *a, const probe_finding *b)
{
    return a->verdict == b->verdict && strcmp(a->check, b->check) == 0 && strcmp(a->rule, b->rule) == 0 &&
           !strstr(b->text, PROBE_LEFT_OUT);
}

/* Makes the check with the requests that are kept. Returns whether it has the row again; false, too, with
 * s->rc, if it could not be made. */
static bool try_kept(search *s)
{
    const char *const only[] = {s->row->check};
    probe_options o = *s->options;
    probe_run run;
    bool fails = false;
    o.save = NULL;
    o.only = only;
    o.n_only = 1;
    o.keep = keep;
    o.keep_context = s;
    s->rc = probe_run_again(&o, s->truth, &run, NULL, NULL, s->err);
    for (size_t i = 0; s->rc == ASSAY_OK && i < run.findings.n && !fails; i++)
        fails = is_same(s->row, &run.findings.at[i]);
    probe_run_free(&run);
    if (s->rc == ASSAY_OK && s->failed) s->rc = assay_fail(s->err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < s->n; i++) {
        request *one = &s->at[i];
        if (fails && one->kept) {
            free(one->line);
            one->line = one->pending;
        } else {
            free(one->pending);
        }
        one->pending = NULL;
    }
    return fails && s->rc == ASSAY_OK;
}

static size_t count_kept(const search *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += s->at[i].kept;
    return n;
}

static void keep_only(search *s, const bool *kept)
{
    for (size_t i = 0; i < s->n; i++) s->at[i].kept = kept[i];
}

/* conf_delta_units_fn: without any request there is no check. */
static bool stays(void *context, const bool *kept, size_t n)
{
    search *s = context;
    (void)n;
    keep_only(s, kept);
    return count_kept(s) > 0 && s->rc == ASSAY_OK && conf_clock() < s->end && try_kept(s);
}

/* Most failures are of one request: the one of the row is tried alone first. Returns whether it suffices. */
static bool try_alone(search *s, bool *kept)
{
    const request *shown = find(s, s->row->exchange);
    if (s->n == 1 || !shown) return s->n == 1;
    for (size_t i = 0; i < s->n; i++) kept[i] = &s->at[i] == shown;
    return stays(s, kept, s->n);
}

/* Leaves out requests. *least: nothing more can be left out. */
static void leave_out(search *s, bool *least)
{
    bool *kept = calloc(s->n, sizeof *kept);
    if (!kept) {
        s->rc = assay_fail(s->err, ASSAY_ENOMEM, "out of memory");
        return;
    }
    if (!try_alone(s, kept)) {
        for (size_t i = 0; i < s->n; i++) kept[i] = true;
        (void)conf_delta_units(kept, s->n, 1, stays, s);
    }
    keep_only(s, kept);
    *least = s->rc == ASSAY_OK && (count_kept(s) == 1 || conf_clock() < s->end);
    free(kept);
}

/* Writes the lines of the kept requests; those of one call in the background, until all have ended. */
static bool list_lines(const search *s, conf_strings *out)
{
    bool ok = true;
    for (size_t i = 0; i < s->n && ok; i++) {
        const request *one = &s->at[i];
        size_t n_call = 0, n_after = 0;
        char *line = NULL;
        if (!one->kept || !one->line) continue;
        for (size_t k = 0; k < s->n; k++) {
            const bool beside = s->at[k].kept && s->at[k].call == one->call;
            n_call += beside;
            n_after += beside && k > i;
        }
        if (n_call == 1) ok = conf_strings_add(out, one->line);
        else if (asprintf(&line, "{ %s; } &", one->line) < 0) ok = false;
        else ok = conf_strings_take(out, line);
        if (ok && n_call > 1 && n_after == 0) ok = conf_strings_add(out, "wait");
    }
    return ok;
}

static assay_status reduce_row(search *s, probe_finding *row)
{
    bool least = false;
    s->is_first = true;
    const bool fails = try_kept(s);
    s->is_first = false;
    row->is_reduced = s->rc == ASSAY_OK;
    if (fails && s->n > 0) {
        leave_out(s, &least);
        row->n_asked = s->n;
        row->n_needed = count_kept(s);
        row->is_least = least;
        if (s->rc == ASSAY_OK && !list_lines(s, &row->requests))
            s->rc = assay_fail(s->err, ASSAY_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < s->n; i++) {
        free(s->at[i].line);
        free(s->at[i].pending);
    }
    free(s->at);
    return s->rc;
}

/* With --only, a group may have rows that were not asked for. */
static bool can_be_reduced(const probe_run *run, const probe_finding *row)
{
    return probe_finding_counts(row) && probe_wants(run, row->check) &&
           !probe_name_begins(row->check, "discovery") && !probe_name_begins(row->check, "fields");
}

assay_status probe_reduce(const probe_options *options, probe_run *run, double seconds,
                          probe_progress_fn *progress, void *context, assay_error *err)
{
    const double end = conf_clock() + seconds;
    size_t n_rows = 0, done = 0;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < run->findings.n; i++) n_rows += can_be_reduced(run, &run->findings.at[i]);
    for (size_t i = 0; i < run->findings.n && rc == ASSAY_OK; i++) {
        probe_finding *row = &run->findings.at[i];
        const double now = conf_clock();
        if (!can_be_reduced(run, row) || now >= end) continue;
        search s = {.options = options,
                    .truth = run->truth,
                    .url = probe_wire_url(run->wire),
                    .row = row,
                    .err = err};
        s.end = now + (end - now) / (double)(n_rows - done);
        if (progress) progress(context, done, n_rows, row->check);
        rc = reduce_row(&s, row);
        done++;
    }
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */

#include "conformance/diff/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/case/case.h"
#include "conformance/case/observation.h"
#include "conformance/case/run_noise.h"
#include "conformance/diff/logits.h"
#include "conformance/diff/pair.h"
#include "conformance/diff/state.h"
#include "conformance/diff/tokens.h"
#include "conformance/diff/traces.h"
#include "conformance/evaluate/fail.h"
#include "conformance/evaluate/judgeable.h"
#include "conformance/hdf5/text.h"
#include "conformance/judge/compute.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/numeric.h"
#include "conformance/kinds/read.h"

const char *const conf_diff_part_names[] = {"logits", "tokens", "traces", NULL};

static assay_status note_unknown_of_case(const conf_case *c, conf_strings *unknown, assay_error *err)
{
    static const char *const known[] = {NULL};
    char prefix[4200];
    (void)snprintf(prefix, sizeof prefix, "%s: ", c->path);
    return conf_strings_note(&c->unknown, prefix, known, unknown, err);
}

/* Of an observed system that gave no answer: the attribute `error` has its words. */
static assay_status check_answered(const conf_h5 *file, assay_error *err)
{
    bool failed = false;
    char *text = NULL;
    assay_status rc = conf_h5_has_attribute(file, "error", &failed, err);
    if (rc != ASSAY_OK || !failed) return rc;
    rc = conf_h5_attribute_text(file, "error", &text, err);
    if (rc == ASSAY_OK)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: the observed system gave no answer: %s", conf_h5_path(file),
                        text);
    free(text);
    return rc;
}

static assay_status check_observation(const conf_h5 *file, assay_error *err)
{
    conf_strings groups = {0};
    if (conf_case_is_observation(file)) return ASSAY_OK;
    assay_status rc = check_answered(file, err);
    if (rc != ASSAY_OK) return rc;
    if (conf_h5_has(file, "/expect"))
        return assay_fail(err, ASSAY_EFORMAT, "%s: found a case, expected an observation",
                          conf_h5_path(file));
    rc = conf_h5_members(file, "/", &groups, err);
    if (rc == ASSAY_OK && !groups.n)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: no observation: /observed is missing", conf_h5_path(file));
    else if (rc == ASSAY_OK)
        rc = assay_fail(err, ASSAY_EFORMAT,
                        "%s: no observation: /observed is missing; if it has several, expected the path of "
                        "one, such as %s/%s",
                        conf_h5_path(file), conf_h5_path(file), groups.at[0]);
    conf_strings_free(&groups);
    return rc;
}

static assay_status check_kind(const conf_case *c, assay_error *err)
{
    if (conf_kind_of(c->kind)->has_decoder || c->kind == CONF_OBSERVATION) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: found a case of kind %s, expected logits, generate or another observation",
                      c->path, conf_kind_of(c->kind)->name);
}

/* Writes "logits and tokens". */
static void list_parts(unsigned parts, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; conf_diff_part_names[i]; i++) {
        const size_t end = strlen(text);
        if (parts & 1U << i)
            (void)snprintf(text + end, size - end, "%s%s", end ? " and " : "", conf_diff_part_names[i]);
    }
}

/* Removes from d->parts those that the case cannot judge; notes them if they were requested. False,
 * with verdict CONF_SKIPPED, if none is left. */
static bool limit_parts(conf_diff_state *d)
{
    const conf_decoder *c = &d->c->decoder;
    const unsigned recorded = (c->has_truth ? CONF_DIFF_LOGITS : 0U) |
                              (c->n_greedy > 0 ? CONF_DIFF_TOKENS : 0U) |
                              (conf_h5_has(d->golden, "/trace") ? CONF_DIFF_TRACES : 0U);
    const unsigned lacking = d->parts == CONF_DIFF_ALL ? 0 : d->parts & ~recorded;
    d->left_out = recorded & ~d->parts;
    /* Unjudged traces of the observation are noted if the case has none. */
    const bool ignores = d->parts == CONF_DIFF_ALL && conf_h5_has(d->observed, "/observed/trace");
    d->parts &= recorded | (ignores ? CONF_DIFF_TRACES : 0U);
    char names[64];
    list_parts(lacking, names, sizeof names);
    if (lacking) conf_verdict_note(d->v, "the case has no recorded run to judge the %s by", names);
    if (d->parts == 0)
        conf_verdict_set(d->v, CONF_SKIPPED, "%s: the case has no recorded run to judge the %s by",
                         d->c->path, names);
    return d->parts != 0;
}

/* Fails, naming all of them, if the observation lacks members that the case expects. */
static assay_status check_members(const conf_diff_state *d, assay_error *err)
{
    const conf_decoder *c = &d->c->decoder;
    const struct {
        bool expected;
        const char *name;
    } members[] = {{d->parts & CONF_DIFF_LOGITS, "/observed/prefill"},
                   {d->parts & CONF_DIFF_LOGITS && c->n_decode > 0, "/observed/decode"},
                   {d->parts & CONF_DIFF_TOKENS, "/observed/tokens"}};
    char missing[96] = "";
    size_t n = 0;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (!members[i].expected || conf_h5_has(d->observed, members[i].name)) continue;
        size_t end = strlen(missing);
        (void)snprintf(missing + end, sizeof missing - end, "%s%s", n ? " and " : "", members[i].name);
        n++;
    }
    if (n == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s %s missing, expected by %s", conf_h5_path(d->observed),
                      missing, n > 1 ? "are" : "is", d->c->path);
}

/* Whether the case has the run to judge this type by; every case has one in float32. */
static bool is_judgeable(const conf_diff_state *d)
{
    char name[64];
    if (!conf_compute_is_narrow(d->v->compute)) return true;
    if (!d->c->decoder.has_truth) return false;
    (void)snprintf(name, sizeof name, "/expect/%s/prefill", conf_compute_run(d->v->compute));
    return conf_run_noise_has(d->golden, d->v->compute) || conf_h5_has(d->golden, name);
}

/* Adds to the summary what was not to be judged. */
static void state_left_out(const conf_diff_state *d)
{
    char *text = d->v->reason, names[64];
    const size_t end = strlen(text);
    list_parts(d->left_out, names, sizeof names);
    (void)snprintf(text + end, sizeof d->v->reason - end, "; not judged: %s", names);
}

static assay_status diff_case(conf_diff_state *d, assay_error *err)
{
    if (!limit_parts(d)) return ASSAY_OK;
    assay_status rc = check_members(d, err);
    if (rc == ASSAY_OK && !is_judgeable(d)) {
        conf_verdict_set(d->v, CONF_SKIPPED, "%s: no run in %s is recorded to judge it by", d->c->path,
                         conf_compute_run(d->v->compute));
        return ASSAY_OK;
    }
    if (rc == ASSAY_OK) rc = conf_diff_open(d, err);
    if (rc == ASSAY_OK && !conf_evaluate_bounded(&d->bounds, d->largest, d->v->compute, d->v))
        return ASSAY_OK;
    if (rc == ASSAY_OK && d->parts & CONF_DIFF_LOGITS) rc = conf_diff_logits(d, err);
    if (rc == ASSAY_OK && d->parts & CONF_DIFF_TOKENS) rc = conf_diff_tokens(d, err);
    if (rc == ASSAY_OK && d->parts & CONF_DIFF_TRACES) rc = conf_diff_traces(d, err);
    if (rc == ASSAY_OK && d->v->outcome == CONF_PASSED && d->left_out) state_left_out(d);
    return rc;
}

static assay_status diff_files(conf_diff_state *d, conf_case *c, conf_strings *unknown, assay_error *err)
{
    bool is_pair = c->kind == CONF_OBSERVATION;
    d->c = is_pair ? NULL : c;
    assay_status rc = check_kind(c, err);
    if (rc == ASSAY_OK) rc = check_observation(d->observed, err);
    if (rc == ASSAY_OK) rc = note_unknown_of_case(c, unknown, err);
    if (rc == ASSAY_OK && is_pair) rc = conf_observation_note_unknown(d->golden, unknown, err);
    if (rc == ASSAY_OK) rc = conf_observation_note_unknown(d->observed, unknown, err);
    if (rc == ASSAY_OK) rc = is_pair ? conf_diff_pair(d, err) : diff_case(d, err);
    return rc;
}

assay_status conf_diff(const conf_diff_task *task, conf_verdict *v, conf_strings *unknown, assay_error *err)
{
    v->compute = task->compute;
    conf_diff_state d = {.parts = task->parts ? task->parts : CONF_DIFF_ALL,
                         .n_workers = task->n_workers,
                         .watch = task->watch,
                         .v = v};
    conf_case *c = NULL;
    *unknown = (conf_strings){0};
    assay_status rc = conf_h5_open(task->golden, &d.golden, err);
    if (rc == ASSAY_OK) rc = conf_h5_open(task->observed, &d.observed, err);
    if (rc == ASSAY_OK) {
        conf_h5_limit(d.golden, CONF_DIFF_FILE_BYTES_MAX);
        conf_h5_limit(d.observed, CONF_DIFF_FILE_BYTES_MAX);
        conf_h5_allow_large_chunks(d.golden);
        conf_h5_allow_large_chunks(d.observed);
        rc = conf_case_read_frame(d.golden, &c, err);
    }
    if (rc == ASSAY_OK) rc = diff_files(&d, c, unknown, err);
    for (size_t i = 0; i < CONF_N_RUNS; i++) {
        conf_h5_rows_close(d.runs[i].truth);
        conf_h5_rows_close(d.runs[i].noise);
        conf_h5_rows_close(d.runs[i].found);
    }
    conf_case_free(c);
    conf_h5_close(d.golden);
    conf_h5_close(d.observed);
    return rc;
}

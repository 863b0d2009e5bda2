/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff.h"

#include <stdio.h>
#include <string.h>

#include "conformance/case_parts.h"
#include "conformance/compute.h"
#include "conformance/diff_parts.h"
#include "conformance/evaluate_parts.h"
#include "model/error.h"

const char *const conf_diff_float_types[] = {"F32", "F64", NULL};

static bool is_among(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0) words++;
    return *words != NULL;
}

assay_status conf_diff_member_check(const conf_diff_state *d, const char *name, const char *const *types,
                                    size_t rank, const size_t *shape, bool *fits, assay_error *err)
{
    const char *path = conf_h5_path(d->observed);
    *fits = false;
    if (!conf_h5_has(d->observed, name)) {
        (void)conf_evaluate_fail(d->v, CONF_CLASS_SHAPE, "%s: %s is missing", path, name);
        return ASSAY_OK;
    }
    conf_signature found;
    assay_status rc = conf_h5_signature(d->observed, name, &found, err);
    if (rc != ASSAY_OK) return rc;
    char expected[sizeof found.shape];
    conf_shape_print(expected, sizeof expected, shape, rank);
    if (!is_among(found.type, types))
        (void)conf_evaluate_fail(d->v, CONF_CLASS_SHAPE, "%s: %s has type %s, expected %s%s%s", path, name,
                                 found.type, types[0], types[1] ? " or " : "", types[1] ? types[1] : "");
    else if (strcmp(found.shape, expected) != 0)
        (void)conf_evaluate_fail(d->v, CONF_CLASS_SHAPE, "%s: %s has shape %s, expected %s", path, name,
                                 found.shape, expected);
    else *fits = true;
    return ASSAY_OK;
}

static assay_status note_unknown(const conf_h5 *file, conf_strings *unknown, assay_error *err)
{
    static const char *const known[] = {"decode", "prefill", "tokens", "trace", NULL};
    conf_strings names;
    char prefix[4200];
    (void)snprintf(prefix, sizeof prefix, "%s: /observed/", conf_h5_path(file));
    assay_status rc = conf_h5_members(file, "/observed", &names, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_strings_note(&names, prefix, known, unknown, err);
    conf_strings_free(&names);
    return rc;
}

static assay_status note_unknown_of_case(const conf_case *c, conf_strings *unknown, assay_error *err)
{
    static const char *const known[] = {NULL};
    char prefix[4200];
    (void)snprintf(prefix, sizeof prefix, "%s: ", c->path);
    return conf_strings_note(&c->unknown, prefix, known, unknown, err);
}

static assay_status check_observation(const conf_h5 *file, assay_error *err)
{
    if (conf_case_is_observation(file)) return ASSAY_OK;
    if (conf_h5_has(file, "/expect"))
        return assay_fail(err, ASSAY_EFORMAT, "%s: found a case, expected an observation",
                          conf_h5_path(file));
    return assay_fail(err, ASSAY_EFORMAT, "%s: no observation: /observed is missing", conf_h5_path(file));
}

static assay_status check_kind(const conf_case *c, assay_error *err)
{
    if (c->kind == CONF_LOGITS || c->kind == CONF_GENERATE || c->kind == CONF_OBSERVATION) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: found a case of kind %s, expected logits, generate or another observation",
                      c->path, conf_kind_of(c->kind)->name);
}

/* Whether the case has the run that this type is judged by; every one has that in float32. */
static bool is_judgeable(const conf_diff_state *d)
{
    char name[64];
    if (!conf_compute_is_narrow(d->v->compute)) return true;
    (void)snprintf(name, sizeof name, "/expect/%s/prefill", conf_compute_run(d->v->compute));
    return d->c->decoder.has_truth && conf_h5_has(d->golden, name);
}

static assay_status diff_case(conf_diff_state *d, assay_error *err)
{
    if (!is_judgeable(d)) {
        conf_verdict_set(d->v, CONF_SKIPPED, "%s: no run in %s is recorded to judge it by", d->c->path,
                         conf_compute_run(d->v->compute));
        return ASSAY_OK;
    }
    assay_status rc = conf_diff_logits(d, err);
    if (rc == ASSAY_OK) rc = conf_diff_tokens(d, err);
    if (rc == ASSAY_OK) rc = conf_diff_traces(d, err);
    return rc;
}

static assay_status diff_files(conf_diff_state *d, conf_case *c, conf_strings *unknown, assay_error *err)
{
    bool is_pair = c->kind == CONF_OBSERVATION;
    d->c = is_pair ? NULL : c;
    assay_status rc = check_kind(c, err);
    if (rc == ASSAY_OK) rc = check_observation(d->observed, err);
    if (rc == ASSAY_OK) rc = note_unknown_of_case(c, unknown, err);
    if (rc == ASSAY_OK && is_pair) rc = note_unknown(d->golden, unknown, err);
    if (rc == ASSAY_OK) rc = note_unknown(d->observed, unknown, err);
    if (rc == ASSAY_OK) rc = is_pair ? conf_diff_pair(d, err) : diff_case(d, err);
    return rc;
}

assay_status conf_diff(const char *golden, const char *observed, assay_dtype compute, size_t n_workers,
                       conf_verdict *v, conf_strings *unknown, assay_error *err)
{
    v->compute = compute;
    conf_diff_state d = {.n_workers = n_workers, .v = v};
    conf_case *c = NULL;
    *unknown = (conf_strings){0};
    assay_status rc = conf_h5_open(golden, &d.golden, err);
    if (rc == ASSAY_OK) rc = conf_h5_open(observed, &d.observed, err);
    if (rc == ASSAY_OK) {
        conf_h5_limit(d.golden, CONF_DIFF_FILE_BYTES_MAX);
        conf_h5_limit(d.observed, CONF_DIFF_FILE_BYTES_MAX);
        rc = conf_case_read_frame(d.golden, &c, err);
    }
    if (rc == ASSAY_OK) rc = diff_files(&d, c, unknown, err);
    for (size_t i = 0; i < CONF_N_RUNS; i++) {
        conf_stream_close(d.runs[i].truth);
        conf_stream_close(d.runs[i].noise);
        conf_stream_close(d.runs[i].found);
    }
    conf_case_free(c);
    conf_h5_close(d.golden);
    conf_h5_close(d.observed);
    return rc;
}

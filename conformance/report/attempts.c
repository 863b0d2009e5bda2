/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/attempts.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/process/interrupt.h"
#include "conformance/report/report.h"

static assay_status fail_hash(const conf_attempt *a, const conf_attempt *b, const char *member,
                              uint64_t expected, uint64_t found, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: %s: found %016" PRIx64 ", expected %016" PRIx64
                      ", as in %s: not shards of one run",
                      b->path, member, found, expected, a->path);
}

static assay_status fail_number(const conf_attempt *a, const conf_attempt *b, const char *member,
                                size_t expected, size_t found, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s: found %zu, expected %zu, as in %s: not shards of one run",
                      b->path, member, found, expected, a->path);
}

static const char *text_of(const conf_results *r, const char *member)
{
    return json_object_to_json_string_ext(json_object_object_get(r->document, member),
                                          JSON_C_TO_STRING_PLAIN);
}

assay_status conf_attempts_match(const conf_attempt *a, const conf_attempt *b, assay_error *err)
{
    static const struct {
        const char *name;
        bool is_opened; /* a shard without cases opens no engine */
    } members[] = {{"kernels", true},
                   {"kernels_module", true},
                   {"compute", false},
                   {"settings", false},
                   {"engines", true}};
    const bool unopened = a->results.n_engines == 0 || b->results.n_engines == 0;
    const conf_shard *x = &a->results.shard, *y = &b->results.shard;
    if (x->total != y->total) return fail_number(a, b, "shard.total", x->total, y->total, err);
    if (x->n_selected != y->n_selected)
        return fail_number(a, b, "shard.selected", x->n_selected, y->n_selected, err);
    if (x->selection != y->selection)
        return fail_hash(a, b, "shard.selection", x->selection, y->selection, err);
    if (x->division != y->division) return fail_hash(a, b, "shard.division", x->division, y->division, err);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *name = members[i].name;
        if (members[i].is_opened && unopened) continue;
        if (!json_equals(json_object_object_get(a->results.document, name),
                         json_object_object_get(b->results.document, name), JSON_BY_TYPE))
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: %s: found %.200s, expected %.200s, as in %s: not shards of one run",
                              b->path, name, text_of(&b->results, name), text_of(&a->results, name), a->path);
    }
    return ASSAY_OK;
}

/* The name of a member in which two verdicts differ, and its texts; NULL: none, apart from times. */
static const char *find_difference(const conf_verdict *a, const conf_verdict *b, const char *texts[2])
{
    const struct {
        const char *name, *a, *b;
    } compared[] = {{"outcome", conf_outcome_name(a->outcome), conf_outcome_name(b->outcome)},
                    {"class", conf_class_name(a->class), conf_class_name(b->class)},
                    {"stage", conf_stage_name(a->stage), conf_stage_name(b->stage)},
                    {"unit", conf_unit_name(a), conf_unit_name(b)},
                    {"reason", a->reason, b->reason},
                    {"where", a->where, b->where},
                    {"explained", a->explained, b->explained},
                    {"trace", a->trace, b->trace},
                    {"last_trace", a->last_trace, b->last_trace},
                    {"remark", a->remark, b->remark},
                    {"notes", a->notes, b->notes},
                    {"expected", a->expected, b->expected},
                    {"manner", a->manner, b->manner},
                    {"manners_left_out", a->left_out, b->left_out},
                    {"vector", a->vector, b->vector},
                    {"measured", a->measured ? "true" : "false", b->measured ? "true" : "false"},
                    {"other_traces", a->other_traces ? "true" : "false", b->other_traces ? "true" : "false"}};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        if (strcmp(compared[i].a, compared[i].b) == 0) continue;
        texts[0] = compared[i].a;
        texts[1] = compared[i].b;
        return compared[i].name;
    }
    return NULL;
}

static bool is_interrupted(const conf_verdict *v)
{
    return v->outcome == CONF_SKIPPED && strcmp(v->reason, conf_interrupt_reason) == 0;
}

/* The same case with the same engine in two attempts. */
static assay_status compare_verdicts(const conf_attempt *a, const conf_attempt *b, const conf_result *x,
                                     const conf_result *y, size_t engine, assay_error *err)
{
    const conf_verdict *v = &x->verdicts[engine], *w = &y->verdicts[engine];
    const conf_shard *s = &a->results.shard;
    const char *texts[2], *engine_name = a->results.engines[engine].name;
    char numbers[2][32];
    if ((a->results.interrupted && is_interrupted(v)) || (b->results.interrupted && is_interrupted(w)))
        return ASSAY_OK;
    const char *member = find_difference(v, w, texts);
    if (!member && (v->multiple < w->multiple || v->multiple > w->multiple)) {
        member = "multiple";
        for (size_t i = 0; i < 2; i++) {
            (void)snprintf(numbers[i], sizeof numbers[i], "%.17g", (i ? w : v)->multiple);
            texts[i] = numbers[i];
        }
    }
    if (!member && strcmp(x->repros[engine], y->repros[engine]) != 0) {
        member = "repro";
        texts[0] = x->repros[engine];
        texts[1] = y->repros[engine];
    }
    if (!member) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "attempts of shard %zu/%zu disagree: case %.100s, engine %.60s: %s: %s has \"%.160s\", "
                      "%s has \"%.160s\"",
                      s->index, s->total, x->id, engine_name, member, a->path, texts[0], b->path, texts[1]);
}

static assay_status compare_results(const conf_attempt *a, const conf_attempt *b, const conf_result *x,
                                    const conf_result *y, assay_error *err)
{
    const conf_shard *s = &a->results.shard;
    if (strcmp(x->id, y->id) != 0 || strcmp(x->path, y->path) != 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "attempts of shard %zu/%zu disagree: at position %zu %s has %.200s, %s has %.200s",
                          s->index, s->total, x->position, a->path, x->path, b->path, y->path);
    if (strcmp(x->digest, y->digest) != 0)
        return assay_fail(
            err, ASSAY_EFORMAT,
            "attempts of shard %zu/%zu disagree: case %.100s: digest: %s has \"%s\", %s has \"%s\"", s->index,
            s->total, x->id, a->path, x->digest, b->path, y->digest);
    assay_status rc = ASSAY_OK;
    for (size_t e = 0; e < a->results.n_engines && rc == ASSAY_OK; e++)
        rc = compare_verdicts(a, b, x, y, e, err);
    return rc;
}

/* A case that only `has` has, although `lacks` was not interrupted. */
static assay_status fail_lacking(const conf_attempt *has, const conf_attempt *lacks, const conf_result *r,
                                 assay_error *err)
{
    const conf_shard *s = &has->results.shard;
    return assay_fail(err, ASSAY_EFORMAT,
                      "attempts of shard %zu/%zu disagree: %s has case %.200s, %s has not", s->index,
                      s->total, has->path, r->id, lacks->path);
}

assay_status conf_attempts_agree(const conf_attempt *a, const conf_attempt *b, assay_error *err)
{
    const conf_results *x = &a->results, *y = &b->results;
    assay_status rc = conf_attempts_match(a, b, err);
    for (size_t i = 0, k = 0; rc == ASSAY_OK && (i < x->n || k < y->n);) {
        const conf_result *r = i < x->n ? &x->at[i] : NULL, *t = k < y->n ? &y->at[k] : NULL;
        if (r && t && r->position == t->position) {
            rc = compare_results(a, b, r, t, err);
            i++;
            k++;
        } else if (r && (!t || r->position < t->position)) {
            if (!y->interrupted) rc = fail_lacking(a, b, r, err);
            i++;
        } else {
            if (!x->interrupted) rc = fail_lacking(b, a, t, err);
            k++;
        }
    }
    return rc;
}

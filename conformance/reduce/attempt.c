/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/attempt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/hash.h"
#include "conformance/abi/engine.h"
#include "conformance/case/model_name.h"
#include "conformance/evaluate/evaluate.h"
#include "conformance/process/interrupt.h"
#include "conformance/reduce/cut/rows.h"
#include "conformance/reduce/make.h"
#include "conformance/support/clock.h"
#include "conformance/support/text.h"

void conf_attempt_folder(const conf_reducing *r, size_t n_layers, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%zu", r->folder, n_layers);
}

void conf_attempt_model(const conf_reducing *r, size_t n_layers, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%zu/%s", r->folder, n_layers, conf_model_name(r->c->model));
}

void conf_attempt_best(const conf_reducing *r, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%zu/%s", r->folder, r->best.n_layers, r->name);
}

void conf_attempt_trial(const conf_reducing *r, char *path, size_t size)
{
    const char *dot = strrchr(r->name, '.');
    (void)snprintf(path, size, "%s/%zu/trial%s", r->folder, r->trial.n_layers, dot ? dot : "");
}

size_t conf_attempt_least(const conf_reducing *r, const bool *kept, size_t n)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) n_kept += kept[i];
    return r->n_groups && n_kept > r->n_groups ? n_kept / r->n_groups : 1;
}

bool conf_attempt_is_over(const conf_reducing *r)
{
    return r->rc != ASSAY_OK || conf_interrupted() || conf_clock() > r->until;
}

static void run_evaluation(const void *assignment, conf_verdict *v)
{
    conf_evaluate(assignment, v);
}

bool conf_attempt_evaluate(conf_reducing *r, const conf_control *control, const char *path, conf_verdict *v)
{
    conf_assignment a = r->assignment;
    a.path = path;
    if (control) {
        a.engine = control->path;
        a.compute = control->compute;
        a.kernels = NULL;
        a.manner = CONF_MANNER_WHOLE_NAME;
    } else if (r->symptom.manner[0]) {
        a.manner = r->symptom.manner;
    }
    memset(v, 0, sizeof *v);
    r->rc = conf_jobs_run(r->jobs, run_evaluation, &a, a.engine, v, r->err);
    return r->rc == ASSAY_OK && !conf_interrupted();
}

/* Writes the trial; *v is CONF_BROKEN if it cannot be written. */
static bool make_trial(conf_reducing *r, const conf_making *making, conf_verdict *v)
{
    memset(v, 0, sizeof *v);
    r->rc = conf_isolate(conf_make, making, &r->assignment.limits, v, r->err);
    return r->rc == ASSAY_OK && !conf_interrupted();
}

static conf_making making_of(const conf_reducing *r, char *path, char *model, size_t size)
{
    conf_attempt_trial(r, path, size);
    conf_attempt_model(r, r->trial.n_layers, model, size);
    return (conf_making){.whole = r->whole, .cut = &r->trial, .path = path, .model = model};
}

bool conf_attempt_recorded(conf_reducing *r, bool without_tensors, conf_verdict *v)
{
    char path[4096], model[4096];
    conf_making making = making_of(r, path, model, sizeof path);
    making.without_tensors = without_tensors;
    if (!make_trial(r, &making, v)) return false;
    return v->outcome != CONF_PASSED || conf_attempt_evaluate(r, NULL, path, v);
}

bool conf_attempt_is_same(const conf_symptom *s, bool has_tensors, const conf_verdict *v, char *why,
                          size_t size)
{
    const char *tensor = has_tensors ? s->tensor : s->computed_tensor;
    const bool has_class = v->outcome == CONF_FAILED && v->class == s->class;
    if (v->outcome == CONF_PASSED) (void)snprintf(why, size, "passes");
    else if (v->outcome == CONF_FAILED && !has_class)
        (void)snprintf(why, size, "fails otherwise (%s)", conf_class_name(v->class));
    else if (!has_class) (void)snprintf(why, size, "cannot be judged: %.120s", v->reason);
    else if (strcmp(v->manner, s->manner) != 0 && strcmp(v->manner, CONF_MANNER_WHOLE_NAME) != 0)
        (void)snprintf(why, size, "fails in another manner");
    else if (strcmp(v->vector, s->vector) != 0)
        (void)snprintf(why, size, "fails at another vector: %s", v->vector);
    else if ((s->tensor[0] || s->computed_tensor[0]) && strcmp(v->tensor, tensor) != 0)
        (void)snprintf(why, size, "fails at another tensor: %s", v->tensor[0] ? v->tensor : "none");
    else return true;
    return false;
}

bool conf_attempt_is_sound(conf_reducing *r, const char *path, char *why, size_t size)
{
    for (size_t i = 0; i < r->n_controls; i++) {
        conf_verdict v;
        if (!conf_attempt_evaluate(r, &r->controls[i], path, &v)) return false;
        if (v.outcome == CONF_PASSED) continue;
        (void)snprintf(why, size, "%s disagrees with it, too: %.120s", r->controls[i].name, v.reason);
        return false;
    }
    return true;
}

typedef enum trial_result {
    TRIAL_DIFFERS, /* another failure, or none */
    TRIAL_UNSOUND, /* the same, but its expected values do not hold */
    TRIAL_FAILS    /* the same */
} trial_result;

/* Makes the trial, and evaluates it. */
static trial_result try_values(conf_reducing *r, bool computes, conf_verdict *v, char *why, size_t size)
{
    char path[4096], model[4096];
    conf_making making = making_of(r, path, model, sizeof path);
    making.reference = computes ? r->reference : NULL;
    making.without_tensors = computes;
    if (!make_trial(r, &making, v)) return TRIAL_DIFFERS;
    const bool has_tensors = conf_making_has_tensors(&making);
    if (v->outcome == CONF_PASSED && !conf_attempt_evaluate(r, NULL, path, v)) return TRIAL_DIFFERS;
    const bool same = conf_attempt_is_same(&r->symptom, has_tensors, v, why, size);
    /* Where expected values do not hold, the reference finds no tensor. */
    if (!same && (v->outcome != CONF_FAILED || v->class != r->symptom.class)) return TRIAL_DIFFERS;
    if (!conf_attempt_is_sound(r, path, why, size)) return TRIAL_UNSOUND;
    return same ? TRIAL_FAILS : TRIAL_DIFFERS;
}

static uint64_t hash_items(const conf_reducing *r, size_t sample, uint64_t hash)
{
    const conf_cut *cut = &r->trial;
    for (size_t i = r->whole->items.of[sample]; i < r->whole->items.of[sample + 1]; i++) {
        if (!conf_cut_has_item(r->whole, cut, sample, i)) continue;
        hash = hash_add(hash, (uint32_t)i);
        for (size_t k = 0; k < CONF_SIZE_AXES; k++) hash = hash_add(hash, (uint32_t)cut->sizes[i].n[k]);
        hash = hash_add(hash, cut->fillings[i]);
    }
    return hash;
}

/* Of the case that a cut becomes: it does not matter which of several equal tokens are kept, unless rows are
 * recorded of some tokens only. */
static uint64_t hash_cut(const conf_reducing *r)
{
    const conf_whole *whole = r->whole;
    const conf_cut *cut = &r->trial;
    const size_t n = whole->c->decoder.n_samples;
    const bool has_list = whole->c->decoder.rows.n_listed > 0;
    uint64_t hash = hash_bytes(cut->samples, n * sizeof *cut->samples);
    for (size_t b = 0; b < n; b++) {
        if (!cut->samples[b]) continue;
        hash = hash_add(hash, (uint32_t)conf_cut_tokens(whole, cut, b));
        for (size_t i = 0; i < conf_whole_tokens(whole, b); i++) {
            const size_t at = b * whole->width + i;
            if (has_list) hash = hash_add(hash, cut->tokens[at]);
            if (cut->tokens[at])
                hash =
                    hash_add(hash, (uint32_t)(cut->plain[at] ? whole->plain : conf_whole_token(whole, b, i)));
        }
        hash = hash_items(r, b, hash);
    }
    hash = hash_add(hash, (uint32_t)cut->n_decode);
    hash = hash_add(hash, (uint32_t)cut->n_greedy);
    return hash_add(hash, (uint32_t)cut->n_layers);
}

bool conf_attempt_was_tried(conf_reducing *r, uint64_t hash)
{
    for (size_t i = 0; i < r->n_seen; i++)
        if (r->seen[i] == hash) return true;
    uint64_t *grown = grow_by_one(r->seen, r->n_seen, sizeof *grown);
    if (!grown) return false;
    r->seen = grown;
    r->seen[r->n_seen++] = hash;
    return false;
}

void conf_attempt_end_lines(conf_reducing *r)
{
    if (r->n_alike)
        (void)fprintf(r->context->out, "           and %zu more attempt%s with the same result\n", r->n_alike,
                      r->n_alike == 1 ? "" : "s");
    r->n_alike = 0;
    r->line[0] = '\0';
}

void conf_attempt_print(conf_reducing *r, const char *what, const char *size, const char *said)
{
    char line[CONF_TEXT_MAX];
    (void)snprintf(line, sizeof line, "  %-8s %s: %.400s", what, size, said);
    if (strcmp(line, r->line) == 0) {
        r->n_alike++;
        return;
    }
    conf_attempt_end_lines(r);
    memcpy(r->line, line, sizeof line);
    conf_text_print_clean(r->context->out, line);
    (void)fputc('\n', r->context->out);
    (void)fflush(r->context->out);
}

void conf_attempt_keep(conf_reducing *r, bool computed, const conf_verdict *v)
{
    char from[4096], to[4096];
    conf_attempt_trial(r, from, sizeof from);
    conf_attempt_best(r, to, sizeof to);
    if (rename(from, to) != 0) r->rc = assay_fail(r->err, ASSAY_EIO, "%s: %s", to, strerror(errno));
    r->verdict = *v;
    memcpy(r->symptom.manner, v->manner, sizeof r->symptom.manner);
    r->computed = computed;
}

void conf_attempt_note(conf_reducing *r)
{
    (void)conf_attempt_was_tried(r, hash_cut(r));
}

bool conf_attempt(conf_reducing *r, const char *what)
{
    char why[CONF_TEXT_MAX] = "";
    conf_verdict v;
    if (conf_attempt_is_over(r) || !conf_cut_is_case(r->whole, &r->trial)) return false;
    if (r->whole->c->decoder.has_truth && !conf_cut_has_rows(r->whole, &r->trial)) return false;
    const bool may_compute = r->reference && r->trial.n_greedy == 0;
    const bool is_recorded = conf_cut_is_recorded(r->whole, &r->trial);
    if ((!is_recorded && !may_compute) || conf_attempt_was_tried(r, hash_cut(r))) return false;
    r->n_attempts++;
    bool computed = false;
    trial_result result = is_recorded ? try_values(r, false, &v, why, sizeof why) : TRIAL_UNSOUND;
    if (result == TRIAL_UNSOUND && may_compute && !conf_attempt_is_over(r)) {
        computed = true;
        result = try_values(r, true, &v, why, sizeof why);
    }
    if (conf_interrupted() || r->rc != ASSAY_OK) return false;
    const bool fails = result == TRIAL_FAILS;
    if (fails) {
        conf_cut_copy(r->whole, &r->best, &r->trial);
        conf_attempt_keep(r, computed, &v);
    }
    char size[160];
    conf_cut_print(r->whole, &r->trial, size, sizeof size);
    conf_attempt_print(r, what, size, !fails ? why : computed ? CONF_SAME_COMPUTED : CONF_SAME_RECORDED);
    return fails && r->rc == ASSAY_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/subject.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/evaluate/evaluate.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/process/interrupt.h"
#include "conformance/reduce/folder.h"
#include "conformance/reduce/form.h"
#include "conformance/report/report.h"

static void run_evaluation(const void *assignment, conf_verdict *v)
{
    conf_evaluate(assignment, v);
}

/* The results have one engine and one case. */
static assay_status open_results(conf_subject *s, const conf_context *context, assay_error *err)
{
    const conf_reduction_task *task = s->task;
    conf_results *all = &s->results;
    *all = (conf_results){.engines = calloc(1, sizeof *all->engines),
                          .at = calloc(1, sizeof *all->at),
                          .n_engines = 1,
                          .n = 1,
                          .program = context->program,
                          .limits = task->limits,
                          .seed = task->seed,
                          .manner = task->manner,
                          .compute = task->compute,
                          .kernels = task->kernels,
                          .allow_unknown = task->allow_unknown};
    if (!all->engines || !all->at) {
        all->n = all->n_engines = 0;
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    all->at[0] = (conf_result){.id = strdup(task->path),
                               .path = strdup(task->path),
                               .verdicts = calloc(1, sizeof *all->at[0].verdicts)};
    if (!all->at[0].id || !all->at[0].path || !all->at[0].verdicts)
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    assay_status rc = ASSAY_OK;
    if (task->kernels) rc = conf_engine_find(task->kernels, &context->engine_dirs, &all->kernels_path, err);
    if (rc == ASSAY_OK && task->kernels) rc = conf_digest_file(all->kernels_path, all->kernels_module, err);
    if (rc == ASSAY_OK)
        rc = conf_engine_column_find(task->engine, &context->engine_dirs, &all->engines[0], err);
    return rc;
}

/* Runs the whole case. */
static assay_status run_whole(conf_subject *s, assay_error *err)
{
    const conf_assignment a = s->r.assignment;
    conf_verdict *v = &s->results.at[0].verdicts[0], load = {0};
    const conf_assignment module = {.engine = a.engine, .kernels = a.kernels, .compute = a.compute};
    assay_status rc = conf_jobs_run(s->jobs, run_evaluation, &module, a.engine, &load, err);
    if (rc == ASSAY_OK) rc = conf_engine_column_load(&load, &s->results.engines[0], err);
    if (rc != ASSAY_OK) return rc;
    conf_assignment whole = a;
    whole.path = s->task->path;
    return conf_jobs_run(s->jobs, run_evaluation, &whole, a.engine, v, err);
}

/* Whether the verdict of the whole case can be reduced. */
static conf_exit check_verdict(const conf_subject *s, assay_error *err)
{
    const conf_verdict *v = &s->results.at[0].verdicts[0];
    const char *path = s->task->path, *engine = s->task->engine;
    switch (v->outcome) {
    case CONF_FAILED: return CONF_EXIT_AGREE;
    case CONF_PASSED:
        (void)assay_fail(err, ASSAY_EINVAL, "%s: %s passes this case: there is no failure to reduce", path,
                         engine);
        return CONF_EXIT_USAGE;
    case CONF_SKIPPED:
        (void)assay_fail(err, ASSAY_EUNSUPPORTED, "%s: %s cannot run this case: %s", path, engine, v->reason);
        return CONF_EXIT_NOTHING;
    default: (void)assay_fail(err, ASSAY_EFORMAT, "%s", v->reason); return CONF_EXIT_ERROR;
    }
}

/* Reads the case, which the process of its engine has read before without harm. */
static conf_exit read_case(conf_subject *s, assay_error *err)
{
    if (conf_case_read(s->task->path, &s->c, err) != ASSAY_OK) return CONF_EXIT_ERROR;
    const conf_kind_info *kind = conf_kind_of(s->c->kind);
    s->r.form = conf_form_of(kind);
    if (!s->r.form) {
        (void)assay_fail(err, ASSAY_EUNSUPPORTED,
                         "%s: cases of kind %s are not reduced, only those with prompts or vectors",
                         s->task->path, kind->name);
        return CONF_EXIT_NOTHING;
    }
    s->c->allow_unknown = s->task->allow_unknown;
    return CONF_EXIT_AGREE;
}

static assay_status make_folder(conf_subject *s, const conf_context *context, assay_error *err)
{
    char path[4096], list[4096];
    assay_status rc = conf_folder_make(context->variable("TMPDIR"), &s->folder, err);
    if (rc != ASSAY_OK) return rc;
    s->r.folder = s->folder;
    conf_attempt_folder(&s->r, s->r.best.n_layers, path, sizeof path);
    if (mkdir(path, 0700) != 0) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    if (!s->c->model) return ASSAY_OK;
    (void)snprintf(list, sizeof list, "%s.crc32", s->c->model);
    return conf_folder_link(path, s->c->model, s->c->checksums ? s->c->checksums : list, err);
}

static assay_status open_reducing(conf_subject *s, const conf_context *context, assay_error *err)
{
    conf_reducing *r = &s->r;
    const conf_verdict *v = &s->results.at[0].verdicts[0];
    const char *slash = strrchr(s->task->path, '/');
    r->context = context;
    r->jobs = s->jobs;
    r->c = s->c;
    r->err = err;
    r->verdict = *v;
    r->symptom.class = v->class;
    memcpy(r->symptom.manner, v->manner, sizeof r->symptom.manner);
    memcpy(r->symptom.tensor, v->tensor, sizeof r->symptom.tensor);
    memcpy(r->symptom.vector, v->vector, sizeof r->symptom.vector);
    const assay_status rc = r->form->open(r, slash ? slash + 1 : s->task->path, err);
    return rc == ASSAY_OK ? make_folder(s, context, err) : rc;
}

/* Makes sure that the engine fails the case with which the reduction begins in the same way. */
static assay_status confirm(conf_subject *s, assay_error *err)
{
    conf_reducing *r = &s->r;
    char from[4096], to[4096];
    conf_verdict v;
    if (!r->form->write_first(r, &v)) return r->rc;
    if (v.outcome != CONF_FAILED || v.class != r->symptom.class || strcmp(v.tensor, r->symptom.tensor) != 0)
        return assay_fail(err, ASSAY_EIO, "%s: the failure does not repeat: %s%s%s", s->task->path,
                          v.outcome == CONF_PASSED ? "the engine passes the case when it is run again"
                                                   : conf_class_name(v.class),
                          v.reason[0] ? ": " : "", v.reason);
    conf_attempt_trial(r, from, sizeof from);
    conf_attempt_best(r, to, sizeof to);
    r->verdict = v;
    if (rename(from, to) != 0) return assay_fail(err, ASSAY_EIO, "%s: %s", to, strerror(errno));
    return ASSAY_OK;
}

/* Adds the bundled engines that agree with the first case; the reference may compute if it does. */
static bool add_controls(conf_subject *s, const conf_context *context)
{
    conf_reducing *r = &s->r;
    const char *const *usual = conf_engine_default(false, s->task->compute);
    const char *names[CONF_CONTROLS_MAX + 1] = {CONF_ENGINE_REFERENCE};
    char path[4096];
    size_t n = 1;
    conf_attempt_best(r, path, sizeof path);
    for (size_t i = 0; usual[i] && n < CONF_CONTROLS_MAX; i++)
        if (strcmp(usual[i], CONF_ENGINE_REFERENCE) != 0) names[n++] = usual[i];
    for (size_t i = 0; i < n; i++) {
        assay_error err = {0};
        char why[CONF_TEXT_MAX] = "";
        conf_verdict v;
        if (conf_engine_find(names[i], &context->engine_dirs, &s->paths[i], &err) == ASSAY_OK) {
            const conf_control one = {names[i], s->paths[i], i ? s->task->compute : CONF_COMPUTE_NONE};
            if (!conf_attempt_evaluate(r, &one, path, &v)) return false;
            if (v.outcome == CONF_PASSED) r->controls[r->n_controls++] = one;
            else (void)snprintf(why, sizeof why, "%s", v.reason);
        } else {
            (void)snprintf(why, sizeof why, "%.600s", err.text);
        }
        if (i == 0 && !why[0] && !s->task->recorded && !r->form->is_recorded) r->reference = s->paths[0];
        if (i == 0 && why[0]) memcpy(s->doubts, why, sizeof why);
    }
    return true;
}

conf_exit conf_subject_open(const conf_reduction_task *task, const conf_context *context, conf_subject *s,
                            assay_error *err)
{
    *s = (conf_subject){.task = task};
    assay_error none = {0};
    assay_status rc = open_results(s, context, err);
    if (rc == ASSAY_OK) rc = conf_jobs_open(1, &task->limits, &s->jobs, err);
    if (rc != ASSAY_OK) return CONF_EXIT_ERROR;
    (void)conf_engine_find(CONF_ENGINE_REFERENCE, &context->engine_dirs, &s->reference, &none);
    s->r.assignment = conf_results_assignment(&s->results, 0, NULL, s->reference);
    if (run_whole(s, err) != ASSAY_OK) return CONF_EXIT_ERROR;
    conf_exit code = check_verdict(s, err);
    if (code == CONF_EXIT_AGREE) code = read_case(s, err);
    if (code != CONF_EXIT_AGREE) return code;
    conf_report_verdict(context->out, "", context, &s->results.at[0].verdicts[0], task->path, task->engine,
                        false);
    rc = open_reducing(s, context, err);
    if (rc == ASSAY_OK) rc = confirm(s, err);
    if (rc != ASSAY_OK) return CONF_EXIT_ERROR;
    if (!add_controls(s, context)) return CONF_EXIT_ERROR;
    return CONF_EXIT_AGREE;
}

void conf_subject_close(conf_subject *s)
{
    conf_folder_remove(&s->folder);
    conf_jobs_free(s->jobs);
    if (s->r.form) s->r.form->close(&s->r);
    free(s->r.name);
    free(s->r.seen);
    conf_case_free(s->c);
    for (size_t i = 0; i < CONF_CONTROLS_MAX; i++) free(s->paths[i]);
    free(s->reference);
    conf_results_free(&s->results);
}

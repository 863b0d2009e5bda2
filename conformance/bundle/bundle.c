/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bundle/bundle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/bundle/checkpoint.h"
#include "conformance/bundle/issue.h"
#include "conformance/bundle/paths.h"
#include "conformance/bundle/subject.h"
#include "conformance/case/root.h"
#include "conformance/evaluate/evaluate.h"
#include "conformance/exec/engine.h"
#include "conformance/replay/dump.h"

/* A bundle that is being written. */
typedef struct writing {
    const conf_bundle_failure *failure;
    conf_jobs *jobs;
    conf_bundle *out;
    conf_bundle_subject subject;
    conf_bundle_paths paths;
    const char *base;      /* the name of the case's file */
    conf_verdict repeated; /* of the engine on the bundle */
    bool observed;
    char *engine, *kernels; /* how they are named in the bundle */
} writing;

static const conf_result *result_of(const writing *w)
{
    return &w->failure->results->at[w->failure->result];
}

static const conf_engine_column *column_of(const writing *w)
{
    return &w->failure->results->engines[w->failure->engine];
}

static const conf_verdict *verdict_of(const writing *w)
{
    return &result_of(w)->verdicts[w->failure->engine];
}

/* How a command names a module in a bundle: by the last part of its path, and a bundled engine as the user
 * did. A program's command may have anything in it. The caller frees the text; NULL if out of memory. */
static char *public_name(const char *name)
{
    char *text = NULL;
    if (exec_engine_is(name)) return strdup(EXEC_PREFIX "COMMAND");
    if (!strchr(name, '/') && (strlen(name) < 3 || strcmp(name + strlen(name) - 3, ".so") != 0))
        return strdup(name);
    return asprintf(&text, "./%s", conf_engine_label(name)) < 0 ? NULL : text;
}

/* The paths that texts of this failure may have. */
static assay_status note_paths(writing *w, assay_error *err)
{
    const conf_results *results = w->failure->results;
    const char *const modules[] = {column_of(w)->path, column_of(w)->name, results->kernels_path,
                                   results->kernels, w->failure->reference};
    char *here = getcwd(NULL, 0);
    conf_bundle_paths *paths = &w->paths;
    assay_status rc = conf_bundle_paths_add(paths, result_of(w)->path, w->base, err);
    if (rc == ASSAY_OK) rc = conf_bundle_paths_add_parent(paths, result_of(w)->path, err);
    if (rc == ASSAY_OK) rc = conf_bundle_paths_add(paths, w->subject.model, w->subject.inner, err);
    for (size_t i = 0; i < sizeof modules / sizeof *modules && rc == ASSAY_OK; i++)
        if (modules[i] && !exec_engine_is(modules[i]))
            rc = conf_bundle_paths_add_parent(paths, modules[i], err);
    if (rc == ASSAY_OK) rc = conf_bundle_paths_add(paths, w->failure->home, "~", err);
    if (rc == ASSAY_OK) rc = conf_bundle_paths_add(paths, here, ".", err);
    free(here);
    return rc;
}

static assay_status copy_case(writing *w, assay_error *err)
{
    struct stat s;
    const char *path = result_of(w)->path;
    if (stat(path, &s) == 0 && !conf_bundle_fits(&w->out->files, (size_t)s.st_size)) {
        w->out->complete = false;
        return conf_bundle_leave_out(&w->out->files, err,
                                     "%s, %zu bytes: too large; put it there before it is run", w->base,
                                     (size_t)s.st_size);
    }
    return conf_bundle_copy(&w->out->files, path, w->base, &w->paths, &w->out->traces, err);
}

/* Adds a text whose paths are replaced (paths.h). */
static assay_status put_clean(writing *w, bool absolute, const char *name, const char *text, size_t n,
                              assay_error *err)
{
    size_t size;
    char *clean = conf_bundle_paths_replace(&w->paths, absolute, text, n, &size);
    if (!clean) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    const assay_status rc = conf_bundle_put(&w->out->files, name, clean, size, err);
    free(clean);
    return rc;
}

static assay_status put_plan(writing *w, assay_error *err)
{
    const conf_bundle_subject *s = &w->subject;
    size_t n;
    if (s->plan) return put_clean(w, false, CONF_BUNDLE_PLAN, s->plan, strlen(s->plan), err);
    if (!s->refusal) return ASSAY_OK;
    char *why = conf_bundle_paths_replace(&w->paths, false, s->refusal, strlen(s->refusal), &n);
    if (!why) return assay_fail(err, ASSAY_ENOMEM, CONF_BUNDLE_PLAN ": out of memory");
    const assay_status rc = conf_bundle_leave_out(&w->out->files, err, CONF_BUNDLE_PLAN ": %s", why);
    free(why);
    return rc;
}

static assay_status copy_inputs(writing *w, assay_error *err)
{
    bool has_weights = true;
    assay_status rc = put_plan(w, err);
    if (rc == ASSAY_OK) rc = copy_case(w, err);
    if (rc == ASSAY_OK)
        rc = conf_bundle_checkpoint(&w->out->files, &w->subject, &w->paths, &has_weights, &w->out->traces,
                                    err);
    w->out->complete = w->out->complete && has_weights;
    return rc;
}

typedef struct task {
    const conf_assignment *assignment;
    const char *root; /* of checkpoints, in place of the user's; NULL: the same */
} task;

/* In a process of its own, so that its root is, too. */
static void run_task(const void *context, conf_verdict *v)
{
    const task *t = context;
    if (t->root) conf_root_set(t->root);
    conf_evaluate(t->assignment, v);
}

/* Counts the observation, if there is one, and removes one that is too large. */
static assay_status take_observation(writing *w, const char *path, assay_error *err)
{
    struct stat s;
    if (stat(path, &s) != 0) return ASSAY_OK;
    const size_t bytes = (size_t)s.st_size;
    if (conf_bundle_fits(&w->out->files, bytes)) {
        w->observed = true;
        return conf_bundle_count(&w->out->files, CONF_BUNDLE_OBSERVATION, bytes, err);
    }
    (void)unlink(path);
    return conf_bundle_leave_out(&w->out->files, err, CONF_BUNDLE_OBSERVATION ", %zu bytes: too large",
                                 bytes);
}

/* Runs the engine on the case in the bundle; on the user's if the bundle is not complete. */
static assay_status repeat(writing *w, assay_error *err)
{
    const conf_results *r = w->failure->results;
    const char *dir = w->out->files.dir;
    char *path = NULL, *dump = NULL;
    const bool here = w->out->complete;
    const int joined =
        here ? asprintf(&path, "%s/%s", dir, w->base) : asprintf(&path, "%s", result_of(w)->path);
    if (joined < 0 || asprintf(&dump, "%s/" CONF_BUNDLE_OBSERVATION, dir) < 0) {
        free(joined < 0 ? NULL : path);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    }
    const char *manner = conf_verdict_other_manner(verdict_of(w)),
               *vector = conf_verdict_lone_vector(verdict_of(w));
    conf_assignment assignment = conf_results_assignment(r, w->failure->engine, path, w->failure->reference);
    assignment.dump = dump;
    assignment.dump_case = w->base;
    if (manner) assignment.manner = manner;
    if (vector) assignment.vector = vector;
    assay_status rc =
        conf_jobs_run(w->jobs, run_task, &(task){&assignment, here && w->subject.is_rooted ? dir : NULL},
                      assignment.engine, &w->repeated, err);
    w->out->was_run = rc == ASSAY_OK && here;
    w->out->repeats =
        w->out->was_run && w->repeated.outcome == CONF_FAILED && w->repeated.class == verdict_of(w)->class;
    conf_dump_discard_at(dump);
    if (rc == ASSAY_OK) rc = take_observation(w, dump, err);
    free(path);
    free(dump);
    return rc;
}

static void clean_text(const writing *w, char *text, size_t size)
{
    size_t n;
    char *clean = conf_bundle_paths_replace(&w->paths, false, text, strlen(text), &n);
    (void)snprintf(text, size, "%s", clean ? clean : "");
    free(clean);
}

/* The results of this failure alone, with the names that the bundle has for things. */
static assay_status put_issue(writing *w, assay_error *err)
{
    conf_verdict v = *verdict_of(w);
    if (!conf_verdict_lone_vector(&v)) v.vector[0] = '\0'; /* its command runs all vectors */
    clean_text(w, v.reason, sizeof v.reason);
    clean_text(w, v.where, sizeof v.where);
    clean_text(w, v.trace, sizeof v.trace);
    clean_text(w, v.notes, sizeof v.notes);
    conf_engine_column column = *column_of(w);
    column.name = w->engine;
    column.label = conf_engine_label(w->engine);
    conf_result result = *result_of(w);
    result.path = (char *)w->base;
    result.verdicts = &v;
    result.repros = NULL;
    conf_results one = *w->failure->results;
    one.engines = &column;
    one.at = &result;
    one.n = one.n_engines = 1;
    one.program = "assay";
    one.dump = NULL;
    one.kernels = w->kernels;
    one.root = w->subject.is_rooted ? "." : "";
    const conf_bundle_issue issue = {.results = &one,
                                     .name = w->failure->name,
                                     .subject = &w->subject,
                                     .files = &w->out->files,
                                     .remarks = w->failure->remarks,
                                     .repeated = w->out->was_run ? &w->repeated : NULL,
                                     .observed = w->observed};
    char *text = NULL;
    size_t n;
    FILE *page = open_memstream(&text, &n);
    if (!page) return assay_fail(err, ASSAY_ENOMEM, "ISSUE.md: out of memory");
    conf_bundle_issue_print(page, &issue);
    const bool ok = fclose(page) == 0;
    assay_status rc = ok ? put_clean(w, true, "ISSUE.md", text, n, err)
                         : assay_fail(err, ASSAY_ENOMEM, "ISSUE.md: out of memory");
    free(text);
    return rc;
}

static assay_status write_all(writing *w, assay_error *err)
{
    const conf_results *r = w->failure->results;
    w->engine = public_name(column_of(w)->name);
    w->kernels = r->kernels ? public_name(r->kernels) : NULL;
    if (!w->engine || (r->kernels && !w->kernels))
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", w->base);
    assay_status rc =
        conf_bundle_subject_read(result_of(w)->path, r->allow_unknown, &r->limits, &w->subject, err);
    if (rc == ASSAY_OK) rc = note_paths(w, err);
    if (rc == ASSAY_OK) rc = copy_inputs(w, err);
    if (rc == ASSAY_OK && verdict_of(w)->class != CONF_CLASS_HANG) rc = repeat(w, err);
    return rc == ASSAY_OK ? put_issue(w, err) : rc;
}

assay_status conf_bundle_write(const char *dir, const conf_bundle_failure *failure, conf_jobs *jobs,
                               conf_bundle *out, assay_error *err)
{
    *out = (conf_bundle){.files = {.dir = dir}, .complete = true};
    writing w = {.failure = failure, .jobs = jobs, .out = out};
    const char *path = result_of(&w)->path, *slash = strrchr(path, '/');
    w.base = slash ? slash + 1 : path;
    const assay_status rc = write_all(&w, err);
    conf_bundle_subject_free(&w.subject);
    conf_bundle_paths_free(&w.paths);
    free(w.engine);
    free(w.kernels);
    return rc;
}

void conf_bundle_free(conf_bundle *bundle)
{
    conf_bundle_files_free(&bundle->files);
    conf_strings_free(&bundle->traces);
}

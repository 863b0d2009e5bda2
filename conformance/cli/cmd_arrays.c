/* assay arrays: the arrays that engines convert, pack and derive from checkpoints, and whether all are
 * realised when the model is open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/cli/cmd.h"
#include "conformance/process/contain.h"
#include "conformance/process/interrupt.h"
#include "conformance/process/isolate.h"
#include "conformance/support/strings.h"
#include "conformance/support/text.h"
#include "model/source.h"

/* One model with one engine. */
typedef struct subject {
    const char *engine, *dir; /* engine: path of a module */
    const char *const *allow_unknown;
} subject;

typedef struct counts {
    size_t n, n_private, n_left;
    char left[CONF_TRACE_NAME_MAX]; /* name of the first array that is not realised */
    bool left_is_private;
    int32_t left_on; /* stream of that array */
    bool left_failed;
} counts;

static void count_array(void *context, const assay_array_info *info)
{
    counts *c = context;
    c->n++;
    if (info->is_private) c->n_private++;
    if (info->state == ASSAY_ARRAY_REALISED || c->n_left++) return;
    (void)snprintf(c->left, sizeof c->left, "%s", info->name);
    c->left_is_private = info->is_private;
    c->left_on = info->stream;
    c->left_failed = info->state == ASSAY_ARRAY_FAILED;
}

static assay_status open_model(const subject *s, const assay_engine *engine, assay_model **out,
                               assay_error *err)
{
    const assay_model_options options = {.size = sizeof options, .allow_unknown = s->allow_unknown};
    return engine->model_open(s->dir, &options, out, err);
}

/* Runs in a child process, which must count the arrays itself: the engine's threads end with it. */
static void count_task(const void *context, conf_verdict *v)
{
    const subject *s = context;
    const assay_engine *engine;
    assay_model *model;
    assay_error err;
    if (conf_engine_open(s->engine, &engine, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    if (!engine->model_arrays) {
        conf_verdict_set(v, CONF_SKIPPED, "the engine does not list its arrays");
        return;
    }
    v->stage = CONF_STAGE_MODEL_OPEN;
    const assay_status rc = open_model(s, engine, &model, &err);
    if (rc != ASSAY_OK) {
        conf_memory_explain(rc, &err);
        conf_verdict_fail(v, rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED, "%s", err.text);
        return;
    }
    counts c = {0};
    engine->model_arrays(model, count_array, &c);
    if (c.n_left)
        conf_verdict_fail(v, CONF_CLASS_THREADS,
                          "%zu of %zu arrays %s not realised: %s%s '%s' on stream %" PRId32, c.n_left, c.n,
                          c.n_left == 1 ? "is" : "are", c.n_left == 1 ? "" : "first ",
                          c.left_is_private ? "private array" : "array", c.left, c.left_on);
    else conf_verdict_set(v, CONF_PASSED, "%zu arrays, %zu private", c.n, c.n_private);
    engine->model_free(model);
}

static void print_array(void *context, const assay_array_info *info)
{
    static const char *const states[] = {"deferred", "realised", "failed"};
    (void)fprintf(context, "  %-8s  stream %" PRId32 "  %10zu bytes  %s%s\n",
                  (unsigned)info->state < 3 ? states[info->state] : "?", info->stream, info->n_bytes,
                  info->name, info->is_private ? " (private)" : "");
}

static assay_status list_arrays(const void *context, FILE *out, assay_error *err)
{
    const subject *s = context;
    const assay_engine *engine;
    assay_model *model;
    assay_status rc = conf_engine_open(s->engine, &engine, err);
    if (rc == ASSAY_OK) rc = open_model(s, engine, &model, err);
    if (rc != ASSAY_OK) return rc;
    engine->model_arrays(model, print_array, out);
    engine->model_free(model);
    return ASSAY_OK;
}

/* Results of add_checkpoint, since nftw takes no context. */
static conf_strings *found;
static bool out_of_memory;

static int add_checkpoint(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s;
    if ((type != FTW_D && at->level > 0) || !source_is_checkpoint(path)) return 0;
    out_of_memory = !conf_strings_add(found, path);
    return out_of_memory;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Finds every checkpoint below the arguments, sorted by name. */
static assay_status find_checkpoints(const conf_options *options, const conf_context *context,
                                     conf_strings *out, assay_error *err)
{
    size_t n_named;
    const char *const *named = conf_cmd_arguments(options, context, &n_named);
    found = out;
    out_of_memory = false;
    for (size_t i = 0; i < n_named; i++) {
        const size_t before = out->n;
        const int rc = nftw(named[i], add_checkpoint, 16, FTW_PHYS);
        if (out_of_memory) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", named[i]);
        if (rc != 0 || out->n == before)
            return assay_fail(err, ASSAY_EIO,
                              "%s: found no checkpoint, expected a directory with a config.json, or a "
                              "GGUF file",
                              named[i]);
        qsort(out->at + before, out->n - before, sizeof *out->at, by_name);
    }
    return ASSAY_OK;
}

/* Prints one line for a model with an engine, and with --verbose one for each array. */
static assay_status report_arrays(const conf_options *options, const conf_context *context, const subject *s,
                                  const char *engine, size_t width, conf_outcome *outcome, assay_error *err)
{
    static const char *const words[CONF_N_OUTCOMES] = {"", "FAILED  ", "skipped: ", "broken: "};
    conf_verdict v = {0};
    assay_status rc = conf_isolate(count_task, s, &options->limits, &v, err);
    if (rc != ASSAY_OK) return rc;
    *outcome = v.outcome;
    conf_text_print_fitted(context->out, s->dir, width);
    (void)fputs("  ", context->out);
    conf_text_print_fitted(context->out, engine, conf_text_width(engine) > 8 ? conf_text_width(engine) : 8);
    (void)fprintf(context->out, "  %s%s\n", words[v.outcome], v.reason);
    if (!options->verbose || v.outcome == CONF_SKIPPED || v.outcome == CONF_BROKEN) return ASSAY_OK;
    return conf_contain(list_arrays, s, &options->limits, s->dir, context->out, err);
}

static assay_status report_engine(const conf_options *options, const conf_context *context,
                                  const char *engine, const conf_strings *list, size_t n[CONF_N_OUTCOMES],
                                  assay_error *err)
{
    char *path;
    size_t width = 0;
    for (size_t i = 0; i < list->n; i++)
        if (conf_text_width(list->at[i]) > width) width = conf_text_width(list->at[i]);
    assay_status rc = conf_engine_find(engine, &context->engine_dirs, &path, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; rc == ASSAY_OK && i < list->n && !conf_interrupted(); i++) {
        conf_outcome outcome = CONF_BROKEN;
        rc = report_arrays(options, context, &(subject){path, list->at[i], options->allow_unknown}, engine,
                           width, &outcome, err);
        n[outcome]++;
    }
    free(path);
    return rc;
}

conf_exit conf_cmd_arrays(const conf_options *options, const conf_context *context)
{
    conf_strings list = {0};
    assay_error err;
    size_t n[CONF_N_OUTCOMES] = {0};
    assay_status rc = find_checkpoints(options, context, &list, &err);
    const char *const *engines = options->n_engines ? options->engines : conf_engine_bundled;
    for (size_t i = 0; rc == ASSAY_OK && (options->n_engines ? i < options->n_engines : engines[i] != NULL);
         i++)
        rc = report_engine(options, context, engines[i], &list, n, &err);
    conf_strings_free(&list);
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        return CONF_EXIT_ERROR;
    }
    (void)fprintf(context->out, "\ntotal  %zu realised, %zu failed, %zu skipped\n", n[CONF_PASSED],
                  n[CONF_FAILED], n[CONF_SKIPPED] + n[CONF_BROKEN]);
    return n[CONF_BROKEN]   ? CONF_EXIT_ERROR
           : n[CONF_FAILED] ? CONF_EXIT_DIVERGES
           : n[CONF_PASSED] ? CONF_EXIT_AGREE
                            : CONF_EXIT_NOTHING;
}

/* assay info: shows the plan of a checkpoint, or the contents of a case or a saved schedule.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/case/case.h"
#include "conformance/case/prompt.h"
#include "conformance/case/rows.h"
#include "conformance/case/run_noise.h"
#include "conformance/cli/cmd.h"
#include "conformance/generate/describe.h"
#include "conformance/info/bounds.h"
#include "conformance/info/case.h"
#include "conformance/info/member.h"
#include "conformance/info/plan.h"
#include "conformance/info/tensors.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/process/contain.h"
#include "conformance/process/interrupt.h"
#include "conformance/report/files.h"
#include "conformance/schedule/json.h"
#include "conformance/schedule/schedule.h"
#include "gguf/document.h"
#include "model/checkpoint/stop.h"
#include "model/checkpoint/weights.h"
#include "model/loader.h"
#include "model/plan/plan.h"
#include "model/plan/print.h"
#include "model/source.h"
#include "tokenizer/tokenizer.h"

static void print_text(FILE *out, const char *name, const char *value)
{
    if (!value) return;
    char text[1024];
    (void)snprintf(text, sizeof text, "%s", value);
    shown_clean(text, sizeof text);
    (void)fprintf(out, "%-10s %s\n", name, text);
}

static void print_inputs(FILE *out, const conf_decoder *d)
{
    for (size_t i = 0; i < d->n_inputs; i++) {
        (void)fprintf(out, "%-10s %s [", "input", d->inputs[i].name);
        for (size_t k = 0; k < d->inputs[i].rank; k++)
            (void)fprintf(out, "%s%zu", k ? "," : "", d->inputs[i].shape[k]);
        (void)fputs("]\n", out);
    }
}

/* Prints the noise of each recorded run. The floor of the noise (noise.h) is the same for all types. */
static void print_noises(FILE *out, const conf_rows *rows, double largest)
{
    for (size_t i = 0; i < rows->n_runs; i++) {
        const conf_distance noise = conf_run_noise(rows, &rows->runs[i]);
        (void)fprintf(out, "%-10s largest error %.3g, RMSE %.3g, KL %.3g",
                      i ? conf_compute_run(rows->runs[i].compute) : "noise", noise.max_abs, noise.rmse,
                      noise.kl);
        if (i) (void)fputc('\n', out);
        else (void)fprintf(out, "; taken for at least %.3g\n", conf_noise_floor(largest));
    }
}

static void print_prompts(FILE *out, const conf_decoder *d)
{
    (void)fprintf(out, "%-10s %zu of up to %zu tokens, lengths", "samples", d->n_samples, d->n_tokens);
    for (size_t b = 0; b < d->n_samples; b++) (void)fprintf(out, " %zu", conf_prompt_length(d, b));
    (void)fputc('\n', out);
}

static void print_positions(FILE *out, const conf_case *c)
{
    print_prompts(out, &c->decoder);
    print_inputs(out, &c->decoder);
    (void)fprintf(out, "%-10s on %zu axes, deltas", "positions", c->positions.n_axes);
    for (size_t b = 0; b < c->decoder.n_samples; b++)
        (void)fprintf(out, " %" PRId32, ((const int32_t *)c->positions.delta.data)[b]);
    (void)fputc('\n', out);
}

static void print_decoder(FILE *out, const conf_decoder *d)
{
    print_prompts(out, d);
    (void)fprintf(out, "%-10s %zu forced, %zu greedy\n", "steps", d->n_decode, d->n_greedy);
    if (d->caches.limit)
        (void)fprintf(out, "%-10s limited to %zu positions, of which the first %zu are kept\n", "caches",
                      d->caches.limit, d->caches.sink_tokens);
    print_inputs(out, d);
    if (d->has_truth) {
        const conf_rows *rows = &d->rows;
        double largest = conf_max_abs(rows->truth, rows->n_rows * rows->n_cols);
        (void)fprintf(out, "%-10s %zu rows of %zu%s, largest %.6g\n", "logits", rows->n_rows, rows->n_cols,
                      rows->n_listed ? " (those that /expect/rows lists)" : "", largest);
        print_noises(out, rows, largest);
    }
    (void)fprintf(out, "%-10s %zu\n", "tensors", d->n_traces);
    for (size_t i = 0; i < d->n_traces; i++) {
        const conf_trace *t = &d->traces[i];
        (void)fprintf(out, "  %-18s [", t->name);
        for (size_t k = 0; k < t->value.rank; k++)
            (void)fprintf(out, "%s%zu", k ? "," : "", t->value.shape[k]);
        if (t->has_noise) (void)fprintf(out, "], noise %.3g\n", t->noise);
        else (void)fputs("]\n", out);
    }
}

static void print_vectors(FILE *out, const conf_vectors *v)
{
    (void)fprintf(out, "%-10s %zu in %zu group%s\n", "vectors", v->n, v->n_groups,
                  v->n_groups == 1 ? "" : "s");
    for (size_t i = 0; i < v->n_groups; i++) {
        size_t n;
        const char *name = conf_vectors_group(v, i, &n);
        (void)fprintf(out, "  %-18s %zu\n", name, n);
    }
    for (size_t i = 0; i < v->n; i++) print_text(out, "broken", v->at[i].broken);
}

static void print_case(FILE *out, const conf_case *c)
{
    (void)fprintf(out, "%-10s %s\n%-10s %s\n", "case", c->path, "kind", conf_kind_of(c->kind)->name);
    print_text(out, "model", c->model);
    print_text(out, "catches", c->catches);
    print_text(out, "reduced", c->reduced);
    print_text(out, "source", c->source);
    print_text(out, "recorder", c->recorder);
    for (size_t i = 0; i < c->flags.n; i++) print_text(out, "flag", c->flags.at[i]);
    if (c->float64_reason)
        (void)fprintf(out, "%-10s %g of the largest value: %s\n", "float64", c->float64_bound,
                      c->float64_reason);
    if (conf_kind_of(c->kind)->has_decoder) print_decoder(out, &c->decoder);
    if (c->kind == CONF_ROPE) {
        print_text(out, "config", c->rope.config);
        (void)fprintf(out, "%-10s %zu on %zu axes, %zu heads of %zu\n", "positions", c->rope.n_positions,
                      c->rope.n_axes, c->rope.n_heads, c->rope.head_dim);
    }
    if (c->kind == CONF_POSITIONS) print_positions(out, c);
    if (c->vectors.n > 0) print_vectors(out, &c->vectors);
    for (size_t i = 0; i < c->unknown.n; i++) print_text(out, "unknown", c->unknown.at[i]);
}

/* Opens the tokenizer, for the texts of tokens, if there is one. */
static assay_status open_tokenizer(const char *dir, tokenizer **out, assay_error *err)
{
    if (!gguf_document_exists(dir, "tokenizer.json")) return ASSAY_OK;
    return tokenizer_open(dir, out, err);
}

/* One argument of the command line. */
typedef struct subject {
    const char *path;
    const char *const *allow_unknown;
    bool json; /* a document is printed, not text */
} subject;

/* Begins the document of a subject; NULL if out of memory. *contents, of it, is what it is: "checkpoint", …
 */
static json_object *begin_document(const char *path, const char *name, json_object **contents)
{
    json_object *document = json_object_new_object();
    bool ok = document && conf_json_add_text(document, "path", path) && conf_json_add_null(document, "error");
    *contents = ok ? conf_json_add_object(document, name) : NULL;
    return document;
}

static assay_status info_checkpoint(const void *context, FILE *out, assay_error *err)
{
    plan *p;
    tokenizer *tokens = NULL;
    assay_error why = {0};
    const subject *s = context;
    const char *dir = s->path;
    assay_status rc = plan_open_allowing(dir, s->allow_unknown, &p, err);
    if (rc != ASSAY_OK) return rc;
    const bool unread = open_tokenizer(dir, &tokens, &why) != ASSAY_OK;
    if (s->json) {
        json_object *contents, *document = begin_document(dir, "checkpoint", &contents);
        bool ok = conf_info_add_plan(contents, p, tokens) &&
                  conf_info_add_text(contents, "tokenizer_error", unread ? why.text : NULL);
        rc = conf_json_print_document(document, ok, out, err);
    } else {
        if (unread) (void)fprintf(out, "tokenizer    %s\n", why.text);
        plan_print(p, tokens, out);
        conf_prompt_describe(dir, out);
    }
    tokenizer_free(tokens);
    plan_free(p);
    return rc;
}

/* Reads what every family has: the documents with stop ids, the index and the headers of the weights. */
static assay_status open_files(const char *dir, weights **out, assay_error *err)
{
    stop_set *stop;
    assay_status rc = stop_set_read(dir, &stop, err);
    if (rc != ASSAY_OK) return rc;
    stop_set_free(stop);
    return source_weights(dir, out, err);
}

static assay_status info_tensors(const void *context, FILE *out, assay_error *err)
{
    weights *w;
    const subject *s = context;
    assay_status rc = open_files(s->path, &w, err);
    if (rc != ASSAY_OK) return rc;
    if (s->json) {
        json_object *contents, *document = begin_document(s->path, "stored", &contents);
        rc = conf_json_print_document(document, conf_info_add_tensors(contents, w), out, err);
    } else {
        conf_info_print_tensors(out, w);
    }
    weights_free(w);
    return rc;
}

static void print_schedule(FILE *out, const char *path, const conf_schedule_file *file)
{
    (void)fprintf(out, "%-10s %s\n%-10s schedule\n", "file", path, "kind");
    print_text(out, "case", file->path);
    print_text(out, "engine", file->engine);
    if (file->compute) print_text(out, "compute", conf_compute_name(file->compute));
    print_text(out, "kernels", file->kernels);
    (void)fprintf(out, "%-10s %zu\n", "workers", file->schedule.n_workers);
    if (file->has_seed) (void)fprintf(out, "%-10s %" PRIu64 "\n", "seed", file->seed);
    print_text(out, "found", file->found);
    (void)fprintf(out, "%-10s %zu\n", "steps", file->schedule.n_steps);
    conf_schedule_print(out, "", &file->schedule);
}

static bool add_schedule(json_object *to, const conf_schedule_file *file)
{
    return conf_info_add_text(to, "case", file->path) && conf_info_add_text(to, "engine", file->engine) &&
           conf_info_add_text(to, "compute", file->compute ? conf_compute_name(file->compute) : NULL) &&
           conf_info_add_text(to, "kernels", file->kernels) &&
           conf_json_add_count(to, "workers", file->schedule.n_workers) &&
           (file->has_seed ? conf_json_add(to, "seed", json_object_new_uint64(file->seed))
                           : conf_json_add_null(to, "seed")) &&
           conf_info_add_text(to, "found", file->found) &&
           conf_json_add_count(to, "steps", file->schedule.n_steps);
}

static assay_status info_schedule(const subject *s, FILE *out, assay_error *err)
{
    conf_schedule_file file;
    assay_status rc = conf_schedule_read(s->path, &file, err);
    if (rc != ASSAY_OK) return rc;
    if (s->json) {
        json_object *contents, *document = begin_document(s->path, "schedule", &contents);
        rc = conf_json_print_document(document, add_schedule(contents, &file), out, err);
    } else {
        print_schedule(out, s->path, &file);
    }
    conf_schedule_file_free(&file);
    return rc;
}

static assay_status info_case(const void *context, FILE *out, assay_error *err)
{
    conf_case *c;
    const subject *s = context;
    assay_status rc = conf_case_read(s->path, &c, err);
    if (rc != ASSAY_OK) return rc;
    if (c->kind == CONF_SCHEDULE) {
        rc = info_schedule(s, out, err);
    } else if (s->json) {
        json_object *contents, *document = begin_document(s->path, "case", &contents);
        rc = conf_json_print_document(document, conf_info_add_case(contents, c), out, err);
    } else {
        print_case(out, c);
    }
    if (rc == ASSAY_OK) rc = conf_vectors_require(&c->vectors, s->path, err);
    conf_case_free(c);
    return rc;
}

static assay_status info_bounds(const void *context, FILE *out, assay_error *err)
{
    conf_case *c;
    const subject *s = context;
    assay_status rc = conf_case_read(s->path, &c, err);
    if (rc != ASSAY_OK) return rc;
    if (c->kind == CONF_SCHEDULE) {
        rc = assay_fail(err, ASSAY_EINVAL,
                        "%s: found a program of threads, expected a case, which has bounds", s->path);
    } else if (s->json) {
        json_object *contents, *document = begin_document(s->path, "bounds", &contents);
        rc = conf_json_print_document(document, conf_info_add_bounds(contents, c), out, err);
    } else {
        conf_info_print_bounds(out, c);
    }
    conf_case_free(c);
    return rc;
}

/* Reads the argument to tell a GGUF file from a case, which must not be done outside of the process. */
static assay_status info_any(const void *context, FILE *out, assay_error *err)
{
    const subject *named = context;
    struct stat s;
    const bool is_checkpoint =
        source_is_checkpoint(named->path) || (stat(named->path, &s) == 0 && S_ISDIR(s.st_mode));
    return is_checkpoint ? info_checkpoint(context, out, err) : info_case(context, out, err);
}

/* Prints what an argument is, from a process of its own. */
static assay_status print_subject(const conf_options *options, const char *path, bool json, FILE *out,
                                  assay_error *err)
{
    const subject named = {path, options->allow_unknown, json};
    return conf_contain(options->tensors  ? info_tensors
                        : options->bounds ? info_bounds
                                          : info_any,
                        &named, &options->limits, path, out, err);
}

/* Adds the document of an argument, or the error that is there instead. */
static assay_status add_subject(const conf_options *options, const char *path, json_object *subjects,
                                assay_error *err)
{
    char *text = NULL;
    size_t n = 0;
    FILE *page = open_memstream(&text, &n);
    if (!page) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    assay_status rc = print_subject(options, path, true, page, err);
    json_object *one = fclose(page) == 0 && rc == ASSAY_OK ? json_tokener_parse(text) : NULL;
    free(text);
    if (rc == ASSAY_OK)
        return conf_json_append(subjects, one) ? rc
                                               : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    one = conf_json_append_object(subjects);
    (void)(conf_json_add_text(one, "path", path) && conf_json_add_text(one, "error", err->text));
    return rc;
}

/* Prints the arguments as text, and writes the document. */
static conf_exit info_all(const conf_options *options, const conf_context *context,
                          const conf_report_files *files)
{
    conf_exit code = CONF_EXIT_AGREE;
    const bool prints = !conf_report_uses_stdout(files);
    json_object *document = json_object_new_object(), *subjects = NULL;
    assay_error err = {0};
    if (document && conf_json_add_text(document, "schema", "assay-info/1"))
        subjects = conf_json_add_array(document, "subjects");
    for (size_t i = 0; i < options->n_arguments && !conf_interrupted(); i++) {
        const char *path = options->arguments[i];
        assay_status rc = ASSAY_OK;
        if (prints && i) (void)fputc('\n', context->out);
        if (prints) rc = print_subject(options, path, false, context->out, &err);
        if (files->at[CONF_REPORT_JSON]) rc = add_subject(options, path, subjects, &err);
        if (rc == ASSAY_OK) continue;
        conf_cmd_print_error(context, "%s", err.text);
        code = CONF_EXIT_ERROR;
    }
    if (!files->at[CONF_REPORT_JSON] || conf_interrupted()) {
        (void)json_object_put(document);
        return code;
    }
    if (conf_json_print_document(document, subjects, files->at[CONF_REPORT_JSON], &err) == ASSAY_OK)
        return code;
    conf_cmd_print_error(context, "%s", err.text);
    return CONF_EXIT_ERROR;
}

conf_exit conf_cmd_info(const conf_options *options, const conf_context *context)
{
    if (options->n_arguments == 0) {
        conf_cmd_print_error(context, "info needs a checkpoint or a case: see assay info --help");
        return CONF_EXIT_USAGE;
    }
    conf_report_files files;
    assay_error err = {0};
    conf_exit code = CONF_EXIT_ERROR;
    assay_status rc = conf_report_files_open(options, context, &files, &err);
    if (rc == ASSAY_OK) code = info_all(options, context, &files);
    else conf_cmd_print_error(context, "%s", err.text);
    if (conf_report_files_close(&files, &err) == ASSAY_OK) return code;
    conf_cmd_print_error(context, "%s", err.text);
    return CONF_EXIT_ERROR;
}

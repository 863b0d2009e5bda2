/* assay generate: continues a text with a checkpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/serving.h"
#include "conformance/cli/cmd.h"
#include "conformance/generate/generate.h"
#include "conformance/generate/prompt.h"
#include "conformance/generate/report.h"
#include "conformance/generate/show.h"
#include "conformance/process/contain.h"
#include "conformance/process/relay.h"
#include "conformance/report/files.h"
#include "conformance/support/progress.h"
#include "dialogue/parsers.h"
#include "model/loader.h"
#include "model/plan/plan.h"

#define USUAL_TOKENS 256
#define LONG_PROMPT  512 /* tokens; longer prompts show progress on a terminal */
#define PROMPT_MAX   ((size_t)64 << 20)

/* Data of the generating process. */
typedef struct request {
    const conf_options *options;
    const conf_context *context;
    char *engine; /* path */
    char *prompt; /* [n_prompt] */
    size_t n_prompt;
    int reply[2]; /* a pipe: in the child standard output is standard error */
    FILE *page;   /* output after the reply */
} request;

/* Reads standard input to its end. */
static assay_status read_prompt(request *r, assay_error *err)
{
    FILE *text = open_memstream(&r->prompt, &r->n_prompt);
    char bytes[4096];
    if (!text) return assay_fail(err, ASSAY_ENOMEM, "standard input: out of memory");
    for (size_t n, all = 0; (n = fread(bytes, 1, sizeof bytes, stdin)) > 0 && all <= PROMPT_MAX; all += n)
        (void)fwrite(bytes, 1, n, text);
    const bool failed = ferror(stdin) != 0;
    if (fclose(text) != 0) return assay_fail(err, ASSAY_ENOMEM, "standard input: out of memory");
    if (failed) return assay_fail(err, ASSAY_EIO, "standard input: %s", strerror(errno));
    if (r->n_prompt > PROMPT_MAX)
        return assay_fail(err, ASSAY_EINVAL, "standard input: found more than %zu bytes", PROMPT_MAX);
    return ASSAY_OK;
}

/* Refuses sampling options that would have no effect. */
static assay_status check_draws(const conf_options *o, assay_error *err)
{
    const conf_generate_options *g = &o->generate;
    const struct {
        const char *name;
        bool given;
    } draws[] = {{"--top-k", g->top_k > 0},
                 {"--top-p", g->top_p < 1},
                 {"--min-p", g->min_p > 0},
                 {"--seed", o->has_seed}};
    for (size_t i = 0; i < sizeof draws / sizeof *draws && !g->has_temperature; i++)
        if (draws[i].given)
            return assay_fail(err, ASSAY_EINVAL,
                              "option %s: found no --temperature, expected one: without it the best token is "
                              "taken, and none is drawn",
                              draws[i].name);
    return ASSAY_OK;
}

static assay_status check_options(const conf_options *o, assay_error *err)
{
    if (!o->model)
        return assay_fail(err, ASSAY_EINVAL,
                          "option --model is missing: a directory with a config.json, or a GGUF file");
    if (!o->generate.prompt) return assay_fail(err, ASSAY_EINVAL, "option --prompt is missing: a text, or -");
    if (o->n_engines > 1)
        return assay_fail(err, ASSAY_EINVAL, "found %zu engines, expected one", o->n_engines);
    if (o->n_arguments > 0)
        return assay_fail(err, ASSAY_EINVAL, "found %s, expected only options", o->arguments[0]);
    if (o->generate.ignore_template && (o->generate.chat || o->generate.system))
        return assay_fail(err, ASSAY_EINVAL, "options --ignore-chat-template and %s exclude each other",
                          o->generate.chat ? "--chat" : "--system-prompt");
    return check_draws(o, err);
}

static assay_status open_request(request *r, assay_error *err)
{
    const conf_options *o = r->options;
    const char *engine = o->n_engines ? o->engines[0] : "fastpath";
    assay_status rc = conf_engine_find(engine, &r->context->engine_dirs, &r->engine, err);
    if (rc != ASSAY_OK) return rc;
    if (strcmp(o->generate.prompt, "-") == 0) return read_prompt(r, err);
    r->prompt = strdup(o->generate.prompt);
    if (!r->prompt) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    r->n_prompt = strlen(r->prompt);
    return ASSAY_OK;
}

/* Uses the parsers that the user named, "none" being no parser; chooses the others by the tokenizer's
 * markers. */
static assay_status choose_parsers(const conf_options *o, const assay_serving *s, const char *dir,
                                   assay_reply_options *out, assay_error *err)
{
    assay_tokenizer *t;
    assay_status rc = s->tokenizer_open(dir, &t, err);
    if (rc != ASSAY_OK) return rc;
    out->reasoning = o->reasoning;
    out->tools = o->tools;
    serve_parsers_choose(s, t, &out->reasoning, &out->tools);
    s->tokenizer_free(t);
    return ASSAY_OK;
}

static assay_status find_serving(const char *engine, const assay_serving **out, assay_error *err)
{
    static const conf_serving_part parts[] = {CONF_SERVING_TOKENIZER, CONF_SERVING_COMPLETION,
                                              CONF_SERVING_REPLY};
    return conf_serving_choose(engine, parts, sizeof parts / sizeof *parts, out, err);
}

static conf_generation generation_of(const request *r, const conf_prompt *prompt, assay_text *stops)
{
    const conf_generate_options *o = &r->options->generate;
    const serve_images *images = prompt->images;
    const serve_audio *audios = prompt->audios;
    size_t n_images = 0, n_audios = 0; /* placeholder tokens */
    for (size_t i = 0; i < o->n_stops; i++) stops[i] = (assay_text){o->stops[i], strlen(o->stops[i])};
    for (size_t i = 0; images && i < images->n; i++) n_images += images->n_tokens[i];
    for (size_t i = 0; audios && i < audios->n; i++) n_audios += audios->n_tokens[i];
    return (conf_generation){.prompt = buffer_text(&prompt->text),
                             .add_special = prompt->add_special,
                             .items = prompt->items,
                             .n_items = prompt->n_items,
                             .images = {prompt->placeholder, n_images},
                             .audios = {prompt->audio_placeholder, n_audios},
                             .sampling = {.temperature = o->temperature,
                                          .top_k = o->top_k,
                                          .top_p = o->top_p,
                                          .min_p = o->min_p,
                                          .repetition_penalty = o->penalty,
                                          .seed = r->options->seed},
                             .max_tokens = o->max_tokens ? o->max_tokens : USUAL_TOKENS,
                             .stop_texts = stops,
                             .n_stop_texts = o->n_stops,
                             .reply = {.size = sizeof(assay_reply_options), .thinking_off = o->no_thinking}};
}

/* The context length of the model, or 0 if unknown. */
static size_t positions_of(const conf_options *o)
{
    plan *p;
    if (plan_open_allowing(o->model, o->allow_unknown, &p, NULL) != ASSAY_OK) return 0;
    const size_t n = p->max_positions;
    plan_free(p);
    return n;
}

/* An engine evaluates a prompt in one call and does not report progress. */
static void show_prefill(const void *context, size_t n_tokens, bool done)
{
    if (n_tokens < LONG_PROMPT) return;
    if (done) conf_progress_clear(context);
    else conf_progress_show(context, 0, n_tokens, "tokens of the prompt are evaluated");
}

/* Generates from a prompt, and reports it. */
static assay_status generate_from(const request *r, const assay_engine *engine, const assay_serving *serving,
                                  const conf_prompt *prompt, conf_generate_report *report, conf_verdict *v,
                                  assay_error *err)
{
    const char *dir = r->options->model;
    conf_generator *g = NULL;
    conf_generated generated = {0};
    assay_text *stops = calloc(r->options->generate.n_stops + 1, sizeof *stops);
    if (!stops) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    conf_generation what = generation_of(r, prompt, stops);
    v->stage = CONF_STAGE_MODEL_OPEN;
    assay_status rc = conf_generator_open(engine, serving, dir, r->options->allow_unknown, &g, err);
    if (rc == ASSAY_OK) rc = choose_parsers(r->options, serving, dir, &what.reply, err);
    v->stage = CONF_STAGE_GENERATE;
    if (rc == ASSAY_OK) {
        conf_listeners listeners = conf_generate_report_listeners(report);
        listeners.prefill = show_prefill;
        listeners.prefill_context = r->context;
        what.max_positions = positions_of(r->options);
        rc = conf_generate(g, &what, &listeners, &generated, err);
        if (rc == ASSAY_OK) rc = conf_generate_report_finish(report, prompt, &generated, err);
    }
    conf_generator_free(g);
    free(generated.ids);
    free(stops);
    return rc;
}

static assay_status generate_in_child(const request *r, conf_generate_report *report, conf_verdict *v,
                                      assay_error *err)
{
    const assay_engine *engine;
    const assay_serving *serving;
    conf_prompt prompt = {0};
    v->stage = CONF_STAGE_LOAD;
    assay_status rc = conf_engine_open(r->engine, &engine, err);
    if (rc == ASSAY_OK) rc = find_serving(r->engine, &serving, err);
    if (rc == ASSAY_OK)
        rc = conf_prompt_make(r->options, serving, (assay_text){r->prompt, r->n_prompt}, &prompt, err);
    if (rc != ASSAY_OK) return rc;
    conf_prompt_show(&prompt, r->options, r->context->err);
    (void)fflush(r->context->err);
    rc = generate_from(r, engine, serving, &prompt, report, v, err);
    conf_prompt_free(&prompt);
    return rc;
}

static void generate_task(const void *context, conf_verdict *v)
{
    const request *r = context;
    conf_context seen = *r->context;
    conf_generate_report *report = NULL;
    assay_error err = {0};
    seen.err = r->page;
    (void)close(r->reply[0]);
    FILE *out = fdopen(r->reply[1], "w");
    assay_status rc = out ? conf_generate_report_open(r->options, &seen, out, &report, &err)
                          : assay_fail(&err, ASSAY_EIO, "standard output: %s", strerror(errno));
    if (rc == ASSAY_OK) rc = generate_in_child(r, report, v, &err);
    conf_generate_report_free(report);
    if (out && fclose(out) != 0 && rc == ASSAY_OK)
        rc = assay_fail(&err, ASSAY_EIO, "standard output: %s", strerror(errno));
    (void)fflush(r->page);
    conf_memory_explain(rc, &err);
    if (rc == ASSAY_EIO || rc == ASSAY_EFORMAT || rc == ASSAY_EUNSUPPORTED || rc == ASSAY_EINVAL)
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
    else if (rc != ASSAY_OK)
        conf_verdict_fail(v, rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED, "%s", err.text);
}

/* Starts the child process and relays its output. */
static assay_status relay_child(request *r, conf_verdict *v, assay_error *err)
{
    /* no time limit for a generation */
    const conf_limits limits = {.seconds = 1e9, .mib = r->options->limits.mib};
    conf_child child;
    if (pipe(r->reply) != 0) return assay_fail(err, ASSAY_EINTERNAL, "no pipe: %s", strerror(errno));
    assay_status rc = conf_child_start(generate_task, r, &limits, NULL, &child, err);
    (void)close(r->reply[1]);
    if (rc == ASSAY_OK) rc = conf_relay(&child, r->reply[0], r->context, v, err);
    (void)close(r->reply[0]);
    return rc;
}

static conf_exit run_request(request *r, assay_error *err)
{
    conf_verdict v;
    const int flags = fcntl(fileno(r->context->out), F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        (void)assay_fail(err, ASSAY_EIO, "standard output: %s", strerror(EBADF));
        return CONF_EXIT_ERROR;
    }
    r->page = conf_page_open(err);
    if (!r->page) return CONF_EXIT_ERROR;
    assay_status rc = relay_child(r, &v, err);
    if (rc == ASSAY_OK && v.outcome == CONF_PASSED) conf_page_print(r->page, r->context->err);
    (void)fclose(r->page);
    /* A child that was killed has not written the document that it opened. */
    if (r->options->reports[CONF_REPORT_JSON] && (rc != ASSAY_OK || v.outcome != CONF_PASSED))
        conf_report_remove_empty(r->options->reports[CONF_REPORT_JSON]);
    if (rc != ASSAY_OK) return CONF_EXIT_ERROR;
    if (v.outcome == CONF_PASSED) return CONF_EXIT_AGREE;
    (void)assay_fail(err, ASSAY_EINTERNAL, "%s", v.reason);
    return v.outcome == CONF_FAILED ? CONF_EXIT_DIVERGES : CONF_EXIT_ERROR;
}

conf_exit conf_cmd_generate(const conf_options *options, const conf_context *context)
{
    request r = {.options = options, .context = context};
    assay_error err;
    conf_exit code = CONF_EXIT_USAGE;
    if (check_options(options, &err) == ASSAY_OK) {
        code = CONF_EXIT_ERROR;
        if (open_request(&r, &err) == ASSAY_OK) code = run_request(&r, &err);
    }
    if (code != CONF_EXIT_AGREE) conf_cmd_print_error(context, "%s", err.text);
    free(r.engine);
    free(r.prompt);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/serving.h"
#include "conformance/abi/streams.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/process/contain.h"
#include "conformance/process/interrupt.h"
#include "conformance/replay/manner.h"
#include "conformance/report/results.h"
#include "conformance/support/text.h"

#define NAME_WIDTH 18 /* columns */

/* What is explained, in a process of its own. */
typedef struct subject {
    const char *name, *path; /* of the engine */
    size_t n_cases[CONF_N_KINDS];
} subject;

/* A line of the table: a member of an ABI table and what it unlocks. */
typedef struct entry {
    const char *name;
    bool present;
    const char *words; /* besides kinds and manners; may be NULL */
    conf_kind kinds[2];
    size_t n_kinds;
    bool has_manners; /* manners of evaluation that use the member */
} entry;

/* Whether a manner needs this member; step: whether it needs no optional one. */
static bool needs(const conf_manner_info *manner, const char *member)
{
    const struct {
        const char *name;
        bool needed;
    } optional[] = {{"join", manner->uses_join},
                    {"leave", manner->uses_leave},
                    {"rewind", manner->uses_rewind},
                    {"fork", manner->uses_fork},
                    {"tap", manner->uses_tap}};
    bool any = false;
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        if (strcmp(optional[i].name, member) == 0) return optional[i].needed;
        any = any || optional[i].needed;
    }
    return !any;
}

static void print_manners(FILE *out, const char *member)
{
    size_t n = 0, at = 0;
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++) n += needs(conf_manner_of(m), member);
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++)
        if (needs(conf_manner_of(m), member))
            (void)fprintf(out, "%s%s",
                          at++     ? ", "
                          : n == 1 ? "manner "
                                   : "manners ",
                          conf_manner_of(m)->name);
}

static void print_entry(FILE *out, const subject *s, const entry *e)
{
    const char *between = "";
    (void)fprintf(out, "  ");
    conf_text_print_fitted(out, e->name, NAME_WIDTH);
    (void)fprintf(out, " %-4s ", e->present ? "yes" : "no");
    for (size_t k = 0; k < e->n_kinds; k++, between = ", ") {
        const size_t n = s->n_cases[e->kinds[k]];
        (void)fprintf(out, "%s%s (%zu case%s)", between, conf_kind_of(e->kinds[k])->name, n,
                      n == 1 ? "" : "s");
    }
    if (*between && (e->has_manners || e->words)) between = "; ";
    if (e->has_manners) {
        (void)fputs(between, out);
        print_manners(out, e->name);
        between = "; ";
    }
    if (e->words) (void)fprintf(out, "%s%s", between, e->words);
    (void)fputc('\n', out);
}

static void explain_engine(FILE *out, const subject *s, const assay_engine *e)
{
    const entry entries[] = {
        {"step", true, NULL, {CONF_LOGITS, CONF_GENERATE}, 2, true},
        {"tap", e->tap, "the first wrong tensor, in reports and assay locate", {0}, 0, true},
        {"taps_can_write",
         e->tap && e->taps_can_write,
         "assay locate: the tensor in which an error arises",
         {0},
         0,
         false},
        {"join", e->join, NULL, {0}, 0, true},
        {"leave", e->leave, "with join: samples that replace others in a session", {0}, 0, true},
        {"rewind", e->rewind, NULL, {0}, 0, true},
        {"fork", e->fork, NULL, {0}, 0, true},
        {"model_stop_ids", e->model_stop_ids, "the engine's own stop set, instead of Assay's", {0}, 0, false},
        {"model_arrays", e->model_arrays, "assay arrays", {0}, 0, false},
        {"positions", e->positions, NULL, {CONF_POSITIONS}, 1, false},
        {"rope", e->rope, NULL, {CONF_ROPE}, 1, false},
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) print_entry(out, s, &entries[i]);
}

/* Whether the serving table has all members of a part. */
static bool offers(const assay_serving *serving, conf_serving_part part)
{
    const char *lacks;
    return serving && conf_serving_has(serving, part, &lacks);
}

static void explain_serving(FILE *out, const subject *s, const assay_serving *t, bool has_engine)
{
    const bool tokenizes = offers(t, CONF_SERVING_TOKENIZER) && offers(t, CONF_SERVING_DETOKENIZER);
    const entry entries[] = {
        {"stop_set", offers(t, CONF_SERVING_STOP_SET), NULL, {CONF_EOS}, 1, false},
        {"reply_…", offers(t, CONF_SERVING_REPLY), NULL, {CONF_REASONING, CONF_TOOLS}, 2, false},
        {"tokenizer_…", tokenizes, NULL, {CONF_TOKENIZER}, 1, false},
        {"completion_…",
         has_engine && tokenizes && offers(t, CONF_SERVING_COMPLETION),
         NULL,
         {CONF_DIALOGUE},
         1,
         false},
        {"response_…", offers(t, CONF_SERVING_RESPONSE), NULL, {CONF_EVENTS}, 1, false},
    };
    (void)fprintf(out, " %s (assay/serving.h)%s\n", ASSAY_SERVING_SYMBOL, t ? "" : ": not exported");
    for (size_t i = 0; t && i < sizeof entries / sizeof *entries; i++) print_entry(out, s, &entries[i]);
}

/* A module may export each table or not. */
static assay_status explain_module(const void *context, FILE *out, assay_error *err)
{
    const subject *s = context;
    const assay_engine *engine = NULL;
    const assay_serving *serving = NULL;
    const assay_streams *streams = NULL;
    assay_error why = {0};
    if (!conf_serving_is_standalone(s->path)) {
        const assay_status rc = conf_engine_open(s->path, &engine, err);
        if (rc != ASSAY_OK) return rc;
    }
    assay_status rc = conf_serving_open(s->path, &serving, &why);
    if (rc == ASSAY_OK || rc == ASSAY_EUNSUPPORTED) rc = conf_streams_open(s->path, &streams, &why);
    if (rc != ASSAY_OK && rc != ASSAY_EUNSUPPORTED) return assay_fail(err, rc, "%s", why.text);
    (void)fprintf(out, "%-*s   has  unlocks\n", NAME_WIDTH, s->name);
    (void)fprintf(out, " %s (assay/engine.h)%s\n", ASSAY_ENGINE_SYMBOL, engine ? "" : ": not exported");
    if (engine) explain_engine(out, s, engine);
    explain_serving(out, s, serving, engine != NULL);
    (void)fprintf(out, " %s (assay/stream.h)%s\n", ASSAY_STREAMS_SYMBOL, streams ? "" : ": not exported");
    const entry programs = {"all of it", streams != NULL, NULL, {CONF_THREADS}, 1, false};
    if (streams) print_entry(out, s, &programs);
    return ASSAY_OK;
}

/* Prints the name of a case's kind, for count_cases. */
static assay_status name_kind(const void *context, FILE *out, assay_error *err)
{
    conf_case *c;
    const assay_status rc = conf_case_read_outline(context, &c, err);
    if (rc != ASSAY_OK) return rc;
    (void)fprintf(out, "%d", (int)c->kind);
    conf_case_free(c);
    return ASSAY_OK;
}

/* Counts the cases of each kind; a file that cannot be read is reported. False if there was one. */
static bool count_cases(const conf_options *options, const conf_context *context,
                        const conf_found_list *found, size_t n_cases[CONF_N_KINDS])
{
    bool ok = true;
    for (size_t i = 0; i < found->n && !conf_interrupted(); i++) {
        char *text = NULL;
        size_t size;
        assay_error err = {0};
        FILE *out = open_memstream(&text, &size);
        assay_status rc =
            out ? conf_contain(name_kind, found->at[i].path, &options->limits, found->at[i].path, out, &err)
                : assay_fail(&err, ASSAY_ENOMEM, "out of memory");
        if (out) (void)fclose(out);
        if (rc != ASSAY_OK) (void)fprintf(context->err, "assay: %s\n", err.text);
        const int kind = rc == ASSAY_OK ? atoi(text) : CONF_N_KINDS;
        if (kind >= 0 && kind < CONF_N_KINDS) n_cases[kind]++;
        ok = ok && rc == ASSAY_OK;
        free(text);
    }
    return ok;
}

conf_exit conf_explain(const conf_options *options, const conf_context *context, const conf_found_list *found)
{
    const char *const *usual = conf_engine_default(false, false);
    const char *const *names = options->n_engines ? options->engines : usual;
    subject s = {0};
    bool ok = count_cases(options, context, found, s.n_cases);
    for (size_t i = 0; options->n_engines ? i < options->n_engines : names[i] != NULL; i++) {
        conf_engine_column column = {0};
        assay_error err = {0};
        assay_status rc = conf_engine_column_find(names[i], &context->engine_dirs, &column, &err);
        s.name = names[i];
        s.path = column.path;
        if (i > 0) (void)fputc('\n', context->out);
        if (rc == ASSAY_OK)
            rc = conf_contain(explain_module, &s, &options->limits, s.path, context->out, &err);
        if (rc != ASSAY_OK) (void)fprintf(context->err, "assay: engine %s: %s\n", s.name, err.text);
        ok = ok && rc == ASSAY_OK;
        free(column.path);
    }
    return ok ? CONF_EXIT_AGREE : CONF_EXIT_ERROR;
}

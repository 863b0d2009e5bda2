/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/explain_module.h"
#include "conformance/case/run_noise.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/module.h"
#include "conformance/abi/serving.h"
#include "conformance/abi/streams.h"
#include "conformance/kinds/kinds.h"
#include "conformance/replay/manner.h"
#include "conformance/support/text.h"

#define NAME_WIDTH  18                   /* columns */
#define TEXT_COLUMN (2 + NAME_WIDTH + 6) /* where the last column begins */

/* A line of the table: a member of an ABI table and what it unlocks. */
typedef struct entry {
    const char *name;
    bool present;
    const char *words; /* besides kinds and manners; may be NULL */
    conf_kind kinds[2];
    size_t n_kinds;
    bool has_manners; /* manners of evaluation that use the member */
} entry;

bool conf_explain_uses(const conf_case *c, conf_use use)
{
    const conf_decoder *d = &c->decoder;
    switch (use) {
    case CONF_USE_LIMIT: return d->caches.limit > 0;
    case CONF_USE_ITEMS: return d->n_inputs > 0;
    case CONF_USE_BF16: return conf_run_find(&d->rows, CONF_COMPUTE_BF16) != NULL;
    case CONF_USE_INT8: return conf_run_find(&d->rows, CONF_COMPUTE_I8) != NULL;
    default: return false;
    }
}

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

/* An engine may refuse any case. */
static void print_count(FILE *out, size_t n)
{
    (void)fprintf(out, "(%s%zu case%s)", n ? "up to " : "", n, n == 1 ? "" : "s");
}

/* Prints text with line breaks at blanks; the following lines begin at TEXT_COLUMN. */
static void print_wrapped(FILE *out, const char *text, size_t columns)
{
    size_t at = TEXT_COLUMN;
    for (bool first = true; *text; first = false) {
        const size_t n = strcspn(text, " ");
        if (!first && columns > 0 && at + 1 + n > columns) {
            (void)fprintf(out, "\n%*s", TEXT_COLUMN, "");
            at = TEXT_COLUMN;
        } else if (!first) {
            (void)fputc(' ', out);
            at++;
        }
        (void)fwrite(text, 1, n, out);
        at += n;
        text += n + (text[n] == ' ');
    }
    (void)fputc('\n', out);
}

/* The last column of a line, while it is written. */
typedef struct column {
    FILE *file; /* NULL if out of memory */
    char *text;
    size_t size;
} column;

static void open_column(column *c)
{
    *c = (column){0};
    c->file = open_memstream(&c->text, &c->size);
}

/* Prints a line of the table, and frees its last column. */
static void print_line(FILE *out, const conf_explain_module *m, const char *name, const char *has,
                       column *last)
{
    const bool ok = last->file && fclose(last->file) == 0;
    (void)fputs("  ", out);
    conf_text_print_fitted(out, name, NAME_WIDTH);
    (void)fprintf(out, " %-4s ", has);
    print_wrapped(out, ok ? last->text : "out of memory", m->columns);
    free(last->text);
}

static void print_entry_text(FILE *out, const conf_explain_module *m, const entry *e)
{
    const char *between = "";
    for (size_t k = 0; k < e->n_kinds; k++, between = ", ") {
        (void)fprintf(out, "%s%s ", between, conf_kind_of(e->kinds[k])->name);
        print_count(out, m->cases.of_kind[e->kinds[k]]);
    }
    if (*between && (e->has_manners || e->words)) between = "; ";
    if (e->has_manners) {
        (void)fputs(between, out);
        print_manners(out, e->name);
        between = "; ";
    }
    if (e->words) (void)fprintf(out, "%s%s", between, e->words);
}

static void print_entry(FILE *out, const conf_explain_module *m, const entry *e)
{
    column last;
    open_column(&last);
    if (last.file) print_entry_text(last.file, m, e);
    print_line(out, m, e->name, e->present ? "yes" : "no", &last);
}

static void explain_engine(FILE *out, const conf_explain_module *m, const assay_engine *e)
{
    const entry entries[] = {
        {"model_open", true, "required", {0}, 0, false},
        {"model_free", true, "required", {0}, 0, false},
        {"model_vocab", true, "required", {0}, 0, false},
        {"session_open", true, "required", {0}, 0, false},
        {"session_free", true, "required", {0}, 0, false},
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
        {"model_note", e->model_note, "what the engine says of a model, in reports", {0}, 0, false},
        {"positions", e->positions, NULL, {CONF_POSITIONS}, 1, false},
        {"rope", e->rope, NULL, {CONF_ROPE}, 1, false},
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) print_entry(out, m, &entries[i]);
}

/* Options and inputs of the ABI's structs. No table says which of them an engine accepts. */
static void explain_options(FILE *out, const conf_explain_module *m)
{
    const struct {
        const char *name;
        struct {
            const char *words;
            size_t n; /* cases; SIZE_MAX: not counted */
        } parts[2];
    } options[] = {
        {"limit", {{"a limited cache capacity", m->cases.using[CONF_USE_LIMIT]}}},
        {"compute",
         {{"--compute bf16", m->cases.using[CONF_USE_BF16]},
          {"--compute int8", m->cases.using[CONF_USE_INT8]}}},
        {"kernels", {{"--kernels LIBRARY", m->cases.of_kind[CONF_LOGITS] + m->cases.of_kind[CONF_GENERATE]}}},
        {"allow_unknown", {{"--allow-unknown MEMBER", SIZE_MAX}}},
        {"step.items", {{"inputs besides tokens", m->cases.using[CONF_USE_ITEMS]}}},
        {"step.positions", {{"no case: all leave the positions to the engine", SIZE_MAX}}},
    };
    (void)fputs(" options and inputs: an engine may refuse any of them\n", out);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        column last;
        open_column(&last);
        for (size_t k = 0; last.file && k < 2 && options[i].parts[k].words; k++) {
            (void)fprintf(last.file, "%s%s", k ? ", " : "", options[i].parts[k].words);
            if (options[i].parts[k].n == SIZE_MAX) continue;
            (void)fputc(' ', last.file);
            print_count(last.file, options[i].parts[k].n);
        }
        print_line(out, m, options[i].name, "?", &last);
    }
}

/* Whether the serving table has all members of a part. */
static bool offers(const assay_serving *serving, conf_serving_part part)
{
    const char *lacks;
    return serving && conf_serving_has(serving, part, &lacks);
}

static void explain_serving(FILE *out, const conf_explain_module *m, const assay_serving *t, bool has_engine)
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
        {"template_render", offers(t, CONF_SERVING_TEMPLATE), NULL, {CONF_TEMPLATE}, 1, false},
        {"image_size", offers(t, CONF_SERVING_IMAGE_SIZE), NULL, {CONF_PREPROCESS}, 1, false},
        {"sound_size", offers(t, CONF_SERVING_SOUND_SIZE), NULL, {CONF_PREPROCESS}, 1, false},
    };
    (void)fprintf(out, " %s (assay/serving.h)%s\n", ASSAY_SERVING_SYMBOL, t ? "" : ": not exported");
    for (size_t i = 0; t && i < sizeof entries / sizeof *entries; i++) print_entry(out, m, &entries[i]);
}

static void explain_streams(FILE *out, const conf_explain_module *m, const assay_streams *t, bool can_run)
{
    const entry all = {"all of it",    true, can_run ? NULL : "assay run also needs " ASSAY_ENGINE_SYMBOL,
                       {CONF_THREADS}, 1,    false};
    (void)fprintf(out, " %s (assay/stream.h)%s\n", ASSAY_STREAMS_SYMBOL, t ? "" : ": not exported");
    if (t) print_entry(out, m, &all);
}

static bool exports(const char *path, const char *symbol)
{
    void (*function)(void) = NULL;
    return conf_module_find(path, symbol, &function, NULL) == ASSAY_OK && function;
}

/* A module may export each table or not, but not none. */
assay_status conf_explain_module_print(const void *context, FILE *out, assay_error *err)
{
    const conf_explain_module *m = context;
    const assay_engine *engine = NULL;
    const assay_serving *serving = NULL;
    const assay_streams *streams = NULL;
    assay_error why = {0};
    const bool others = exports(m->path, ASSAY_SERVING_SYMBOL) || exports(m->path, ASSAY_STREAMS_SYMBOL);
    if (exports(m->path, ASSAY_ENGINE_SYMBOL) || !others) {
        const assay_status rc = conf_engine_open(m->path, &engine, err);
        if (rc != ASSAY_OK) return rc;
    }
    assay_status rc = conf_serving_open(m->path, &serving, &why);
    if (rc == ASSAY_OK || rc == ASSAY_EUNSUPPORTED) rc = conf_streams_open(m->path, &streams, &why);
    if (rc != ASSAY_OK && rc != ASSAY_EUNSUPPORTED) return assay_fail(err, rc, "%s", why.text);
    if (conf_text_width(m->name) > NAME_WIDTH) (void)fprintf(out, "%s\n%-*s", m->name, NAME_WIDTH, "");
    else (void)fprintf(out, "%-*s", NAME_WIDTH, m->name);
    (void)fputs("   has  unlocks\n", out);
    (void)fprintf(out, " %s (assay/engine.h)%s\n", ASSAY_ENGINE_SYMBOL, engine ? "" : ": not exported");
    if (engine) {
        explain_engine(out, m, engine);
        explain_options(out, m);
    }
    explain_serving(out, m, serving, engine != NULL);
    explain_streams(out, m, streams, engine || serving);
    return ASSAY_OK;
}

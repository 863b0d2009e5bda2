/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/generate/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/generate/show.h"
#include "conformance/support/fields.h"
#include "conformance/support/json_add.h"
#include "conformance/support/text.h"
#include "model/checkpoint/stop.h"
#include "model/loader.h"
#include "model/plan/plan.h"
#include "tokenizer/tokenizer.h"

struct conf_generate_report {
    const conf_options *options;
    const conf_context *context;
    FILE *out;        /* for the reply, or for the document with --json - */
    FILE *document;   /* NULL: no document requested */
    bool shows_reply; /* false if the document is written to `out` */
    assay_part part;  /* the part that was shown last; valid if begun */
    bool begun;
    size_t n_newlines; /* held back: newlines at the end of a part are not shown */
    conf_fields text, reply;
    assay_sink text_sink, reply_sink, fields_sink;
};

/* Length of the white space that text [n] begins with; it is not shown at the start of a part. */
static size_t leading_blanks(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && strchr(" \t\r\n", text[i])) i++;
    return i;
}

/* Pieces end between characters. Generated text must not send escape sequences to a terminal. */
static void print_part(conf_generate_report *r, const char *text, size_t n)
{
    for (size_t at = 0, length; at < n; at += length) {
        length = 1;
        if (text[at] == '\n') {
            r->n_newlines++;
            continue;
        }
        for (; r->n_newlines > 0; r->n_newlines--) (void)fputc('\n', r->out);
        const bool plain = text[at] == '\t' || !r->context->terminal;
        while (text[at] != '\t' && at + length < n && !strchr("\n\t", text[at + length])) length++;
        if (plain) (void)fwrite(text + at, 1, length, r->out);
        else conf_text_print_part(r->out, text + at, length);
    }
}

/* Ends the current part: drops trailing newlines and resets the colour. */
static void end_part(conf_generate_report *r)
{
    r->n_newlines = 0;
    if (r->part == ASSAY_PART_REASONING && r->begun && r->context->color) (void)fputs("\033[0m", r->out);
}

/* Writes the separator and the prefix of a part. */
static void begin_part(conf_generate_report *r, assay_part part)
{
    end_part(r);
    if (part == ASSAY_PART_ARGUMENTS) (void)fputc(' ', r->out);
    else if (r->begun) (void)fputc('\n', r->out);
    if (part == ASSAY_PART_CALL) (void)fputs("call ", r->out);
    if (part == ASSAY_PART_REASONING && r->context->color) (void)fputs("\033[2m", r->out);
    r->part = part;
    r->begun = true;
}

static void take_reply(void *context, assay_part part, const char *text, size_t n)
{
    conf_generate_report *r = context;
    r->fields_sink.take(r->fields_sink.context, part, text, n);
    if (!r->shows_reply || (part == ASSAY_PART_REASONING && !r->context->terminal)) return;
    const bool begins = !r->begun || part != r->part || part == ASSAY_PART_CALL;
    const size_t skipped = begins ? leading_blanks(text, n) : 0;
    if (skipped == n) return;
    if (begins) begin_part(r, part);
    print_part(r, text + skipped, n - skipped);
    (void)fflush(r->out);
}

assay_status conf_generate_report_open(const conf_options *options, const conf_context *context, FILE *out,
                                       conf_generate_report **report, assay_error *err)
{
    conf_generate_report *r = calloc(1, sizeof *r);
    if (!r) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    const bool replaces =
        options->reports[CONF_REPORT_JSON] && strcmp(options->reports[CONF_REPORT_JSON], "-") == 0;
    *r = (conf_generate_report){.options = options, .context = context, .out = out, .shows_reply = !replaces};
    r->text_sink = conf_fields_sink(&r->text);
    r->fields_sink = conf_fields_sink(&r->reply);
    r->reply_sink = (assay_sink){.take = take_reply, .context = r};
    if (replaces) r->document = out;
    else if (options->reports[CONF_REPORT_JSON]) r->document = fopen(options->reports[CONF_REPORT_JSON], "w");
    if (options->reports[CONF_REPORT_JSON] && !r->document) {
        free(r);
        return assay_fail(err, ASSAY_EIO, "%s: %s", options->reports[CONF_REPORT_JSON], strerror(errno));
    }
    *report = r;
    return ASSAY_OK;
}

void conf_generate_report_free(conf_generate_report *r)
{
    if (!r) return;
    if (r->document && r->document != r->out) (void)fclose(r->document);
    conf_fields_free(&r->text);
    conf_fields_free(&r->reply);
    free(r);
}

conf_listeners conf_generate_report_listeners(conf_generate_report *report)
{
    return (conf_listeners){.text = &report->text_sink, .reply = &report->reply_sink};
}

/* Facts about the checkpoint that explain the end of a reply. */
typedef struct checkpoint_facts {
    char token[64];       /* the text of the stop id; empty: not known */
    unsigned origin;      /* the documents that name it, bits of assay_stop_origin */
    size_t max_positions; /* max_position_embeddings; 0: not known */
} checkpoint_facts;

static void describe_stop(const char *dir, int32_t id, checkpoint_facts *b)
{
    stop_set *set;
    tokenizer *t;
    size_t n = 0;
    if (stop_set_read(dir, &set, NULL) == ASSAY_OK) {
        const int32_t *ids = stop_set_ids(set, &n);
        for (size_t i = 0; i < n; i++)
            if (ids[i] == id) b->origin = stop_set_origin(set, i);
        stop_set_free(set);
    }
    if (tokenizer_open(dir, &t, NULL) == ASSAY_OK) {
        const char *text = tokenizer_text_of(t, id, &n);
        if (text) (void)snprintf(b->token, sizeof b->token, "%.*s", (int)n, text);
        shown_clean(b->token, sizeof b->token);
        tokenizer_free(t);
    }
}

/* Errors are ignored and leave members empty: these facts only supplement the report. */
static checkpoint_facts find_facts(const conf_options *options, const conf_generated *g)
{
    checkpoint_facts b = {0};
    plan *p;
    if (plan_open_allowing(options->model, options->allow_unknown, &p, NULL) == ASSAY_OK) {
        b.max_positions = p->max_positions;
        plan_free(p);
    }
    if (g->state.stop_id >= 0) describe_stop(options->model, g->state.stop_id, &b);
    return b;
}

static double per_second(double n, double seconds)
{
    return seconds > 0 ? n / seconds : 0;
}

/* Decoded tokens per second, without the first token, which comes from the prefill; 0 if there are no
 * others. */
static double decode_rate(const conf_generated *g)
{
    return per_second((double)g->n_ids - 1, g->decode_seconds);
}

static void print_counts(const conf_generated *g, FILE *out)
{
    const size_t n_prompt = g->state.prompt_tokens, n = g->state.completion_tokens;
    (void)fprintf(out, "; %zu prompt token%s in %.3f s", n_prompt, n_prompt == 1 ? "" : "s",
                  g->prefill_seconds);
    (void)fprintf(out, " (%.0f/s), %zu completion token%s", per_second((double)n_prompt, g->prefill_seconds),
                  n, n == 1 ? "" : "s");
    if (decode_rate(g) > 0) (void)fprintf(out, " (%.1f/s)", decode_rate(g));
}

static void print_summary(const conf_generate_report *r, const conf_generated *g, const checkpoint_facts *b)
{
    FILE *out = r->context->err;
    char documents[80];
    (void)fprintf(out, "%s", conf_generated_reason(g));
    if (g->state.by_text) (void)fputs(": a stop text", out);
    else if (g->state.stop_id >= 0) {
        stop_origin_print(documents, sizeof documents, b->origin);
        (void)fprintf(out, ": %" PRId32 "%s%s%s%s", g->state.stop_id, *b->token ? " " : "", b->token,
                      *documents ? " " : "", documents);
    }
    print_counts(g, out);
    if (b->max_positions > 0 && g->state.prompt_tokens + g->state.completion_tokens > b->max_positions)
        (void)fprintf(out, "; more than the %zu positions that the model was trained on", b->max_positions);
    (void)fputc('\n', out);
}

/* Adds a string, or null if it is empty. */
static bool add_bytes(json_object *to, const char *name, const buffer *bytes)
{
    if (bytes->n == 0) return json_object_object_add(to, name, NULL) == 0;
    return conf_json_add(to, name, json_object_new_string_len(bytes->data, (int)bytes->n));
}

static bool add_calls(json_object *to, const conf_fields *reply)
{
    json_object *calls = json_object_new_array();
    bool ok = conf_json_add(to, "tool_calls", calls);
    for (size_t i = 0; ok && i < reply->n_calls; i++) {
        json_object *call = json_object_new_object();
        ok = conf_json_append(calls, call) && add_bytes(call, "name", &reply->calls[i].name) &&
             add_bytes(call, "arguments", &reply->calls[i].arguments);
    }
    return ok;
}

/* Adds the name of each document in `origin`. */
static bool add_documents(json_object *to, unsigned origin)
{
    json_object *list = json_object_new_array();
    bool ok = conf_json_add(to, "documents", list);
    for (unsigned bit = 1; ok && bit <= origin; bit <<= 1) {
        char name[32];
        if (!(origin & bit)) continue;
        stop_origin_print(name, sizeof name, bit);
        ok = conf_json_append(list, json_object_new_string(name));
    }
    return ok;
}

static bool add_end(json_object *to, const conf_generated *g, const checkpoint_facts *b)
{
    json_object *usage = json_object_new_object(), *end = NULL;
    bool ok = conf_json_add_text(to, "finish_reason", conf_generated_reason(g)) &&
              conf_json_add(to, "usage", usage) &&
              conf_json_add_count(usage, "prompt_tokens", g->state.prompt_tokens) &&
              conf_json_add_count(usage, "completion_tokens", g->state.completion_tokens) &&
              conf_json_add_count(usage, "total_tokens", g->state.prompt_tokens + g->state.completion_tokens);
    if (g->state.stop_id < 0) return ok && json_object_object_add(to, "stop", NULL) == 0;
    end = json_object_new_object();
    return ok && conf_json_add(to, "stop", end) && conf_json_add_count(end, "id", (size_t)g->state.stop_id) &&
           conf_json_add_text(end, "token", b->token) && add_documents(end, b->origin);
}

static bool add_ids(json_object *to, const conf_generated *g)
{
    json_object *ids = json_object_new_array();
    bool ok = conf_json_add(to, "ids", ids);
    for (size_t i = 0; ok && i < g->n_ids; i++) ok = conf_json_append(ids, json_object_new_int(g->ids[i]));
    return ok;
}

/* Adds n, or null if it is 0 (not known). */
static bool add_known(json_object *to, const char *name, size_t n)
{
    return n == 0 ? json_object_object_add(to, name, NULL) == 0 : conf_json_add_count(to, name, n);
}

static assay_status print_document(const conf_generate_report *r, const conf_prompt *prompt,
                                   const conf_generated *g, const checkpoint_facts *b, assay_error *err)
{
    json_object *document = json_object_new_object();
    const bool ok =
        document && conf_json_add_text(document, "schema", "assay-generate/1") &&
        conf_json_add_text(document, "model", r->options->model) &&
        conf_prompt_add(document, prompt, r->options) && add_bytes(document, "text", &r->text.content) &&
        add_bytes(document, "reasoning", &r->reply.reasoning) &&
        add_bytes(document, "content", &r->reply.content) && add_calls(document, &r->reply) &&
        add_end(document, g, b) && add_ids(document, g) &&
        add_known(document, "max_positions", b->max_positions) &&
        conf_json_add_real(document, "prefill_seconds", g->prefill_seconds) &&
        conf_json_add_real(document, "decode_seconds", g->decode_seconds) &&
        conf_json_add_real(document, "tokens_per_second", decode_rate(g) > 0 ? decode_rate(g) : NAN);
    return conf_json_print_document(document, ok, r->document, err);
}

assay_status conf_generate_report_finish(conf_generate_report *r, const conf_prompt *prompt,
                                         const conf_generated *g, assay_error *err)
{
    end_part(r);
    if (r->begun) (void)fputc('\n', r->out);
    (void)fflush(r->out);
    const checkpoint_facts b = find_facts(r->options, g);
    if (r->shows_reply) print_summary(r, g, &b);
    if (r->text.no_memory || r->reply.no_memory) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (!r->document) return ASSAY_OK;
    assay_status rc = print_document(r, prompt, g, &b, err);
    if (r->document != r->out && fclose(r->document) != 0 && rc == ASSAY_OK)
        rc = assay_fail(err, ASSAY_EIO, "%s: %s", r->options->reports[CONF_REPORT_JSON], strerror(errno));
    r->document = NULL;
    return rc;
}

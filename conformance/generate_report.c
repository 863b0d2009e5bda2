/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/generate_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/fields.h"
#include "conformance/json_add.h"
#include "model/error.h"
#include "model/stop.h"
#include "model/tokenizer.h"

struct conf_generate_report {
    const conf_options *options;
    const conf_context *context;
    FILE *out;        /* of the reply; of the document where that goes to standard output */
    FILE *document;   /* NULL: none is asked for */
    bool shows_reply; /* the document has not taken its place */
    assay_part part;  /* that was shown last */
    bool begun;
    conf_fields text, reply;
    assay_sink text_sink, reply_sink, fields_sink;
};

/* White space before a part's first character is not shown. */
static size_t blanks(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && strchr(" \t\r\n", text[i])) i++;
    return i;
}

/* A model's text must not write escape codes on a terminal. */
static void put(const conf_generate_report *r, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        (void)fputc(control && r->context->terminal ? ' ' : c, r->out);
    }
}

/* What stands between two parts, and before the first. */
static void begin_part(conf_generate_report *r, assay_part part)
{
    if (r->part == ASSAY_PART_REASONING && r->begun && r->context->color) (void)fputs("\033[0m", r->out);
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
    const size_t skipped = begins ? blanks(text, n) : 0;
    if (skipped == n) return;
    if (begins) begin_part(r, part);
    put(r, text + skipped, n - skipped);
    (void)fflush(r->out);
}

assay_status conf_generate_report_open(const conf_options *options, const conf_context *context, FILE *out,
                                       conf_generate_report **report, assay_error *err)
{
    conf_generate_report *r = calloc(1, sizeof *r);
    if (!r) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    const bool replaces = options->json && strcmp(options->json, "-") == 0;
    *r = (conf_generate_report){.options = options, .context = context, .out = out, .shows_reply = !replaces};
    r->text_sink = conf_fields_sink(&r->text);
    r->fields_sink = conf_fields_sink(&r->reply);
    r->reply_sink = (assay_sink){.take = take_reply, .context = r};
    if (replaces) r->document = out;
    else if (options->json) r->document = fopen(options->json, "w");
    if (options->json && !r->document) {
        free(r);
        return assay_fail(err, ASSAY_EIO, "%s: %s", options->json, strerror(errno));
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

/* The stop id that ended a reply. */
typedef struct stop_info {
    char token[64];     /* its text; empty: not known */
    char documents[80]; /* that name it */
} stop_info;

/* What cannot be found out is left empty: it is said beside what was asked for. */
static stop_info describe_stop(const char *dir, int32_t id)
{
    stop_info info = {0};
    stop_set *set;
    tokenizer *t;
    size_t n = 0;
    if (stop_set_read(dir, &set, NULL) == ASSAY_OK) {
        const int32_t *ids = stop_set_ids(set, &n);
        for (size_t i = 0; i < n; i++)
            if (ids[i] == id)
                stop_origin_print(info.documents, sizeof info.documents, stop_set_origin(set, i));
        stop_set_free(set);
    }
    if (tokenizer_open(dir, &t, NULL) == ASSAY_OK) {
        const char *text = tokenizer_text_of(t, id, &n);
        if (text) (void)snprintf(info.token, sizeof info.token, "%.*s", (int)n, text);
        tokenizer_free(t);
    }
    return info;
}

static double rate(double n, double seconds)
{
    return seconds > 0 ? n / seconds : 0;
}

/* Steps behind the first token, which the prefill gave. */
static double decode_rate(const conf_generated *g)
{
    return rate((double)g->n_ids - 1, g->decode_seconds);
}

static void tell(const conf_generate_report *r, const conf_generated *g, const stop_info *stop)
{
    FILE *err = r->context->err;
    (void)fprintf(err, "%s", conf_generated_reason(g));
    if (g->state.by_text) (void)fputs(": a stop text", err);
    else if (g->state.stop_id >= 0)
        (void)fprintf(err, ": %" PRId32 "%s%s%s%s", g->state.stop_id, *stop->token ? " " : "", stop->token,
                      *stop->documents ? " " : "", stop->documents);
    (void)fprintf(err, "; %zu prompt tokens in %.3f s (%.0f/s), %zu completion tokens (%.1f/s)\n",
                  g->state.prompt_tokens, g->prefill_seconds,
                  rate((double)g->state.prompt_tokens, g->prefill_seconds), g->state.completion_tokens,
                  decode_rate(g));
}

/* null where it is empty. */
static bool add_bytes(json_object *to, const char *name, const conf_bytes *bytes)
{
    if (bytes->n == 0) return json_object_object_add(to, name, NULL) == 0;
    return conf_json_add(to, name, json_object_new_string_len(bytes->at, (int)bytes->n));
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

static bool add_end(json_object *to, const conf_generated *g, const stop_info *stop)
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
           conf_json_add_text(end, "token", stop->token) &&
           conf_json_add_text(end, "documents", stop->documents);
}

static bool add_ids(json_object *to, const conf_generated *g)
{
    json_object *ids = json_object_new_array();
    bool ok = conf_json_add(to, "ids", ids);
    for (size_t i = 0; ok && i < g->n_ids; i++) ok = conf_json_append(ids, json_object_new_int(g->ids[i]));
    return ok;
}

static assay_status print_document(const conf_generate_report *r, const conf_generated *g,
                                   const stop_info *stop, assay_error *err)
{
    json_object *document = json_object_new_object();
    const bool ok = document && conf_json_add_text(document, "schema", "assay-generate/1") &&
                    conf_json_add_text(document, "model", r->options->model) &&
                    add_bytes(document, "text", &r->text.content) &&
                    add_bytes(document, "reasoning", &r->reply.reasoning) &&
                    add_bytes(document, "content", &r->reply.content) && add_calls(document, &r->reply) &&
                    add_end(document, g, stop) && add_ids(document, g) &&
                    conf_json_add_real(document, "prefill_seconds", g->prefill_seconds) &&
                    conf_json_add_real(document, "decode_seconds", g->decode_seconds) &&
                    conf_json_add_real(document, "tokens_per_second", decode_rate(g));
    return conf_json_print_document(document, ok, r->document, err);
}

assay_status conf_generate_report_finish(conf_generate_report *r, const conf_generated *g, assay_error *err)
{
    if (r->begun && r->part == ASSAY_PART_REASONING && r->context->color) (void)fputs("\033[0m", r->out);
    if (r->begun) (void)fputc('\n', r->out);
    (void)fflush(r->out);
    const stop_info stop =
        g->state.stop_id >= 0 ? describe_stop(r->options->model, g->state.stop_id) : (stop_info){0};
    if (r->shows_reply) tell(r, g, &stop);
    if (r->text.no_memory || r->reply.no_memory) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return r->document ? print_document(r, g, &stop, err) : ASSAY_OK;
}

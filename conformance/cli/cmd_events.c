/* assay events: checks an event stream, and names the rules of its protocol that it breaks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/cli/cmd.h"
#include "conformance/support/json_add.h"
#include "conformance/support/text.h"
#include "dialogue/grammar/grammar.h"
#include "dialogue/markers.h"

/* A stream to check, and the result. */
typedef struct reading {
    const char *path;
    const char **markers; /* [options.n_markers]: of --marker and of parsers */
    serve_grammar_options options;
    serve_grammar *grammar;
    const serve_breaches *breaches;
    serve_grammar_summary summary;
} reading;

static assay_status check_marker(const char *marker, assay_error *err)
{
    if (strlen(marker) <= SERVE_MARKER_MAX) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "option --marker: found %zu bytes, expected at most %d",
                      strlen(marker), SERVE_MARKER_MAX);
}

/* Adds the markers of a parser; "none" means no parser, as in assay generate. */
static assay_status add_parser(const char *option, const char *name, reading *r,
                               assay_status (*find)(const char *, serve_markers *, assay_error *),
                               assay_error *err)
{
    serve_markers found;
    assay_error why;
    if (!name || strcmp(name, "none") == 0) return ASSAY_OK;
    if (find(name, &found, &why) != ASSAY_OK)
        return assay_fail(err, ASSAY_EINVAL, "option %s: %s", option, why.text);
    memcpy(r->markers + r->options.n_markers, found.at, found.n * sizeof *found.at);
    r->options.n_markers += found.n;
    return ASSAY_OK;
}

static assay_status read_markers(const conf_options *options, reading *r, assay_error *err)
{
    r->markers = calloc(options->n_markers + 2 * SERVE_MARKERS_MAX, sizeof *r->markers);
    if (!r->markers) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    r->options.markers = r->markers;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < options->n_markers; i++) {
        rc = check_marker(options->markers[i], err);
        r->markers[r->options.n_markers++] = options->markers[i];
    }
    if (rc == ASSAY_OK)
        rc = add_parser("--reasoning-parser", options->reasoning, r, serve_markers_of_reasoning, err);
    if (rc == ASSAY_OK) rc = add_parser("--tool-parser", options->tools, r, serve_markers_of_tools, err);
    return rc;
}

static assay_status read_options(const conf_options *options, reading *r, assay_error *err)
{
    const char *usage = options->usage;
    if (options->n_arguments != 1)
        return assay_fail(err, ASSAY_EINVAL, "found %zu files, expected one, or - for standard input",
                          options->n_arguments);
    if (!options->endpoint)
        return assay_fail(
            err, ASSAY_EINVAL,
            "option --endpoint is missing, expected chat, completions, messages or responses, or "
            "the path of one");
    if (!serve_endpoint_find(options->endpoint, &r->options.endpoint))
        return assay_fail(
            err, ASSAY_EINVAL,
            "option --endpoint: found %s, expected chat, completions, messages or responses, or a "
            "path: /v1/chat/completions, …",
            options->endpoint);
    if (usage && strcmp(usage, "yes") != 0 && strcmp(usage, "no") != 0)
        return assay_fail(err, ASSAY_EINVAL, "option --usage: found %s, expected yes or no", usage);
    if (usage) r->options.usage = usage[0] == 'y' ? SERVE_ASKED_FOR : SERVE_NOT_ASKED_FOR;
    r->path = options->arguments[0];
    return read_markers(options, r, err);
}

/* Checks a stream. */
static assay_status run_grammar(FILE *in, reading *r, assay_error *err)
{
    static char bytes[1 << 16];
    assay_status rc = serve_grammar_open(&r->options, &r->grammar);
    if (rc != ASSAY_OK) return assay_fail(err, rc, "%s: out of memory", r->path);
    for (size_t n; rc == ASSAY_OK && (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        rc = serve_grammar_feed(r->grammar, bytes, n);
    const int failed = ferror(in) ? errno : 0;
    if (rc == ASSAY_OK && !failed) rc = serve_grammar_end(r->grammar);
    serve_grammar_summarise(r->grammar, &r->summary);
    r->breaches = serve_grammar_breaches(r->grammar);
    if (failed) return assay_fail(err, ASSAY_EIO, "%s: %s", r->path, strerror(failed));
    return rc == ASSAY_OK ? rc : assay_fail(err, rc, "%s: out of memory", r->path);
}

static assay_status read_stream(reading *r, assay_error *err)
{
    if (strcmp(r->path, "-") == 0) return run_grammar(stdin, r, err);
    FILE *in = fopen(r->path, "rb");
    if (!in) return assay_fail(err, ASSAY_EIO, "%s: %s", r->path, strerror(errno));
    assay_status rc = run_grammar(in, r, err);
    (void)fclose(in);
    return rc;
}

/* A habit is harmless. */
static bool is_sound(const reading *r)
{
    return !serve_breaches_reach(r->breaches, SERVE_DEPARTS);
}

static void print_tokens(const serve_grammar_summary *s, FILE *out)
{
    if (s->input_tokens >= 0) (void)fprintf(out, ", %" PRId64 " tokens in", s->input_tokens);
    if (s->output_tokens >= 0) (void)fprintf(out, ", %" PRId64 " out", s->output_tokens);
}

static void print_breach(const char *path, const serve_breach *breach, FILE *out)
{
    char text[sizeof breach->text], excerpt[sizeof breach->excerpt];
    (void)snprintf(text, sizeof text, "%s", breach->text);
    (void)snprintf(excerpt, sizeof excerpt, "%s", breach->excerpt);
    shown_clean(text, sizeof text);
    shown_clean(excerpt, sizeof excerpt);
    (void)fprintf(out, "%s: event %zu, byte %zu: %s: %s: %s\n", path, breach->event, breach->offset,
                  serve_grade_name(breach->grade), breach->rule, text);
    if (*excerpt) (void)fprintf(out, "    data: %s\n", excerpt);
}

static void print_text(const reading *r, FILE *out)
{
    const serve_grammar_summary *s = &r->summary;
    const size_t n = r->breaches->n, n_more = r->breaches->n_all - n;
    char path[512];
    (void)snprintf(path, sizeof path, "%s", r->path);
    shown_clean(path, sizeof path);
    for (size_t i = 0; i < n; i++) print_breach(path, &r->breaches->at[i], out);
    if (n_more) (void)fprintf(out, "%s: %zu more breaches of these rules\n", path, n_more);
    (void)fprintf(out, "%s: %s: %zu events, %zu bytes; ", path,
                  is_sound(r)                                       ? "sound"
                  : serve_breaches_reach(r->breaches, SERVE_BREAKS) ? "breaks"
                                                                    : "departs",
                  s->n_events, s->n_bytes);
    (void)fputs("ends with ", out);
    conf_text_print_clean(out, s->failed ? "an error" : *s->finish ? s->finish : "no reason");
    (void)fprintf(out, "; %zu bytes of content, %zu of reasoning, %zu call%s", s->content_bytes,
                  s->reasoning_bytes, s->n_calls, s->n_calls == 1 ? "" : "s");
    print_tokens(s, out);
    (void)fputc('\n', out);
}

static bool add_breach(json_object *to, const serve_breach *b)
{
    json_object *breach = json_object_new_object();
    return conf_json_append(to, breach) && conf_json_add_text(breach, "rule", b->rule) &&
           conf_json_add_text(breach, "grade", serve_grade_name(b->grade)) &&
           conf_json_add_count(breach, "event", b->event) && conf_json_add_count(breach, "byte", b->offset) &&
           conf_json_add_text(breach, "text", b->text) && conf_json_add_text(breach, "excerpt", b->excerpt);
}

static bool add_breaches(json_object *to, const serve_breaches *breaches)
{
    json_object *list = json_object_new_array();
    bool ok = conf_json_add_count(to, "n_breaches", breaches->n_all) && conf_json_add(to, "breaches", list);
    for (size_t i = 0; ok && i < breaches->n; i++) ok = add_breach(list, &breaches->at[i]);
    return ok;
}

/* Adds a number of tokens; null if the stream did not report it. */
static bool add_tokens(json_object *to, const char *name, int64_t n)
{
    return n < 0 ? json_object_object_add(to, name, NULL) == 0 : conf_json_add_count(to, name, (size_t)n);
}

static assay_status print_json(const reading *r, FILE *out, assay_error *err)
{
    const serve_grammar_summary *s = &r->summary;
    json_object *document = json_object_new_object();
    bool ok = document && conf_json_add_text(document, "schema", "assay-events/2") &&
              conf_json_add_text(document, "path", r->path) &&
              conf_json_add_text(document, "endpoint", serve_endpoint_name(r->options.endpoint)) &&
              conf_json_add(document, "sound", json_object_new_boolean(is_sound(r))) &&
              conf_json_add_count(document, "events", s->n_events) &&
              conf_json_add_count(document, "bytes", s->n_bytes) &&
              conf_json_add_count(document, "content_bytes", s->content_bytes) &&
              conf_json_add_count(document, "reasoning_bytes", s->reasoning_bytes) &&
              conf_json_add_count(document, "calls", s->n_calls) &&
              conf_json_add_text(document, "finish", s->finish) &&
              conf_json_add(document, "failed", json_object_new_boolean(s->failed)) &&
              add_tokens(document, "input_tokens", s->input_tokens) &&
              add_tokens(document, "output_tokens", s->output_tokens);
    ok = ok && add_breaches(document, r->breaches);
    return conf_json_print_document(document, ok, out, err);
}

/* Prints the text and, with --json, the document; --json - replaces the text. */
static assay_status report_answer(const conf_options *options, const conf_context *context, const reading *r,
                                  assay_error *err)
{
    if (!options->reports[CONF_REPORT_JSON] || strcmp(options->reports[CONF_REPORT_JSON], "-") != 0)
        print_text(r, context->out);
    if (!options->reports[CONF_REPORT_JSON]) return ASSAY_OK;
    if (strcmp(options->reports[CONF_REPORT_JSON], "-") == 0) return print_json(r, context->out, err);
    FILE *out = fopen(options->reports[CONF_REPORT_JSON], "w");
    if (!out)
        return assay_fail(err, ASSAY_EIO, "%s: %s", options->reports[CONF_REPORT_JSON], strerror(errno));
    assay_status rc = print_json(r, out, err);
    if (fclose(out) != 0 && rc == ASSAY_OK)
        rc = assay_fail(err, ASSAY_EIO, "%s: %s", options->reports[CONF_REPORT_JSON], strerror(errno));
    return rc;
}

static conf_exit check_events(const conf_options *options, const conf_context *context, reading *r,
                              assay_error *err)
{
    if (read_options(options, r, err) != ASSAY_OK) return CONF_EXIT_USAGE;
    assay_status rc = read_stream(r, err);
    if (rc == ASSAY_OK) rc = report_answer(options, context, r, err);
    if (rc != ASSAY_OK) return CONF_EXIT_ERROR;
    return is_sound(r) ? CONF_EXIT_AGREE : CONF_EXIT_DIVERGES;
}

conf_exit conf_cmd_events(const conf_options *options, const conf_context *context)
{
    reading r = {0};
    assay_error err;
    const conf_exit code = check_events(options, context, &r, &err);
    if (code == CONF_EXIT_USAGE || code == CONF_EXIT_ERROR) conf_cmd_print_error(context, "%s", err.text);
    serve_grammar_free(r.grammar);
    free(r.markers);
    return code;
}

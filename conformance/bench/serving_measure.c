/* One measurement of a parser, in the child process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/serving_measure.h"

#include <math.h>
#include <string.h>

#include "conformance/abi/serving.h"
#include "conformance/support/clock.h"

/* Timed rounds per process: a single one is so short that one interruption would show. */
enum { ROUNDS = 3 };

/* A minimal client: copies the text that it receives into a ring buffer. */
typedef struct client {
    char buffer[1 << 16];
    size_t at;
} client;

static void copy_part(void *context, assay_part part, const char *text, size_t n)
{
    client *c = context;
    (void)part;
    if (n > sizeof c->buffer) n = sizeof c->buffer;
    if (n > sizeof c->buffer - c->at) c->at = 0;
    memcpy(c->buffer + c->at, text, n);
    c->at += n;
}

static void count_part(void *context, assay_part part, const char *text, size_t n)
{
    conf_bench_found *found = context;
    if (part == ASSAY_PART_REASONING) found->n_reasoning += conf_bench_count_nonblank(text, n);
    if (part == ASSAY_PART_CONTENT) found->n_content += conf_bench_count_nonblank(text, n);
    if (part == ASSAY_PART_CALL) found->n_calls++;
}

/* Parses reply i, whose deltas begin at delta *from and byte *at; moves both past its end. */
static assay_status read_reply(const assay_serving *s, const conf_bench_replies *r, size_t i, size_t *from,
                               size_t *at, const assay_sink *sink, assay_error *err)
{
    const assay_reply_options options = {.size = sizeof options,
                                         .reasoning = r->parser->tools ? NULL : r->parser->name,
                                         .tools = r->parser->tools ? r->parser->name : NULL,
                                         .request = r->parser->tools ? r->request : (assay_text){0}};
    assay_reply *reply;
    assay_status rc = s->reply_open(&options, &reply, err);
    if (rc != ASSAY_OK) return rc;
    for (; *from < r->ends[i] && rc == ASSAY_OK; ++*from) {
        rc = s->reply_feed(reply, r->text + *at, r->deltas[*from], sink, err);
        *at += r->deltas[*from];
    }
    if (rc == ASSAY_OK) rc = s->reply_end(reply, sink, err);
    s->reply_free(reply);
    return rc;
}

/* Parses all replies; false if the module fails, which *v then describes. */
static bool read_all(const assay_serving *s, const conf_bench_replies *r, const assay_sink *sink,
                     conf_verdict *v)
{
    assay_error err = {0};
    assay_status rc = ASSAY_OK;
    size_t from = 0, at = 0;
    for (size_t i = 0; i < CONF_BENCH_REPLIES && rc == ASSAY_OK; i++)
        rc = read_reply(s, r, i, &from, &at, sink, &err);
    err.text[sizeof err.text - 1] = '\0';
    const char *text = err.text[0] ? err.text : "no reason given";
    if (rc == ASSAY_EUNSUPPORTED) conf_verdict_set(v, CONF_SKIPPED, "%s", text);
    else if (rc == ASSAY_ENOMEM) conf_verdict_fail(v, CONF_CLASS_MEMORY, "%s (see --memory)", text);
    else if (rc != ASSAY_OK) conf_verdict_fail(v, CONF_CLASS_REFUSED, "%s", text);
    return rc == ASSAY_OK;
}

/* Checks that the parser finds everything, since one that does not is faster for the wrong reason. */
static bool find_all(const assay_serving *s, const conf_bench_replies *r, conf_verdict *v)
{
    conf_bench_found found = {0};
    const conf_bench_found *e = &r->expected;
    const assay_sink sink = {.take = count_part, .context = &found};
    if (!read_all(s, r, &sink, v)) return false;
    if (r->parser->tools) {
        if (found.n_calls == e->n_calls) return true;
        conf_verdict_fail(v, CONF_CLASS_TEXT, "found %zu calls, expected %zu", found.n_calls, e->n_calls);
        return false;
    }
    if (found.n_reasoning == e->n_reasoning && found.n_content == e->n_content) return true;
    conf_verdict_fail(v, CONF_CLASS_TEXT,
                      "but for white space found %zu bytes of reasoning and %zu of content, expected %zu and "
                      "%zu",
                      found.n_reasoning, found.n_content, e->n_reasoning, e->n_content);
    return false;
}

static double measure_copy(const conf_bench_replies *r, const assay_sink *sink)
{
    /* volatile: an indirect call for each delta, as a module must make */
    void (*volatile take)(void *, assay_part, const char *, size_t) = sink->take;
    const char *text = r->text;
    const double start = conf_processor_clock();
    for (size_t i = 0; i < r->n_deltas; i++) {
        take(sink->context, ASSAY_PART_CONTENT, text, r->deltas[i]);
        text += r->deltas[i];
    }
    return conf_processor_clock() - start;
}

void conf_bench_serving_measure(const void *request, conf_verdict *v)
{
    static client c;
    const conf_bench_serving_request *r = request;
    const assay_sink sink = {.take = copy_part, .context = &c};
    v->stage = CONF_STAGE_LOAD;
    const assay_serving *s = conf_serving_offered(r->module, CONF_SERVING_REPLY, v);
    if (!s) return;
    v->stage = CONF_STAGE_REPLY;
    if (!find_all(s, r->replies, v)) return;
    conf_bench_reading best = {.seconds = INFINITY, .limit_seconds = INFINITY};
    for (int round = 0; round < ROUNDS; round++) {
        const double start = conf_processor_clock();
        if (!read_all(s, r->replies, &sink, v)) return;
        best.seconds = fmin(best.seconds, conf_processor_clock() - start);
        best.limit_seconds = fmin(best.limit_seconds, measure_copy(r->replies, &sink));
    }
    *r->out = best;
}

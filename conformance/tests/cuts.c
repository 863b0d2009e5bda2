/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/cuts.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"

/* A parse of a golden's text. */
typedef struct reading {
    const cuts_parser *parser;
    const cuts_golden *golden;
    conf_fields fields;
    assay_sink sink;
} reading;

static void begin(reading *r, const cuts_parser *parser, const cuts_golden *g)
{
    *r = (reading){.parser = parser, .golden = g};
    r->sink = conf_fields_sink(&r->fields);
    parser->begin(g);
}

static void feed(reading *r, size_t from, size_t n)
{
    r->parser->feed(buffer_text(&r->golden->text).at + from, n, &r->sink);
}

static void end(reading *r)
{
    r->parser->end(r->golden, &r->fields, &r->sink);
    if (r->fields.broken) ck_abort_msg("%s", r->fields.broken);
}

static bool same(const buffer *a, const buffer *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->data, b->data, a->n) == 0);
}

static bool same_fields(const conf_fields *a, const conf_fields *b)
{
    bool equal =
        same(&a->content, &b->content) && same(&a->reasoning, &b->reasoning) && a->n_calls == b->n_calls;
    for (size_t i = 0; equal && i < a->n_calls; i++)
        equal = same(&a->calls[i].name, &b->calls[i].name) &&
                same(&a->calls[i].arguments, &b->calls[i].arguments);
    return equal;
}

/* Ends the parse, compares its fields, and frees it. */
static void expect_same(reading *r, const conf_fields *whole, const char *how)
{
    const cuts_golden *g = r->golden;
    end(r);
    if (!same_fields(&r->fields, whole))
        ck_abort_msg("%s, %s: %.*s", g->parser, how, (int)g->text.n, g->text.data);
    conf_fields_free(&r->fields);
}

static void in_two(const cuts_parser *parser, const cuts_golden *g, const conf_fields *whole)
{
    for (size_t i = 0; i <= g->text.n; i++) {
        reading r;
        begin(&r, parser, g);
        feed(&r, 0, i);
        feed(&r, i, g->text.n - i);
        expect_same(&r, whole, "in two");
    }
}

static void in_bytes(const cuts_parser *parser, const cuts_golden *g, const conf_fields *whole)
{
    reading r;
    begin(&r, parser, g);
    for (size_t i = 0; i < g->text.n; i++) feed(&r, i, 1);
    expect_same(&r, whole, "in bytes");
}

/* Parses in random pieces of up to 1, 2, … 24 bytes, some of them empty. */
static void at_random(const cuts_parser *parser, const cuts_golden *g, const conf_fields *whole)
{
    unsigned state = (unsigned)g->text.n;
    for (size_t most = 1; most <= 24; most++) {
        reading r;
        begin(&r, parser, g);
        for (size_t i = 0; i < g->text.n;) {
            state = state * 1664525U + 1013904223U;
            size_t n = (state >> 16) % (most + 1);
            if (n > g->text.n - i) n = g->text.n - i;
            feed(&r, i, n);
            i += n;
        }
        expect_same(&r, whole, "at random");
    }
}

void cuts_expect_field(const cuts_golden *g, const char *name, const buffer *found)
{
    char text[512];
    json_object *member;
    (void)json_object_object_get_ex(g->expect, name, &member);
    ck_assert_msg(conf_field_equals(name, member, found, text, sizeof text), "%s: %s: %.*s", g->parser, text,
                  (int)g->text.n, g->text.data);
}

static void append(buffer *bytes, json_object *string)
{
    ck_assert(buffer_append_text(
        bytes, (assay_text){json_object_get_string(string), (size_t)json_object_get_string_len(string)}));
}

static void read_golden(json_object *vector, cuts_golden *g)
{
    json_object *parser, *text, *deltas, *request;
    *g = (cuts_golden){0};
    ck_assert(json_object_object_get_ex(vector, "expect", &g->expect));
    ck_assert(json_object_object_get_ex(vector, "input", &g->input));
    ck_assert(json_object_object_get_ex(g->input, "parser", &parser));
    g->parser = json_object_get_string(parser);
    if (json_object_object_get_ex(g->input, "request", &request))
        g->request.at = json_object_to_json_string_length(request, JSON_C_TO_STRING_PLAIN, &g->request.n);
    if (json_object_object_get_ex(g->input, "text", &text)) append(&g->text, text);
    else if (json_object_object_get_ex(g->input, "deltas", &deltas))
        for (size_t i = 0; i < json_object_array_length(deltas); i++)
            append(&g->text, json_object_array_get_idx(deltas, i));
}

static void judge(const cuts_parser *parser, json_object *vector)
{
    cuts_golden g;
    reading whole;
    read_golden(vector, &g);
    begin(&whole, parser, &g);
    feed(&whole, 0, g.text.n);
    end(&whole);
    parser->judge(&g, &whole.fields);
    in_two(parser, &g, &whole.fields);
    in_bytes(parser, &g, &whole.fields);
    at_random(parser, &g, &whole.fields);
    conf_fields_free(&whole.fields);
    free(g.text.data);
}

size_t cuts_judge(const cuts_parser *parser, const char *file)
{
    const char *top = getenv("top_srcdir");
    char path[4096];
    assay_error err;
    conf_case *c;
    (void)snprintf(path, sizeof path, "%s/fixtures/serving/%s/%s", top ? top : ".", parser->directory, file);
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    const size_t n = c->vectors.n;
    for (size_t i = 0; i < n; i++) {
        conf_vector_place place;
        judge(parser, conf_vector_find(&c->vectors, i, path, &place)->value);
    }
    conf_case_free(c);
    return n;
}

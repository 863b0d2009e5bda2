/* The bundled goldens of tool calls, cut in every way: all must give the same content, exactly, and the same
 * calls; and nothing that the model did not write is content.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case.h"
#include "conformance/fields.h"
#include "conformance/tests/support.h"

typedef struct golden {
    const char *parser;
    assay_text request;
    json_object *expect;
    conf_bytes text;
} golden;

/* A reading of a golden's text. */
typedef struct reading {
    serve_tools *t;
    conf_fields fields;
    assay_sink sink;
} reading;

static void begin(reading *r, const golden *g)
{
    assay_error err;
    r->fields = (conf_fields){0};
    r->sink = conf_fields_sink(&r->fields);
    ck_assert_msg(serve_tools_open(g->parser, g->request, &r->t, &err) == ASSAY_OK, "%s", err.text);
}

static void feed(reading *r, const char *text, size_t n)
{
    ck_assert_int_eq(serve_tools_feed(r->t, text, n, &r->sink, NULL), ASSAY_OK);
}

static void end(reading *r)
{
    ck_assert_int_eq(serve_tools_end(r->t, &r->sink, NULL), ASSAY_OK);
    ck_assert_msg(!r->fields.broken, "%s", r->fields.broken);
    serve_tools_free(r->t);
}

static bool same(const conf_bytes *a, const conf_bytes *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n) == 0);
}

static bool same_calls(const conf_fields *a, const conf_fields *b)
{
    bool equal = a->n_calls == b->n_calls;
    for (size_t i = 0; equal && i < a->n_calls; i++)
        equal = same(&a->calls[i].name, &b->calls[i].name) &&
                same(&a->calls[i].arguments, &b->calls[i].arguments);
    return equal;
}

/* Ends the reading and frees it. */
static void expect_same(reading *r, const golden *g, const conf_fields *whole, const char *how)
{
    end(r);
    ck_assert_msg(same(&r->fields.content, &whole->content) && same_calls(&r->fields, whole), "%s, %s: %.*s",
                  g->parser, how, (int)g->text.n, g->text.at);
    conf_fields_free(&r->fields);
}

static void in_two(const golden *g, const conf_fields *whole)
{
    for (size_t i = 0; i <= g->text.n; i++) {
        reading r;
        begin(&r, g);
        feed(&r, g->text.at, i);
        feed(&r, g->text.at + i, g->text.n - i);
        expect_same(&r, g, whole, "in two");
    }
}

static void in_bytes(const golden *g, const conf_fields *whole)
{
    reading r;
    begin(&r, g);
    for (size_t i = 0; i < g->text.n; i++) feed(&r, g->text.at + i, 1);
    expect_same(&r, g, whole, "in bytes");
}

/* In pieces of up to 1, 2, … bytes, empty ones among them. */
static void at_random(const golden *g, const conf_fields *whole)
{
    unsigned state = (unsigned)g->text.n;
    for (size_t most = 1; most <= 24; most++) {
        reading r;
        begin(&r, g);
        for (size_t i = 0; i < g->text.n;) {
            state = state * 1664525U + 1013904223U;
            size_t n = (state >> 16) % (most + 1);
            if (n > g->text.n - i) n = g->text.n - i;
            feed(&r, g->text.at + i, n);
            i += n;
        }
        expect_same(&r, g, whole, "at random");
    }
}

static void expect_golden(const golden *g, const conf_fields *fields)
{
    char text[512];
    json_object *content, *calls;
    (void)json_object_object_get_ex(g->expect, "content", &content);
    ck_assert_msg(conf_field_equals("content", content, &fields->content, text, sizeof text), "%s: %s: %.*s",
                  g->parser, text, (int)g->text.n, g->text.at);
    ck_assert(json_object_object_get_ex(g->expect, "calls", &calls));
    ck_assert_msg(conf_calls_equal(calls, fields, text, sizeof text), "%s: %s: %.*s", g->parser, text,
                  (int)g->text.n, g->text.at);
}

/* The content is the text with parts of it left out. */
static void expect_of_text(const golden *g, const conf_fields *fields)
{
    size_t at = 0;
    for (size_t i = 0; i < g->text.n && at < fields->content.n; i++)
        if (g->text.at[i] == fields->content.at[at]) at++;
    ck_assert_msg(at == fields->content.n, "%s: %.*s", g->parser, (int)g->text.n, g->text.at);
}

static void append(conf_bytes *bytes, json_object *string)
{
    const size_t n = (size_t)json_object_get_string_len(string);
    bytes->at = realloc(bytes->at, bytes->n + n + 1);
    ck_assert_ptr_nonnull(bytes->at);
    memcpy(bytes->at + bytes->n, json_object_get_string(string), n);
    bytes->n += n;
}

static void read_golden(json_object *vector, golden *g)
{
    json_object *input, *parser, *request, *text, *deltas;
    *g = (golden){0};
    ck_assert(json_object_object_get_ex(vector, "expect", &g->expect));
    ck_assert(json_object_object_get_ex(vector, "input", &input));
    ck_assert(json_object_object_get_ex(input, "parser", &parser));
    ck_assert(json_object_object_get_ex(input, "request", &request));
    g->parser = json_object_get_string(parser);
    g->request.at = json_object_to_json_string_length(request, JSON_C_TO_STRING_PLAIN, &g->request.n);
    if (json_object_object_get_ex(input, "text", &text)) append(&g->text, text);
    else if (json_object_object_get_ex(input, "deltas", &deltas))
        for (size_t i = 0; i < json_object_array_length(deltas); i++)
            append(&g->text, json_object_array_get_idx(deltas, i));
}

static void judge(json_object *vector)
{
    golden g;
    reading whole;
    read_golden(vector, &g);
    begin(&whole, &g);
    feed(&whole, g.text.at, g.text.n);
    end(&whole);
    expect_golden(&g, &whole.fields);
    expect_of_text(&g, &whole.fields);
    in_two(&g, &whole.fields);
    in_bytes(&g, &whole.fields);
    at_random(&g, &whole.fields);
    conf_fields_free(&whole.fields);
    free(g.text.at);
}

static size_t judge_file(const char *name)
{
    char path[512];
    assay_error err;
    conf_case *c;
    (void)snprintf(path, sizeof path, "%s/fixtures/serving/tools/%s", getenv("top_srcdir"), name);
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    const size_t n = c->vectors.n;
    for (size_t i = 0; i < n; i++) {
        conf_vector_place place;
        judge(conf_vector_find(&c->vectors, i, path, &place)->value);
    }
    conf_case_free(c);
    return n;
}

START_TEST(no_cut_of_what_upstream_tests_changes_its_answer)
{
    ck_assert_uint_ge(judge_file("published.json.gz"), 100);
}
END_TEST

START_TEST(no_cut_of_what_was_drawn_changes_its_answer)
{
    ck_assert_uint_eq(judge_file("random.json.gz"), 2000);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/tools_cuts");
    TCase *c = tcase_create("cuts");
    tcase_set_timeout(c, 240);
    tcase_add_test(c, no_cut_of_what_upstream_tests_changes_its_answer);
    tcase_add_test(c, no_cut_of_what_was_drawn_changes_its_answer);
    suite_add_tcase(s, c);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

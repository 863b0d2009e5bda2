/* The bundled goldens of reasoning, cut in every way: all must give the same pieces joined, exactly, and
 * every byte must be in one of them or be counted as dropped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/reasoning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case.h"
#include "conformance/fields.h"
#include "conformance/tests/support.h"

typedef struct golden {
    const serve_reasoning_rules *rules;
    serve_reasoning_options options;
    json_object *expect;
    conf_bytes text;
} golden;

/* A reading of a golden's text. */
typedef struct reading {
    serve_reasoning s;
    conf_fields fields;
    assay_sink sink;
} reading;

static void begin(reading *r, const golden *g)
{
    r->fields = (conf_fields){0};
    r->sink = conf_fields_sink(&r->fields);
    serve_reasoning_start(&r->s, g->rules, &g->options);
}

static void feed(reading *r, const char *text, size_t n)
{
    serve_reasoning_feed(&r->s, text, n, &r->sink);
}

static bool same(const conf_bytes *a, const conf_bytes *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n) == 0);
}

/* Ends the reading and frees it. */
static void expect_same(reading *r, const golden *g, const conf_fields *whole, const char *how)
{
    serve_reasoning_end(&r->s, &r->sink);
    ck_assert_msg(same(&r->fields.content, &whole->content) && same(&r->fields.reasoning, &whole->reasoning),
                  "%s, %s: %.*s", g->rules->name, how, (int)g->text.n, g->text.at);
    ck_assert_uint_eq(r->fields.content.n + r->fields.reasoning.n + r->s.n_dropped, g->text.n);
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
    json_object *member;
    (void)json_object_object_get_ex(g->expect, "content", &member);
    ck_assert_msg(conf_field_equals("content", member, &fields->content, text, sizeof text), "%s: %s: %.*s",
                  g->rules->name, text, (int)g->text.n, g->text.at);
    (void)json_object_object_get_ex(g->expect, "reasoning", &member);
    ck_assert_msg(conf_field_equals("reasoning", member, &fields->reasoning, text, sizeof text),
                  "%s: %s: %.*s", g->rules->name, text, (int)g->text.n, g->text.at);
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
    json_object *input, *parser, *text, *deltas, *off;
    assay_error err;
    *g = (golden){0};
    ck_assert(json_object_object_get_ex(vector, "expect", &g->expect));
    ck_assert(json_object_object_get_ex(vector, "input", &input));
    ck_assert(json_object_object_get_ex(input, "parser", &parser));
    ck_assert_int_eq(serve_reasoning_find(json_object_get_string(parser), &g->rules, &err), ASSAY_OK);
    if (json_object_object_get_ex(input, "thinking_off", &off))
        g->options.thinking_off = json_object_get_boolean(off);
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
    serve_reasoning_end(&whole.s, &whole.sink);
    expect_golden(&g, &whole.fields);
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
    (void)snprintf(path, sizeof path, "%s/fixtures/serving/reasoning/%s", getenv("top_srcdir"), name);
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
    ck_assert_uint_ge(judge_file("random.json.gz"), 2500);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/reasoning_cuts");
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

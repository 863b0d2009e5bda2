/* The bundled goldens of kind tools, cut into deltas by cuts_judge: every cut must give the same
 * content, byte for byte, and the same calls; content must be a subsequence of the generated text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/tools.h"

#include <check.h>
#include <stdlib.h>

#include "conformance/tests/cuts.h"
#include "conformance/tests/support.h"

static serve_tools *under_way;

static void begin(const cuts_golden *g)
{
    assay_error err;
    if (!g->request.at) ck_abort_msg("%s: no request", g->parser);
    if (serve_tools_open(g->parser, g->request, &under_way, &err) != ASSAY_OK) ck_abort_msg("%s", err.text);
}

static void feed(const char *text, size_t n, const assay_sink *sink)
{
    if (serve_tools_feed(under_way, text, n, sink, NULL) != ASSAY_OK) ck_abort_msg("%.*s", (int)n, text);
}

static void end(const cuts_golden *g, const conf_fields *fields, const assay_sink *sink)
{
    (void)fields;
    if (serve_tools_end(under_way, sink, NULL) != ASSAY_OK)
        ck_abort_msg("%.*s", (int)g->text.n, g->text.data);
    serve_tools_free(under_way);
}

/* Content must be a subsequence of the bytes of the generated text. */
static void expect_subsequence(const cuts_golden *g, const conf_fields *fields)
{
    size_t at = 0;
    for (size_t i = 0; i < g->text.n && at < fields->content.n; i++)
        if (g->text.data[i] == fields->content.data[at]) at++;
    ck_assert_msg(at == fields->content.n, "%s: %.*s", g->parser, (int)g->text.n, g->text.data);
}

static void judge(const cuts_golden *g, const conf_fields *fields)
{
    char text[512];
    json_object *calls;
    cuts_expect_field(g, "content", &fields->content);
    ck_assert(json_object_object_get_ex(g->expect, "calls", &calls));
    ck_assert_msg(conf_calls_equal(calls, fields, text, sizeof text), "%s: %s: %.*s", g->parser, text,
                  (int)g->text.n, g->text.data);
    expect_subsequence(g, fields);
}

static const cuts_parser parser = {"tools", begin, feed, end, judge};

START_TEST(cuts_do_not_change_the_answer_to_published_texts)
{
    ck_assert_uint_ge(cuts_judge(&parser, "published.json.gz"), 100);
}
END_TEST

START_TEST(cuts_do_not_change_the_answer_to_written_texts)
{
    ck_assert_uint_ge(cuts_judge(&parser, "written.json.gz"), 30);
}
END_TEST

START_TEST(cuts_do_not_change_the_answer_to_random_texts)
{
    ck_assert_uint_ge(cuts_judge(&parser, "random.json.gz"), 3000);
}
END_TEST

START_TEST(cuts_do_not_change_the_answer_to_marker_sequences)
{
    ck_assert_uint_ge(cuts_judge(&parser, "sequences.json.gz"), 6000);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/textual/tools_cuts");
    TCase *c = tcase_create("cuts");
    tcase_set_timeout(c, 240);
    tcase_add_test(c, cuts_do_not_change_the_answer_to_published_texts);
    tcase_add_test(c, cuts_do_not_change_the_answer_to_written_texts);
    tcase_add_test(c, cuts_do_not_change_the_answer_to_random_texts);
    tcase_add_test(c, cuts_do_not_change_the_answer_to_marker_sequences);
    suite_add_tcase(s, c);
    return support_run(s);
}

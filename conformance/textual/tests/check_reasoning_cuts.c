/* The bundled goldens of kind reasoning, cut into deltas by cuts_judge: every cut must give the same
 * content and reasoning, byte for byte, and every byte must be in one of them or be counted as dropped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/reasoning/reasoning.h"

#include <check.h>
#include <stdlib.h>

#include "conformance/tests/cuts.h"
#include "conformance/tests/support.h"

static serve_reasoning under_way;

static void begin(const cuts_golden *g)
{
    const serve_reasoning_rules *rules;
    serve_reasoning_options options = {0};
    json_object *off;
    if (serve_reasoning_find(g->parser, &rules, NULL) != ASSAY_OK)
        ck_abort_msg("%s: no such parser", g->parser);
    if (json_object_object_get_ex(g->input, "thinking_off", &off))
        options.thinking_off = json_object_get_boolean(off);
    serve_reasoning_start(&under_way, rules, &options);
}

static void feed(const char *text, size_t n, const assay_sink *sink)
{
    serve_reasoning_feed(&under_way, text, n, sink);
}

static void end(const cuts_golden *g, const conf_fields *fields, const assay_sink *sink)
{
    serve_reasoning_end(&under_way, sink);
    const size_t n = fields->content.n + fields->reasoning.n + under_way.n_dropped;
    if (n != g->text.n) ck_abort_msg("%s: %zu bytes of %zu", g->parser, n, g->text.n);
}

static void judge(const cuts_golden *g, const conf_fields *fields)
{
    cuts_expect_field(g, "content", &fields->content);
    cuts_expect_field(g, "reasoning", &fields->reasoning);
}

static const cuts_parser parser = {"reasoning", begin, feed, end, judge};

START_TEST(cuts_do_not_change_the_answer_to_published_texts)
{
    ck_assert_uint_ge(cuts_judge(&parser, "published.json.gz"), 100);
}
END_TEST

START_TEST(cuts_do_not_change_the_answer_to_random_texts)
{
    ck_assert_uint_ge(cuts_judge(&parser, "random.json.gz"), 2500);
}
END_TEST

START_TEST(cuts_do_not_change_the_answer_to_marker_sequences)
{
    ck_assert_uint_ge(cuts_judge(&parser, "sequences.json.gz"), 10000);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/textual/reasoning_cuts");
    TCase *c = tcase_create("cuts");
    tcase_set_timeout(c, 240);
    tcase_add_test(c, cuts_do_not_change_the_answer_to_published_texts);
    tcase_add_test(c, cuts_do_not_change_the_answer_to_random_texts);
    tcase_add_test(c, cuts_do_not_change_the_answer_to_marker_sequences);
    suite_add_tcase(s, c);
    return support_run(s);
}

/* Tests of template/inspect: what a template uses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "template/inspect.h"

#include <stdio.h>
#include <string.h>

#include "base/tests/support.h"

/* Receives a feature: appends "kind name;" to the text. */
static void take(void *context, const char *kind, assay_text name)
{
    char *text = context;
    const size_t n = strlen(text);
    (void)snprintf(text + n, 256 - n, "%s %.*s;", kind, (int)name.n, name.at);
}

/* Inspects a template, and expects these unsupported features. */
static template_facts inspect(const char *source, const char *unsupported)
{
    char text[256] = "";
    template_facts facts;
    assay_error err = {0};
    const assay_status rc = template_inspect((assay_text){source, strlen(source)}, take, text, &facts, &err);
    ck_assert_msg(rc == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(text, unsupported);
    return facts;
}

START_TEST(variables_that_are_read_are_found_anywhere)
{
    static const char *const reading[] = {
        "{{ tools }}", "{% if x %}{% for t in tools %}{% endfor %}{% endif %}",
        "{% macro m(a=tools) %}{% endmacro %}", "{{ x if tools is defined }}",
        "{% set a %}{{ [1, {'a': f(b=tools)}] }}{% endset %}"};
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        ck_assert(inspect(reading[i], "").reads_tools);
    ck_assert(!inspect("tools {{ a.tools }} {# tools #}{{ 'tools' }}", "").reads_tools);
    ck_assert(inspect("{{ enable_thinking }}", "").reads_thinking);
    ck_assert(!inspect("{{ tools }}", "").reads_thinking);
}
END_TEST

START_TEST(features_that_are_refused_are_named)
{
    (void)inspect("{{ a|urlize|trim }}{% filter pprint %}{% endfilter %}{{ lipsum() }}{{ a.encode() }}",
                  "filter urlize;filter pprint;global lipsum;method encode;");
    (void)inspect("{% if a is nice %}{{ a|nice }}{% endif %}", "test nice;filter nice;");
    (void)inspect("{{ self.a }}", "");
    (void)inspect(
        "{% set joiner = 1 %}{{ joiner }}{% for cycler in a %}{{ cycler }}{% endfor %}{{ a.encode }}", "");
}
END_TEST

START_TEST(a_template_that_is_invalid_is_refused_with_the_line)
{
    template_facts facts;
    assay_error err = {0};
    const char *source = "a\n{% include 'b' %}";
    ck_assert_int_eq(template_inspect((assay_text){source, strlen(source)}, NULL, NULL, &facts, &err),
                     ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "line 2", "the statement \"include\"", NULL);
    source = "{{";
    ck_assert_int_eq(template_inspect((assay_text){source, strlen(source)}, NULL, NULL, &facts, NULL),
                     ASSAY_EFORMAT);
    ck_assert_int_eq(template_inspect((assay_text){"a\xff", 2}, NULL, NULL, &facts, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "byte 1 is not UTF-8", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("template/inspect");
    TCase *all = tcase_create("all");
    tcase_add_test(all, variables_that_are_read_are_found_anywhere);
    tcase_add_test(all, features_that_are_refused_are_named);
    tcase_add_test(all, a_template_that_is_invalid_is_refused_with_the_line);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
